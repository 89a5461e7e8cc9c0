import Strokes

/// The flags at the start of a residue's payload, since version 2.
struct ArchiveFlags: OptionSet {
  let rawValue: UInt8

  static let notes2018 = ArchiveFlags(rawValue: 1)
  /// The bytes before the message are stored, since they are not the usual ones.
  static let header = ArchiveFlags(rawValue: 2)
  /// The tree of messages is stored, instead of the typical one.
  static let tree = ArchiveFlags(rawValue: 4)
  /// The residue is no message.
  static let raw = ArchiveFlags(rawValue: 8)

  var isValid: Bool {
    rawValue < 16 && !isSuperset(of: [.tree, .raw]) && !isSuperset(of: [.notes2018, .header])
  }
}

/// A typical outline of an archive. Coding starts as if such outlines had been coded before, so
/// that the real one costs little more than its random names.
struct ArchiveTemplate {
  private(set) var bytes: [UInt8] = []
  /// The names of its strokes.
  private(set) var names: [Identifier] = []
  private var ownTree = MessageTree()

  /// The bytes before the message.
  static let header: [UInt8] = [0x77, 0x72, 0x64, 0xF0, 1, 0]

  /// The outlines in the order in which they are coded: an empty drawing, one with erased strokes
  /// and pieces, one of an early version, and one stroke.
  static let all = [empty, erased, early, single, early].map { ArchiveTemplate($0) }

  /// The fields that are messages in any of the outlines.
  static let tree = all.reduce(into: MessageTree()) { $0.merge($1.ownTree) }

  private static let empty = "1=0 7{ 1=0 2=9223372036854775807 3=0 } 8*"
  private static let erased = """
    1=0 2! 2* 2* 3{ 1=0 2=0 3=0 } 3{ 1=3 2=1 3=3 } 3{ 1=2 2=2 3=0 } \
    4{ 1{ 1#00000000 2#00000000 3#00000000 4#0000803F } 2.com.apple.ink.pencil 3=3 \
    8#0000000000000000 } \
    4{ 1{ 1#0000803F 2#00000000 3#00000000 4#0000803F } 2.com.apple.ink.marker 3=3 4.linear } \
    5{ 1@ 2{ 1=0 2=1 3=1 } 3{ 1=0 2=1 3=0 } 4=0 5{ 1* 2. 3. 4. 5. 6. 7. 8=1 } 6. \
    8=137438953472 } \
    5{ 1@ 2{ 1=1 2=1 3=2 } 3{ 1=1 2=1 3=0 } 4=0 8=168033870720 16* } \
    5{ 1@ 2{ 1=2 2=1 3=3 } 3{ 1=0 2=1 3=0 } 4=1 5{ 1* 2. 3. 4. 5. 6. 7. 8=1 } \
    8=168033870720 9{ 1=0 2=2 3=0 } \
    11{ 1* 2{ 1=0 2=1 3=1 } 3{ 1=0 2=1 3=0 } 6. 8=168033870734 10. 12. } \
    11{ 1* 2{ 1=0 2=1 3=1 } 3{ 1=0 2=1 3=0 } 6. 8=168033870734 10. 12. } } \
    7{ 1=0 2=0 3=0 } 8*
    """
  private static let early = """
    1=0 2! 2* 3{ 1=0 2=0 3=0 } 3{ 1=2 2=1 3=2 } \
    4{ 1{ 1#0000803F 2#0000803F 3#0000803F 4#0000803F } 2.com.apple.ink.pen 3=3 } \
    5{ 1@ 2{ 1=0 2=1 3=1 } 3{ 1=0 2=1 3=0 } 4=0 5{ 1* 2. 3. 4. 5. 6. 7. 8=1 } 6. \
    8=137438953472 } \
    5{ 1@ 2{ 1=1 2=1 3=2 } 3{ 1=0 2=1 3=0 } 4=0 5{ 1* 2. 3. 4. 5. 6. 7. 8=1 } 6. \
    8=137438953472 } \
    7{ 1=0 2=0 3=0 }
    """
  private static let single = """
    1=0 2! 2* 3{ 1=0 2=0 3=0 } 3{ 1=1 2=1 3=1 } \
    4{ 1{ 1#00000000 2#00000000 3#00000000 4#0000803F } 2.com.apple.ink.pen 3=3 \
    8#0000000000000000 } \
    5{ 1@ 2{ 1=0 2=1 3=1 } 3{ 1=0 2=1 3=0 } 4=0 5{ 1* 2. 3. 4. 5. 6. 7. } 6. 8=137438953472 } \
    7{ 1=0 2=0 3=0 } 8*
    """
}

extension ArchiveTemplate {
  /// Names of version 4, in place of random ones and of a stroke's.
  private static let name = Identifier(high: 0x1111_1111_1111_4111, low: 0x9111_1111_1111_1111)
  private static let strokeName = Identifier(
    high: 0x2222_2222_2222_4222, low: 0xA222_2222_2222_2222)

  /// Parses an outline. A field is its number and: `=` and a number; `#` and hexadecimal digits of
  /// 4 or 8 bytes; `.` and text; `!`, a name of zeros; `*`, a random name; `@`, a stroke's name; or
  /// `{` and the fields of a message, up to `}`.
  private init(_ text: String) {
    var letters = Array(text.utf8)[...]
    (bytes, ownTree) = message(&letters)
  }

  private mutating func message(_ letters: inout ArraySlice<UInt8>) -> ([UInt8], MessageTree) {
    var writer = ByteWriter()
    var tree = MessageTree()
    while true {
      let word = letters.prefix { $0 != UInt8(ascii: " ") }
      letters = letters.dropFirst(word.count + 1)
      let digits = word.prefix { Self.isDigit($0) }
      guard let kind = word.dropFirst(digits.count).first, kind != UInt8(ascii: "}") else { break }
      let number = Self.number(digits, radix: 10)
      var value = word.dropFirst(digits.count + 1)
      switch kind {
      case UInt8(ascii: "="):
        writer.varint(number << 3)
        writer.varint(Self.number(value, radix: 10))
      case UInt8(ascii: "#"):
        writer.varint(number << 3 | (value.count == 8 ? 5 : 1))
        while !value.isEmpty {
          writer.byte(UInt8(Self.number(value.prefix(2), radix: 16)))
          value = value.dropFirst(2)
        }
      default:
        var payload = Array(value)
        switch kind {
        case UInt8(ascii: "!"): payload = Identifier.zero.bytes
        case UInt8(ascii: "@"):
          payload = Self.strokeName.bytes
          names.append(Self.strokeName)
        case UInt8(ascii: "*"): payload = Self.name.bytes
        case UInt8(ascii: "{"):
          let (bytes, child) = message(&letters)
          payload = bytes
          tree.children[number, default: MessageTree()].merge(child)
        default: break
        }
        writer.varint(number << 3 | 2)
        writer.count(payload.count)
        writer.append(payload)
      }
    }
    return (writer.bytes, tree)
  }

  private static func isDigit(_ letter: UInt8) -> Bool {
    UInt8(ascii: "0")...UInt8(ascii: "9") ~= letter
  }

  /// The number of digits, of which those above nine are capital letters.
  private static func number(_ digits: ArraySlice<UInt8>, radix: UInt64) -> UInt64 {
    digits.reduce(0) { number, letter in
      number * radix + UInt64(isDigit(letter) ? letter - UInt8(ascii: "0") : letter - 55)
    }
  }
}
