/// Writes JSON in a stable form: keys in the caller's order, numbers that read back to the same
/// value, and each element of a long list or object on its own line.
package struct JSONWriter {
  /// The JSON so far.
  package private(set) var bytes: [UInt8] = []
  private var depth = 0
  /// Whether the next value is the first in its container, for each open container.
  private var isFirst = [true]
  /// Whether elements are on their own lines, for each open container.
  private var isLong = [false]
  private var followsKey = false

  package init() {}

  /// Writes an object; if it is long, each field on its own line.
  package mutating func object(long: Bool = false, _ body: (inout JSONWriter) -> Void) {
    container("{", "}", long: long, body)
  }

  /// Writes a list; if it is long, each element on its own line.
  package mutating func list(long: Bool = false, _ body: (inout JSONWriter) -> Void) {
    container("[", "]", long: long, body)
  }

  /// Writes a list of numbers on one line.
  package mutating func list(_ numbers: some Sequence<Double>) {
    list { for number in numbers { $0.value(number) } }
  }

  /// Writes a key. The value must follow.
  package mutating func key(_ name: String) {
    separate()
    quote(name)
    bytes += ": ".utf8
    followsKey = true
  }

  /// Writes a number. JSON has only finite numbers, so any other becomes `null`.
  package mutating func value(_ number: Double) {
    guard number.isFinite else { return null() }
    separate()
    // The shortest digits that read back to the same number; whole ones without a fraction.
    var text = number.description
    if text.hasSuffix(".0") { text.removeLast(2) }
    bytes += text.utf8
  }

  package mutating func value(_ number: Int) {
    separate()
    bytes += String(number).utf8
  }

  package mutating func value(_ text: String) {
    separate()
    quote(text)
  }

  package mutating func value(_ truth: Bool) {
    separate()
    bytes += (truth ? "true" : "false").utf8
  }

  package mutating func null() {
    separate()
    bytes += "null".utf8
  }

  /// Writes a member with a text; null if there is none.
  package mutating func field(_ name: String, _ text: String?) {
    key(name)
    if let text { value(text) } else { null() }
  }

  /// Writes a member with an object.
  package mutating func object(
    _ name: String, long: Bool = false, _ body: (inout JSONWriter) -> Void
  ) {
    key(name)
    object(long: long, body)
  }

  /// Writes a member with a list.
  package mutating func list(
    _ name: String, long: Bool = false, _ body: (inout JSONWriter) -> Void
  ) {
    key(name)
    list(long: long, body)
  }

  /// Writes a member with a list that has what a body writes for each item.
  package mutating func list<Items: Sequence>(
    _ name: String, _ items: Items, long: Bool = false,
    _ body: (inout JSONWriter, Items.Element) -> Void
  ) {
    list(name, long: long) { json in for item in items { body(&json, item) } }
  }

  /// Writes a member with a number.
  package mutating func field(_ name: String, _ number: Double) {
    key(name)
    value(number)
  }

  /// Writes a member with a number.
  package mutating func field(_ name: String, _ number: Int) {
    key(name)
    value(number)
  }

  /// Writes a member that is true or false.
  package mutating func field(_ name: String, _ truth: Bool) {
    key(name)
    value(truth)
  }

  /// Writes a newline, which ends the text.
  package mutating func finish() { bytes.append(UInt8(ascii: "\n")) }

  private mutating func container(
    _ open: String, _ close: String, long: Bool, _ body: (inout JSONWriter) -> Void
  ) {
    separate()
    bytes += open.utf8
    isFirst.append(true)
    isLong.append(long)
    depth += long ? 1 : 0
    body(&self)
    depth -= long ? 1 : 0
    isLong.removeLast()
    if isFirst.popLast() == false, long { breakLine() }
    bytes += close.utf8
  }

  private mutating func separate() {
    if followsKey {
      followsKey = false
      return
    }
    let first = isFirst[isFirst.count - 1]
    isFirst[isFirst.count - 1] = false
    let long = isLong[isLong.count - 1]
    if !first { bytes += (long ? "," : ", ").utf8 }
    if long { breakLine() }
  }

  private mutating func breakLine() {
    bytes.append(UInt8(ascii: "\n"))
    bytes += [UInt8](repeating: UInt8(ascii: " "), count: depth)
  }

  private mutating func quote(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case UInt8(ascii: "\n"): bytes += "\\n".utf8
      case UInt8(ascii: "\t"): bytes += "\\t".utf8
      case 0..<0x20:
        bytes += ("\\u00" + (byte < 16 ? "0" : "") + String(byte, radix: 16)).utf8
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
