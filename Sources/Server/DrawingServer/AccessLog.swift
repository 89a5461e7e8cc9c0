import DrawingServices
import Glibc
import HTTP
import HTTPServing
import JSON
import Storage
import System
import Threads

/// One line of JSON for each request, without tokens and signatures: paths are those of the table
/// of routes.
package final class AccessLog: Sendable {
  private struct State {
    var lines: [UInt8] = []
    var problems: [UInt8] = []
    /// The number of lines that were dropped because the reader was too slow.
    var lost = 0
    var isWriting = false
    /// The temporary problems, with the time of the last line about each, in seconds.
    var passing: [String: Int] = [:]
  }

  private let file: Int32
  private let state = ConditionMutex(State())

  /// The maximum number of bytes that wait for a slow disk or reader.
  private static let limit = 8 << 20

  /// A log into an open file; negative for none. A separate thread writes, so that no request waits
  /// for a slow or full disk, or for a pipe without a reader.
  package init(_ file: Int32) {
    self.file = file
    Lanes.begin { [weak self] in
      while let self {
        self.flush()
        usleep(200_000)
      }
    }
  }

  func write(_ exchange: Exchange, _ note: RequestNote?, _ server: Server) {
    guard file >= 0 else { return }
    var json = JSONWriter(capacity: 384)
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

  /// Logs a failed request's problem that only the operator can solve.
  func write(problem: String, _ number: UInt64) {
    var json = JSONWriter()
    json.object { json in
      json.field("time", LocalService.systemTime().iso8601)
      json.field("request", String(number, radix: 36))
      json.field("problem", problem)
    }
    json.finish()
    let line = json.bytes
    state.withLock { state in
      if state.problems.count < Self.limit { state.problems += line }
    }
  }

  /// The time for which a temporary problem is not logged again, in seconds.
  private static let passingSeconds = 10

  /// Logs a failed request's temporary problem, such as a store that does not answer. Every request
  /// then fails for the same reason, so the reason is logged at intervals only.
  func write(passing error: StorageError, _ number: UInt64) {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
    let now = time.tv_sec
    let isNews = state.withLock { state in
      if let last = state.passing[error.reason], now < last + Self.passingSeconds { return false }
      if state.passing.count > 100 { state.passing = [:] }
      state.passing[error.reason] = now
      return true
    }
    if isNews { write(problem: "\(error)", number) }
  }

  private func add(_ line: [UInt8]) {
    state.withLock { state in
      guard state.lines.count < Self.limit else {
        state.lost += 1
        return
      }
      if state.lost > 0 {
        state.lines += Array("{\"lost\": \(state.lost)}\n".utf8)
        state.lost = 0
      }
      state.lines += line
    }
  }

  private func flush() {
    let (lines, problems) = state.withLock { state in
      defer { (state.lines, state.problems) = ([], []) }
      state.isWriting = !state.lines.isEmpty || !state.problems.isEmpty
      return (state.lines, state.problems)
    }
    if !lines.isEmpty { _ = try? OpenFile.writeAll(lines, to: file) }
    // Without a log, problems go to the standard error.
    if !problems.isEmpty {
      _ = try? OpenFile.writeAll(problems, to: file >= 0 ? file : STDERR_FILENO)
    }
    state.withLock { $0.isWriting = false }
  }

  /// Waits a limited time until the log is written.
  package func close() {
    for _ in 0..<50 {
      let isDone = state.withLock { state in
        state.lines.isEmpty && state.problems.isEmpty && !state.isWriting
      }
      if isDone { return }
      usleep(20_000)
    }
  }
}
