import System
import Testing

struct PlainTextTests {
  @Test(arguments: [
    ("strokes.bin", "strokes", true), ("a/strokes", "strokes", true), ("stroke", "strokes", false),
    ("ststrokes", "strokes", true), ("", "a", false), ("", "", true), ("abc", "", true),
    ("Zeichen über Ink", "über", true), ("abc", "abcd", false),
  ])
  func `a text includes the parts in its bytes`(_ text: String, _ part: String, _ isIn: Bool) {
    #expect(text.includes(part) == isIn)
    #expect(text[...].includes(part) == isIn)
  }

  @Test func `exchanging a character replaces it everywhere`() {
    #expect("it's 'so'".exchanging("'", for: "'\\''") == "it'\\''s '\\''so'\\''")
    #expect("".exchanging("a", for: "b") == "" && "abc".exchanging("x", for: "y") == "abc")
    #expect("a:b".exchanging(":", for: "::") == "a::b")
    // With a combining mark, an apostrophe is another character, but the same byte for a shell.
    let marked = "a'\u{301}b".exchanging("'", for: "_")
    #expect(Array(marked.unicodeScalars) == Array("a_\u{301}b".unicodeScalars))
  }
}
