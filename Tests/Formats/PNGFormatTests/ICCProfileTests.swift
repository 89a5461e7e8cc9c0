import Testing

@testable import PNGFormat

struct ICCProfileTests {
  private let profile = ICCProfile.displayP3

  private func number(_ offset: Int) -> Int {
    profile[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  /// The bytes of a tag, starting with its type.
  private func tag(_ name: String) -> ArraySlice<UInt8>? {
    (0..<number(128)).lazy.map { 132 + 12 * $0 }.first {
      profile[$0..<$0 + 4].elementsEqual(name.utf8)
    }.map { profile[number($0 + 4)...].prefix(number($0 + 8)) }
  }

  /// The only text of a tag: English, in UTF-16 with the high byte first.
  private func text(_ name: String) throws -> String {
    let bytes = try #require(tag(name))
    let start = bytes.startIndex
    #expect(bytes.prefix(4).elementsEqual("mluc".utf8))
    #expect(number(start + 8) == 1 && number(start + 12) == 12)
    #expect(profile[start + 16..<start + 20].elementsEqual("enUS".utf8))
    let text = profile[(start + number(start + 24))...].prefix(number(start + 20))
    let units = stride(from: text.startIndex, to: text.endIndex - 1, by: 2).map {
      UInt16(text[$0]) << 8 | UInt16(text[$0 + 1])
    }
    return String(decoding: units, as: UTF16.self)
  }

  @Test func `the profile names its colour space and its licence`() throws {
    #expect(try text("desc") == "Display P3")
    #expect(try text("cprt") == "CC0")
  }
}
