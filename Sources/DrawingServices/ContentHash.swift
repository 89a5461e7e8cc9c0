import Checksums

/// A name for bytes that are the same.
enum ContentHash {
  static func of(_ bytes: [UInt8]) -> String { SHA256.of(bytes).description }
}
