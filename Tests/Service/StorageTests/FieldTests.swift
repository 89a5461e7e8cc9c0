import StorageTestSupport
import TestSupport
import Testing

@testable import Storage

struct FieldTests {
  @Test func `moments plus seconds are clamped to the supported range`() {
    let moment = Moment(seconds: 5)
    #expect(moment + 7 == Moment(seconds: 12) && moment - 7 == Moment(seconds: -2))
    for seconds in [Int64.max, 9_300_000_000_000] {
      #expect(moment + seconds == Moment.supported.upperBound)
      #expect(moment - seconds == Moment.supported.lowerBound)
      #expect(moment + -seconds == Moment.supported.lowerBound)
    }
    #expect(moment - .min == Moment.supported.upperBound)
  }

  @Test func `fields are read back unchanged`() throws {
    let fields: Fields = [
      "text": "ü", "none": .null, "yes": true, "whole": -7, "number": 0.5,
      "moment": .moment(Moment(microseconds: -1)), "bytes": .bytes([1, 2]), "list": [1, "two"],
      "map": .map(["inner": 3]), "left out": nil,
    ]
    #expect(fields.count == 9)
    #expect(fields["text"]?.textValue == "ü")
    #expect(fields["moment"]?.momentValue == Moment(microseconds: -1))
    #expect(fields["map"]?.mapValue?["inner"]?.integerValue == 3)
    #expect(fields["list"]?.listValue == [1, "two"])
    #expect(fields["missing"] == nil)
    #expect(try Fields(bytes: fields.bytes) == fields)
  }

  @Test func `random fields are read back bit for bit`() throws {
    var random = RandomValues(seed: 1)
    for _ in 0..<1000 {
      let fields = random.fields(depth: 3)
      try fields.check()
      let again = try Fields(bytes: fields.bytes)
      #expect(again == fields && again.count == again.all.count)
      #expect(Fields(again.all) == fields)
      #expect(Fields(again.all.reversed()) == fields, "names come in any order")
      for (name, value) in fields.all {
        let field = try #require(again[name])
        #expect(Fields([("x", field)]) == Fields([("x", value)]))
      }
    }
  }

  @Test func `a field can be set, replaced and removed`() {
    var fields = Fields()
    #expect(fields.count == 0 && fields.all.isEmpty && fields == [:])
    fields["b"] = 1
    fields["a"] = "x"
    fields["b"] = [2]
    #expect(fields == ["a": "x", "b": [2]])
    fields["a"] = nil
    fields["missing"] = nil
    #expect(fields == ["b": [2]])
    fields["b"] = .some(.null)
    #expect(fields["b"] == .null && fields.count == 1)
    #expect(Fields([("a", 1), ("b", 2), ("a", 3)]) == ["a": 3, "b": 2], "the last one counts")
  }

