import InkFiles
package import DrawingServices
import Glibc
import Graphics
import JSON
import Storage
import System

/// Runs a task and reports its events.
package final class SyncRun {
  let task: SyncTask
  let environment: ServiceEnvironment
  package let client: SyncClient
  let peer: any SyncPeer
  /// Prevents a second run for the same place, which would send everything twice.
  private let lock: FolderLock?
  private let write: (_ line: String, _ isResult: Bool) -> Void
  private var began = MonotonicTime.now

  /// The number of attempts of a single run.
  private static let attempts = 4

  /// Opens the store of the device. `write` gets lines: results and messages about progress.
  package init(
    _ task: SyncTask, with peer: any SyncPeer,
    _ write: @escaping (_ line: String, _ isResult: Bool) -> Void
  ) throws {
    self.task = task
    self.peer = peer
    self.write = { line, isResult in write(Self.printable(line), isResult) }
    environment = try Self.open(task)
    let place = PlaceState.key(ofAddress: task.address)
    lock = try FolderLock(task.root, "sync-\(place)")
    client = try SyncClient(environment, of: task.uid, with: peer, at: task.address, task.settings)
    {
      try DrawingFile.merging(base: $0, ours: $1, theirs: $2)
    }
    client.report = { [weak self] in self?.tell($0) }
  }

  /// Another program's text without control characters, and of limited length.
  private static func printable(_ text: String) -> String {
    var safe = String.UnicodeScalarView()
    for scalar in text.unicodeScalars.prefix(2000) {
      let isControl = scalar.value < 32 || 127...159 ~= scalar.value
      safe.append(isControl ? "\u{FFFD}" : scalar)
    }
    return String(safe)
  }

  /// Opens the folder of a task as a device.
  package static func open(_ task: SyncTask) throws -> ServiceEnvironment {
    if !LocalService.exists(task.root) {
      _ = try LocalService.open(task.application, task.root, for: .creating)
    }
    try LocalService.becomeDevice(task.root)
    return try LocalService.open(task.application, task.root, for: .writing)
  }

  /// Synchronizes until nothing waits on either side. Retries some times if the place is
  /// unreachable or busy.
  package func once() throws(SyncProblem) -> SyncCount {
    guard lock != nil else {
      throw SyncProblem(.busy, "this device is already being synchronized with \(task.remote)")
    }
    var failures = 0
    while true {
      do throws(SyncProblem) {
        return try run()
      } catch {
        failures += 1
        guard error.isPassing, failures < Self.attempts, error.waitSeconds ?? 0 <= 30 else {
          throw error
        }
        Self.sleep(pause(after: error, failures))
      }
    }
  }

  func run() throws(SyncProblem) -> SyncCount {
    began = MonotonicTime.now
    if task.retries {
      do {
        try client.retryHeld()
      } catch {
        throw SyncProblem(.local, "\(error)")
      }
    }
    return try client.run()
  }

  /// The seconds to wait after a failure.
  func pause(after problem: SyncProblem, _ failures: Int) -> Double {
    let backoff = problem.kind == .offline ? Backoff.offline : .busy
    return max(
      backoff.seconds(afterFailures: failures, random: Double.random(in: 0..<1)),
      min(problem.waitSeconds ?? 0, 3600))
  }

  var holdsLock: Bool { lock != nil }

  static func sleep(_ seconds: Double) {
    usleep(UInt32(clamping: Int(clamping: seconds * 1e6)))
  }

  // MARK: - Telling

  private func tell(_ event: SyncEvent) {
    let isEnd =
      switch event {
      case .finished, .failed: true
      default: false
      }
    guard task.tellsEvents || task.printsJSON && isEnd else {
      if case .held(let change) = event, change.nextAttempt == nil,
        change.code != HeldChange.metered
      {
        write("\(change.name) is held: \(change.text)", false)
      }
      return
    }
    var json = JSONWriter()
    json.object { json in
      switch event {
      case .sending(let names):
        json.field("event", "sending")
        json.field("count", names.count)
      case .sent(let name, let attempts):
        json.field("event", name.kind.synchronization?.sentEvent ?? "sent")
        json.field("name", name.description)
        // Every line has the members of all kinds; those of other kinds are null.
        for kind in task.application.synchronizedKinds {
          guard let (member, field) = kind.synchronization?.sentDetail else { continue }
          json.field(member, name.kind == kind ? text(field, of: name) : nil)
        }
        json.field("sync_duration", MonotonicTime.now - began)
        json.field("retry_count", attempts)
      case .received(let name):
        json.field("event", "received")
        json.field("name", name.description)
      case .held(let change):
        json.field("event", "held")
        json.field("name", change.name.description)
        json.field("error_code", change.code)
        json.field("error_message", change.text)
      case .finished(let count):
        json.field("event", count.received > 0 ? "multi_device_sync" : "finished")
        json.field("entries_downloaded", count.received)
        json.field("entries_uploaded", count.sent)
        json.field("merged", count.merged)
        json.field("conflicts", count.conflicts)
        json.field("bytes_sent", peer.traffic.sent)
        json.field("bytes_received", peer.traffic.received)
        json.field("sync_duration", MonotonicTime.now - began)
      case .failed(let problem):
        json.field("event", "sync_failed")
        json.field("error_code", problem.kind.rawValue)
        json.field("error_message", problem.description)
      }
    }
    write(String(decoding: json.bytes, as: UTF8.self), true)
  }

  private func text(_ field: String, of name: SyncName) -> String? {
    guard let path = try? name.path(of: task.uid) else { return nil }
    return (try? environment.documents.document(path))?[field]?.textValue
  }
}

