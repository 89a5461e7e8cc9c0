import TestSupport
import Testing

@testable import Storage

struct FieldTests {
  @Test func `fields read back as they were given`() throws {
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
}
