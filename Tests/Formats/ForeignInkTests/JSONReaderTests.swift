import JSON
import TestSupport
import Testing

struct JSONReaderTests {
  @Test func `all escapes of a JSON text are read`() throws {
    var json = JSONReader(Array(#""\"\\\/\n\t\r\b\f\u00e4\ud83d\ude00""#.utf8))
    #expect(try json.string() == "\"\\/\n\t\r\u{8}\u{C}\u{E4}\u{1F600}")
  }

  @Test(
    arguments: [
      (#""\"#, "a text has no end"), (#""\ud83d\u0041""#, "half of a character is missing"),
      (#""\ud83d""#, "half of a character is missing"),
      (#""\ude00""#, "half of a character is missing"),
      (#""\u00g0""#, "four hexadecimal digits are expected"),
      (#""\u00"#, "four hexadecimal digits are expected"), (#""\x""#, "an unknown escape"),
    ])
  func `an invalid JSON escape is refused`(_ text: String, _ reason: String) throws {
    let error = try #require(throws: JSONError.self) {
      var json = JSONReader(Array(text.utf8))
      _ = try json.string()
    }
    #expect(error.reason == reason)
  }

  @Test func `random JSON numbers are read as by the standard library`() throws {
    var random = SplitMix64(seed: 1)
    for _ in 0..<RunLength.count(150_000, long: 1_000_000) {
      let text = Self.number(&random)
      var json = JSONReader(Array(text.utf8))
      let expected = try #require(Double(text))
      guard expected.isFinite else { continue }
      let value = try json.number()
      #expect(value.bitPattern == expected.bitPattern, "\(text)")
      #expect(json.offset == text.utf8.count, "\(text)")
    }
  }

  /// A number in JSON's grammar: short, long, halfway between two doubles, with and without an
  /// exponent.
  private static func number(_ random: inout SplitMix64) -> String {
    func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
    func digits(_ count: Int) -> String { (0..<count).map { _ in String(below(10)) }.joined() }
    let sign = below(4) == 0 ? "-" : ""
    switch below(8) {
    case 0:
      let value = Double(bitPattern: random.next()).magnitude
      return sign + "\(value.isFinite ? value : 0)"
    case 1: return sign + "\(Double.random(in: 0..<10_000, using: &random))"
    case 2:
      // Close to the middle between two doubles, where the last digit decides.
      let value = UInt64.random(in: 1 << 53..<1 << 62, using: &random)
      let half = UInt64(1) << UInt64(63 - value.leadingZeroBitCount - 53)
      return sign + "\(value & ~(2 * half - 1) | half)" + (below(2) == 0 ? "" : ".0000001")
    default:
      let whole = below(3) == 0 ? "0" : "\(1 + below(9))" + digits(below(19))
      let fraction = below(3) == 0 ? "" : "." + digits(1 + below(22))
      let signs = ["", "+", "-"]
      let exponent = below(3) > 0 ? "" : ["e", "E"][below(2)] + signs[below(3)] + "\(below(40))"
      return sign + whole + fraction + exponent
    }
  }

  @Test(
    arguments: [
      ("0.5", 0.5), ("-0", -0.0), ("0e0", 0), ("1e22", 1e22), ("1e-22", 1e-22), ("1e23", 1e23),
      ("9007199254740993", 9_007_199_254_740_992), ("9007199254740995", 9_007_199_254_740_996),
      ("18446744073709551615", 18_446_744_073_709_551_616), ("0.00000000000000000001", 1e-20),
      ("4.9e-324", .leastNonzeroMagnitude), ("2.4e-324", 0),
      ("1e-9999999999999999999999", 0), ("0e9999999999999999999999", 0),
    ] as [(String, Double)])
  func `a JSON number is read as the nearest double`(_ text: String, _ value: Double) throws {
    var json = JSONReader(Array(text.utf8))
    #expect(try json.number().bitPattern == value.bitPattern)
    try json.end()
  }

  @Test(arguments: ["", "-", "+1", ".5", "1.", "1.e3", "1e", "1e+", "a", "e5", "-.1", "00", "01.5"])
  func `an invalid JSON number is refused where it starts`(_ text: String) throws {
    for tail in ["", " ", ",1", "x"] {
      var json = JSONReader(Array((" " + text + tail).utf8))
      let error = #expect(throws: JSONError.self) { try json.number() }
      let isEmpty = text.isEmpty && tail != ",1" && tail != "x"
      #expect(error?.offset == (isEmpty ? 1 + tail.utf8.count : 1))
      #expect(error?.reason == "a number is expected")
    }
  }

  @Test func `a JSON number beyond the range of doubles is refused`() throws {
    for text in ["1e309", "-1e999999999", String(repeating: "9", count: 400)] {
      var json = JSONReader(Array(text.utf8))
      let error = #expect(throws: JSONError.self) { try json.number() }
      #expect(error == JSONError(reason: "a number is too large", offset: 0))
    }
  }

  @Test func `JSON texts with and without escapes are read to their end`() throws {
    for (text, value) in [
      (#""""#, ""), (#""abc""#, "abc"), (#""Ö😀""#, "Ö😀"), (#""a\n\"\\\/\u00e4""#, "a\n\"\\/ä"),
      (#""\ud83d\ude00x""#, "😀x"),
      (#""a text of more than fifteen bytes""#, "a text of more than fifteen bytes"),
    ] {
      var json = JSONReader(Array(text.utf8))
      #expect(try json.string() == value)
      try json.end()
      json = JSONReader(Array(text.utf8))
      try json.skip()
      try json.end()
    }
  }

  @Test func `a damaged JSON text is refused, read or skipped`() throws {
    let texts: [([UInt8], String, Int)] = [
      (Array("\"abc".utf8), "a text has no end", 4),
      (Array("\"a\u{1}\"".utf8), "a text holds a control character", 3),
      (Array("\"a\\x\"".utf8), "an unknown escape", 4),
      ([0x22, 0x61, 0xFF, 0x22], "a text is not valid UTF-8", 0),
      ([0x22, 0xC3, 0x22], "a text is not valid UTF-8", 0),
    ]
    for (bytes, reason, offset) in texts {
      var json = JSONReader(bytes)
      #expect(throws: JSONError(reason: reason, offset: offset)) { try json.string() }
      json = JSONReader(bytes)
      #expect(throws: JSONError(reason: reason, offset: offset)) { try json.skip() }
    }
  }

  @Test func `an unexpected JSON value is skipped, and the next one is read`() throws {
    var json = JSONReader(Array("[1, {\"a\": [2, \"x\"]}, 3]".utf8))
    var (values, errors): ([Double], [JSONError]) = ([], [])
    try json.list { (json) throws(JSONError) in
      let error = try json.attempt { (json) throws(JSONError) in values.append(try json.number()) }
      if let error { errors.append(error) }
    }
    try json.end()
    #expect(values == [1, 3])
    #expect(errors == [JSONError(reason: "a number is expected", offset: 4)])
  }

  @Test func `a syntax error of JSON cannot be skipped`() throws {
    var json = JSONReader(Array("[1, {\"a\" 2}, 3]".utf8))
    #expect(throws: JSONError(reason: "':' is expected", offset: 9)) {
      try json.list { (json) throws(JSONError) in
        _ = try json.attempt { (json) throws(JSONError) in _ = try json.number() }
      }
    }
  }

  @Test func `JSON booleans and null are read, and a skipped value is not read twice`() throws {
    var json = JSONReader(Array("[true, false, null, 7, 1]".utf8))
    var offset = 0
    try json.list { (json) throws(JSONError) in
      if json.offset == 1 {
        #expect(try json.truth())
      } else if json.peek() == UInt8(ascii: "f") {
        #expect(try !json.truth())
      } else if try !json.skipNull() {
        offset = offset == 0 ? json.offset : offset
        #expect(throws: JSONError.self) { try json.truth() }
        try json.skip()
      }
    }
    var value = json.value(at: offset)
    #expect(try value.number() == 7)
  }

  @Test func `base64 without padding is read only where that is allowed`() {
    #expect(Base64.decode("QUI", needsPadding: false) == Array("AB".utf8))
    #expect(Base64.decode("QUI=", needsPadding: false) == Array("AB".utf8))
    #expect(Base64.decode("QQ", needsPadding: false) == Array("A".utf8))
    #expect(Base64.decode("", needsPadding: false) == [])
    for text in ["Q", "QUI==", "Q=", "QUIQ=", "Q*I"] {
      #expect(Base64.decode(text, needsPadding: false) == nil, "\(text)")
    }
    #expect(Base64.decode("QUI") == nil)
  }
}
