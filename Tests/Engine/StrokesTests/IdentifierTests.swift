import Strokes
import TestSupport
import Testing

@Suite struct `An identifier` {
  private let known = Identifier(high: 0x0123_4567_89AB_4DEF, low: 0x8123_4567_89AB_CDEF)
  private let text = "01234567-89AB-4DEF-8123-456789ABCDEF"

  @Test func `an identifier's text is a UUID, read in upper and lower case`() {
    #expect(known.description == text)
    #expect(Identifier(text) == known)
    #expect(Identifier(text.lowercased()) == known)
    #expect(Identifier.zero.description == "00000000-0000-0000-0000-000000000000")
  }

  @Test(arguments: [
    "", "01234567", "0123456789AB4DEF8123456789ABCDEF",
    "01234567-89AB-4DEF-8123-456789ABCDE", "01234567-89AB-4DEF-8123-456789ABCDEF0",
    "0123456-789AB-4DEF-8123-456789ABCDEF", "01234567-89AB-4DEF-8123-456789ABCDEG",
    "+1234567-89AB-4DEF-8123-456789ABCDEF", " 1234567-89AB-4DEF-8123-456789ABCDEF",
    "01234567-89AB-4DEF-8123-456789ABCD\u{E9}", "01234567-89AB-4DEF-8123-456789ABCDEF-",
  ])
  func `text that is no UUID is not an identifier`(text: String) {
    #expect(Identifier(text) == nil)
  }

  @Test func `an identifier's text and bytes are read back to the same identifier`() {
    var random = RandomInk(seed: 13)
    for _ in 0..<200 {
      let id = random.identifier()
      #expect(Identifier(id.description) == id)
      #expect(Identifier(bytes: id.bytes) == id)
    }
  }

  @Test func `an identifier's most significant byte comes first`() {
    #expect(known.bytes.prefix(4) == [0x01, 0x23, 0x45, 0x67])
    #expect(known.bytes.suffix(2) == [0xCD, 0xEF])
    #expect(Identifier(bytes: known.bytes.dropLast()) == nil)
    #expect(Identifier(bytes: known.bytes + [0]) == nil)
    #expect(Identifier(bytes: [0] + known.bytes[...].dropFirst()) != known)
  }

  @Test func `random identifiers are UUIDs of version 4 from their generator`() {
    let ids = (0..<100).map { _ in Identifier() }
    #expect(Set(ids).count == 100)
    for id in ids {
      #expect(id.high >> 12 & 0xF == 4)
      #expect(id.low >> 62 == 2)
    }
    var (a, b) = (SplitMix64(seed: 1), SplitMix64(seed: 1))
    #expect(Identifier(using: &a) == Identifier(using: &b))
    #expect(Identifier(using: &a) != Identifier(using: &a))
  }

  @Test func `derived identifiers depend only on their origin, purpose and index`() {
    #expect(known.derived("piece", 1) == known.derived("piece", 1))
    let all = [
      known, known.derived("piece"), known.derived("piece", 1), known.derived("part", 1),
      known.derived("piece", -1), Identifier.zero.derived("piece", 1),
      known.derived("piece", 1).derived("piece", 1),
    ]
    #expect(Set(all).count == all.count)
    for id in all.dropFirst() { #expect(id.high >> 12 & 0xF == 4 && id.low >> 62 == 2) }
  }

  @Test func `a stable hash is the same in every run`() {
    var hash = StableHash()
    hash.combine(known)
    hash.combine(0.5)
    var same = StableHash()
    same.combine(known.high)
    same.combine(known.low)
    same.combine(UInt64(0x3FE0_0000_0000_0000))
    #expect(hash.identifier == same.identifier)
    #expect(hash.seed == same.seed)
    #expect(hash.identifier != StableHash().identifier)
    // These values must not change, because stored identifiers were derived by them.
    #expect(
      Identifier.zero.derived("piece", 0).description == "EA672D3F-B20C-4FD9-ACA4-9FF5A7C4FE9E")
  }

  @Test func `a stable hash depends on the order`() {
    var (a, b) = (StableHash(), StableHash())
    for word in [1, 2] as [UInt64] { a.combine(word) }
    for word in [2, 1] as [UInt64] { b.combine(word) }
    #expect(a.identifier != b.identifier)
    #expect(a.seed != b.seed)
  }
}
