import DrawingServices
import Glibc
import Storage
import System
import Threads

/// Whether the service is ready: it can read documents, write files, and reach its bucket.
///
/// Each check has a separate thread, since a hanging disk or bucket may block it forever. Checks
/// run on request, at most once a second and never twice at the same time, so that requests cannot
/// keep the disk busy.
final class Readiness: Sendable {
  struct Check: Sendable {
    /// The part of the service, as the subject of a sentence.
    let part: String
    /// Throws if the part has a problem.
    let run: @Sendable () throws -> Void
  }

  /// A check's failure in one sentence, which is public.
  struct Failure: Error {
    let sentence: String

    init(_ sentence: String) { self.sentence = sentence }
  }

  private struct Outcome {
    var isRunning = false
    /// The time and the outcome of the last check.
    var ended: Int?
    var problem: String?
    var lastGood: Int?
  }

  private let checks: [Check]
  private let outcomes: ConditionMutex<[Outcome]>
  private let doubts: Doubts

  /// The lifetime of an outcome, in milliseconds.
  private static let memory = 1_000
  /// The maximum time that a request waits for a check, in milliseconds. Supervisors wait for a
  /// second.
  private static let patience = 800
  /// A check that takes longer than `patience` is no problem while the previous outcome is younger
  /// than this, in milliseconds.
  private static let tolerance = 5_000

  init(_ checks: [Check], _ doubts: Doubts = Doubts()) {
    self.checks = checks
    self.doubts = doubts
    outcomes = ConditionMutex(checks.map { _ in Outcome() })
  }

  /// The checks of a service.
  convenience init(_ environment: ServiceEnvironment, _ settings: ServerSettings) {
    let doubts = Doubts()
    var checks = [
      Check(part: "The database") {
        do {
          _ = try ChangeService.lastSequence(in: environment)
        } catch {
          throw Failure("The documents cannot be read.")
        }
      },
      Check(part: "The disk") {
        try doubts.settle { try Self.write(in: settings.root, $0) }
        environment.reserve?.keep()
      },
    ]
    if !settings.blobs.isEmpty {
      checks.append(
        Check(part: "The bucket") {
          do {
            // No object has this name. A reachable store reports that it is missing.
            _ = try environment.blobs.info(BlobPath("ready/ready"))
          } catch {
            throw Failure("The bucket cannot be reached.")
          }
        })
    }
    self.init(checks, doubts)
  }

  /// Notes a store failure that only the operator can repair.
  func doubt() { doubts.add() }

  /// The problem that makes the service unready; nil for none.
  func problem() -> String? {
    let asked = Self.milliseconds()
    for index in checks.indices { begin(index, at: asked) }
    var now = asked
    while now < asked + Self.patience,
      outcomes.withLock({ $0.contains { !Self.isFresh($0, at: asked) } })
    {
      usleep(2_000)
      now = Self.milliseconds()
    }
    return outcomes.withLock { outcomes in
      for (check, outcome) in zip(checks, outcomes) {
        if Self.isFresh(outcome, at: asked) {
          if let problem = outcome.problem { return problem }
        } else if outcome.lastGood.map({ $0 < now - Self.tolerance }) ?? true {
          return "\(check.part) does not answer."
        }
      }
      return nil
    }
  }

  private static func isFresh(_ outcome: Outcome, at moment: Int) -> Bool {
    outcome.ended.map { $0 > moment - memory } ?? false
  }

  private func begin(_ index: Int, at moment: Int) {
    let begins = outcomes.withLock { outcomes in
      guard !outcomes[index].isRunning, !Self.isFresh(outcomes[index], at: moment) else {
        return false
      }
      outcomes[index].isRunning = true
      return true
    }
    guard begins else { return }
    let isBegun = Lanes.begin { [self] in
      var problem: String?
      do {
        try checks[index].run()
      } catch {
        problem = (error as? Failure)?.sentence ?? "\(checks[index].part) is out of order."
      }
      end(index, problem)
    }
    if !isBegun { end(index, "The system has no more threads.") }
  }

  private func end(_ index: Int, _ problem: String?) {
    let now = Self.milliseconds()
    outcomes.withLock { outcomes in
      outcomes[index].isRunning = false
      outcomes[index].ended = now
      outcomes[index].problem = problem
      if problem == nil { outcomes[index].lastGood = now }
    }
  }

  private static func milliseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
    return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
  }

  // MARK: - The disk

  /// Writes some files into a folder, and deletes them.
  private static func write(in folder: String, _ count: Int) throws {
    var space = statvfs()
    guard statvfs(folder, &space) == 0 else { throw Failure("The folder cannot be read.") }
    // The disk must have space for a file of the maximum size. With less, smaller files may still
    // succeed.
    guard Int(space.f_bavail) * Int(space.f_frsize) >= DrawingFiles.sizeLimit else {
      throw Failure("The disk of the server is full.")
    }
    for number in 0..<count {
      let path = "\(folder)/.ready-\(getpid())-\(number)"
      // A program that was killed in the middle may have left one.
      unlink(path)
      let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard file >= 0 else { throw failure(errno) }
      defer { close(file) }
      unlink(path)
      do throws(SystemCallError) {
        try OpenFile.writeAll([UInt8](repeating: 1, count: 4096), to: file)
        try OpenFile.synchronize(file)
      } catch {
        throw failure(error.code)
      }
    }
  }

  private static func failure(_ code: Int32) -> Failure {
    code == ENOSPC || code == EDQUOT
      ? Failure("The disk of the server is full.") : Failure("Files cannot be stored.")
  }
}

/// Whether a disk failed since it was last checked. A single write proves little about a disk that
/// fails intermittently, so a doubtful one must pass many.
final class Doubts: Sendable {
  private let state = ConditionMutex((count: 0, settled: 0))

  /// The number of writes that a doubtful disk must pass.
  private static let proof = 32

  func add() { state.withLock { $0.count += 1 } }

  /// Calls a body with the number of writes to try. If it does not throw, clears earlier doubts.
  func settle(_ body: (Int) throws -> Void) rethrows {
    let (before, settled) = state.withLock { $0 }
    try body(before == settled ? 1 : Self.proof)
    state.withLock { $0.settled = before }
  }
}
