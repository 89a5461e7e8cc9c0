import DrawingServer
import DrawingServices
import Journal
import Foundation
import Glibc
import HTTPServing
import Storage
import TestSupport
import Tokens

/// A server in this process with its own folder, at any free port.
final class TestServer: @unchecked Sendable {
  let folder: TemporaryFolder
  let environment: ServiceEnvironment
  let port: UInt16
  let secret: Secret
  private let server: Server
  private let listener: HTTPListener

  struct NotStarted: Error {}

  /// Starts a server with settings; development settings are off by default.
  init(
    folder: TemporaryFolder? = nil, limits: HTTPListener.Limits = HTTPListener.Limits(),
    _ change: (inout ServerSettings) -> Void = { _ in }
  ) throws {
    self.folder = try folder ?? TemporaryFolder()
    var settings = ServerSettings()
    settings.root = self.folder.url.path
    settings.changesPerSecond = 0
    settings.publicURL = "http://ink.example"
    change(&settings)
    var limits = limits
    limits.proxies = Set(settings.proxies)
    environment = try LocalService.open(.journal, settings.root, for: .creating)
    guard let secret = Secret(try LocalService.serverKey(settings.root)) else { throw NotStarted() }
    self.secret = secret
    server = try Server(environment, settings, secret: secret, log: AccessLog(-1))
    listener = HTTPListener(limits, server)
    let socket = try ListeningSocket("127.0.0.1:0")
    port = UInt16(socket.address.split(separator: ":").last ?? "") ?? 0
    server.attach(listener)
    guard listener.start(socket.handle) else { throw NotStarted() }
  }

  deinit { stop() }

  var connectionCount: Int { listener.connectionCount }
  var hasUnansweredRequests: Bool { listener.hasUnansweredRequests }

  func stop() {
    server.close()
    listener.stop()
  }

  /// A token for a user.
  func token(_ uid: String, seconds: Double = 3600) -> String {
    TokenIssuer(secret).token(for: uid, from: Date().timeIntervalSince1970, seconds: seconds)
  }

  /// Sends a request with a token and returns its answer.
  func send(
    _ method: String, _ target: String, as uid: String? = "ann",
    _ fields: [(String, String)] = [], body: [UInt8] = []
  ) throws -> Reply {
    var text = "\(method) \(target) HTTP/1.1\r\nHost: ink.example\r\nConnection: close\r\n"
    if let uid { text += "Authorization: Bearer \(token(uid))\r\n" }
    for (name, value) in fields { text += "\(name): \(value)\r\n" }
    if !body.isEmpty || ["POST", "PUT", "PATCH"].contains(method) {
      text += "Content-Length: \(body.count)\r\n"
    }
    let replies = try raw(Array("\(text)\r\n".utf8) + body)
    guard let first = replies.first else { throw NoReply() }
    return first
  }

  /// Sends JSON.
  func send(
    _ method: String, _ target: String, as uid: String? = "ann",
    _ fields: [(String, String)] = [], json: String
  ) throws -> Reply {
    try send(
      method, target, as: uid, [("Content-Type", "application/json")] + fields,
      body: Array(json.utf8))
  }

  struct NoReply: Error {}

  /// Sends bytes and returns all answers until the server closes the connection, or `seconds` have
  /// passed.
  func raw(_ bytes: [UInt8], seconds: Double = 10) throws -> [Reply] {
    let client = try Client(port: port)
    client.write(bytes)
    return Reply.all(in: client.readAll(seconds: seconds))
  }
}

/// A raw connection.
final class Client {
  private let handle: Int32

  /// Connects from a given address of this machine; all that begin with 127 are.
  init(port: UInt16, from source: String = "127.0.0.1") throws {
    guard let handle = Loopback.connection(to: port, from: source) else {
      throw TestServer.NotStarted()
    }
    self.handle = handle
  }

  deinit { close(handle) }

  /// Writes the bytes that the server accepts.
  func write(_ bytes: [UInt8]) { _ = Loopback.send(bytes[...], to: handle) }

  func write(_ text: String) { write(Array(text.utf8)) }

