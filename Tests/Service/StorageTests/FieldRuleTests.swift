import TestSupport
import Testing

@testable import Storage

struct FieldRuleTests {
  /// The error of a value; nil if it is allowed.
  private static func error(_ type: FieldType, _ value: FieldValue) -> FieldError? {
    do throws(FieldError) {
      try DocumentSchema(.required("f", type)).check(Fields([("f", value)]))
      return nil
    } catch {
      return error
    }
  }

  /// One value of each kind except null.
  private static let kinds: [FieldValue] = [
    true, 3, 3.5, .moment(Moment(seconds: 1)), "x", .bytes([1]), [1], .map(["a": 1]),
  ]

  @Test func `each field type accepts its own kind of value and names it in errors`() {
    let types: [(FieldType, String, [Int])] = [
      (.bool, "true or false", [0]), (.integer(0...9), "a whole number", [1]),
      (.number(0...9), "a number", [1, 2]), (.moment, "a timestamp", [3]),
      (.text(limit: 9), "text", [4]), (.word(["x"]), "text", [4]), (.name, "text", [4]),
      (.list(.integer(0...9), limit: 9), "a list", [6]), (.map(DocumentSchema()), "a map", [7]),
      (.anyMap, "a map", [7]),
    ]
    for (type, wanted, indices) in types {
      for (index, value) in Self.kinds.enumerated() {
        let expected = indices.contains(index) ? nil : FieldError(.wrongType(wanted), "f")
        #expect(Self.error(type, value) == expected, "\(type) of \(value)")
      }
      #expect(Self.error(type, .null) == FieldError(.missing, "f"))
    }
    #expect(Self.error(.color(mayBeEmpty: true), 3) == FieldError(.wrongType("text"), "f"))
  }

