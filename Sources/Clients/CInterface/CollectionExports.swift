public import CPentimento
import ForeignInk

/// The collections that callers have open.
private let collections = Handles<OpenCollection>(kind: 5, "collection")

/// Reads the drawings of a data set.
@_cdecl("pentimento_collection_read")
public func readCollection(
  _ bytes: UnsafeRawPointer?, _ count: Int64, _ ends: UnsafePointer<Int64>?, _ textCount: Int64,
  _ kind: Int32, _ threads: Int32, _ error: UnsafeMutablePointer<pentimento_error>?
) -> OpaquePointer? {
  attempt(error) { () throws(InterfaceError) in
    guard count >= 0, bytes != nil || count == 0, textCount >= 0, ends != nil || textCount == 0
    else { throw InterfaceError(.invalid, "bytes or ends are null, or their count is negative") }
    guard count <= 1 << 36, textCount <= 1 << 32 else {
      throw InterfaceError(.tooLarge, "\(textCount) texts of \(count) bytes; 64 GiB is the limit")
    }
    guard let kind = InkCollection(rawValue: kind) else {
      throw InterfaceError(.invalid, "there is no kind of collection \(kind)")
    }
    var texts: [Range<Int>] = []
    if let ends {
      texts.reserveCapacity(Int(textCount))
      var start = 0
      for index in 0..<Int(textCount) {
        guard ends[index] >= start, ends[index] <= count else {
          throw InterfaceError(
            .invalid,
            "the end of text \(index) is \(ends[index]); it must be from \(start) to \(count)")
        }
        texts.append(start..<Int(ends[index]))
        start = Int(ends[index])
      }
    } else if count > 0 {
      texts = [0..<Int(count)]
    }
    let all = UnsafeRawBufferPointer(start: bytes, count: Int(count)).bindMemory(to: UInt8.self)
    // A point has at least 8 bytes in texts, 2 in binary records, and 8 in columns, which are
    // copied once.
    let byteCount = (kind == .quickDrawBinary ? 8 : 2) * Int(count)
    try checkMemory(byteCount, for: "the drawings of \(count) bytes")
    let lanes = laneCount(try laneCount(threads), bytesEach: 1 << 24)
    return try collections.add(try OpenCollection(kind, all, texts: texts, lanes: lanes))
  }
}

/// Frees a collection.
@_cdecl("pentimento_collection_close")
public func closeCollection(_ collection: OpaquePointer?) { collections.remove(collection) }

/// Returns a column of a collection.
@_cdecl("pentimento_collection_column")
public func collectionColumn(
  _ collection: OpaquePointer?, _ column: Int32, _ count: UnsafeMutablePointer<Int64>?,
  _ error: UnsafeMutablePointer<pentimento_error>?
) -> UnsafeRawPointer? {
  attempt(error) { () throws(InterfaceError) in
    let columns = try collections.find(collection).columns
    guard columns.indices.contains(Int(column)) else {
      throw InterfaceError(.invalid, "there is no column \(column)")
    }
    count?.pointee = Int64(columns[Int(column)].count)
    return columns[Int(column)].base
  } ?? nil
}

/// Returns the number of damaged places of a collection.
@_cdecl("pentimento_collection_damage_count")
public func collectionDamageCount(
  _ collection: OpaquePointer?, _ error: UnsafeMutablePointer<pentimento_error>?
) -> Int64 {
  attempt(error) { () throws(InterfaceError) in
    Int64(try collections.find(collection).damageCount)
  } ?? -1
}

/// Returns a description of one damaged place of a collection.
@_cdecl("pentimento_collection_damage")
public func collectionDamage(
  _ collection: OpaquePointer?, _ number: Int64, _ drawing: UnsafeMutablePointer<Int64>?,
  _ error: UnsafeMutablePointer<pentimento_error>?
) -> UnsafePointer<CChar>? {
  attempt(error) { () throws(InterfaceError) in
    let damage = try collections.find(collection).damage
    guard number >= 0, number < damage.count else {
      throw InterfaceError(.invalid, "there is no damage \(number) of \(damage.count)")
    }
    drawing?.pointee = Int64(damage[Int(number)].drawing)
    return UnsafePointer(damage[Int(number)].text.base)
  }
}