  /// The first answer to a request without a body, or to bytes written before; nil if the
  /// connection was closed.
  func ask(_ request: String? = nil, _ fields: String = "", seconds: Double = 30) -> Reply? {
    if let request { write("\(request) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n") }
    return Reply.all(in: readAll(seconds: seconds) { !Reply.all(in: $0).isEmpty }).first
  }

  /// Reads until a condition is true, the end, or a time limit.
  func readAll(
    seconds: Double = 10, until isEnough: ([UInt8]) -> Bool = { _ in false }
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    let end = Date().addingTimeInterval(seconds)
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while !isEnough(bytes) {
      let left = end.timeIntervalSinceNow
      guard left > 0 else { break }
      var wanted = pollfd(fd: handle, events: Int16(POLLIN), revents: 0)
      guard poll(&wanted, 1, Int32(left * 1000) + 1) > 0 else { continue }
      let count = piece.withUnsafeMutableBytes { recv(handle, $0.baseAddress, $0.count, 0) }
      guard count > 0 else { break }
      bytes += piece[..<count]
    }
    return bytes
  }

  /// Whether the server has closed the connection.
  func isClosed(within seconds: Double) -> Bool {
    let end = Date().addingTimeInterval(seconds)
    var byte = [UInt8](repeating: 0, count: 4096)
    while end.timeIntervalSinceNow > 0 {
      var wanted = pollfd(fd: handle, events: Int16(POLLIN), revents: 0)
      guard poll(&wanted, 1, 100) > 0 else { continue }
      if byte.withUnsafeMutableBytes({ recv(handle, $0.baseAddress, $0.count, 0) }) <= 0 {
        return true
      }
    }
    return false
  }
}

/// An answer.
struct Reply {
  let status: Int
  /// The fields by lower-case names; several with one name are joined by commas.
  let fields: [String: String]
  let body: [UInt8]

  var text: String { String(decoding: body, as: UTF8.self) }

  /// The body as an object of JSON.
  var json: [String: Any] {
    (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any] ?? [:]
  }

  /// The code of a problem.
  var code: String { json["code"] as? String ?? "" }

  /// The items of a list.
  var items: [[String: Any]] { json["items"] as? [[String: Any]] ?? [] }

  /// The answers in the bytes that a server has sent on one connection.
  static func all(in bytes: [UInt8]) -> [Reply] {
    var replies: [Reply] = []
    var rest = bytes[...]
    let end = Array("\r\n\r\n".utf8)
    while let head = rest.firstRange(of: end) {
      let lines = String(decoding: rest[..<head.lowerBound], as: UTF8.self)
        .components(separatedBy: "\r\n")
      rest = rest[head.upperBound...]
      var fields: [String: String] = [:]
      for line in lines.dropFirst() {
        let parts = line.split(separator: ":", maxSplits: 1)
        guard parts.count == 2 else { continue }
        let (name, value) = (
          parts[0].lowercased(), parts[1].trimmingCharacters(in: .whitespaces)
        )
        fields[name] = fields[name].map { "\($0), \(value)" } ?? value
      }
      let status = Int(lines.first?.split(separator: " ").dropFirst().first ?? "") ?? 0
      if status == 100 { continue }
      let isEmpty = status == 204 || status == 304
      var body: [UInt8] = []
      if fields["transfer-encoding"] == "chunked" {
        (body, rest) = chunks(rest)
      } else {
        let count = isEmpty ? 0 : Int(fields["content-length"] ?? "") ?? rest.count
        body = Array(rest.prefix(count))
        rest = rest.dropFirst(count)
      }
      replies.append(Reply(status: status, fields: fields, body: body))
    }
    return replies
  }

  private static func chunks(_ bytes: ArraySlice<UInt8>) -> ([UInt8], ArraySlice<UInt8>) {
    var (body, rest) = ([UInt8](), bytes)
    while let end = rest.firstRange(of: [13, 10]) {
      let size = Int(String(decoding: rest[..<end.lowerBound], as: UTF8.self), radix: 16) ?? 0
      rest = rest[end.upperBound...]
      body += rest.prefix(size)
      rest = rest.dropFirst(size + 2)
      if size == 0 { break }
    }
    return (body, rest)
  }
}
