import CNetwork
import Checksums

/// A public key that verifies signatures.
package final class PublicKey: Sendable {
  // libcrypto counts references itself, and verifying does not change a key.
  nonisolated(unsafe) private let key: OpaquePointer

  /// Takes ownership of a libcrypto key.
  private init?(_ key: OpaquePointer?) {
    guard let key else { return nil }
    self.key = key
  }

  /// The key in a public key or a certificate as PEM text; nil for other text and for weak keys.
  package convenience init?(pem: String) {
    let text = Array(pem.utf8)
    self.init(cryptoKeyFromPEM(text, text.count))
  }

  /// An RSA key.
  package convenience init?(modulus: [UInt8], exponent: [UInt8]) {
    self.init(cryptoKeyFromRSA(modulus, modulus.count, exponent, exponent.count))
  }

  /// A P-256 key.
  package convenience init?(x: [UInt8], y: [UInt8]) {
    guard x.count == 32, y.count == 32 else { return nil }
    self.init(cryptoKeyFromPoint(x, y))
  }

  /// An Ed25519 key.
  package convenience init?(ed25519 bytes: [UInt8]) {
    guard bytes.count == 32 else { return nil }
    self.init(cryptoKeyFromEd25519(bytes))
  }

  deinit { cryptoKeyFree(key) }

  /// The algorithm of the signatures that the key verifies.
  package var algorithm: TokenAlgorithm {
    switch cryptoKeyKind(key) {
    case CryptoKeyRSA: .rs256
    case CryptoKeyP256: .es256
    default: .eddsa
    }
  }

  /// Verifies a signature in the form of tokens: that of P-256 is two numbers of 32 bytes.
  func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    cryptoVerify(key, message, message.count, signature, signature.count) == 1
  }

  /// Verifies a signature in the form of passkeys: that of P-256 is DER.
  package func verifies(coded signature: [UInt8], of message: [UInt8]) -> Bool {
    cryptoVerifyCoded(key, message, message.count, signature, signature.count) == 1
  }
}

/// A secret of the server, with which it signs data that only it verifies.
package struct Secret: Sendable {
  package let bytes: [UInt8]

  /// The minimum length in bytes; shorter ones could be guessed.
  package static let minimumByteCount = 32

  /// A secret; nil if it is too short.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.minimumByteCount else { return nil }
    self.bytes = bytes
  }

  /// A new secret; nil if the system has no random bytes.
  package static func random() -> Secret? { randomBytes(minimumByteCount).flatMap(Secret.init) }

  /// The HMAC-SHA-256 of a message, 32 bytes (RFC 2104).
  package func signature(of message: [UInt8]) -> [UInt8] {
    SHA256.authenticate(message, with: bytes).bytes
  }

  package func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    let expected = self.signature(of: message)
    return signature.count == expected.count
      && cryptoIsEqual(signature, expected, expected.count) == 1
  }
}

/// Loads the library for cryptography, or ends the program with a message if it is missing.
package func loadCryptography() { cryptoLoad() }

/// Cryptographically secure random bytes; nil if the system has none.
package func randomBytes(_ count: Int) -> [UInt8]? {
  var bytes = [UInt8](repeating: 0, count: count)
  return cryptoRandom(&bytes, count) == 1 ? bytes : nil
}
