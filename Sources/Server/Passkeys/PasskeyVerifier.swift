import Checksums
import JSON

/// Verifies the messages of passkeys (WebAuthn Level 2, sections 7.1 and 7.2) for one site.
package struct PasskeyVerifier: Sendable {
  /// The site's origin as browsers name it, such as `https://ink.example`.
  package let origin: String

  /// The name of the site for authenticators: the host without a port.
  package var party: String {
    let host = origin.split(separator: "/", maxSplits: 1).last.map { $0.drop { $0 == "/" } } ?? ""
    guard host.hasPrefix("[") else { return String(host.prefix { $0 != ":" }) }
    return host.firstIndex(of: "]").map { String(host[...$0]) } ?? ""
  }

  /// The maximum size of a credential's id (WebAuthn, section 4).
  package static let maximumIDByteCount = 1023
  /// The maximum size of a message's parts; attestations with certificates have a few kilobytes.
  private static let maximumPartByteCount = 16 << 10

  package init(origin: String) { self.origin = origin }

  /// A newly registered passkey.
  package struct Registration: Sendable {
    package let id: [UInt8]
    /// The public key in COSE.
    package let key: [UInt8]
    package let algorithm: Int64
    package let counter: UInt32
  }

  /// Verifies a registration. The attestation is not: it would say which model made the passkey.
  package func registration(
    clientData: [UInt8], attestation: [UInt8], challenge: [UInt8]
  ) throws(PasskeyError) -> Registration {
    try check(clientData, type: "webauthn.create", challenge)
    let data = try authenticatorData(inAttestation: attestation)
    try check(data)
    guard let credential = data.credential else { throw .malformed }
    return Registration(
      id: credential.id, key: credential.keyBytes,
      algorithm: credential.key.algorithm.rawValue, counter: data.counter)
  }

  /// Verifies a sign-in with a registered key, and returns the new counter. `counter` is the last
  /// known one.
  package func signIn(
    clientData: [UInt8], authenticatorData: [UInt8], signature: [UInt8], challenge: [UInt8],
    key: PasskeyKey, counter: UInt32
  ) throws(PasskeyError) -> UInt32 {
    try check(clientData, type: "webauthn.get", challenge)
    guard authenticatorData.count <= Self.maximumPartByteCount,
      signature.count <= Self.maximumPartByteCount
    else { throw .malformed }
    let data = try AuthenticatorData(authenticatorData)
    try check(data)
    let signed = authenticatorData + SHA256.of(clientData).bytes
    guard key.verifies(signature, of: signed) else { throw .badSignature }
    // Authenticators without a counter always send zero.
    guard data.counter > counter || data.counter == 0 && counter == 0 else { throw .counterBack }
    return data.counter
  }

  private func check(_ data: AuthenticatorData) throws(PasskeyError) {
    guard data.partyHash == SHA256.of(Array(party.utf8)).bytes else { throw .wrongParty }
    guard data.flags.contains(.isPresent) else { throw .notPresent }
  }

  // MARK: - The browser's data

  private func check(
    _ clientData: [UInt8], type: String, _ challenge: [UInt8]
  ) throws(PasskeyError) {
    guard clientData.count <= Self.maximumPartByteCount else { throw .malformed }
    var (foundType, foundChallenge, foundOrigin): (String?, String?, String?)
    var isFramed = false
    do throws(JSONError) {
      var reader = JSONReader(clientData)
      var names: Set<String> = []
      try reader.object { (name, reader) throws(JSONError) in
        guard names.insert(name).inserted else { throw reader.error("a name comes twice") }
        switch name {
        case "type": foundType = try reader.string()
        case "challenge": foundChallenge = try reader.string()
        case "origin": foundOrigin = try reader.string()
        case "crossOrigin": isFramed = try reader.truth()
        default: try reader.skip()
        }
      }
      try reader.end()
    } catch {
      throw .malformed
    }
    guard foundType == type else { throw .wrongType }
    guard !challenge.isEmpty, foundChallenge == Base64.encodeURL(challenge) else {
      throw .wrongChallenge
    }
    // A page of another site may have framed this one.
    guard foundOrigin == origin, !isFramed else { throw .wrongOrigin }
  }

  private func authenticatorData(
    inAttestation bytes: [UInt8]
  ) throws(PasskeyError) -> AuthenticatorData {
    guard bytes.count <= Self.maximumPartByteCount else { throw .malformed }
    var reader = CBORReader(bytes)
    var data: [UInt8]?
    var seen: Set<String> = []
    for _ in 0..<(try reader.map()) {
      let name = try reader.text()
      guard seen.insert(name).inserted else { throw .malformed }
      if name == "authData" { data = try reader.byteString() } else { try reader.skip() }
    }
    guard reader.isAtEnd, let data else { throw .malformed }
    return try AuthenticatorData(data)
  }
}
