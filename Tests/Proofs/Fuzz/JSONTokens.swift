/// JSON, valid or not, as tokens: signs, numbers, words and texts.
struct JSONTokens {
  private var tokens: [[UInt8]] = []

  init(_ bytes: [UInt8]) {
    var offset = 0
    while offset < bytes.count {
      let end = Self.end(of: bytes, from: offset)
      tokens.append(Array(bytes[offset..<end]))
      offset = end
    }
  }

  var bytes: [UInt8] { Array(tokens.joined()) }

  /// The end of a token: a text ends after its second quote, a run of letters and digits or of
  /// spaces at its end, any other token after one byte.
  private static func end(of bytes: [UInt8], from start: Int) -> Int {
    if bytes[start] == UInt8(ascii: "\"") {
      var offset = start + 1
      while offset < bytes.count, bytes[offset] != UInt8(ascii: "\"") {
        offset += bytes[offset] == UInt8(ascii: "\\") ? 2 : 1
      }
      return min(offset + 1, bytes.count)
    }
    let kind = kind(bytes[start])
    guard kind != .sign else { return start + 1 }
    return bytes[start...].firstIndex { self.kind($0) != kind } ?? bytes.count
  }

  private enum Kind { case word, space, sign }

  private static func kind(_ byte: UInt8) -> Kind {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "+"), UInt8(ascii: "-"),
      UInt8(ascii: "."):
      .word
    case 0x20, 0x0A, 0x0D, 0x09: .space
    default: .sign
    }
  }
}

// MARK: - Mutation

