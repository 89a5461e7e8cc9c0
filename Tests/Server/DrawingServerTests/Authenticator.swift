import Checksums
import Foundation
import JSON
import TestSupport

/// A key pair of P-256 that the `openssl` program has made.
struct TestKey {
  private let folder: TemporaryFolder
  /// The two numbers of the public key.
  let x: [UInt8]
  let y: [UInt8]

  static let canBeMade =
    (try? Program.shell("command -v openssl", in: URL(fileURLWithPath: "/tmp")).code) == 0

  init() throws {
    folder = try TemporaryFolder()
    _ = try Program.shell(
      "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem"
        + " && openssl pkey -in key.pem -pubout -outform DER -out public.der", in: folder.url)
    let bytes = [UInt8](try Data(contentsOf: folder.file("public.der")))
    (x, y) = (Array(bytes.suffix(64).prefix(32)), Array(bytes.suffix(32)))
  }

  /// A signature in DER.
  func sign(_ message: [UInt8]) throws -> [UInt8] {
    try Data(message).write(to: folder.file("message"))
    _ = try Program.shell(
      "openssl dgst -sha256 -sign key.pem -out signature message", in: folder.url)
    return [UInt8](try Data(contentsOf: folder.file("signature")))
  }

  /// A signature as two numbers of 32 bytes.
  func signature(ofToken message: [UInt8]) throws -> [UInt8] {
    var rest = try sign(message)[2...]
    return (0..<2).flatMap { _ -> [UInt8] in
      let count = Int(rest[rest.startIndex + 1])
      let digits = Array(rest.dropFirst(2).prefix(count).drop { $0 == 0 })
      rest = rest.dropFirst(2 + count)
      return Array(repeating: 0, count: 32 - digits.count) + digits
    }
  }
}

/// An authenticator with one passkey, and the browser around it.
struct Authenticator {
  let key: TestKey
  let id: [UInt8]
  var counter: UInt32 = 0
  var origin = "http://ink.example"
  var party = "ink.example"
  var flags: UInt8 = 5

  init() throws {
    key = try TestKey()
    id = (0..<16).map { _ in .random(in: 0...255) }
  }

  private func clientData(_ type: String, _ challenge: String) -> [UInt8] {
    Array(
      #"{"type":"\#(type)","challenge":"\#(challenge)","origin":"\#(origin)","crossOrigin":false}"#
        .utf8)
  }

  private func head(_ flags: UInt8) -> [UInt8] {
    SHA256.of(Array(party.utf8)).bytes + [flags]
      + (0..<4).map { UInt8(truncatingIfNeeded: counter >> (24 - 8 * $0)) }
  }

  /// The body of a registration.
  func registration(_ challenge: String, label: String = "") -> String {
    let cose =
      [0xA5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32] + key.x + [0x22, 0x58, 32] + key.y
    let data =
      head(flags | 0x40) + [UInt8](repeating: 0, count: 16) + [0, UInt8(id.count)] + id + cose
    let attestation: [UInt8] =
      [0xA3, 0x63] + Array("fmt".utf8) + [0x64] + Array("none".utf8) + [0x67]
      + Array("attStmt".utf8) + [0xA0, 0x68] + Array("authData".utf8) + [0x58, UInt8(data.count)]
      + data
    return #"""
      {"clientDataJSON": "\#(Base64.encodeURL(clientData("webauthn.create", challenge)))",
       "attestationObject": "\#(Base64.encodeURL(attestation))", "label": "\#(label)"}
      """#
  }

  /// The body of a sign-in.
  func signIn(_ challenge: String, handle: String? = nil) throws -> String {
    let (client, data) = (clientData("webauthn.get", challenge), head(flags))
    let signature = try key.sign(data + SHA256.of(client).bytes)
    return #"""
      {"id": "\#(Base64.encodeURL(id))", "clientDataJSON": "\#(Base64.encodeURL(client))",
       "authenticatorData": "\#(Base64.encodeURL(data))",
       "signature": "\#(Base64.encodeURL(signature))",
       "userHandle": \#(handle.map { "\"\($0)\"" } ?? "null")}
      """#
  }
}

/// A browser with cookies, on a page of a test server.
final class Visitor {
  let server: TestServer
  var cookies: [String: String] = [:]
  var origin: String? = "http://ink.example"
  var agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
  /// The cookies of the last answer, as they were sent.
  private(set) var setCookies: [String] = []

  init(_ server: TestServer) { self.server = server }

  func send(
    _ method: String, _ target: String, json: String? = nil, _ more: [(String, String)] = [],
    to other: TestServer? = nil
  ) throws -> Reply {
    var fields = more + [("User-Agent", agent)]
    if !cookies.isEmpty {
      let pairs = cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      fields.append(("Cookie", pairs.joined(separator: "; ")))
    }
    if method != "GET", let origin { fields.append(("Origin", origin)) }
    let reply =
      if let json {
        try (other ?? server).send(method, target, as: nil, fields, json: json)
      } else {
        try (other ?? server).send(method, target, as: nil, fields)
      }
    setCookies = (reply.fields["set-cookie"] ?? "").components(separatedBy: ", ").filter {
      !$0.isEmpty
    }
    for cookie in setCookies {
      let pair = cookie.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
      let value = pair.count > 1 && !cookie.contains("Max-Age=0") ? String(pair[1]) : nil
      cookies[String(pair[0])] = value
    }
    return reply
  }

  /// The user of the session; nil if there is none.
  var uid: String? {
    get throws {
      let reply = try send("GET", "/v1/session")
      return reply.status == 200 ? reply.json["uid"] as? String : nil
    }
  }

  /// A challenge of a route.
  func challenge(_ route: String, _ json: String? = nil) throws -> String {
    try send("POST", route, json: json).json["challenge"] as? String ?? ""
  }

  @discardableResult
  func register(
    _ authenticator: Authenticator, _ options: String = "{}", label: String = ""
  ) throws -> Reply {
    let challenge = try challenge("/v1/passkeys/options", options)
    return try send(
      "POST", "/v1/passkeys", json: authenticator.registration(challenge, label: label))
  }

  @discardableResult
  func signIn(_ authenticator: Authenticator, handle: String? = nil) throws -> Reply {
    let challenge = try challenge("/v1/sign-in/passkey/options")
    return try send(
      "POST", "/v1/sign-in/passkey", json: authenticator.signIn(challenge, handle: handle))
  }
}
