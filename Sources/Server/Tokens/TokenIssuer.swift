import JSON

/// Makes the tokens of a server that has no other issuer.
package struct TokenIssuer: Sendable {
  /// The secret that signs tokens.
  package let secret: Secret
  /// The issuer in these tokens.
  package static let name = "pentimento"

  package init(_ secret: Secret) { self.secret = secret }

  /// A token for a user, valid from `now` for some seconds. `now` is in seconds since 1970.
  package func token(for user: String, from now: Double, seconds: Double) -> String {
    var header = JSONWriter()
    header.object {
      $0.field("alg", TokenAlgorithm.hs256.rawValue)
      $0.field("typ", "JWT")
    }
    var claims = JSONWriter()
    claims.object {
      $0.field("iss", Self.name)
      $0.field("sub", user)
      $0.field("iat", now.rounded(.down))
      $0.field("exp", (now + seconds).rounded(.down))
    }
    let signed = "\(Base64.encodeURL(header.bytes)).\(Base64.encodeURL(claims.bytes))"
    return "\(signed).\(Base64.encodeURL(secret.signature(of: Array(signed.utf8))))"
  }

  /// A verifier of these tokens.
  package var verifier: TokenVerifier {
    var keys = TokenKeys()
    keys.add(secret)
    return TokenVerifier(keys: keys, issuer: Self.name)
  }
}
