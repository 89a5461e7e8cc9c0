import Testing

@testable import Checksums

struct HexadecimalTests {
  @Test func `every byte has two hexadecimal digits and is read back`() {
    for byte in UInt8.min...UInt8.max {
      let text = [byte].hexadecimal
      #expect(text.utf8.count == 2 && UInt8(text, radix: 16) == byte)
      #expect([UInt8](hexadecimal: text) == [byte])
    }
    #expect([0x00, 0x0F, 0xF0, 0xAB].hexadecimal == "000ff0ab")
    #expect([].hexadecimal == "" && [UInt8](hexadecimal: "") == [])
  }

  @Test func `a number has all its hexadecimal digits`() {
    for (number, text) in [
      (0, "00000000"), (0xA, "0000000a"), (0x1234_5678, "12345678"), (.max, "ffffffff"),
    ] as [(UInt32, String)] {
      #expect(number.hexadecimal == text)
    }
  }

  @Test(arguments: [
    "0", "000", "AB", "0g", "0x00", " 00", "0 ", "é", "٠٠", "-1", "+1", "/0", ":0", "`0",
  ])
  func `text that is not hexadecimal gives nil`(text: String) {
    #expect([UInt8](hexadecimal: text) == nil)
  }
}
