// Messages in protobuf's wire format as trees. The mutators and the plain decoder do not use the
// package's reader, so that they do not share its bugs.

/// The kind of a message, which determines the kinds of its fields.
enum WireShape {
  case drawing, ink, stroke, piece, path
  case document2018, content2018, drawing2018, stroke2018
  /// A few numbers: a colour, bounds, a transform or a version.
  case numbers

  /// The kind of the message in a field; nil if the field is not a message.
  func shape(of number: UInt64) -> WireShape? {
    switch (self, number) {
    case (.drawing, 4), (.drawing2018, 4): .ink
    case (.drawing, 5): .stroke
    case (.drawing, 3), (.drawing, 6), (.drawing, 7): .numbers
    case (.ink, 1): .numbers
    case (.stroke, 5): .path
    case (.stroke, 11): .piece
    case (.stroke, 2), (.stroke, 3), (.stroke, 6), (.stroke, 7), (.stroke, 9), (.stroke, 15):
      .numbers
    case (.piece, 2), (.piece, 3), (.piece, 6), (.piece, 7), (.piece, 9): .numbers
    case (.document2018, 2): .content2018
    case (.content2018, 3): .drawing2018
    case (.drawing2018, 5): .stroke2018
    case (.drawing2018, 3), (.drawing2018, 8), (.drawing2018, 10): .numbers
    case (.stroke2018, 1), (.stroke2018, 2), (.stroke2018, 6), (.stroke2018, 10): .numbers
    default: nil
    }
  }
}

enum WireValue {
  case varint(UInt64)
  case fixed32(UInt32)
  case fixed64(UInt64)
  case bytes([UInt8])
  case message(WireShape, [WireNode])
}

/// A field and its content.
struct WireNode {
  var number: UInt64
  var value: WireValue
}

// MARK: - Reading

/// Reads a message byte by byte.
private struct WireParser {
  let bytes: ArraySlice<UInt8>
  var offset: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    offset = bytes.startIndex
  }

  mutating func varint() -> UInt64? {
    var value: UInt64 = 0
    for index in 0..<10 {
      guard offset < bytes.endIndex else { return nil }
      let byte = bytes[offset]
      offset += 1
      // The tenth byte holds the last of 64 bits.
      if index == 9, byte > 1 { return nil }
      value |= UInt64(byte & 0x7F) << UInt64(7 * index)
      if byte < 0x80 { return value }
    }
    return nil
  }

  mutating func payload(_ count: UInt64) -> ArraySlice<UInt8>? {
    guard count <= UInt64(bytes.endIndex - offset) else { return nil }
    defer { offset += Int(count) }
    return bytes[offset..<offset + Int(count)]
  }

  mutating func littleEndian(_ count: UInt64) -> UInt64? {
    payload(count)?.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}

extension [WireNode] {
  /// The fields of a message; nil if the bytes are not a message. If a field should be a message
  /// but is not, it stays bytes.
  init?(_ bytes: ArraySlice<UInt8>, as shape: WireShape) {
    self = []
    var parser = WireParser(bytes)
    while parser.offset < bytes.endIndex {
      guard let key = parser.varint(), key >> 3 > 0, key >> 3 < 1 << 29 else { return nil }
      let number = key >> 3
      switch key & 7 {
      case 0:
        guard let value = parser.varint() else { return nil }
        append(WireNode(number: number, value: .varint(value)))
      case 1:
        guard let value = parser.littleEndian(8) else { return nil }
        append(WireNode(number: number, value: .fixed64(value)))
      case 2:
        guard let count = parser.varint(), let inner = parser.payload(count) else { return nil }
        append(WireNode(number: number, value: WireValue(inner, as: shape.shape(of: number))))
      case 5:
        guard let value = parser.littleEndian(4) else { return nil }
        append(WireNode(number: number, value: .fixed32(UInt32(value))))
      default: return nil
      }
    }
  }
}

extension WireValue {
  init(_ bytes: ArraySlice<UInt8>, as shape: WireShape?) {
    if let shape, let fields = [WireNode](bytes, as: shape) {
      self = .message(shape, fields)
    } else {
      self = .bytes(Array(bytes))
    }
  }
}

// MARK: - Writing

