/// Why a token is not accepted.
package enum TokenError: String, Error, Hashable, Sendable {
  case malformed
  /// It is signed in a way that is not allowed, or not at all.
  case unknownAlgorithm = "unknown-algorithm"
  /// It names a key that is not among the known ones.
  case unknownKey = "unknown-key"
  case badSignature = "bad-signature"
  case expired
  case notYetValid = "not-yet-valid"
  case wrongIssuer = "wrong-issuer"
  case wrongAudience = "wrong-audience"
  /// It names no user, or one with a name that cannot be one.
  case noUser = "no-user"
}

/// The algorithms that sign tokens (RFC 7518).
package enum TokenAlgorithm: String, Hashable, Sendable, CaseIterable {
  /// A secret that issuer and verifier share.
  case hs256 = "HS256"
  /// RSA with PKCS #1 v1.5.
  case rs256 = "RS256"
  /// The curve P-256.
  case es256 = "ES256"
}
