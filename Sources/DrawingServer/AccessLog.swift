import Files
import Glibc
import HTTP
import HTTPServing
import JSON
import Storage
import DrawingServices
import Threads

/// One line of JSON for each request, without tokens and signatures: paths are those of the table of routes.
package final class AccessLog: Sendable {
  private struct State {
    var waiting: [UInt8] = []
    var lost = 0
  }

  private let file: Int32
  private let state = ConditionMutex(State())

  /// Lines wait up to this many bytes before they are written.
  private static let batch = 16 << 10
  private static let limit = 8 << 20

  /// A log into an open file; negative for none.
  package init(_ file: Int32) { self.file = file }

  func write(_ exchange: Exchange, _ note: RequestNote?, _ server: Server) {
    guard file >= 0 else { return }
    var json = JSONWriter()
    json.object { json in
      json.field("time", LocalService.systemTime().iso8601)
      json.field("request", String(exchange.number, radix: 36))
      json.field("client", server.client(of: exchange))
      json.field("method", exchange.checked?.method.rawValue ?? "")
      json.field("route", note?.route ?? "")
      json.field("user", note?.uid)
      json.field("status", exchange.status)
      if let code = note?.code { json.field("code", code) }
      if let count = exchange.answerByteCount { json.field("bytes", count) }
      json.field("milliseconds", exchange.age)
      if !exchange.isComplete { json.field("complete", false) }
    }
    json.finish()
    add(json.bytes)
  }

  /// Why a request failed in a way that only the operator can repair.
  func write(problem: String, _ number: UInt64) {
    var json = JSONWriter()
    json.object { json in
      json.field("time", LocalService.systemTime().iso8601)
      json.field("request", String(number, radix: 36))
      json.field("problem", problem)
    }
    json.finish()
    // Also without a log.
    let target = file >= 0 ? file : STDERR_FILENO
    _ = try? OpenFile.writeAll(json.bytes, to: target)
  }

  private func add(_ line: [UInt8]) {
    let isFull = state.withLock { state in
      guard state.waiting.count < Self.limit else {
        state.lost += 1
        return false
      }
      state.waiting += line
      return state.waiting.count >= Self.batch
    }
    if isFull { flush() }
  }

  /// Writes what waits. Called now and then by the server.
  package func flush() {
    guard file >= 0 else { return }
    let bytes = state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
    guard !bytes.isEmpty else { return }
    _ = try? OpenFile.writeAll(bytes, to: file)
  }
}

extension JSONWriter {
  mutating func field(_ name: String, _ text: String?) {
    key(name)
    if let text { value(text) } else { null() }
  }

  mutating func field(_ name: String, _ number: Int) {
    key(name)
    value(number)
  }

  mutating func field(_ name: String, _ truth: Bool) {
    key(name)
    value(truth)
  }
}
