import DrawingServices
import Storage

/// What a page sends to its room, and a room to its pages: sections of a byte for the kind, and
/// fields. `docs/room-protocol.md` describes it.
struct RoomMessage {
  /// Where a member is and what it looks at, as the pages understand it. Never stored.
  var presence: [UInt8]?
  /// What a member is drawing, piece by piece.
  var ink: [(kind: Kind, bytes: [UInt8])] = []
  /// The page's number of the first entry, and the entries.
  var entries: (first: Int, files: [[UInt8]]) = (0, [])

  /// The kinds of sections.
  enum Kind: UInt8 {
    case presence
    /// A member begins a stroke, continues it, or gives it up.
    case begin, more, drop
    case entry
    /// A member came or went.
    case came, gone
  }

  /// The maximum size of a presence and of ink in one message, in bytes.
  static let presenceLimit = 256
  static let inkLimit = 32 << 10
  /// The maximum number of entries in one message.
  private static let entryLimit = 256

  /// A message of a page. Nil if it is malformed, or too large.
  init?(_ bytes: [UInt8]) {
    var reader = SectionReader(bytes)
    var inkCount = 0
    while !reader.isAtEnd {
      guard let kind = reader.byte().flatMap({ Kind(rawValue: $0) }) else { return nil }
      switch kind {
      case .presence:
        guard let bytes = reader.block(limit: Self.presenceLimit) else { return nil }
        presence = bytes
      case .begin, .more, .drop:
        guard let bytes = reader.block(limit: Self.inkLimit) else { return nil }
        inkCount += bytes.count
        guard inkCount <= Self.inkLimit else { return nil }
        ink.append((kind, bytes))
      case .entry:
        guard let number = reader.number(), let bytes = reader.block(limit: .max),
          number >= 1, entries.files.count < Self.entryLimit
        else { return nil }
        if entries.files.isEmpty { entries.first = number }
        // In order and without a gap.
        guard number == entries.first + entries.files.count else { return nil }
        entries.files.append(bytes)
      case .came, .gone: return nil
      }
    }
  }
}

/// Reads the fields of sections.
struct SectionReader {
  private let bytes: [UInt8]
  private var offset = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { offset == bytes.count }

  mutating func byte() -> UInt8? {
    guard offset < bytes.count else { return nil }
    defer { offset += 1 }
    return bytes[offset]
  }

  /// A number of seven bits in each byte, the lowest first; below 2⁴⁹.
  mutating func number() -> Int? {
    var value = 0
    for shift in stride(from: 0, to: 49, by: 7) {
      guard let byte = byte() else { return nil }
      value |= Int(byte & 0x7F) << shift
      if byte < 0x80 { return value }
    }
    return nil
  }

  /// A number, and as many bytes.
  mutating func block(limit: Int) -> [UInt8]? {
    guard let count = number(), count <= limit, count <= bytes.count - offset else { return nil }
    defer { offset += count }
    return Array(bytes[offset..<offset + count])
  }
}

/// Sections for the pages of a room.
struct RoomFrame {
  private(set) var bytes: [UInt8] = []

  mutating func add(_ kind: RoomMessage.Kind, of tag: PageTag, _ block: [UInt8]) {
    bytes.append(kind.rawValue)
    bytes += tag.bytes
    add(block)
  }

  mutating func add(came tag: PageTag, _ person: UInt16) {
    bytes.append(RoomMessage.Kind.came.rawValue)
    bytes += tag.bytes
    add(Int(person))
  }

  mutating func add(gone tag: PageTag) {
    bytes.append(RoomMessage.Kind.gone.rawValue)
    bytes += tag.bytes
  }

  mutating func add(_ entry: RoomService.Entry) {
    bytes.append(RoomMessage.Kind.entry.rawValue)
    bytes += PageTag(entry.page).bytes
    add(entry.number)
    add(Int(entry.person))
    add(entry.pageNumber)
    // Milliseconds since 1970, which a page can hold exactly.
    add(Int(max(entry.moment.microseconds / 1000, 0)))
    add(entry.bytes)
  }

  private mutating func add(_ number: Int) {
    var rest = UInt64(number)
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  private mutating func add(_ block: [UInt8]) {
    add(block.count)
    bytes += block
  }
}

/// The public name of a member's page: the first half of its secret name.
struct PageTag: Hashable {
  let bytes: [UInt8]

  init(_ page: String) {
    let digits = Array(page.utf8.prefix(16))
    bytes = stride(from: 0, to: digits.count - 1, by: 2).map { index in
      UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16) ?? 0
    }
  }

  /// Whether a text is the secret name of a page: 32 hexadecimal digits.
  static func isName(_ text: String) -> Bool {
    text.utf8.count == 32
      && text.utf8.allSatisfy { 48...57 ~= $0 || 97...102 ~= $0 }
  }
}