  @Test func `fields are merged by name, and maps are replaced`() {
    let fields: Fields = ["a": 1, "b": .map(["x": 1]), "c": 3]
    #expect(
      fields.merging(["b": .map(["y": 2]), "c": .null, "d": 4])
        == ["a": 1, "b": .map(["y": 2]), "c": .null, "d": 4])
    #expect(fields.merging([:]) == fields && Fields().merging(fields) == fields)
  }

  @Test func `names that are equal as text and not as bytes are different names`() throws {
    var fields: Fields = ["\u{e9}": 1, "e\u{301}": 2, "K": 3, "\u{212A}": 4]
    #expect(fields.count == 4 && fields.all.count == 4)
    #expect(fields["\u{e9}"] == 1 && fields["e\u{301}"] == 2)
    #expect(fields["K"] == 3 && fields["\u{212A}"] == 4)
    fields["e\u{301}"] = 5
    fields["K"] = nil
    #expect(fields["\u{e9}"] == 1 && fields["e\u{301}"] == 5 && fields["\u{212A}"] == 4)
    #expect(fields.count == 3)
    #expect(fields.merging(["\u{e9}": 6])["e\u{301}"] == 5)
    #expect(try Fields(bytes: fields.bytes).all.map(\.1) == fields.all.map(\.1))
  }

  @Test func `a value has only the accessor of its own kind`() {
    let values: [FieldValue] = [
      .null, true, 3, 3.5, .moment(Moment(seconds: 1)), "x", .bytes([1]), [1], .map(["a": 1]),
    ]
    #expect(
      values.map(\.kind)
        == [.null, .bool, .number, .number, .moment, .text, .bytes, .list, .map])
    #expect(values.map { $0.boolValue } == [nil, true, nil, nil, nil, nil, nil, nil, nil])
    #expect(values.map { $0.integerValue } == [nil, nil, 3, nil, nil, nil, nil, nil, nil])
    #expect(values.map { $0.numberValue } == [nil, nil, 3, 3.5, nil, nil, nil, nil, nil])
    #expect(values.compactMap(\.momentValue) == [Moment(seconds: 1)])
    #expect(values.compactMap(\.textValue) == ["x"])
    #expect(values.compactMap(\.listValue) == [[1]])
    #expect(values.compactMap(\.mapValue) == [["a": 1]])
    // Some languages write integers as doubles.
    #expect(FieldValue.number(3).integerValue == 3)
    for number in [0x1p63, .nan, .infinity, -0x1.0p64, 0.5] {
      #expect(FieldValue.number(number).integerValue == nil)
    }
  }

  // MARK: - What cannot be stored

  /// The reason why fields cannot be stored; nil if they can.
  private static func problem(_ fields: Fields) -> (reason: String, subject: String)? {
    do throws(StorageError) {
      try fields.check()
    } catch {
      guard case .badValue(let reason) = error.problem else { return ("\(error)", "") }
      return (reason, error.subject)
    }
    return nil
  }

  @Test func `numbers that are not finite are refused wherever they are`() {
    for number in [Double.nan, .infinity, -.infinity, .signalingNaN] {
      for value: FieldValue in [
        .number(number), [1, .number(number)], .map(["x": .number(number)]),
        [.map(["x": [.number(number)]])],
      ] {
        let problem = Self.problem(["fine": 1, "wrong": value])
        #expect(problem?.reason == "not a finite number" && problem?.subject == "wrong")
      }
    }
    #expect(Self.problem(["a": .number(.greatestFiniteMagnitude), "b": .number(-0.0)]) == nil)
  }

  @Test func `moments outside of the supported range are refused`() {
    let all = Moment.supported
    #expect(Self.problem(["a": .moment(all.lowerBound), "b": .moment(all.upperBound)]) == nil)
    for microseconds in [
      all.lowerBound.microseconds - 1, all.upperBound.microseconds + 1, .min, .min + 1, .max,
      -9_223_372_036_854_000_001, -9_223_372_036_854_000_000,
    ] {
      let moment = Moment(microseconds: microseconds)
      #expect(Self.problem(["a": .moment(moment)])?.reason == "not in the years 0 to 9999")
      // It can still be encoded, and the other fields are not lost.
      let fields: Fields = ["a": .moment(moment), "b": 1]
      #expect(fields["a"] == .moment(moment) && fields["b"] == 1 && fields.all.count == 2)
    }
  }

  @Test func `field names must have 1 to 200 bytes, in maps too`() {
    let reason = "a field's name must have 1 to 200 bytes"
    let longest = String(repeating: "é", count: 100)
    #expect(Self.problem([longest: .map([longest: 1])]) == nil)
    for name in ["", longest + "a", String(repeating: "n", count: 100_000)] {
      #expect(Self.problem([name: 1])?.reason == reason)
      #expect(Self.problem(["map": [.map([name: 1])]])?.reason == reason)
    }
  }

  @Test func `maps and lists are nested at most twenty deep`() throws {
    func nested(_ depth: Int, _ wrap: (FieldValue) -> FieldValue) -> Fields {
      var value: FieldValue = 1
      for _ in 1..<depth { value = wrap(value) }
      return ["a": value]
    }
    for wrap: (FieldValue) -> FieldValue in [{ [$0] }, { .map(["b": $0]) }] {
      for depth in 1...Fields.maximumDepth {
        let fields = nested(depth, wrap)
        #expect(Self.problem(fields) == nil)
        #expect(try Fields(bytes: fields.bytes) == fields)
      }
      for depth in [21, 22, 23, 24, 30, 200] {
        let fields = nested(depth, wrap)
        #expect(
          Self.problem(fields)?.reason == "maps and lists are nested too deep", "\(depth)")
        // Fields that are too deep are encoded correctly before they are refused.
        #expect(fields.merging(["b": 1])["a"] == fields["a"] && fields.all.count == 1)
        if depth > 22 { #expect(throws: StorageError.self) { try Fields(bytes: fields.bytes) } }
      }
    }
  }

  @Test func `the subject of a field error has no control characters`() {
    let problem = Self.problem(["\u{1B}[2Jé\n": .number(.nan)])
    #expect(problem?.subject == "?[2J???")
  }
}
