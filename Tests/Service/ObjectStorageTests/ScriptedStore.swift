import Foundation
import HTTP
import HTTPServing
import Storage

@testable import SharedStorage

/// An object store with scripted answers, which records its requests.
final class ScriptedStore: RequestHandler {
  struct Request: Sendable {
    let method: String
    let target: String
    let fields: [String: String]
    let body: [UInt8]
  }

  let url: String
  private let lock = NSLock()
  nonisolated(unsafe) private var asked: [Request] = []
  nonisolated(unsafe) private var running: HTTPListener?
  private let answer: @Sendable (Request, Int) -> Response

  struct NotStarted: Error {}

  /// `answer` gets the request and its number.
  init(_ answer: @escaping @Sendable (Request, Int) -> Response) throws {
    self.answer = answer
    let socket = try ListeningSocket("127.0.0.1:0")
    url = "http://\(socket.address)"
    // Requests that a test delays must not block others.
    var limits = HTTPListener.Limits()
    limits.workThreads = 64
    let server = HTTPListener(limits, self)
    guard server.start(socket.handle, nil) else { throw NotStarted() }
    running = server
  }

  /// Must be called at the end, as the listener keeps its handler.
  func stop() {
    running?.stop()
    running = nil
  }

  var requests: [Request] { lock.withLock { asked } }

  /// A client with a short patience.
  func client(patience: Double = 1, silence: Double = 10) throws -> ObjectClient {
    // The time of the listener, so that the clock is correct.
    var options = ObjectClient.Options {
      Moment(microseconds: Int64(Date().timeIntervalSince1970 * 1e6))
    }
    options.patience = patience
    options.silenceSeconds = silence
    let address = try ObjectAddress("s3://drawings?endpoint=\(url)&region=here")
    return ObjectClient(address, options) { ObjectCredentials(name: "me", secret: "hush") }
  }

  /// A refusal with an error code.
  static func refusal(_ status: Int, _ code: String) -> Response {
    Response(status, [], .bytes(Array("<Error><Code>\(code)</Code></Error>".utf8)))
  }

  // MARK: - The server's side

  func plan(for exchange: Exchange) -> Plan {
    let target = String(decoding: exchange.rawTarget, as: UTF8.self)
    return .work(bodyLimit: 1 << 26, owner: "") { exchange in
      var fields: [String: String] = [:]
      for field in exchange.head?.fields ?? [] {
        fields[field.name.lowercased()] = String(decoding: field.value, as: UTF8.self)
      }
      let request = Request(
        method: exchange.checked?.method.rawValue ?? "", target: target, fields: fields,
        body: exchange.body)
      let number = self.lock.withLock {
        self.asked.append(request)
        return self.asked.count
      }
      return self.answer(request, number)
    }
  }

  func response(to refusal: Refusal, in exchange: Exchange) -> Response {
    Response(refusal.status, [], .bytes(Array(refusal.code.utf8)))
  }

  func dropLimit(for exchange: Exchange) -> Int { 1 << 20 }
  func finished(_ exchange: Exchange) {}
}
