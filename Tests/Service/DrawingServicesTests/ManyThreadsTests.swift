import Foundation
import TestSupport
import Testing
import Threads

@testable import DrawingServices
@testable import Journal
@testable import Storage

/// A server's load: many threads and several processes submit to one folder.
@Suite(.serialized) struct ManyThreadsTests {
  /// Submits drawings on several threads, and appends the id of each to a file once it is
  /// acknowledged. Ends after a number of them, or with this process.
  private static func submit(
    _ name: String, to path: String, log: String, threads: Int, until count: Int, kills: Bool
  ) throws {
    let service = DrawingService(try LocalService.open(.journal, path), as: .operator)
    let file = open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    try #require(file >= 0)
    defer { close(file) }
    let submissions = try (0..<4).map { try Recordings.submission($0) }
    let acknowledged = ConditionMutex(0)
    Lanes.run(threads) { lane in
      var number = 0
      while acknowledged.withLock({ $0 }) < count {
        var submission = submissions[number % 4]
        submission.id = "\(name)-\(lane)-\(number)"
        submission.rendersImageLater = number % 2 == 0
        number += 1
        guard let record = try? service.submit(submission, of: "u\(lane % 3)") else { continue }
        let line = "u\(lane % 3) \(record.id)\n"
        _ = write(file, line, line.utf8.count)
        let isLast = acknowledged.withLock { acknowledged in
          acknowledged += 1
          return acknowledged == count
        }
        if isLast, kills { kill(getpid(), SIGKILL) }
      }
    }
  }

  /// The acknowledged drawings, by user and id.
  private static func acknowledged(_ log: String) throws -> [(uid: String, id: String)] {
    try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").map { line in
      let words = line.split(separator: " ")
      return (String(words[0]), String(words[1]))
    }
  }

  /// Checks that all acknowledged drawings are complete.
  private static func check(_ log: String, _ path: String, atLeast count: Int) throws {
    let environment = try LocalService.open(.journal, path)
    let service = DrawingService(environment, as: .operator)
    let drawings = try acknowledged(log)
    #expect(drawings.count >= count)
    for (uid, id) in drawings {
      _ = try service.drawing(id, of: uid)
      for name in DrawingFiles.names { _ = try service.file(name, ofDrawing: id, of: uid) }
    }
    // Drawings that were not acknowledged may have files without a document, which is correct.
    let result = try Verification(environment).run(minimumAge: 0)
    #expect(result.findings.isEmpty)
    #expect(result.drawings >= drawings.count)
    let options = Sweep.Options(minimumAge: -10)
    #expect(try Sweep(environment).run(options).problems.isEmpty)
    #expect(try Sweep(environment).run(options) == Sweep.Result())
    #expect(try Verification(environment).run().findings.isEmpty)
  }

  /// The folder for a test and its child processes, which inherit the environment.
  private static var inherited: String {
    ProcessInfo.processInfo.environment["TEST_FOLDER"] ?? ""
  }

  @Test func `every acknowledged drawing is there after a kill under load`() async throws {
    for _ in 0..<RunLength.count(2, long: 20) {
      let folder = try TemporaryFolder()
      setenv("TEST_FOLDER", folder.url.path, 1)
      await #expect(processExitsWith: .signal(SIGKILL)) {
        let root = Self.inherited
        try Self.submit(
          "a", to: root + "/store", log: root + "/log", threads: 12, until: 60, kills: true)
      }
      try Self.check(folder.file("log").path, folder.file("store").path, atLeast: 60)
    }
  }

  @Test func `two processes of many threads submit at once and lose nothing`() async throws {
    let folder = try TemporaryFolder()
    setenv("TEST_FOLDER", folder.url.path, 1)
    let (store, log) = (folder.file("store").path, folder.file("log").path)
    _ = try LocalService.open(.journal, store)
    let own = Task.detached {
      try Self.submit("own", to: store, log: log, threads: 8, until: 80, kills: false)
    }
    await #expect(processExitsWith: .success) {
      let root = Self.inherited
      try Self.submit(
        "other", to: root + "/store", log: root + "/log", threads: 8, until: 40, kills: false)
    }
    try await own.value
    let drawings = try Self.acknowledged(log)
    #expect(drawings.contains { $0.id.hasPrefix("own") })
    #expect(drawings.contains { $0.id.hasPrefix("other") })
    #expect(Set(drawings.map { "\($0.uid)/\($0.id)" }).count == drawings.count)
    try Self.check(log, store, atLeast: 120)
  }

  @Test func `one process killed under load does not stop another`() async throws {
    let folder = try TemporaryFolder()
    setenv("TEST_FOLDER", folder.url.path, 1)
    let (store, log) = (folder.file("store").path, folder.file("log").path)
    _ = try LocalService.open(.journal, store)
    let own = Task.detached {
      try Self.submit("own", to: store, log: log, threads: 4, until: 60, kills: false)
    }
    await #expect(processExitsWith: .signal(SIGKILL)) {
      let root = Self.inherited
      try Self.submit(
        "other", to: root + "/store", log: root + "/log", threads: 8, until: 30, kills: true)
    }
    try await own.value
    try Self.check(log, store, atLeast: 90)
  }
}
