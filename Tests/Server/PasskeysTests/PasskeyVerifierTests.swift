import Checksums
import Foundation
import JSON
import TestSupport
import Testing

@testable import Passkeys

/// A passkey with its messages, in hexadecimal digits.
struct Vector: Sendable, CustomTestStringConvertible {
  let id: String
  let key: String
  let challenge: String
  let clientData: String
  let attestation: String
  let signInChallenge: String
  let signInClientData: String
  let authenticatorData: String
  let signature: String

  var testDescription: String { String(key.prefix(12)) }

  static let all = [es256, rs256, eddsa]
}

private func bytes(_ digits: String) -> [UInt8] {
  stride(from: 0, to: digits.utf8.count, by: 2).compactMap {
    UInt8(digits.dropFirst($0).prefix(2), radix: 16)
  }
}

private let site = PasskeyVerifier(origin: "https://ink.example")

/// A sign-in whose parts can be changed.
private struct SignIn {
  var site = PasskeyVerifier(origin: "https://ink.example")
  var clientData: [UInt8]
  var data: [UInt8]
  var signature: [UInt8]
  var challenge: [UInt8]
  var key: [UInt8]
  var counter: UInt32 = 6

  init(_ vector: Vector) {
    clientData = bytes(vector.signInClientData)
    data = bytes(vector.authenticatorData)
    signature = bytes(vector.signature)
    challenge = bytes(vector.signInChallenge)
    key = bytes(vector.key)
  }

  @discardableResult
  func verify() throws -> UInt32 {
    try site.signIn(
      clientData: clientData, authenticatorData: data, signature: signature, challenge: challenge,
      key: PasskeyKey(key), counter: counter)
  }

  /// The browser's data with a text replaced.
  mutating func replace(_ old: String, _ new: String) {
    let text = String(decoding: clientData, as: UTF8.self)
    #expect(text.contains(old))
    clientData = Array(text.replacingOccurrences(of: old, with: new).utf8)
  }
}

struct PasskeyVerifierTests {
  @Test(arguments: Vector.all) func `a registration gives the key that a sign-in needs`(
    _ vector: Vector
  ) throws {
    let found = try site.registration(
      clientData: bytes(vector.clientData), attestation: bytes(vector.attestation),
      challenge: bytes(vector.challenge))
    #expect(found.id == bytes(vector.id))
    #expect(found.key == bytes(vector.key))
    #expect(found.counter == 0)
    var signIn = SignIn(vector)
    signIn.key = found.key
    #expect(try signIn.verify() == 7)
  }

  @Test(arguments: Vector.all) func `a sign-in for something else is refused, with its reason`(
    _ vector: Vector
  ) throws {
    func expect(
      _ error: PasskeyError, line: Int = #line, _ change: (inout SignIn) -> Void
    ) {
      var signIn = SignIn(vector)
      change(&signIn)
      #expect(
        throws: error,
        sourceLocation: SourceLocation(fileID: #fileID, filePath: #filePath, line: line, column: 1)
      ) { try signIn.verify() }
    }
    expect(.wrongChallenge) { $0.challenge[0] ^= 1 }
    expect(.wrongChallenge) { $0.challenge = [] }
    expect(.wrongChallenge) { $0.replace("challenge\":\"", "challenge\":\"A") }
    expect(.wrongType) { $0.replace("webauthn.get", "webauthn.create") }
    expect(.wrongOrigin) { $0.site = PasskeyVerifier(origin: "https://evil.example") }
    expect(.wrongOrigin) { $0.site = PasskeyVerifier(origin: "http://ink.example") }
    expect(.wrongOrigin) { $0.site = PasskeyVerifier(origin: "https://ink.example:8443") }
    expect(.wrongOrigin) { $0.replace("https://ink.example", "https://ink.example.evil.example") }
    expect(.wrongOrigin) { $0.replace("\"crossOrigin\":false", "\"crossOrigin\":true") }
    expect(.malformed) { $0.replace("{", "{\"type\":\"webauthn.get\",") }
    expect(.malformed) { $0.clientData.append(0x7D) }
    expect(.malformed) { $0.clientData = [] }
    expect(.wrongParty) { $0.data[0] ^= 1 }
    expect(.notPresent) { $0.data[32] = 4 }
    // Copied, but not copyable.
    expect(.malformed) { $0.data[32] = 0x11 }
    expect(.malformed) { $0.data.append(0) }
    expect(.malformed) { $0.data.removeLast() }
    expect(.badSignature) { $0.data[36] = 8 }
    expect(.badSignature) { $0.data[32] = 1 }
    expect(.badSignature) { $0.replace("\"crossOrigin\":false", "\"crossOrigin\": false") }
    expect(.badSignature) { $0.signature = [] }
    expect(.counterBack) { $0.counter = 7 }
    expect(.counterBack) { $0.counter = 4_000_000_000 }
    for other in Vector.all where other.key != vector.key {
      expect(.badSignature) { $0.key = bytes(other.key) }
      expect(.badSignature) { $0.signature = bytes(other.signature) }
    }
  }

