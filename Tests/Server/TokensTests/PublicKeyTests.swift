import Foundation
import JSON
import Testing

@testable import Tokens

/// Keys and signatures made by the `openssl` program.
private struct OpenSSL {
  let folder: URL

  static let isInstalled = (try? run(["version"])) != nil

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "tokens-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  @discardableResult
  static func run(_ arguments: [String]) throws -> Data {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["openssl"] + arguments
    let output = Pipe()
    (process.standardOutput, process.standardError) = (output, FileHandle.nullDevice)
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    struct Failed: Error {}
    guard process.terminationStatus == 0 else { throw Failed() }
    return data
  }

  private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  func makeKey(_ name: String, _ options: [String]) throws {
    try Self.run(["genpkey", "-out", path(name)] + options)
  }

  func publicKey(_ name: String) throws -> String {
    String(decoding: try Self.run(["pkey", "-in", path(name), "-pubout"]), as: UTF8.self)
  }

  func certificate(_ name: String) throws -> String {
    let data = try Self.run(
      ["req", "-x509", "-new", "-key", path(name), "-subj", "/CN=test", "-days", "1"])
    return String(decoding: data, as: UTF8.self)
  }

  func sign(_ text: String, with name: String) throws -> [UInt8] {
    try Data(text.utf8).write(to: folder.appendingPathComponent("message"))
    return [UInt8](try Self.run(["dgst", "-sha256", "-sign", path(name), path("message")]))
  }

  /// Signs the text itself instead of its hash.
  func signRaw(_ text: String, with name: String) throws -> [UInt8] {
    try Data(text.utf8).write(to: folder.appendingPathComponent("message"))
    return [UInt8](
      try Self.run(["pkeyutl", "-sign", "-rawin", "-inkey", path(name), "-in", path("message")]))
  }
}

/// The two numbers of 32 bytes in a signature in DER.
private func numbers(inDER bytes: [UInt8]) -> [UInt8] {
  var rest = bytes[2...]
  return (0..<2).flatMap { _ -> [UInt8] in
    let count = Int(rest[rest.startIndex + 1])
    let number = rest.dropFirst(2).prefix(count)
    rest = rest.dropFirst(2 + count)
    let digits = Array(number.drop { $0 == 0 })
    return Array(repeating: 0, count: 32 - digits.count) + digits
  }
}

private let rsa = ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]
private let p256 = ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]

@Suite(.enabled(if: OpenSSL.isInstalled, "the openssl program is not installed"))
struct PublicKeyTests {
  private let tool: OpenSSL
  private let claims = #"{"sub": "ann", "exp": 1800000600}"#

  init() throws { tool = try OpenSSL() }

  private func token(_ header: String, signedBy sign: (String) throws -> [UInt8]) throws -> String {
    let signed = "\(Base64.encodeURL(Array(header.utf8))).\(Base64.encodeURL(Array(claims.utf8)))"
    return "\(signed).\(Base64.encodeURL(try sign(signed)))"
  }

  private func refusal(_ keys: TokenKeys, _ token: String) -> TokenError? {
    do throws(TokenError) {
      _ = try TokenVerifier(keys: keys).user(of: token, at: 1_800_000_000)
      return nil
    } catch {
      return error
    }
  }

