/// The reason why a token is not accepted.
package enum TokenError: String, Error, Hashable, Sendable {
  case malformed
  /// It is unsigned, or its algorithm is not allowed.
  case unknownAlgorithm = "unknown-algorithm"
  /// Its key is unknown.
  case unknownKey = "unknown-key"
  case badSignature = "bad-signature"
  case expired
  case notYetValid = "not-yet-valid"
  case wrongIssuer = "wrong-issuer"
  case wrongAudience = "wrong-audience"
  /// It has no user, or an invalid one.
  case noUser = "no-user"
  /// It answers another request for a sign-in, or none.
  case wrongNonce = "wrong-nonce"
}

/// The signature algorithms of tokens (RFC 7518).
package enum TokenAlgorithm: String, Hashable, Sendable, CaseIterable {
  /// A secret that issuer and verifier share.
  case hs256 = "HS256"
  /// RSA with PKCS #1 v1.5.
  case rs256 = "RS256"
  /// The curve P-256.
  case es256 = "ES256"
  /// Ed25519; the name stands for any curve of its kind.
  case eddsa = "EdDSA"
}
