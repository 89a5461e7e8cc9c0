import Testing

@testable import DrawingServices

struct LanguageTests {
  @Test func `dates are written in the viewer's language`() throws {
    let day = try #require(LocalDay("2026-11-02"))
    #expect(Language.english.longDate(day) == "November 2, 2026")
    #expect(Language.traditionalChinese.longDate(day) == "2026年11月2日")
  }
}
