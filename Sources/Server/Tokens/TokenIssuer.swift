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
      $0.key("alg")
      $0.value(TokenAlgorithm.hs256.rawValue)
      $0.key("typ")
      $0.value("JWT")
    }
    var claims = JSONWriter()
    claims.object {
      $0.key("iss")
      $0.value(Self.name)
      $0.key("sub")
      $0.value(user)
      $0.key("iat")
      $0.value(now.rounded(.down))
      $0.key("exp")
      $0.value((now + seconds).rounded(.down))
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
