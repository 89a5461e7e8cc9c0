import JSON

/// A JSON Web Token (RFC 7519) with an unverified signature.
struct WebToken: Sendable {
  let algorithm: String
  let keyID: String?
  let claims: Claims
  /// The signed bytes: header and claims as they arrived.
  let signed: [UInt8]
  let signature: [UInt8]

  /// The claims that are used.
  struct Claims: Hashable, Sendable {
    var issuer: String?
    var subject: String?
    var audiences: [String] = []
    var expiry: Double?
    var notBefore: Double?
    var issued: Double?
    var authenticated: Double?
    var nonce: String?
    /// The program for which the token was issued, `azp`.
    var authorizedParty: String?
  }

  /// The maximum length of a token in bytes.
  static let maximumByteCount = 8_192

  init(_ text: String) throws(TokenError) {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard text.utf8.count <= Self.maximumByteCount, parts.count == 3,
      let header = Base64.decodeURL(parts[0]), let claims = Base64.decodeURL(parts[1]),
      let signature = Base64.decodeURL(parts[2])
    else { throw .malformed }
    self.signature = signature
    signed = Array(text.utf8.prefix(parts[0].count + 1 + parts[1].count))
    do throws(JSONError) {
      (algorithm, keyID) = try Self.header(header)
      self.claims = try Self.claims(claims)
    } catch {
      throw .malformed
    }
  }

  private static func header(
    _ bytes: [UInt8]
  ) throws(JSONError) -> (algorithm: String, keyID: String?) {
    var (algorithm, keyID): (String?, String?)
    try object(bytes) { (name, reader) throws(JSONError) in
      switch name {
      case "alg": algorithm = try reader.string()
      case "kid": keyID = try reader.string()
      // Extensions that must be understood, and other encodings of the claims.
      case "crit", "b64", "zip", "enc": throw reader.error("an unknown extension")
      default: try reader.skip()
      }
    }
    guard let algorithm else { throw JSONError(reason: "no algorithm", offset: 0) }
    return (algorithm, keyID)
  }

  private static func claims(_ bytes: [UInt8]) throws(JSONError) -> Claims {
    var claims = Claims()
    try object(bytes) { (name, reader) throws(JSONError) in
      switch name {
      case "iss": claims.issuer = try reader.string()
      case "sub": claims.subject = try reader.string()
      case "exp": claims.expiry = try reader.number()
      case "nbf": claims.notBefore = try reader.number()
      case "iat": claims.issued = try reader.number()
      case "auth_time": claims.authenticated = try reader.number()
      case "nonce": claims.nonce = try reader.string()
      case "azp": claims.authorizedParty = try reader.string()
      case "aud":
        if reader.peek() == UInt8(ascii: "[") {
          try reader.list { (reader) throws(JSONError) in
            claims.audiences.append(try reader.string())
          }
        } else {
          claims.audiences = [try reader.string()]
        }
      default: try reader.skip()
      }
    }
    return claims
  }

  /// Parses an object. Refuses duplicate names, since other programs may use the other value.
  private static func object(
    _ bytes: [UInt8], _ body: (String, inout JSONReader) throws(JSONError) -> Void
  ) throws(JSONError) {
    var reader = JSONReader(bytes)
    var names: Set<String> = []
    try reader.object { (name, reader) throws(JSONError) in
      guard names.insert(name).inserted else { throw reader.error("a name comes twice") }
      try body(name, &reader)
    }
    try reader.end()
  }
}
