/// What an authenticator signs besides the browser's data (WebAuthn, section 6.1).
struct AuthenticatorData {
  let partyHash: [UInt8]
  let flags: Flags
  let counter: UInt32
  /// A new credential; nil in a sign-in.
  let credential: Credential?

  struct Credential {
    let id: [UInt8]
    let key: PasskeyKey
    /// The key as it arrived.
    let keyBytes: [UInt8]
  }

  struct Flags: OptionSet {
    let rawValue: UInt8
    static let isPresent = Flags(rawValue: 1)
    static let isVerified = Flags(rawValue: 4)
    static let mayBeCopied = Flags(rawValue: 8)
    static let isCopied = Flags(rawValue: 16)
    static let hasCredential = Flags(rawValue: 64)
    static let hasExtensions = Flags(rawValue: 128)
  }

  /// Hash, flags and counter.
  private static let headCount = 32 + 1 + 4
  /// The bytes that name the model of an authenticator; they are not used.
  private static let modelCount = 16

  init(_ bytes: [UInt8]) throws(PasskeyError) {
    guard bytes.count >= Self.headCount else { throw .malformed }
    partyHash = Array(bytes[..<32])
    flags = Flags(rawValue: bytes[32])
    counter = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
    // A copied credential that cannot be copied makes no sense (section 6.1.3).
    guard !flags.contains(.isCopied) || flags.contains(.mayBeCopied) else { throw .malformed }
    var offset = Self.headCount
    if flags.contains(.hasCredential) {
      offset += Self.modelCount
      guard bytes.count >= offset + 2 else { throw .malformed }
      let count = Int(bytes[offset]) << 8 | Int(bytes[offset + 1])
      offset += 2
      guard 1...PasskeyVerifier.maximumIDByteCount ~= count, bytes.count >= offset + count else {
        throw .malformed
      }
      let id = Array(bytes[offset..<offset + count])
      offset += count
      var reader = CBORReader(bytes, at: offset)
      let key = try PasskeyKey(&reader)
      guard reader.offset - offset <= PasskeyKey.maximumByteCount else { throw .malformed }
      credential = Credential(
        id: id, key: key, keyBytes: Array(bytes[offset..<reader.offset]))
      offset = reader.offset
    } else {
      credential = nil
    }
    if flags.contains(.hasExtensions) {
      var reader = CBORReader(bytes, at: offset)
      for _ in 0..<(2 * (try reader.map())) { try reader.skip() }
      offset = reader.offset
    }
    guard offset == bytes.count else { throw .malformed }
  }
}
