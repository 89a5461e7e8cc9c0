/// The reason why a passkey's message is refused.
package enum PasskeyError: String, Error, Hashable, Sendable {
  /// The bytes are not in the form of WebAuthn.
  case malformed
  /// A registration instead of a sign-in, or the reverse.
  case wrongType = "wrong-type"
  case wrongChallenge = "wrong-challenge"
  case wrongOrigin = "wrong-origin"
  /// It was made for another site.
  case wrongParty = "wrong-party"
  /// Nobody touched the authenticator.
  case notPresent = "not-present"
  /// The kind of key is not supported.
  case unknownAlgorithm = "unknown-algorithm"
  /// The key is too short, or not on its curve.
  case weakKey = "weak-key"
  case badSignature = "bad-signature"
  /// The counter went back: the passkey may have been copied.
  case counterBack = "counter-back"
}
