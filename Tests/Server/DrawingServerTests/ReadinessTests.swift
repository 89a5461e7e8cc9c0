import DrawingServices
import Foundation
import Glibc
import TestSupport
import Testing
import Threads

@testable import DrawingServer

/// Whether a server detects that it cannot work.
struct ReadinessTests {
  @Test func `readiness reports a part that hangs, and checks it only once`() {
    let (hangs, begun) = (ConditionMutex(true), ConditionMutex(0))
    let readiness = Readiness([
      Readiness.Check(part: "The other") {},
      Readiness.Check(part: "The bucket") {
        begun.withLock { $0 += 1 }
        hangs.wait { $0 ? nil : () }
      },
    ])
    for _ in 0..<3 { #expect(readiness.problem() == "The bucket does not answer.") }
    #expect(begun.withLock { $0 } == 1)
    hangs.change { $0 = false }
    while readiness.problem() != nil { usleep(1_000) }
  }

  @Test func `a readiness result is cached for a second`() {
    let calls = ConditionMutex(0)
    let readiness = Readiness([
      Readiness.Check(part: "The disk") {
        let count = calls.withLock { count in
          count += 1
          return count
        }
        if count == 1 { throw Readiness.Failure("Files cannot be stored.") }
      }
    ])
    var answers = 0
    while readiness.problem() == "Files cannot be stored." { answers += 1 }
    #expect(answers > 10 && calls.withLock { $0 } == 2)
  }

  @Test func `a disk that fails at times needs many successful writes`() throws {
    let doubts = Doubts()
    var wanted: [Int] = []
    doubts.settle { wanted.append($0) }
    doubts.add()
    #expect(throws: Readiness.Failure.self) {
      try doubts.settle { count in
        wanted.append(count)
        throw Readiness.Failure("")
      }
    }
    doubts.settle { count in
      wanted.append(count)
      // Another failure occurs meanwhile.
      doubts.add()
    }
    doubts.settle { wanted.append($0) }
    doubts.settle { wanted.append($0) }
    #expect(wanted == [1, 32, 32, 32, 1])
  }

  @Test func `a server whose folder takes no files is not ready, and says why`() throws {
    let server = try TestServer()
    #expect(try server.send("GET", "/ready", as: nil).status == 200)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: server.folder.url.path).allSatisfy {
        !$0.hasPrefix(".ready")
      })
    let gone = server.folder.url.path + "-gone"
    try FileManager.default.moveItem(atPath: server.folder.url.path, toPath: gone)
    defer { try? FileManager.default.moveItem(atPath: gone, toPath: server.folder.url.path) }
    var reply = try server.send("GET", "/ready", as: nil)
    while reply.status == 200 { reply = try server.send("GET", "/ready", as: nil) }
    #expect(reply.status == 503 && reply.code == "not-ready")
    #expect(!reply.text.contains(server.folder.url.path))
  }
}
