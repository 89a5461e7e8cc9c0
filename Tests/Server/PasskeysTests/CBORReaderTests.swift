import Testing

@testable import Passkeys

struct CBORReaderTests {
  private func integer(_ bytes: [UInt8]) throws -> Int64 {
    var reader = CBORReader(bytes)
    return try reader.integer()
  }

  @Test func `whole numbers are read in their shortest form only`() throws {
    #expect(try integer([0x17]) == 23)
    #expect(try integer([0x18, 24]) == 24)
    #expect(try integer([0x26]) == -7)
    #expect(try integer([0x39, 1, 0]) == -257)
    #expect(try integer([0x1B, 0x7F, 255, 255, 255, 255, 255, 255, 255]) == .max)
    #expect(try integer([0x3B, 0x7F, 255, 255, 255, 255, 255, 255, 255]) == .min)
    for longer: [UInt8] in [
      [0x18, 23], [0x19, 0, 24], [0x1A, 0, 0, 255, 255], [0x1B, 0, 0, 0, 0, 255, 255, 255, 255],
      [0x1B, 0x80, 0, 0, 0, 0, 0, 0, 0], [0x1C], [0x1F], [0x18], [],
    ] {
      #expect(throws: PasskeyError.malformed) { try integer(longer) }
    }
  }

  @Test func `counts that the bytes cannot hold are refused before anything is read`() {
    for head: [UInt8] in [
      [0x5B, 255, 255, 255, 255, 255, 255, 255, 255], [0x42, 1], [0x9A, 255, 255, 255, 255],
      [0xBA, 0x7F, 255, 255, 255], [0x83, 1, 1], [0xA1, 1], [0x5F], [0xBF], [0xC0, 1],
      [0xF9, 0, 0],
      [0xF7], [0xE0],
    ] {
      #expect(throws: PasskeyError.malformed, "\(head)") {
        var reader = CBORReader(head)
        try reader.skip()
      }
    }
  }

  @Test func `deep values are refused`() throws {
    var reader = CBORReader(Array(repeating: 0x81, count: 7) + [0])
    try reader.skip()
    #expect(reader.isAtEnd)
    #expect(throws: PasskeyError.malformed) {
      var reader = CBORReader(Array(repeating: 0x81, count: 100_000) + [0])
      try reader.skip()
    }
  }
}
