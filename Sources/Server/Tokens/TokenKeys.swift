import JSON

/// The keys that verify tokens.
///
/// Each key has one algorithm, whatever a token claims: a public key is never used as a secret.
package struct TokenKeys: Sendable {
  fileprivate enum Key: Sendable {
    case secret(Secret)
    case open(PublicKey)

    var algorithm: TokenAlgorithm {
      switch self {
      case .secret: .hs256
      case .open(let key): key.algorithm
      }
    }
  }

  private var named: [String: Key] = [:]
  /// Keys without names, which are tried for tokens without a key name.
  private var unnamed: [Key] = []

  /// No keys.
  package init() {}

  /// Whether there is no key.
  package var isEmpty: Bool { named.isEmpty && unnamed.isEmpty }

  /// Adds a secret.
  package mutating func add(_ secret: Secret, name: String? = nil) { add(.secret(secret), name) }

  /// Adds the key in a public key or a certificate as PEM text. Returns false if the text has no
  /// key that is strong enough.
  package mutating func add(pem: String, name: String? = nil) -> Bool {
    guard let key = PublicKey(pem: pem) else { return false }
    add(.open(key), name)
    return true
  }

  private mutating func add(_ key: Key, _ name: String?) {
    if let name {
      named[name] = key
    } else {
      unnamed.append(key)
    }
  }

  /// Parses a set of keys: a JWK set (RFC 7517), or an object of certificates by name in Google's
  /// form. Keys of other kinds are ignored, and so are secrets in a public set; nil if no key is
  /// left.
  package init?(json bytes: [UInt8], isPublic: Bool = false) {
    var reader = JSONReader(bytes)
    do throws(JSONError) {
      try reader.object { (name, reader) throws(JSONError) in
        if name == "keys" {
          try reader.list { (reader) throws(JSONError) in try addKey(&reader, isPublic) }
        } else if reader.peek() == UInt8(ascii: "\"") {
          _ = add(pem: try reader.string(), name: name)
        } else {
          try reader.skip()
        }
      }
      try reader.end()
    } catch {
      return nil
    }
    if isEmpty { return nil }
  }

  /// Reads a JWK.
  private mutating func addKey(_ reader: inout JSONReader, _ isPublic: Bool) throws(JSONError) {
    var fields: [String: String] = [:]
    try reader.object { (name, reader) throws(JSONError) in
      if reader.peek() == UInt8(ascii: "\"") {
        fields[name] = try reader.string()
      } else {
        try reader.skip()
      }
    }
    func number(_ name: String) -> [UInt8] {
      fields[name].flatMap { Base64.decodeURL($0.utf8) } ?? []
    }
    guard fields["use"] ?? "sig" == "sig" else { return }
    let key: Key? =
      switch fields["kty"] {
      case "RSA": PublicKey(modulus: number("n"), exponent: number("e")).map(Key.open)
      case "EC" where fields["crv"] == "P-256":
        PublicKey(x: number("x"), y: number("y")).map(Key.open)
      case "OKP" where fields["crv"] == "Ed25519":
        PublicKey(ed25519: number("x")).map(Key.open)
      case "oct" where !isPublic: Secret(number("k")).map(Key.secret)
      default: nil
      }
    guard let key, fields["alg"].map({ $0 == key.algorithm.rawValue }) ?? true else { return }
    add(key, fields["kid"])
  }

  /// Checks the signature of a token.
  func check(_ token: WebToken) throws(TokenError) {
    guard let algorithm = TokenAlgorithm(rawValue: token.algorithm) else { throw .unknownAlgorithm }
    let candidates: [Key]
    if let name = token.keyID, let key = named[name] {
      candidates = [key]
    } else if token.keyID != nil, !named.isEmpty {
      throw .unknownKey
    } else {
      candidates = unnamed
    }
    let fitting = candidates.filter { $0.algorithm == algorithm }
    guard !fitting.isEmpty else { throw candidates.isEmpty ? .unknownKey : .unknownAlgorithm }
    let isValid = fitting.contains { key in
      switch key {
      case .secret(let secret): secret.verifies(token.signature, of: token.signed)
      case .open(let key): key.verifies(token.signature, of: token.signed)
      }
    }
    guard isValid else { throw .badSignature }
  }
}
