import Checksums

/// The SHA-256 of bytes, as 64 hexadecimal digits.
package enum ContentHash {
  package static func of(_ bytes: [UInt8]) -> String { SHA256.of(bytes).description }
}
