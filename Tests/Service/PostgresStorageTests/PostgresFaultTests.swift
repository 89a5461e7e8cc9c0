import Foundation
import Storage
import StorageTestSupport
import TestSupport
import Testing
import Threads

@testable import SharedStorage

/// A server that dies, stops or does not answer. It is a separate one, so that other tests are not
/// affected.
@Suite(.enabled(if: PostgresServer.canStart, "\(PostgresServer.absence)"))
struct PostgresFaultTests {
  private func isPassing(_ problem: StorageError.Problem?) -> Bool {
    if case .unavailable = problem { true } else { false }
  }

  /// Whether a condition becomes true within a sufficient time.
  private func happens(_ condition: () -> Bool) -> Bool {
    let deadline = PostgresConnection.now() + 30_000
    while !condition() {
      if PostgresConnection.now() > deadline { return false }
      usleep(5_000)
    }
    return true
  }

  @Test
  func `a PostgreSQL server killed under load loses no acknowledged change`()
    throws
  {
    let server = try PostgresServer()
    let notes = try CollectionPath("users/ann/notes")
    let store = try PostgresDocumentStore(server.url, indexes: [DocumentIndex("notes", "a")])
    let other = try PostgresDocumentStore(server.url, indexes: [DocumentIndex("notes", "a")])
    let state = ConditionMutex(
      (
        stored: Set<String>(), refused: Set<String>(), unknown: 0, odd: [String](), rounds: 0,
        isOver: false
      ))
    Lanes.run(10) { lane in
      if lane == 9 {
        for _ in 0..<3 {
          usleep(400_000)
          do {
            try server.kill()
            try server.start()
          } catch {
            state.withLock { $0.odd.append("\(error)") }
          }
          let count = state.withLock { $0.stored.count }
          // The load recovers by itself.
          let deadline = PostgresConnection.now() + 20_000
          while state.withLock({ $0.stored.count }) < count + 50,
            PostgresConnection.now() < deadline
          { usleep(10_000) }
          state.withLock { $0.rounds += 1 }
        }
        state.withLock { $0.isOver = true }
        return
      }
      var number = 0
      while !state.withLock({ $0.isOver }) {
        number += 1
        let name = "d\(lane)-\(number)"
        do {
          if lane == 8 {
            _ = try store.read { try $0.documents(Query(notes).ordered(by: "a").page(5)) }
            continue
          }
          try (lane % 2 == 0 ? store : other).change(at: Moment(seconds: 1)) {
            try $0.set(notes.document(name), ["a": .integer(Int64(number))])
            return ()
          }
          state.withLock { _ = $0.stored.insert(name) }
        } catch let error as StorageError {
          state.withLock { state in
            guard case .unavailable(let reason) = error.problem else {
              return state.odd.append("\(error)")
            }
            if reason.contains("may be stored") {
              state.unknown += 1
            } else if lane != 8 {
              state.refused.insert(name)
            }
          }
          usleep(5_000)
        } catch {
          state.withLock { $0.odd.append("\(error)") }
        }
      }
    }
    let end = state.withLock { $0 }
    let found = Set(try store.read { try $0.names(in: notes, after: nil, limit: .max) })
    #expect(end.odd.prefix(3) == [])
    #expect(end.rounds == 3)
    #expect(end.stored.subtracting(found).sorted() == [], "acknowledged and lost")
    #expect(end.refused.intersection(found).sorted() == [], "refused and stored")
    #expect(end.stored.count > 150 && !end.refused.isEmpty)
    #expect(found.count <= end.stored.count + end.unknown)
    #expect(try store.problems() == [] && other.problems() == [])
    #expect(try store.read { try $0.lastSequence() } == Int64(found.count))
    print(
      "stored \(end.stored.count), refused \(end.refused.count), unknown \(end.unknown), of them stored "
        + "\(found.count - end.stored.count)")
  }

  @Test func `a PostgreSQL server that is silent or stops is a passing problem`()
    throws
  {
    let server = try PostgresServer()
    let path = try DocumentPath("notes/x")
    var limits = PostgresLimits()
    (limits.answerMilliseconds, limits.waitMilliseconds) = (500, 100)
    limits.connectMilliseconds = 300
    let store = try PostgresDocumentStore(server.url, limits: limits)
    let heard = ConditionMutex<Int64>(0)
    let observation = store.observeChanges { last in heard.change { $0 = last } }
    defer { observation?.end() }
    try store.change(at: Moment(seconds: 1)) { try $0.set(path, ["a": 1]) }
    #expect(happens { heard.withLock { $0 == 1 } })
    let seen = problem {
      try store.read { reader throws in
        let documents = try #require(reader as? PostgresDocuments)
        let process = try documents.rows("SELECT pg_backend_pid()::bigint").integer(0, 0)
        Glibc.kill(Int32(process), SIGSTOP)
        defer { Glibc.kill(Int32(process), SIGCONT) }
        _ = try reader.document(path)
      }
    }
    #expect(isPassing(seen))
    #expect(try store.document(path)?["a"] == 1)

    try server.stop()
    #expect(isPassing(problem { try store.document(path) }))
    #expect(isPassing(problem { try store.change(at: Moment(seconds: 2)) { try $0.delete(path) } }))
    #expect(isPassing(problem { try PostgresDocumentStore(server.url, limits: limits) }))
    try server.start()
    #expect(try store.document(path)?["a"] == 1)
    try store.change(at: Moment(seconds: 2)) { try $0.set(path, ["a": 2]) }
    // The observer is notified over a new connection.
    #expect(happens { heard.withLock { $0 == 2 } })
  }
}
