/// What a terminal sends: keys, and answers to questions.
package enum TerminalEvent: Hashable, Sendable {
  case key(Key)
  /// Whether kitty's graphics are there.
  case graphics(Bool)
  /// What the terminal can do, by numbers of the first terminals that could; sixels are 4.
  case attributes([Int])
  /// Pixels of a cell.
  case cell(TerminalSize.PixelSize)

  /// A key.
  package enum Key: Hashable, Sendable {
    case letter(Character)
    case up, down, left, right, home, end, escape
  }
}

/// Reads what a terminal sends, in pieces of any size.
package struct TerminalParser {
  private var bytes: [UInt8] = []

  /// Longer sequences are none.
  private static let longest = 256
  private static let escape: UInt8 = 0x1B

  package init() {}

  /// Whether a sequence has begun that may go on.
  package var isWaiting: Bool { !bytes.isEmpty }

  /// What bytes mean, with those that came before.
  package mutating func read(_ more: [UInt8]) -> [TerminalEvent] {
    bytes += more
    var events: [TerminalEvent] = []
    while let first = bytes.first {
      if first == Self.escape {
        guard let length = sequenceLength else { break }
        if let event = Self.event(Array(bytes[1..<length])) { events.append(event) }
        bytes.removeFirst(length)
      } else {
        if first >= 0x20, first < 0x7F {
          events.append(.key(.letter(Character(Unicode.Scalar(first)))))
        }
        bytes.removeFirst()
      }
    }
    return events
  }

  /// What it meant if nothing follows: an escape that is alone is the key.
  package mutating func finish() -> [TerminalEvent] {
    defer { bytes = [] }
    return bytes == [Self.escape] ? [.key(.escape)] : []
  }

  /// How long the sequence at the start is; nil where it has not ended.
  private var sequenceLength: Int? {
    guard bytes.count > 1 else { return nil }
    switch bytes[1] {
    case UInt8(ascii: "["):
      // Parameters, and a letter.
      let end = bytes.dropFirst(2).firstIndex { 0x40...0x7E ~= $0 || $0 == Self.escape }
      return end.map { bytes[$0] == Self.escape ? $0 : $0 + 1 } ?? cut
    case UInt8(ascii: "O"): return bytes.count > 2 ? 3 : nil
    case UInt8(ascii: "_"), UInt8(ascii: "P"), UInt8(ascii: "]"):
      // Any bytes up to an escape and a backslash.
      for place in bytes.indices.dropFirst(3)
      where bytes[place - 1] == Self.escape && bytes[place] == UInt8(ascii: "\\") {
        return place + 1
      }
      return cut
    case Self.escape: return 1
    default: return 2
    }
  }

  private var cut: Int? { bytes.count > Self.longest ? bytes.count : nil }

  /// What a sequence without its escape means.
  private static func event(_ sequence: [UInt8]) -> TerminalEvent? {
    guard let first = sequence.first else { return .key(.escape) }
    let rest = String(decoding: sequence.dropFirst(), as: UTF8.self)
    switch first {
    case UInt8(ascii: "_"):
      guard rest.hasPrefix("Gi=31") else { return nil }
      return .graphics(rest.contains(";OK"))
    case UInt8(ascii: "["), UInt8(ascii: "O"):
      let numbers = rest.dropLast().drop { $0 == "?" }.split(separator: ";").map { Int($0) ?? 0 }
      switch rest.last {
      case "A": return .key(.up)
      case "B": return .key(.down)
      case "C": return .key(.right)
      case "D": return .key(.left)
      case "H": return .key(.home)
      case "F": return .key(.end)
      case "~" where numbers.first == 1 || numbers.first == 7: return .key(.home)
      case "~" where numbers.first == 4 || numbers.first == 8: return .key(.end)
      case "c" where rest.hasPrefix("?"): return .attributes(numbers)
      case "t" where numbers.count == 3 && numbers[0] == 6 && numbers[1] > 0 && numbers[2] > 0:
        return .cell(TerminalSize.PixelSize(width: numbers[2], height: numbers[1]))
      default: return nil
      }
    default: return nil
    }
  }
}
