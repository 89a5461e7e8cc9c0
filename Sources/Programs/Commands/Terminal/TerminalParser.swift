import System

/// Input from a terminal: keys, and replies to queries.
package enum TerminalEvent: Hashable, Sendable {
  case key(Key)
  /// The reply whether the terminal supports kitty's graphics protocol.
  case graphics(Bool)
  /// The terminal's primary device attributes, which every terminal reports.
  case attributes([Int])
  /// The size of a cell in pixels.
  case cell(TerminalSize.PixelSize)

  /// A key; `character` is any printable ASCII character.
  package enum Key: Hashable, Sendable {
    case character(Character)
    case up, down, left, right, home, end, escape
  }
}

/// Parses input from a terminal, in pieces of any size.
package struct TerminalParser {
  private var bytes: [UInt8] = []

  /// The maximum length of a sequence in bytes; a longer one is skipped.
  private static let maximumLength = 256
  private static let escape: UInt8 = 0x1B

  package init() {}

  /// Whether the end of a sequence is still missing.
  package var isWaiting: Bool { !bytes.isEmpty }

  /// Parses more bytes; returns the events that are complete.
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
          events.append(.key(.character(Character(Unicode.Scalar(first)))))
        }
        bytes.removeFirst()
      }
    }
    return events
  }

  /// Ends the input. A single escape is the Escape key; an incomplete sequence is dropped.
  package mutating func finish() -> [TerminalEvent] {
    defer { bytes = [] }
    return bytes == [Self.escape] ? [.key(.escape)] : []
  }

  /// The length in bytes of the sequence at the start; nil if its end is missing.
  private var sequenceLength: Int? {
    guard bytes.count > 1 else { return nil }
    switch bytes[1] {
    case UInt8(ascii: "["):
      // Parameters and a final letter.
      let end = bytes.dropFirst(2).firstIndex { 0x40...0x7E ~= $0 || $0 == Self.escape }
      return end.map { bytes[$0] == Self.escape ? $0 : $0 + 1 } ?? overlongLength
    case UInt8(ascii: "O"): return bytes.count > 2 ? 3 : nil
    case UInt8(ascii: "_"), UInt8(ascii: "P"), UInt8(ascii: "]"):
      // Any bytes up to an escape and a backslash.
      for index in bytes.indices.dropFirst(3)
      where bytes[index - 1] == Self.escape && bytes[index] == UInt8(ascii: "\\") {
        return index + 1
      }
      return overlongLength
    case Self.escape: return 1
    default: return 2
    }
  }

  /// All bytes, if there are more than the maximum length of a sequence; otherwise nil.
  private var overlongLength: Int? { bytes.count > Self.maximumLength ? bytes.count : nil }

  /// The event for a sequence, given without its escape; nil for an unknown one.
  private static func event(_ sequence: [UInt8]) -> TerminalEvent? {
    guard let first = sequence.first else { return .key(.escape) }
    let rest = String(decoding: sequence.dropFirst(), as: UTF8.self)
    switch first {
    case UInt8(ascii: "_"):
      guard rest.hasPrefix("Gi=31") else { return nil }
      return .graphics(rest.includes(";OK"))
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
