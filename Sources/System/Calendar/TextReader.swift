/// A position in a text that is parsed: numbers and single ASCII characters are read from there.
struct TextReader {
  private var rest: Substring.UTF8View

  init(_ text: String) { rest = text.utf8[...] }

  var isAtEnd: Bool { rest.isEmpty }
  var next: UInt8? { rest.first }

  /// Reads a number of exactly `count` digits; nil if there are fewer. More digits may follow.
  mutating func number(digits count: Int) -> Int? {
    let digits = rest.prefix(count)
    guard digits.count == count, digits.allSatisfy({ 48...57 ~= $0 }) else { return nil }
    rest = rest.dropFirst(count)
    return Self.value(of: digits)
  }

  /// Reads all digits up to the next other character; nil if their count is not in `counts`.
  mutating func number(digits counts: ClosedRange<Int>) -> Int? {
    let digits = rest.prefix { 48...57 ~= $0 }
    guard counts ~= digits.count else { return nil }
    rest = rest.dropFirst(digits.count)
    return Self.value(of: digits)
  }

  /// Reads the characters up to the first that fails a condition.
  mutating func text(while condition: (UInt8) -> Bool) -> Substring.UTF8View {
    let text = rest.prefix(while: condition)
    rest = rest.dropFirst(text.count)
    return text
  }

  /// Skips the next character if it is one of `characters`; returns whether it was.
  mutating func skip(_ characters: String) -> Bool {
    guard let next, characters.utf8.contains(next) else { return false }
    rest = rest.dropFirst()
    return true
  }

  private static func value(of digits: Substring.UTF8View) -> Int {
    digits.reduce(0) { $0 * 10 + Int($1) - 48 }
  }
}
