/// Numbers with names, read from an object or a list of JSON: one of many that have the same form.
package struct NumberRow {
  /// At most 16 names of at most 16 bytes, in the order of the numbers of a list.
  package struct Names: Sendable {
    package let texts: [String]
    fileprivate let keys: [InlineArray<16, UInt8>]

    package init(_ texts: [String]) {
      precondition(texts.count <= 16 && texts.allSatisfy { $0.utf8.count < 16 })
      self.texts = texts
      keys = texts.map { text in
        // Up to the quotation mark, so that no name is the beginning of another.
        var key = InlineArray<16, UInt8>(repeating: UInt8(ascii: "\""))
        for (index, byte) in text.utf8.enumerated() { key[index] = byte }
        return key
      }
    }
  }

  private let names: Names
  private var values = [Double](repeating: 0, count: 16)
  /// A bit for each number that is there.
  private var found: UInt16 = 0
  /// The number at each place of the last object, which is likely to be there in the next one.
  private var order = [Int](repeating: 0, count: 16)

  package init(_ names: Names) { self.names = names }

  /// The number at an index; nil if there is none.
  package subscript(index: Int) -> Double? {
    get { found >> UInt16(index) & 1 == 1 ? values[index] : nil }
    set {
      values[index] = newValue ?? 0
      found = newValue == nil ? found & ~(1 << UInt16(index)) : found | 1 << UInt16(index)
    }
  }

  /// Removes all numbers.
  package mutating func removeAll() { found = 0 }

  /// The index of a name.
  package func index(of name: String) -> Int? { names.texts.firstIndex(of: name) }

  /// Reads a row, and returns the offset behind it; nil for anything unexpected.
  mutating func read(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Int? {
    found = 0
    var scan = RowScan(bytes: bytes, offset: start)
    let first = scan.next()
    let isList = first == UInt8(ascii: "[")
    guard isList || first == UInt8(ascii: "{") else { return nil }
    let end = isList ? UInt8(ascii: "]") : UInt8(ascii: "}")
    scan.offset += 1
    if scan.next() == end { return scan.offset + 1 }
    var place = 0
    while place < 16 {
      var index = place
      if isList {
        guard index < names.keys.count else { return nil }
      } else {
        guard let named = key(at: &scan, place) else { return nil }
        index = named
      }
      if isList, scan.next() == UInt8(ascii: "n") {
        guard scan.skipNull() else { return nil }
      } else {
        _ = scan.next()
        guard let number = DecimalNumber(bytes, at: scan.offset), number.value.isFinite else {
          return nil
        }
        scan.offset = number.end
        values[index] = number.value
        found |= 1 << UInt16(index)
      }
      let mark = scan.next()
      scan.offset += 1
      if mark == end { return scan.offset }
      guard mark == UInt8(ascii: ",") else { return nil }
      place += 1
    }
    return nil
  }

  /// The number whose key and colon come next.
  @inline(__always)
  private mutating func key(at scan: inout RowScan, _ place: Int) -> Int? {
    guard scan.next() == UInt8(ascii: "\"") else { return nil }
    scan.offset += 1
    var index = order[place]
    var length = scan.length(of: names.keys[index])
    if length == nil {
      for other in names.keys.indices {
        guard let found = scan.length(of: names.keys[other]) else { continue }
        (index, length) = (other, found)
        break
      }
    }
    guard let length else { return nil }
    order[place] = index
    scan.offset += length
    guard scan.next() == UInt8(ascii: ":") else { return nil }
    scan.offset += 1
    return index
  }
}

/// Reads the characters of a row.
private struct RowScan {
  let bytes: UnsafeBufferPointer<UInt8>
  var offset: Int

  /// The next byte that is no white space; 0 at the end.
  @inline(__always)
  mutating func next() -> UInt8 {
    while offset < bytes.count {
      let byte = bytes[offset]
      guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
      offset += 1
    }
    return 0
  }

  /// The length of a key with its last quotation mark, if it comes next.
  @inline(__always)
  func length(of key: InlineArray<16, UInt8>) -> Int? {
    var index = 0
    while offset + index < bytes.count, bytes[offset + index] == key[index] {
      index += 1
      if key[index - 1] == UInt8(ascii: "\"") { return index }
    }
    return nil
  }

  mutating func skipNull() -> Bool {
    guard offset + 4 <= bytes.count, bytes[offset + 1] == UInt8(ascii: "u"),
      bytes[offset + 2] == UInt8(ascii: "l"), bytes[offset + 3] == UInt8(ascii: "l")
    else { return false }
    offset += 4
    return true
  }
}
