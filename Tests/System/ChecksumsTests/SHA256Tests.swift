import Foundation
import TestSupport
import Testing

@testable import Checksums

struct SHA256Tests {
  @Test func `SHA-256 gives the hashes of the standard's examples`() {
    let examples: [(String, String)] = [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      (
        String(repeating: "a", count: 1_000_000),
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
      ),
    ]
    for (text, hash) in examples {
      #expect(SHA256.of(Array(text.utf8)).description == hash)
    }
  }

  @Test func `SHA-256 of parts equals that of the whole in every implementation`() {
    var random = SplitMix64(seed: 3)
    let bytes = (0..<300).map { _ in UInt8.random(in: 0...255, using: &random) }
    for count in 0...bytes.count {
      let whole = SHA256.of(Array(bytes[..<count]))
      var parts = SHA256()
      let cut = count == 0 ? 0 : Int.random(in: 0...count, using: &random)
      parts.add(bytes[..<cut])
      parts.add(bytes[cut..<count].lazy.map { $0 })
      #expect(parts.digest == whole)
      for implementation in SHA256.implementations {
        var hash = SHA256(implementation: implementation)
        hash.add(bytes[..<count])
        #expect(hash.digest == whole)
      }
    }
  }

  @Test func `sha256sum computes the same hash`() throws {
    let folder = try TemporaryFolder()
    var random = SplitMix64(seed: 4)
    let bytes = (0..<100_000).map { _ in UInt8.random(in: 0...255, using: &random) }
    try Data(bytes).write(to: folder.file("bytes"))
    let tool = try Program.shell("sha256sum bytes", in: folder.url)
    #expect(tool.text.prefix(64) == SHA256.of(bytes).description)
  }

  @Test func `the text of a hash is read back, and other text is refused`() {
    let digest = SHA256.of([1, 2, 3])
    #expect(SHA256.Digest(digest.description) == digest)
    let text = digest.description
    for wrong in [
      "", String(text.dropLast()), text + "0", text.uppercased(), "g" + text.dropFirst(),
    ] { #expect(SHA256.Digest(wrong) == nil) }
  }
}
