import InkFiles

/// Reads the text of traces: points separated by commas. Each value is written as itself, as its
/// difference from the last one, or as the difference of differences.
struct InkMLTraceText {
  /// The values of all points, channel by channel; NaN where one is unknown.
  private(set) var values: [Double] = []
  private let format: InkMLFormat
  private var channels: [Channel] = []

  /// The state of a channel between points.
  private struct Channel {
    var order = Order.value
    var value = 0.0
    /// The last difference, and the last difference of differences.
    var velocity = 0.0
    var acceleration = 0.0
    var isKnown = false

    /// Takes the next number of the text.
    mutating func take(_ number: Double) {
      switch order {
      case .value:
        velocity = isKnown ? number - value : 0
        value = number
      case .difference:
        velocity = number
        value += number
      case .secondDifference:
        acceleration = number
        velocity += number
        value += velocity
      }
      isKnown = true
    }

    /// Repeats the last change.
    mutating func repeatLast() {
      switch order {
      case .value: break
      case .difference: value += velocity
      case .secondDifference:
        velocity += acceleration
        value += velocity
      }
    }
  }

  /// The meaning of a channel's numbers, until a sign changes it.
  private enum Order { case value, difference, secondDifference }

  init(_ format: InkMLFormat) { self.format = format }

  /// The number of channels.
  var width: Int { format.channels.count }

  /// Reads a trace. Returns the first error; the points before it are kept, but no part of a point.
  mutating func read(_ text: borrowing Span<UInt8>) -> ImportError.Reason? {
    values.removeAll(keepingCapacity: true)
    channels = format.channels.map { channel in
      var state = Channel()
      if let standard = channel.standard { state.value = standard }
      return state
    }
    var index = 0
    var pointStart = 0
    while true {
      // The channel of the next value.
      let next = values.count - pointStart
      NumberText.skipSpace(in: text, at: &index)
      guard index < text.count else { break }
      let character = text[index]
      if character == UInt8(ascii: ",") {
        index += 1
        if next > 0 { fill(from: next, to: width) }
        pointStart = values.count
        continue
      }
      if character == UInt8(ascii: ":") {
        // The values of intermittent channels follow.
        guard let first = format.channels.firstIndex(where: \.isIntermittent) else {
          if next < width { values.removeLast(next) }
          return .expected("a point without intermittent channels")
        }
        index += 1
        if next < first { fill(from: next, to: first) }
        continue
      }
      guard next < width else {
        // The values before the comma form a point.
        return .expected("a comma after the last value of a point")
      }
      guard readValue(text, &index, next) else {
        values.removeLast(next)
        return .expected("a value of a trace")
      }
    }
    if values.count > pointStart { fill(from: values.count - pointStart, to: width) }
    return nil
  }

  /// Reads a sign or a value of a channel. A value is added, a sign is not.
  private mutating func readValue(
    _ text: borrowing Span<UInt8>, _ index: inout Int, _ channel: Int
  ) -> Bool {
    switch text[index] {
    case UInt8(ascii: "!"): channels[channel].order = .value
    case UInt8(ascii: "'"): channels[channel].order = .difference
    case UInt8(ascii: "\""): channels[channel].order = .secondDifference
    case UInt8(ascii: "*"):
      channels[channel].repeatLast()
      values.append(channels[channel].value)
    case UInt8(ascii: "?"): values.append(.nan)
    case UInt8(ascii: "T"): take(1, channel)
    case UInt8(ascii: "F"): take(0, channel)
    default:
      guard let number = Self.number(text, &index) else { return false }
      take(number, channel)
      return true
    }
    index += 1
    return true
  }

  private mutating func take(_ number: Double, _ channel: Int) {
    channels[channel].take(number)
    values.append(channels[channel].value)
  }

  /// A number: decimal, or hexadecimal behind a `#`, with blanks behind its sign or without.
  private static func number(_ text: borrowing Span<UInt8>, _ index: inout Int) -> Double? {
    if let number = NumberText.number(in: text, at: &index) { return number }
    var next = index
    let isNegative = text[next] == UInt8(ascii: "-")
    if isNegative {
      next += 1
      NumberText.skipSpace(in: text, at: &next)
      guard next < text.count, text[next] != UInt8(ascii: "-") else { return nil }
      if let number = NumberText.number(in: text, at: &next) {
        index = next
        return -number
      }
    }
    guard text[next] == UInt8(ascii: "#") else { return nil }
    next += 1
    let start = next
    var value = 0.0
    while next < text.count, let digit = hexadecimal(text[next]) {
      value = value * 16 + digit
      next += 1
    }
    guard next > start else { return nil }
    index = next
    return isNegative ? -value : value
  }

  private static func hexadecimal(_ character: UInt8) -> Double? {
    switch character {
    case 48...57: Double(character - 48)
    case 65...70: Double(character - 55)
    default: nil
    }
  }

  /// Adds the values that a point omits: the last one of an intermittent channel, or the channel's
  /// default.
  private mutating func fill(from first: Int, to end: Int) {
    for channel in first..<end {
      let definition = format.channels[channel]
      let isRepeated = definition.isIntermittent && channels[channel].isKnown
      values.append(isRepeated ? channels[channel].value : definition.standard ?? .nan)
    }
  }
}
