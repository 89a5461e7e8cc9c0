import Foundation
import HTTP
import HTTPServing
import TestSupport

/// Echoes the request: the target and the fields in a header, the body in the body.
final class EchoHandler: RequestHandler {
  let events: EventStream

  init(_ events: EventStream) { self.events = events }

  func plan(for exchange: Exchange) -> Plan {
    let target = String(decoding: exchange.rawTarget, as: UTF8.self)
    if target == "/events" { return .answer(Response(200, [], .events(events))) }
    if target == "/moved" { return .answer(Response(302, [("Location", "/echo")])) }
    if target.hasPrefix("/bytes/") {
      let count = Int(target.dropFirst(7)) ?? 0
      return .answer(Response(200, [], .bytes([UInt8](repeating: 7, count: count))))
    }
    return .work(bodyLimit: 1 << 24, owner: "") { exchange in
      let fields = exchange.head?.fields ?? []
      let shown = fields.map { "\($0.name)=\(String(decoding: $0.value, as: UTF8.self))" }
      return Response(
        201,
        [
          ("X-Target", target), ("X-Method", exchange.checked?.method.rawValue ?? ""),
          ("X-Fields", shown.joined(separator: "|")),
          ("X-Connection", "\(ObjectIdentifier(exchange.connection).hashValue)"),
          ("X-Twice", "first"), ("X-Twice", "last"), ("Cache-Control", "private, max-age=60"),
        ], .bytes(exchange.body))
    }
  }

  func response(to refusal: Refusal, in exchange: Exchange) -> Response {
    Response(refusal.status, [], .bytes(Array(refusal.code.utf8)))
  }

  func dropLimit(for exchange: Exchange) -> Int { 1 << 20 }
  func finished(_ exchange: Exchange) {}
}

/// A server in this process at any free port.
final class TestListener {
  let events = EventStream()
  let url: String
  let listener: HTTPListener

  struct NotStarted: Error {}

  init(_ certificate: HTTPListener.Certificate? = nil) throws {
    listener = HTTPListener(HTTPListener.Limits(), EchoHandler(events))
    let socket = try ListeningSocket("127.0.0.1:0")
    url = "\(certificate == nil ? "http" : "https")://\(socket.address)"
    guard listener.start(socket.handle, certificate) else { throw NotStarted() }
  }

  deinit {
    events.close()
    listener.stop()
  }
}

/// A self-signed certificate of the server.
struct OwnCertificate {
  let file: String
  let certificate: HTTPListener.Certificate
  private let folder = try? TemporaryFolder()

  static let canBeMade =
    (try? Program.shell("command -v openssl", in: URL(fileURLWithPath: "/tmp")).code) == 0

  struct NotMade: Error {}

  /// A certificate for a name of the form `IP:127.0.0.1`.
  init(for name: String = "IP:127.0.0.1") throws {
    guard let folder else { throw NotMade() }
    let made = try Program.shell(
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key.pem "
        + "-out chain.pem -subj /CN=test -days 1 -addext subjectAltName=$1 2>&1", name,
      in: folder.url)
    guard made.code == 0 else { throw NotMade() }
    file = folder.file("chain.pem").path
    certificate = HTTPListener.Certificate(
      chain: try String(contentsOf: folder.file("chain.pem"), encoding: .utf8),
      key: try String(contentsOf: folder.file("key.pem"), encoding: .utf8))
  }
}
