import Testing

@testable import Checksums

struct MD5Tests {
  @Test func `MD5 gives the hashes of RFC 1321`() {
    let examples = [
      ("", "d41d8cd98f00b204e9800998ecf8427e"),
      ("a", "0cc175b9c0f1b6a831c399e269772661"),
      ("abc", "900150983cd24fb0d6963f7d28e17f72"),
      ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
      ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
      (
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
        "d174ab98d277d9f5a5611c2c9f419d9f"
      ),
      (
        "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
        "57edf4a22be3c955ac49da2e2107b67a"
      ),
    ]
    for (text, hash) in examples { #expect(MD5.of(Array(text.utf8)).hexadecimal == hash) }
  }

  @Test func `MD5 around block ends gives the hashes of another implementation`() {
    // Computed with md5sum: the hash of the hashes of 0 to 199 bytes, each with the value of its
    // index.
    let bytes = (0..<200).map { UInt8($0) }
    let hashes = (0..<200).flatMap { MD5.of(Array(bytes[..<$0])) }
    #expect(MD5.of(hashes).hexadecimal == "eefa41f088d589fcf4e0f2c1cfdb7a3f")
  }
}
