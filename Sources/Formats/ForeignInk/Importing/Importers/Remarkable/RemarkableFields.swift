import InkFiles

/// The identifier of an item in a page of version 6: its author, and a growing number.
struct RemarkableID: Hashable, Comparable {
  var author: UInt8
  var counter: UInt64

  static let none = RemarkableID(author: 0, counter: 0)
  /// The group that holds all layers.
  static let root = RemarkableID(author: 0, counter: 1)

  static func < (a: Self, b: Self) -> Bool { (a.author, a.counter) < (b.author, b.counter) }
}

/// Reads values with tags. Each tag states the index of a field and the storage of its value, so
/// unknown fields can be skipped.
struct RemarkableFields {
  private(set) var cursor: ByteCursor

  enum Value {
    case byte(UInt8)
    case word(UInt32)
    case double(UInt64)
    /// Bytes with a length of their own, mostly fields again.
    case part(ByteCursor)
    case identifier(RemarkableID)
  }

  init(_ cursor: ByteCursor) { self.cursor = cursor }

  /// The next field; nil at the end.
  mutating func next() throws(ImportError) -> (index: Int, value: Value)? {
    guard cursor.remaining > 0 else { return nil }
    let start = cursor.offset
    let tag = try cursor.variableLength()
    let value: Value
    switch tag & 0xF {
    case 0x1: value = .byte(try cursor.byte())
    case 0x4: value = .word(try cursor.littleEndian())
    case 0x8: value = .double(try cursor.littleEndian())
    case 0xC: value = .part(try cursor.part(try cursor.uint32()))
    case 0xF: value = .identifier(try cursor.remarkableID())
    default: throw ImportError(.expected("a field of a known kind"), at: start)
    }
    return (Int(clamping: tag >> 4), value)
  }

  /// The value of a register that keeps its last writer: field 2 of a part.
  static func registered(_ part: ByteCursor) throws(ImportError) -> Value? {
    var fields = RemarkableFields(part)
    while let field = try fields.next() {
      if field.index == 2 { return field.value }
    }
    return nil
  }
}

extension ByteCursor {
  mutating func remarkableID() throws(ImportError) -> RemarkableID {
    RemarkableID(author: try byte(), counter: try variableLength())
  }
}
