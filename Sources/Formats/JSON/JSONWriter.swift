/// Writes JSON in a stable form: keys in the caller's order, numbers that read back to the same
/// value, and each element of a long list or object on its own line.
package struct JSONWriter {
  /// The JSON so far, without what was taken.
  package private(set) var bytes: [UInt8] = []
  private var depth = 0
  /// The innermost open container.
  private var container = Container(isLong: false)
  private var followsKey = false

  private struct Container {
    /// Whether elements are on their own lines.
    let isLong: Bool
    /// Whether the next value is the first.
    var isFirst = true
  }

  /// Writes nothing yet. The capacity is the number of bytes that are probably written.
  package init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

  /// Writes an object; if it is long, each field on its own line.
  package mutating func object<Failure: Error>(
    long: Bool = false, _ body: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    try write("{", "}", long: long, body)
  }

  /// Writes a list; if it is long, each element on its own line.
  package mutating func list<Failure: Error>(
    long: Bool = false, _ body: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    try write("[", "]", long: long, body)
  }

  /// Takes the bytes that were written since the last call, so that JSON of any length is written
  /// without being in memory as a whole.
  package mutating func takeBytes() -> [UInt8] {
    defer { bytes = [] }
    return bytes
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

  private mutating func write<Failure: Error>(
    _ open: String, _ close: String, long: Bool, _ body: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    separate()
    bytes += open.utf8
    let outer = container
    container = Container(isLong: long)
    depth += long ? 1 : 0
    try body(&self)
    depth -= long ? 1 : 0
    if !container.isFirst, long { breakLine() }
    container = outer
    bytes += close.utf8
  }

  private mutating func separate() {
    if followsKey {
      followsKey = false
      return
    }
    if !container.isFirst { bytes += (container.isLong ? "," : ", ").utf8 }
    container.isFirst = false
    if container.isLong { breakLine() }
  }

  private mutating func breakLine() {
    bytes.append(UInt8(ascii: "\n"))
    for _ in 0..<depth { bytes.append(UInt8(ascii: " ")) }
  }

  private mutating func quote(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    defer { bytes.append(UInt8(ascii: "\"")) }
    // Few texts have characters to escape.
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
    {
      bytes += text.utf8
      return
    }
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
  }
}
