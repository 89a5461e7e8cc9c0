/// Reads the part of CBOR that authenticators write (CTAP 2, section 8): integers in their shortest
/// form, bytes, texts, lists and maps of definite length. Never reads past the end.
struct CBORReader {
  private let bytes: [UInt8]
  private(set) var offset: Int

  /// The maximum nesting depth of skipped values; attestations need four.
  private static let maximumDepth = 8

  /// A reader at an offset of at most `bytes.count`.
  init(_ bytes: [UInt8], at offset: Int = 0) {
    precondition(0...bytes.count ~= offset)
    (self.bytes, self.offset) = (bytes, offset)
  }

  var isAtEnd: Bool { offset == bytes.count }

  enum Kind: UInt8 {
    case unsigned, negative, bytes, text, list, map, tag, simple
  }

  /// A whole number.
  mutating func integer() throws(PasskeyError) -> Int64 {
    let (kind, value) = try head()
    guard kind == .unsigned || kind == .negative, let number = Int64(exactly: value) else {
      throw .malformed
    }
    return kind == .unsigned ? number : ~number
  }

  mutating func byteString() throws(PasskeyError) -> [UInt8] {
    let (kind, count) = try head()
    guard kind == .bytes else { throw .malformed }
    return Array(try take(count))
  }

  mutating func text() throws(PasskeyError) -> String {
    let (kind, count) = try head()
    guard kind == .text, let text = String(validating: try take(count), as: UTF8.self) else {
      throw .malformed
    }
    return text
  }

  /// Begins a map, and returns its number of entries.
  mutating func map() throws(PasskeyError) -> Int {
    let (kind, count) = try head()
    guard kind == .map else { throw .malformed }
    return try counted(count, least: 2)
  }

  /// Skips one value of any kind.
  mutating func skip() throws(PasskeyError) { try skip(depth: 0) }

  private mutating func skip(depth: Int) throws(PasskeyError) {
    guard depth < Self.maximumDepth else { throw .malformed }
    let (kind, value) = try head()
    switch kind {
    case .unsigned, .negative: break
    case .bytes, .text: _ = try take(value)
    case .list:
      for _ in 0..<(try counted(value, least: 1)) { try skip(depth: depth + 1) }
    case .map:
      for _ in 0..<(2 * (try counted(value, least: 2))) { try skip(depth: depth + 1) }
    case .simple:
      // False, true and null; authenticators write no others.
      guard 20...22 ~= value else { throw .malformed }
    case .tag: throw .malformed
    }
  }

  /// A number of elements that the remaining bytes can hold.
  private func counted(_ count: UInt64, least: Int) throws(PasskeyError) -> Int {
    guard count <= UInt64((bytes.count - offset) / least) else { throw .malformed }
    return Int(count)
  }

  private mutating func take(_ count: UInt64) throws(PasskeyError) -> ArraySlice<UInt8> {
    guard count <= UInt64(bytes.count - offset) else { throw .malformed }
    defer { offset += Int(count) }
    return bytes[offset..<offset + Int(count)]
  }

  private mutating func head() throws(PasskeyError) -> (kind: Kind, value: UInt64) {
    guard let first = try take(1).first, let kind = Kind(rawValue: first >> 5) else {
      throw .malformed
    }
    let low = first & 31
    if low < 24 { return (kind, UInt64(low)) }
    // 31 means an unknown length; 28 to 30 mean nothing.
    guard low < 28 else { throw .malformed }
    let width = 1 << (Int(low) - 24)
    let value = try take(UInt64(width)).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let shorter: UInt64 = width == 1 ? 24 : 1 << UInt64(width * 4)
    guard value >= shorter, kind != .simple else { throw .malformed }
    return (kind, value)
  }
}
