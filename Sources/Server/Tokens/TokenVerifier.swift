/// Verifies bearer tokens and determines their users.
package struct TokenVerifier: Sendable {
  /// The keys that verify tokens.
  package var keys: TokenKeys
  /// The required issuer of tokens; nil accepts any.
  package let issuer: String?
  /// The required audience of tokens; nil accepts any.
  package let audience: String?
  /// The tolerated difference of clocks, in seconds.
  package let clockSkew: Double

  package init(
    keys: TokenKeys, issuer: String? = nil, audience: String? = nil, clockSkew: Double = 60
  ) {
    (self.keys, self.issuer, self.audience) = (keys, issuer, audience)
    self.clockSkew = clockSkew
  }

  /// A verifier of the ID tokens of a Firebase project.
  package static func firebase(project: String, keys: TokenKeys) -> TokenVerifier {
    TokenVerifier(
      keys: keys, issuer: "https://securetoken.google.com/\(project)", audience: project)
  }

  /// The last second of the year 9999, the latest accepted expiry.
  private static let latestExpiry = 253_402_300_799.0
  /// The maximum size of a token's subject in bytes (OpenID Connect Core, section 2).
  private static let maximumSubjectBytes = 255

  /// The user of a token, at a time in seconds since 1970.
  package func user(of text: String, at now: Double) throws(TokenError) -> String {
    try user(of: WebToken(text), at: now)
  }

  /// The user of an ID token, which a provider of OpenID Connect has issued for one sign-in
  /// (OpenID Connect Core, section 3.1.3.7). `algorithms` are those that the provider announces.
  package func user(
    ofIDToken text: String, nonce: String, algorithms: Set<TokenAlgorithm>, at now: Double
  ) throws(TokenError) -> String {
    let token = try WebToken(text)
    guard let algorithm = TokenAlgorithm(rawValue: token.algorithm), algorithm != .hs256,
      algorithms.contains(algorithm)
    else { throw .unknownAlgorithm }
    let user = try user(of: token, at: now)
    guard token.claims.issued != nil else { throw .malformed }
    let party = token.claims.authorizedParty
    // Of several audiences, one must be named as the party.
    guard party == nil ? token.claims.audiences.count == 1 : party == audience else {
      throw .wrongAudience
    }
    guard token.claims.nonce == nonce, !nonce.isEmpty else { throw .wrongNonce }
    return user
  }

  private func user(of token: WebToken, at now: Double) throws(TokenError) -> String {
    try keys.check(token)
    let claims = token.claims
    // A token without an expiry would be valid forever.
    guard let expiry = claims.expiry, expiry <= Self.latestExpiry else { throw .malformed }
    guard now < expiry + clockSkew else { throw .expired }
    for start in [claims.notBefore, claims.issued, claims.authenticated] {
      if let start, now < start - clockSkew { throw .notYetValid }
    }
    guard issuer == nil || claims.issuer == issuer else { throw .wrongIssuer }
    guard audience.map(claims.audiences.contains) ?? true else { throw .wrongAudience }
    guard let user = claims.subject, 1...Self.maximumSubjectBytes ~= user.utf8.count,
      user.utf8.allSatisfy({ $0 >= 32 && $0 != 127 })
    else { throw .noUser }
    return user
  }
}