extension [WireNode] {
  /// The message in wire format, with correct lengths.
  var encoded: [UInt8] {
    var result: [UInt8] = []
    for node in self { node.encode(into: &result) }
    return result
  }
}

extension WireNode {
  fileprivate func encode(into result: inout [UInt8]) {
    func key(_ kind: UInt64, into result: inout [UInt8]) {
      appendVarint(number << 3 | kind, to: &result)
    }
    func littleEndian(_ value: UInt64, _ count: Int, into result: inout [UInt8]) {
      result += (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
    }
    func run(_ bytes: [UInt8], into result: inout [UInt8]) {
      key(2, into: &result)
      appendVarint(UInt64(bytes.count), to: &result)
      result += bytes
    }
    switch value {
    case .varint(let value):
      key(0, into: &result)
      appendVarint(value, to: &result)
    case .fixed64(let value):
      key(1, into: &result)
      littleEndian(value, 8, into: &result)
    case .fixed32(let value):
      key(5, into: &result)
      littleEndian(UInt64(value), 4, into: &result)
    case .bytes(let bytes): run(bytes, into: &result)
    case .message(_, let fields): run(fields.encoded, into: &result)
    }
  }
}

private func appendVarint(_ value: UInt64, to result: inout [UInt8]) {
  var rest = value
  while rest > 0x7F {
    result.append(UInt8(truncatingIfNeeded: rest) | 0x80)
    rest >>= 7
  }
  result.append(UInt8(rest))
}

// MARK: - Finding and editing

extension WireNode {
  /// The size of the encoded field in bytes.
  var size: Int { [self].encoded.count }

  /// The fields of the message; nil if it is not one of this shape.
  func fields(as shape: WireShape) -> [WireNode]? {
    guard case .message(shape, let fields) = value else { return nil }
    return fields
  }

  func hasShape(_ shape: WireShape) -> Bool { fields(as: shape) != nil }
}

extension [WireNode] {
  /// The number of wanted fields in the whole tree.
  func count(_ isWanted: (WireNode) -> Bool) -> Int {
    reduce(0) { sum, node in
      var inside = 0
      if case .message(_, let fields) = node.value { inside = fields.count(isWanted) }
      return sum + (isWanted(node) ? 1 : 0) + inside
    }
  }

  /// Edits one of the wanted fields of the whole tree, after skipping `remaining` of them; the body
  /// gets the message that contains it. `remaining` counts down, and is negative once the field was
  /// found.
  mutating func edit(
    _ remaining: inout Int, among isWanted: (WireNode) -> Bool,
    _ body: (inout [WireNode], Int) -> Void
  ) {
    for index in indices {
      if isWanted(self[index]) {
        remaining -= 1
        if remaining < 0 { return body(&self, index) }
      }
      guard case .message(let shape, var fields) = self[index].value else { continue }
      // Removed during the edit, so that the fields are not copied.
      self[index].value = .varint(0)
      fields.edit(&remaining, among: isWanted, body)
      self[index].value = .message(shape, fields)
      if remaining < 0 { return }
    }
  }

  /// Edits a random field among the wanted ones, if there is any.
  mutating func edit(
    _ random: inout Randomness, where isWanted: (WireNode) -> Bool = { _ in true },
    _ body: (inout [WireNode], Int, inout Randomness) -> Void
  ) {
    let count = count(isWanted)
    guard count > 0 else { return }
    var remaining = random.below(count)
    edit(&remaining, among: isWanted) { body(&$0, $1, &random) }
  }

  /// The value of the last field with a number, if it is a varint.
  func varint(_ number: UInt64) -> UInt64? {
    let field = last { $0.number == number }
    if case .varint(let value) = field?.value { return value }
    return nil
  }

  /// The value of the last field with a number, if it is bytes.
  func bytes(_ number: UInt64) -> [UInt8]? {
    let field = last { $0.number == number }
    if case .bytes(let bytes) = field?.value { return bytes }
    return nil
  }

  /// Sets the value of all fields with a number, or appends a field if there is none.
  mutating func set(_ number: UInt64, _ value: WireValue) {
    var isThere = false
    for index in indices where self[index].number == number {
      self[index].value = value
      isThere = true
    }
    if !isThere { append(WireNode(number: number, value: value)) }
  }
}
