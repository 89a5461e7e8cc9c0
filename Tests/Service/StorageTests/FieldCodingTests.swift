import StorageTestSupport
import TestSupport
import Testing

@testable import Storage

/// The bytes of fields, as defined by RFC 8949 (CBOR) and RFC 9581 (times in CBOR).
struct FieldCodingTests {
  private static func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = hexadecimal.filter { $0 != " " }
    return stride(from: 0, to: digits.count, by: 2).map { offset in
      let start = digits.index(digits.startIndex, offsetBy: offset)
      return UInt8(digits[start..<digits.index(start, offsetBy: 2)], radix: 16) ?? 0
    }
  }

  @Test func `field values have the bytes of the RFCs' examples`() throws {
    // Appendix A of RFC 8949, and section 3 of RFC 9581 for moments.
    let cases: [(FieldValue, String)] = [
      (0, "00"), (1, "01"), (10, "0a"), (23, "17"), (24, "1818"), (25, "1819"), (100, "1864"),
      (255, "18ff"), (256, "190100"), (1000, "1903e8"), (65_535, "19ffff"), (65_536, "1a00010000"),
      (1_000_000, "1a000f4240"), (4_294_967_295, "1affffffff"),
      (4_294_967_296, "1b0000000100000000"), (1_000_000_000_000, "1b000000e8d4a51000"),
      (.integer(.max), "1b7fffffffffffffff"), (-1, "20"), (-10, "29"), (-24, "37"), (-25, "3818"),
      (-100, "3863"), (-1000, "3903e7"), (.integer(.min), "3b7fffffffffffffff"),
      (1.1, "fb3ff199999999999a"), (-4.1, "fbc010666666666666"), (1.0e+300, "fb7e37e43c8800759c"),
      (.number(0), "fb0000000000000000"), (.number(-0.0), "fb8000000000000000"),
      (false, "f4"), (true, "f5"), (.null, "f6"),
      (.bytes([]), "40"), (.bytes([1, 2, 3, 4]), "4401020304"),
      ("", "60"), ("a", "6161"), ("IETF", "6449455446"), ("\"\\", "62225c"), ("\u{fc}", "62c3bc"),
      ("\u{6c34}", "63e6b0b4"), ("\u{10151}", "64f0908591"),
      ([], "80"), ([1, 2, 3], "83010203"), ([1, [2, 3], [4, 5]], "8301820203820405"),
      (.map([:]), "a0"), (.map(["a": 1, "b": [2, 3]]), "a26161016162820203"),
      (["a", .map(["b": "c"])], "826161a161626163"),
      (.moment(Moment(microseconds: 0)), "d903e9a2 0100 2500"),
      (.moment(Moment(microseconds: 1_500_000)), "d903e9a2 0101 251a0007a120"),
      (.moment(Moment(microseconds: -1)), "d903e9a2 0120 251a000f423f"),
      (.moment(Moment(seconds: 1_363_896_240)), "d903e9a2 011a514b67b0 2500"),
    ]
    for (value, hexadecimal) in cases {
      let expected = [0xA1, 0x61, 0x78] + Self.bytes(hexadecimal)
      let fields = Fields([("x", value)])
      #expect(fields.bytes == expected, "\(value)")
      let read = try Fields(bytes: expected)
      #expect(read["x"] == value, "\(hexadecimal)")
    }
  }

  @Test func `coded field names are in the order of their bytes, not of their lengths`() {
    let fields: Fields = ["b": 1, "aa": 2, "": 3, "é": 4, "B": 5]
    #expect(fields.bytes == Self.bytes("a5 60 03 61 42 05 62 61 61 02 61 62 01 62 c3 a9 04"))
    #expect(fields.all.map(\.0) == ["", "B", "aa", "b", "é"])
  }

  @Test func `every other encoding of the same fields is refused`() {
    let cases = [
      // Not a map; a map and more; less than a map.
      "", "80", "00", "f6", "a000", "a0a0", "a1", "a16161", "b900", "bfff", "d9d9f7a0",
      // Numbers that are not in the shortest form, and beyond 64 bits.
      "a161781800", "a161781817", "a161781900ff", "a161781a0000ffff", "a161781b00000000ffffffff",
      "a161783800", "a161781b8000000000000000", "a161783b8000000000000000",
      "a161783bffffffffffffffff",
      "a161781c00", "a161781d00", "a161781f", "b80161780a", "a178017801", "a16178d81800",
      // Floats of two and four bytes, other simple values, undefined, a break.
      "a16178f93c00", "a16178fa3f800000", "a16178f7", "a16178e0", "a16178f814", "a16178f8ff",
      "a16178ff",
      // Indefinite lengths, and other tags.
      "a161785f4101ff", "a161787f6161ff", "a161789f01ff", "a16178bfff", "a16178c11a514b67b0",
      "a16178c0", "a16178c2410a",
      // Names that are not texts, duplicate or unsorted.
      "a10101", "a1410101", "a2617801617802", "a2617901617801", "a262616101616202" + "00",
      "a26162016261610261", "a2616201626161", "a16178a2617901617901", "a1617881a2617901617801",
      "a2 6162 01 6161 02", "a2 626161 01 6161 01",
      // Moments in other forms.
      "a16178d903e9a1 0100", "a16178d903e9a2 0100 2520", "a16178d903e9a2 0100 251a000f4240",
      "a16178d903e9a2 01fb0000000000000000 2500", "a16178d903e9a2 2500 0100", "a16178d903e9a3 0100",
      "a16178d903e9a2 011b7fffffffffffffff 2500", "a16178d903e9a2 013b7fffffffffffffff 2500",
      "a16178d903e9a2 0100 28 00", "a16178d903e9a2 0100", "a16178d903e9a2 1801 2500",
      "a16178d903e9",
      // Invalid UTF-8 in texts and names: overlong, surrogates, beyond Unicode, truncated.
      "a1617862c0af", "a1617863eda080", "a1617864f4908080", "a1617861c3", "a1617861ff", "a161ff01",
      "a162c08001", "a16178a161ff01", "a161788161ff",
      // Counts without items.
      "bb7fffffffffffffff", "bbffffffffffffffff", "a161789b7fffffffffffffff",
      "a161785b7fffffffffffffff", "a161787bffffffffffffffff", "a161785affffffff",
      "a16178bb1000000000000000",
      "a1617899ffff00", "a161789a00100000",
    ]
    for hexadecimal in cases {
      #expect(throws: StorageError(.damaged("not encoded fields"), "document"), "\(hexadecimal)") {
        try Fields(bytes: Self.bytes(hexadecimal))
      }
    }
  }

  @Test func `truncated or changed bytes are refused or give other valid fields`()
    throws
  {
    let fields: Fields = [
      "a": "aé", "b": [1, -300, 2.5, nil, true], "c": .map(["x": .bytes([0, 1]), "y": []]),
      "d": .moment(Moment(microseconds: -1_500_000)), "é": .integer(.min), "z": false,
    ]
    let bytes = fields.bytes
    for length in bytes.indices {
      #expect(throws: StorageError.self) { try Fields(bytes: Array(bytes[..<length])) }
    }
    var intactCount = 0
    for offset in bytes.indices {
      var copy = bytes
      for value in UInt8.min...UInt8.max where value != bytes[offset] {
        copy[offset] = value
        guard let read = try? Fields(bytes: copy) else { continue }
        intactCount += 1
        // Equal fields have equal bytes. So these fields differ, and must encode to the same bytes.
        let all = read.all
        let isIntact =
          read != fields && read.count == all.count && Fields(all).bytes == copy
          && all.allSatisfy { read[$0.0] != nil }
        if !isIntact { Issue.record("byte \(offset) as \(value)") }
        try? read.check()
      }
    }
    #expect(intactCount > 500)
  }

  @Test func `random damage of coded fields never gives invalid fields`() {
    var random = RandomValues(seed: 3)
    var damage = Mutation(seed: 4)
    for _ in 0..<5000 {
      let bytes = damage.mutated(
        random.fields(depth: 2).bytes, splicing: random.fields(depth: 1).bytes)
      guard let read = try? Fields(bytes: bytes) else { continue }
      #expect(Fields(read.all).bytes == bytes)
      try? read.check()
    }
  }

  @Test func `endlessly nested field values are refused`() {
    let start: [UInt8] = [0xA1, 0x61, 0x78]
    for (inner, end): ([UInt8], [UInt8]) in [([0x81], [0x80]), ([0xA1, 0x61, 0x78], [0xA0])] {
      for depth in [10, 19, 25, 100, 200_000] {
        let bytes = start + (0..<depth).flatMap { _ in inner } + end
        let fields = try? Fields(bytes: bytes)
        #expect((fields != nil) == (depth < 20), "\(depth)")
      }
      #expect(throws: StorageError.self) {
        try Fields(bytes: start + [UInt8](repeating: inner[0], count: 1 << 20))
      }
    }
  }
}