extension SyncTask {
  /// The place with the user: two users of one server count as two places.
  package var address: String { "\(remote)#\(uid)" }
}

extension SyncCount {
  /// The status in one line, for people.
  package var line: String {
    var parts: [String] = []
    if sent > 0 { parts.append("sent \(sent)") }
    if received > 0 { parts.append("received \(received)") }
    if merged > 0 { parts.append("merged \(merged)") }
    if conflicts > 0 { parts.append("\(conflicts) conflicts") }
    return parts.isEmpty ? "in step: nothing to do" : parts.joined(separator: ", ")
  }
}

// MARK: - Commands

extension SyncRun {
  /// Synchronizes once, prints the result, and returns the exit code of the command.
  package func carryOutOnce() throws -> Int32 {
    var count = try once()
    var status = try client.status()
    if task.deletesEverything {
      guard !status.isPaused else { throw SyncProblem(.ended, "it is paused; --resume ends that") }
      // Only documents that are known here can be deleted everywhere.
      let deleted = try client.deleteEverything()
      if !task.isQuiet { write("deleted \(deleted) entries here, and now everywhere", false) }
      count = try once()
      status = try client.status()
    }
    if !task.printsJSON, !task.isQuiet {
      var line = status.isPaused ? "paused; --resume ends that" : count.line
      if !status.held.isEmpty { line += "; \(status.held.count) held, --status lists them" }
      write(line, true)
    }
    // Refused changes need somebody's attention.
    let refused = status.held.contains {
      $0.nextAttempt == nil && $0.code != HeldChange.metered && $0.code != HeldChange.conflict
    }
    return refused ? 65 : 0
  }
}

extension SyncTask {
  /// The token, from its file if there is one.
  package var currentToken: String {
    tokenFile.isEmpty ? token : (try? Self.token(inFile: tokenFile)) ?? ""
  }

  /// The token in a file, without its final line break. Throws if the file cannot be read.
  package static func token(inFile path: String) throws(SyncProblem) -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      throw SyncProblem(.local, "\(path): \(String(cString: strerror(errno)))")
    }
    defer { close(file) }
    guard let bytes = try? OpenFile.readAll(file, limit: 16_384) else {
      throw SyncProblem(.local, "\(path): it cannot be read as a token")
    }
    let text = bytes.filter { 33...126 ~= $0 }
    return String(decoding: text, as: UTF8.self)
  }

  /// The user that a token claims to be for; nil if it has none. Not verified: only the server can
  /// do that.
  package static func subject(ofToken token: String) -> String? {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let bytes = Base64.decodeURL(parts[1].utf8) else { return nil }
    return (try? Fields(json: bytes))?["sub"]?.textValue
  }
}