  @Test(arguments: Vector.all) func `every flipped bit of a signed message is refused`(
    _ vector: Vector
  ) throws {
    let signIn = SignIn(vector)
    for index in signIn.signature.indices {
      var changed = signIn
      changed.signature[index] ^= 1 << UInt8(index % 8)
      #expect(throws: PasskeyError.self) { try changed.verify() }
    }
    for index in 0..<(signIn.data.count * 8) {
      var changed = signIn
      changed.data[index / 8] ^= 1 << UInt8(index % 8)
      #expect(throws: PasskeyError.self) { try changed.verify() }
    }
    for index in signIn.clientData.indices {
      var changed = signIn
      changed.clientData[index] ^= 1
      #expect(throws: PasskeyError.self) { try changed.verify() }
    }
  }

  @Test func `keys of other algorithms, of weak ones and off the curve are refused`() throws {
    func expect(_ error: PasskeyError, _ digits: String, line: Int = #line) {
      #expect(
        throws: error,
        sourceLocation: SourceLocation(fileID: #fileID, filePath: #filePath, line: line, column: 1)
      ) { try PasskeyKey(bytes(digits)) }
    }
    let key = Vector.es256.key
    // Algorithm: none, HS256 (5), ES384 (-35); the curve P-384; the kind of RSA.
    expect(.unknownAlgorithm, "a0")
    expect(
      .unknownAlgorithm, key.replacingOccurrences(of: "a5010203262001", with: "a5010203052001"))
    expect(
      .unknownAlgorithm, key.replacingOccurrences(of: "a5010203262001", with: "a501020338222001"))
    expect(
      .unknownAlgorithm, key.replacingOccurrences(of: "a5010203262001", with: "a5010203262002"))
    expect(
      .unknownAlgorithm, key.replacingOccurrences(of: "a5010203262001", with: "a5010103262001"))
    // A symmetric key.
    expect(.malformed, "a301040305205820" + String(repeating: "07", count: 32))
    expect(.weakKey, String(key.dropLast(2)) + (key.hasSuffix("00") ? "01" : "00"))
    // An RSA key of 512 bits.
    expect(.weakKey, "a40103033901002058400" + String(repeating: "f", count: 127) + "2143010001")
    expect(.malformed, key + "00")
    expect(.malformed, String(key.dropLast(2)))
    // A name twice.
    expect(.malformed, "a2010201" + "02")
    expect(.malformed, "")
  }

  @Test func `a registration without a credential, or for something else, is refused`() throws {
    let vector = Vector.es256
    let (clientData, attestation) = (bytes(vector.clientData), bytes(vector.attestation))
    let challenge = bytes(vector.challenge)
    func register(
      _ clientData: [UInt8], _ attestation: [UInt8], _ challenge: [UInt8]
    ) throws {
      _ = try site.registration(
        clientData: clientData, attestation: attestation, challenge: challenge)
    }
    #expect(throws: PasskeyError.wrongChallenge) { try register(clientData, attestation, [1]) }
    #expect(throws: PasskeyError.wrongType) {
      try register(
        bytes(vector.signInClientData), attestation, bytes(vector.signInChallenge))
    }
    let data = bytes(vector.authenticatorData)
    let bare = Array(bytes("a163666d74646e6f6e65").dropFirst()) + [0x68] + Array("authData".utf8)
    #expect(throws: PasskeyError.malformed) {
      try register(clientData, [0xA2] + bare + [0x58, UInt8(data.count)] + data, challenge)
    }
    #expect(throws: PasskeyError.malformed) { try register(clientData, [0xA0], challenge) }
    #expect(throws: PasskeyError.malformed) {
      try register(clientData, attestation + [0], challenge)
    }
    for count in 0..<attestation.count {
      #expect(throws: PasskeyError.self) {
        try register(clientData, Array(attestation.prefix(count)), challenge)
      }
    }
  }

  @Test func `random changes of messages are refused or harmless, and never trap`() throws {
    var random = SplitMix64(seed: 72)
    let parts = Vector.all.flatMap { [$0.attestation, $0.key, $0.authenticatorData] }.map(bytes)
    for _ in 0..<20_000 {
      var changed = parts.randomElement(using: &random) ?? []
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let index = Int.random(in: 0..<max(changed.count, 1), using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0 where !changed.isEmpty: changed[index] = .random(in: 0...255, using: &random)
        case 1 where !changed.isEmpty:
          changed[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 2: changed.insert(.random(in: 0...255, using: &random), at: min(index, changed.count))
        default: changed.removeLast(min(changed.count, index % 7))
        }
      }
      _ = try? PasskeyKey(changed)
      _ = try? AuthenticatorData(changed)
      _ = try? site.registration(
        clientData: bytes(Vector.es256.clientData), attestation: changed,
        challenge: bytes(Vector.es256.challenge))
    }
  }

  @Test func `the site's name for authenticators is its host`() {
    for (origin, party) in [
      ("https://ink.example", "ink.example"), ("https://ink.example:8443", "ink.example"),
      ("http://localhost:8080", "localhost"), ("http://[::1]:8080", "[::1]"), ("", ""),
    ] {
      #expect(PasskeyVerifier(origin: origin).party == party)
    }
  }
}
