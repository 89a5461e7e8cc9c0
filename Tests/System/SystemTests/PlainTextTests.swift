import System
import Testing

struct PlainTextTests {
  @Test(arguments: [
    ("strokes.bin", "strokes", true), ("a/strokes", "strokes", true), ("stroke", "strokes", false),
    ("ststrokes", "strokes", true), ("", "a", false), ("", "", true), ("abc", "", true),
    ("Zeichen über Ink", "über", true), ("abc", "abcd", false),
  ])
  func `a text includes what is in its bytes`(_ text: String, _ part: String, _ isIn: Bool) {
    #expect(text.includes(part) == isIn)
    #expect(text[...].includes(part) == isIn)
  }

  @Test func `characters are exchanged wherever they are`() {
    #expect("it's 'so'".exchanging("'", for: "'\\''") == "it'\\''s '\\''so'\\''")
    #expect("".exchanging("a", for: "b") == "" && "abc".exchanging("x", for: "y") == "abc")
    #expect("a:b".exchanging(":", for: "::") == "a::b")
    // With a mark over it, an apostrophe is another character, and the same byte for a shell.
    let marked = "a'\u{301}b".exchanging("'", for: "_")
    #expect(Array(marked.unicodeScalars) == Array("a_\u{301}b".unicodeScalars))
  }
}