  @Test func `an optional field may be null or missing`() throws {
    let schema = DocumentSchema(.optional("a", .bool), .required("b", .bool))
    try schema.check(["b": true])
    try schema.check(["a": .null, "b": true])
    try schema.check(["a": false, "b": true, "unknown": [1]])
    #expect(throws: FieldError(.wrongType("true or false"), "a")) {
      try schema.check(["a": 1, "b": true])
    }
    for fields: Fields in [[:], ["a": true], ["b": .null]] {
      #expect(throws: FieldError(.missing, "b")) { try schema.check(fields) }
    }
  }

  @Test func `numbers must be in their ranges, both ends included`() {
    let outside = FieldError(.outOfRange("-2 to 5"), "f")
    for (number, error): (Int64, FieldError?) in [
      (-2, nil), (5, nil), (-3, outside), (6, outside), (.min, outside), (.max, outside),
    ] {
      #expect(Self.error(.integer(-2...5), .integer(number)) == error)
    }
    // A double with an integral value is accepted as an integer; another one is not.
    #expect(
      Self.error(.integer(-2...5), 5.0) == nil && Self.error(.integer(-2...5), 6.0) == outside)
    for number in [0.5, .nan, .infinity, 1e300] {
      #expect(
        Self.error(.integer(-2...5), .number(number))
          == FieldError(.wrongType("a whole number"), "f"))
    }
    let beyond = FieldError(.outOfRange("0.0 to 1.0"), "f")
    for (number, error): (FieldValue, FieldError?) in [
      (0, nil), (1, nil), (0.5, nil), (.number(-0.0), nil), (2, beyond), (-1, beyond),
      (.number(1.0.nextUp), beyond), (.number(-.leastNonzeroMagnitude), beyond),
      (.number(.nan), beyond), (.number(.infinity), beyond),
    ] {
      #expect(Self.error(.number(0...1), number) == error, "\(number)")
    }
  }

  @Test func `the length of texts is measured in bytes`() {
    #expect(Self.error(.text(limit: 4), "éé") == nil && Self.error(.text(limit: 0), "") == nil)
    #expect(Self.error(.text(limit: 4), "éée") == FieldError(.outOfRange("at most 4 bytes"), "f"))
    #expect(Self.error(.text(limit: 0), "a") == FieldError(.outOfRange("at most 0 bytes"), "f"))
  }

  @Test func `words of an enumeration are compared by their bytes`() {
    let type = FieldType.word(["joy", "Kelvin", "\u{e9}"])
    for word in ["joy", "Kelvin", "\u{e9}"] { #expect(Self.error(type, .text(word)) == nil) }
    for word in ["", "Joy", "joy ", "\u{212A}elvin", "e\u{301}", "joy\0"] {
      #expect(
        Self.error(type, .text(word))
          == FieldError(.outOfRange("'joy', 'Kelvin', '\u{e9}'"), "f"), "'\(word)'")
    }
  }

  @Test func `colours are # and six hexadecimal digits`() {
    for color in ["#000000", "#FFD700", "#ffd700", "#aBcDeF", "#012345"] {
      #expect(Self.error(.color(mayBeEmpty: false), .text(color)) == nil)
    }
    let refused = FieldError(.outOfRange("a colour such as #FFD700"), "f")
    for color in [
      "#", "000000", "#00000", "#0000000", "#FFF", "#FFD70G", " #FFD700", "#FFD700\n", "#+12345",
      "#-12345", "#0x1234", "#FFD7\u{e9}", "\u{FF03}FFD700", "#\u{FF11}234", "#12345\0",
    ] {
      #expect(Self.error(.color(mayBeEmpty: true), .text(color)) == refused, "'\(color)'")
    }
    #expect(Self.error(.color(mayBeEmpty: true), "") == nil)
    #expect(Self.error(.color(mayBeEmpty: false), "") == refused)
  }

  @Test func `times of day have hours and minutes, and perhaps seconds`() {
    for time in ["00:00", "20:30", "23:59:59"] {
      #expect(Self.error(.timeOfDay, .text(time)) == nil)
    }
    for time in [
      "", "20", "20:", "20:30:15:40", "24:00", "20:60", "20:30:60", "8:30", "20:3", "-1:30",
      " 20:30",
      "20.30",
    ] {
      #expect(Self.error(.timeOfDay, .text(time)) != nil, "'\(time)'")
    }
  }

  @Test func `a moment too far ahead is found in lists and maps, too`() {
    let now = Moment(seconds: 1000)
    let schema = DocumentSchema(
      .optional("t", .moment), .optional("list", .list(.moment, limit: 9)),
      .optional("map", .map(DocumentSchema(.optional("t", .moment)))))
    func problem(_ name: String, _ place: (FieldValue) -> FieldValue, _ seconds: Int64)
      -> FieldError?
    {
      let value = place(.moment(now + seconds))
      do throws(FieldError) {
        try schema.checkMoments(of: Fields([(name, value)]), now: now, ahead: 50)
        return nil
      } catch {
        return error
      }
    }
    let places: [(name: String, field: String, place: (FieldValue) -> FieldValue)] = [
      ("t", "t", { $0 }), ("list", "list", { [.moment(now), $0] }),
      ("map", "map.t", { .map(["t": $0]) }),
    ]
    for (name, field, place) in places {
      #expect(problem(name, place, 50) == nil)
      #expect(problem(name, place, 51) == FieldError(.tooFarAhead(seconds: 50), field))
    }
  }

  @Test func `a name field accepts the names of documents`() throws {
    #expect(Self.error(.name, "d1") == nil)
    for name in badNames {
      #expect(
        Self.error(.name, .text(name))
          == FieldError(.outOfRange("a name of letters, digits, '.', '_' and '-'"), "f"))
    }
  }

  @Test func `lists have a maximum number of values, all of one type`() {
    let type = FieldType.list(.text(limit: 2), limit: 3)
    #expect(Self.error(type, []) == nil && Self.error(type, ["a", "", "bb"]) == nil)
    #expect(
      Self.error(type, ["a", "a", "a", "a"]) == FieldError(.outOfRange("at most 3 values"), "f"))
    #expect(Self.error(type, ["a", 1]) == FieldError(.wrongType("text"), "f"))
    #expect(Self.error(type, ["a", .null]) == FieldError(.wrongType("text"), "f"))
    #expect(Self.error(type, ["abc"]) == FieldError(.outOfRange("at most 2 bytes"), "f"))
    #expect(Self.error(.list(type, limit: 1), [["a"]]) == nil)
    #expect(
      Self.error(.list(type, limit: 1), [["abc"]])
        == FieldError(.outOfRange("at most 2 bytes"), "f"))
  }

  @Test func `errors of maps name the fields around them`() {
    let inner = DocumentSchema(.required("b", .map(DocumentSchema(.required("c", .bool)))))
    let type = FieldType.map(inner)
    #expect(Self.error(type, .map(["b": .map(["c": true])])) == nil)
    #expect(Self.error(type, .map([:])) == FieldError(.missing, "f.b"))
    #expect(Self.error(type, .map(["b": .map([:])])) == FieldError(.missing, "f.b.c"))
    #expect(Self.error(type, .map(["b": 1])) == FieldError(.wrongType("a map"), "f.b"))
    #expect(
      Self.error(.list(type, limit: 2), [.map(["b": .map(["c": 1])])])
        == FieldError(.wrongType("true or false"), "f.b.c"))
    #expect(FieldError(.missing, "a.b").description == "the field 'a.b' is missing")
    #expect(FieldError(.wrongType("text"), "a").description == "the field 'a' must be text")
    #expect(
      FieldError(.outOfRange("0 to 1"), "a").description == "the field 'a' allows only: 0 to 1")
  }
}