extension JSONTokens {
  /// Makes one change.
  mutating func mutate(_ random: inout Randomness) {
    guard !tokens.isEmpty else {
      tokens = [Array(#"{"strokes": []}"#.utf8)]
      return
    }
    switch random.below(12) {
    case 0...2: replaceNumber(&random)
    case 3: swapValues(&random)
    case 4: duplicateValue(&random)
    case 5: tokens.removeSubrange(value(at: random.below(tokens.count)))
    case 6: tokens.remove(at: random.below(tokens.count))
    case 7: replaceValue(&random)
    case 8: nestValue(&random)
    case 9: replaceText(&random)
    case 10: addField(&random)
    default: changeOutline(&random)
    }
  }

  /// The tokens of the value that begins at a token: one, or a whole container.
  private func value(at start: Int) -> Range<Int> {
    guard Self.opens(tokens[start]) else { return start..<start + 1 }
    var depth = 0
    for index in start..<tokens.count {
      if Self.opens(tokens[index]) { depth += 1 }
      if Self.closes(tokens[index]) { depth -= 1 }
      if depth == 0 { return start..<index + 1 }
    }
    return start..<tokens.count
  }

  private static func opens(_ token: [UInt8]) -> Bool {
    token == [UInt8(ascii: "{")] || token == [UInt8(ascii: "[")]
  }

  private static func closes(_ token: [UInt8]) -> Bool {
    token == [UInt8(ascii: "}")] || token == [UInt8(ascii: "]")]
  }

  private static func isNumber(_ token: [UInt8]) -> Bool {
    guard let first = token.first else { return false }
    return first == UInt8(ascii: "-") || (48...57).contains(first)
  }

  private static func isText(_ token: [UInt8]) -> Bool { token.first == UInt8(ascii: "\"") }

  /// The index of a random wanted token; nil if there is none.
  private func token(
    _ random: inout Randomness, where isWanted: ([UInt8]) -> Bool
  ) -> Int? {
    let matching = tokens.indices.filter { isWanted(tokens[$0]) }
    return matching.isEmpty ? nil : random.pick(matching)
  }

  /// The index of a random token that begins a value or a key.
  private func beginning(_ random: inout Randomness) -> Int? {
    token(&random) { Self.opens($0) || Self.isNumber($0) || Self.isText($0) }
  }

  private mutating func replaceNumber(_ random: inout Randomness) {
    guard let index = token(&random, where: Self.isNumber) else { return }
    tokens[index] = random.oneIn(4) ? blindlyMutated(tokens[index]) : random.number()
  }

  private mutating func swapValues(_ random: inout Randomness) {
    guard let a = beginning(&random), let b = beginning(&random) else { return }
    let (first, second) = (value(at: min(a, b)), value(at: max(a, b)))
    guard first.upperBound <= second.lowerBound else { return }
    let (one, other) = (Array(tokens[first]), Array(tokens[second]))
    tokens.replaceSubrange(second, with: one)
    tokens.replaceSubrange(first, with: other)
  }

  private mutating func duplicateValue(_ random: inout Randomness) {
    guard let index = beginning(&random) else { return }
    let range = value(at: index)
    let copy = [[UInt8(ascii: ",")]] + tokens[range]
    tokens.insert(contentsOf: copy, at: range.upperBound)
  }

  /// Replaces a value by a copy of another one.
  private mutating func replaceValue(_ random: inout Randomness) {
    guard let source = beginning(&random), let index = beginning(&random) else { return }
    tokens.replaceSubrange(value(at: index), with: Array(tokens[value(at: source)]))
  }

  private mutating func nestValue(_ random: inout Randomness) {
    guard let index = beginning(&random) else { return }
    let depth = random.pick([1, 1, 2, 3, 60, 64, 65, 200, 3000])
    let range = value(at: index)
    let isList = random.oneIn(2)
    let (open, close) = isList ? ("[", "]") : (#"{"k":"#, "}")
    tokens.insert([UInt8](String(repeating: close, count: depth).utf8), at: range.upperBound)
    tokens.insert([UInt8](String(repeating: open, count: depth).utf8), at: range.lowerBound)
  }

  private mutating func replaceText(_ random: inout Randomness) {
    guard let index = token(&random, where: Self.isText) else { return }
    tokens[index] =
      random.oneIn(3)
      ? blindlyMutated(tokens[index]) : [UInt8]("\"\(random.pick(Self.texts))\"".utf8)
  }

  /// Inserts a field before another key.
  private mutating func addField(_ random: inout Randomness) {
    let keys = tokens.indices.filter {
      Self.isText(tokens[$0]) && $0 + 1 < tokens.count && tokens[$0 + 1] == [UInt8(ascii: ":")]
    }
    guard !keys.isEmpty else { return }
    let (name, value) = random.field()
    let parts = ["\"\(name)\"", ":", value, ","].map { Array($0.utf8) }
    tokens.insert(contentsOf: parts, at: random.pick(keys))
  }

  /// Mutates the archive's outline, which is a message in base 64.
  private mutating func changeOutline(_ random: inout Randomness) {
    let index = tokens.indices.first {
      Self.isText(tokens[$0]) && Self.bytes(ofText: tokens[$0])?.starts(with: [0x77, 0x72]) == true
    }
    guard let index, let outline = Self.bytes(ofText: tokens[index]), outline.count >= 6,
      var drawing = [WireNode](outline[6...], as: .drawing)
    else { return }
    drawing.mutate(&random)
    tokens[index] = Self.text(of: outline[..<6] + drawing.encoded)
  }
}

// MARK: - Values

extension JSONTokens {
  fileprivate static let texts = [
    "", "pen", "marker", "fountainPen", "com.example.ink", "plain", "pencilKit", "evenodd",
    "notes2018", "current", "srgb", "p3", "pentimento-drawing", "wrd",
    "2026-11-21T12:40:51.25Z", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59.9999999999+23:59",
    "2024-02-29t00:00:00,5-08:00", "00000000-0000-0000-0000-000000000000",
    "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF", "M 0 0 L 10 0 Q 5 5 10 10 C 1 2 3 4 5 6 Z",
    "M 1e300 1e300 L -1e300 0 L 0 1e300 Z", "M 0 0 M 5 5 Z Z L 3 3", "Z", "L 1 1", #"\u0041"#,
    #"\uD834\uDD1E"#, #"\uD834"#, #"\uDD1E"#, #"\u12"#, #"\x"#, #"\"\\\/\b\f\n\r\t"#, "\u{0}", "é",
    "AAAA", "d3Jk8AEA", "====",
  ]
}

extension Randomness {
  fileprivate mutating func number() -> [UInt8] {
    let text = pick([
      "0", "-0", "-0.0", "1", "-1", "2", "0.5", "1e-7", "3.25", "100", "1000.5", "-300", "65535",
      "65536", "4294967295", "4294967296", "2147483648", "9007199254740993",
      "9223372036854775807", "9223372036854775808", "-9223372036854775809", "1e19", "1e20", "-1e20",
      "3.4028234e38", "3.5e38", "1e39", "-1e39", "1e150", "1e300", "-1e300",
      "1.7976931348623157e308", "1e309", "5e-324", "1e-45", "1e-40", "1e-310", "1e-400", "00", "01",
      "1.", ".5", "1e", "1e+", "--1", "+1", "NaN", "Infinity", "-", "true", "null",
    ])
    return oneIn(4) ? Array("\(Int(below(4000)) - 2000)".utf8) : Array(text.utf8)
  }

  private mutating func numbers(_ count: Int) -> String {
    "["
      + (0..<count).map { _ in
        let number = oneIn(3) ? number() : Array("\(below(300))".utf8)
        return String(decoding: number, as: UTF8.self)
      }.joined(separator: ",") + "]"
  }

  private mutating func list(_ count: Int, of width: Int) -> String {
    "[" + (0..<count).map { _ in numbers(width) }.joined(separator: ",") + "]"
  }

  /// A known key, with a value that is usually valid.
  fileprivate mutating func field() -> (name: String, value: String) {
    let text = "\"\(pick(JSONTokens.texts))\""
    switch below(12) {
    case 0: return (pick(["transform"]), numbers(6))
    case 1: return ("masks", "[\(list(3 + below(3), of: 2))]")
    case 2: return (pick(["maskPath", "maskRule", "scale", "format", "type"]), text)
    case 3: return ("ranges", list(below(4), of: 2))
    case 4: return (pick(["part"]), numbers(2))
    case 5: return (pick(["id", "group", "pieceOf"]), text)
    case 6: return ("bounds", numbers(4))
    case 7: return ("channels", "{\"varying\":\(below(8192)),\"present\":\(below(8192))}")
    case 8: return ("color", numbers(3 + below(2)))
    case 9: return (pick(["colorSpace", "widthLaw", "date"]), text)
    case 10: return ("rangesFromArchive", pick(["true", "false"]))
    default:
      let names = [
        "x", "y", "t", "w", "h", "opacity", "force", "azimuth", "altitude", "secondaryScale",
        "threshold", "edge", "jitter", "aspect", "secondaryWidth", "seed", "version", "date",
      ]
      return (pick(names), String(decoding: number(), as: UTF8.self))
    }
  }
}

// MARK: - Base 64

extension JSONTokens {
  private static let signs = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// The bytes of a text in base 64, in quotes; nil if it is not one.
  fileprivate static func bytes(ofText token: [UInt8]) -> [UInt8]? {
    var result: [UInt8] = []
    var (bits, count): (UInt32, UInt32) = (0, 0)
    for sign in token.dropFirst().dropLast() where sign != UInt8(ascii: "=") {
      guard let value = signs.firstIndex(of: sign) else { return nil }
      bits = bits << 6 | UInt32(value)
      count += 6
      guard count >= 8 else { continue }
      count -= 8
      result.append(UInt8(truncatingIfNeeded: bits >> count))
    }
    return result
  }

  fileprivate static func text(of bytes: [UInt8]) -> [UInt8] {
    var result = [UInt8(ascii: "\"")]
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
      for index in 0..<4 {
        let sign = signs[Int(bits >> UInt32(18 - 6 * index)) & 63]
        result.append(index <= group.count ? sign : UInt8(ascii: "="))
      }
    }
    return result + [UInt8(ascii: "\"")]
  }
}