  @Test func `tokens of RSA, P-256 and Ed25519 keys are accepted, and no others`() throws {
    try tool.makeKey("rsa", rsa)
    try tool.makeKey("ec", p256)
    var keys = TokenKeys()
    let areAdded = [
      keys.add(pem: try tool.certificate("rsa"), name: "r"),
      keys.add(pem: try tool.publicKey("ec"), name: "e"),
    ]
    #expect(areAdded == [true, true])
    let byRSA = try token(#"{"alg": "RS256", "kid": "r"}"#) { try tool.sign($0, with: "rsa") }
    let byEC = try token(#"{"alg": "ES256", "kid": "e"}"#) {
      numbers(inDER: try tool.sign($0, with: "ec"))
    }
    #expect(refusal(keys, byRSA) == nil && refusal(keys, byEC) == nil)
    try tool.makeKey("ed", ["-algorithm", "ED25519"])
    let isAdded = keys.add(pem: try tool.publicKey("ed"), name: "d")
    #expect(isAdded)
    let byEd = try token(#"{"alg": "EdDSA", "kid": "d"}"#) { try tool.signRaw($0, with: "ed") }
    #expect(refusal(keys, byEd) == nil)
    let changed = try token(#"{"alg": "EdDSA", "kid": "d"}"#) {
      try tool.signRaw($0 + "x", with: "ed")
    }
    #expect(refusal(keys, changed) == .badSignature)
    // A signature in DER instead of two numbers, exchanged keys and algorithms, and unknown keys.
    let byDER = try token(#"{"alg": "ES256", "kid": "e"}"#) { try tool.sign($0, with: "ec") }
    #expect(refusal(keys, byDER) == .badSignature)
    let exchanged = try token(#"{"alg": "RS256", "kid": "e"}"#) { try tool.sign($0, with: "rsa") }
    #expect(refusal(keys, exchanged) == .unknownAlgorithm)
    let unknown = try token(#"{"alg": "RS256", "kid": "x"}"#) { try tool.sign($0, with: "rsa") }
    #expect(refusal(keys, unknown) == .unknownKey)
    let unnamed = try token(#"{"alg": "RS256"}"#) { try tool.sign($0, with: "rsa") }
    #expect(refusal(keys, unnamed) == .unknownKey)
    #expect(refusal(TokenKeys(), byRSA) == .unknownKey)
    for signature in [[], [0], Array(repeating: 0, count: 64), Array(repeating: 255, count: 256)]
      as [[UInt8]]
    {
      for header in [#"{"alg": "RS256", "kid": "r"}"#, #"{"alg": "ES256", "kid": "e"}"#] {
        #expect(refusal(keys, try token(header) { _ in signature }) == .badSignature)
      }
    }
  }

  @Test func `a public key is never taken for a secret`() throws {
    try tool.makeKey("rsa", rsa)
    let pem = try tool.publicKey("rsa")
    var keys = TokenKeys()
    let isAdded = keys.add(pem: pem)
    #expect(isAdded)
    for text in [pem, String(pem.dropLast())] {
      let forged = try token(#"{"alg": "HS256"}"#) { signed in
        try #require(Secret(Array(text.utf8))).signature(of: Array(signed.utf8))
      }
      #expect(refusal(keys, forged) == .unknownAlgorithm)
    }
  }

  @Test func `key sets are read as JWK and as certificates by name`() throws {
    try tool.makeKey("rsa", rsa)
    try tool.makeKey("ec", p256)
    // The point is the last 64 bytes of the public key as DER.
    let pem = try tool.publicKey("ec").split(separator: "\n").dropFirst().dropLast().joined()
    let point = try #require(Base64.decode(pem)).suffix(64)
    let (x, y) = (
      Base64.encodeURL(Array(point.prefix(32))), Base64.encodeURL(Array(point.suffix(32)))
    )
    let set = #"""
      {"keys": [{"kty": "EC", "crv": "P-256", "kid": "e", "x": "\#(x)", "y": "\#(y)", "use": "sig"},
        {"kty": "oct", "k": "AAAA", "kid": "s"}, {"kty": "EC", "crv": "P-384", "x": "AA", "y": "AA"},
        {"kty": "RSA", "n": "AQAB", "e": "AQAB", "kid": "weak"}]}
      """#
    let keys = try #require(TokenKeys(json: Array(set.utf8)))
    let byEC = try token(#"{"alg": "ES256", "kid": "e"}"#) {
      numbers(inDER: try tool.sign($0, with: "ec"))
    }
    #expect(refusal(keys, byEC) == nil)
    for name in ["s", "weak"] {
      let other = try token(#"{"alg": "RS256", "kid": "\#(name)"}"#) {
        try tool.sign($0, with: "rsa")
      }
      #expect(refusal(keys, other) == .unknownKey)
    }
    var writer = JSONWriter()
    let certificate = try tool.certificate("rsa")
    writer.object {
      $0.key("r")
      $0.value(certificate)
    }
    let certificates = try #require(TokenKeys(json: writer.bytes))
    let byRSA = try token(#"{"alg": "RS256", "kid": "r"}"#) { try tool.sign($0, with: "rsa") }
    #expect(refusal(certificates, byRSA) == nil)
    for text in [
      "", "{}", "[]", #"{"keys": []}"#, #"{"keys": {}}"#, #"{"r": "no key"}"#, #"{"keys": [5]}"#,
    ] {
      #expect(TokenKeys(json: Array(text.utf8)) == nil, "\(text)")
    }
  }

  @Test func `a secret in a key set is accepted, unless the set is public`() throws {
    let secret = try #require(Secret(Array(repeating: 7, count: 32)))
    let set = Array(
      #"{"keys": [{"kty": "oct", "k": "\#(Base64.encodeURL(secret.bytes))", "kid": "s"}]}"#.utf8)
    #expect(TokenKeys(json: set, isPublic: true) == nil)
    let keys = try #require(TokenKeys(json: set))
    let good = try token(#"{"alg": "HS256", "kid": "s"}"#) {
      secret.signature(of: Array($0.utf8))
    }
    #expect(refusal(keys, good) == nil)
  }

  @Test func `weak keys and keys of other kinds are ignored`() throws {
    try tool.makeKey("short", ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024"])
    try tool.makeKey("other", ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"])
    try tool.makeKey("ed", ["-algorithm", "ED448"])
    var keys = TokenKeys()
    var texts = ["", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", "\0"]
    for name in ["short", "other", "ed"] { texts.append(try tool.publicKey(name)) }
    for text in texts {
      let isAdded = keys.add(pem: text)
      #expect(!isAdded, "\(text)")
    }
    #expect(keys.isEmpty)
    #expect(PublicKey(x: Array(repeating: 1, count: 32), y: Array(repeating: 1, count: 32)) == nil)
  }
}
