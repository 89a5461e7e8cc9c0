import Foundation
import SharedStorage
import StorageTestSupport
import TestSupport
import Testing
import Threads

@testable import Storage

/// All kinds of named locks behave the same.
struct NamedLockTests {
  /// Two users of the same locks, and the objects that must live as long.
  struct Users: Sendable {
    let one: any NamedLocks
    let other: any NamedLocks
    let holder: (any AnyObject & Sendable)?
  }

  enum Kind: CaseIterable, Sendable {
    case process, file, postgres

    static var allCases: [Kind] {
      PostgresServer.sharedURL == nil ? [.process, .file] : [.process, .file, .postgres]
    }

    func open() throws -> Users {
      switch self {
      case .process:
        let locks = ProcessLocks()
        return Users(one: locks, other: locks, holder: nil)
      case .file:
        let folder = try TemporaryFolder()
        let path = folder.file("locks").path
        return Users(one: FileLocks(path), other: FileLocks(path), holder: folder)
      case .postgres:
        let schema = PostgresSchemaOfTest(in: PostgresServer.sharedURL ?? "")
        return Users(
          one: try PostgresLocks(schema.url, schema: schema.name),
          other: try PostgresLocks(schema.url, schema: schema.name), holder: schema)
      }
    }
  }

  @Test(arguments: Kind.allCases)
  func `trying a lock that is held returns at once`(_ kind: Kind) throws {
    let users = try kind.open()
    let result = try users.one.withLock("outbox/a") {
      // Another name is free, the same name is not, not even for a nested call.
      let found = [
        try users.other.withLockIfFree("outbox/b") { 7 },
        try users.other.withLockIfFree("outbox/a") { 7 },
        try users.one.withLockIfFree("outbox/a") { 7 },
      ]
      #expect(found == [7, nil, nil])
      return 5
    }
    #expect(result == 5)
    let freed = try users.other.withLockIfFree("outbox/a") { 7 }
    #expect(freed == 7)
  }

  private struct Mishap: Error {}

  @Test(arguments: Kind.allCases)
  func `a named lock is free after an error`(_ kind: Kind) throws {
    let users = try kind.open()
    #expect(throws: Mishap.self) { try users.one.withLockIfFree("a") { throw Mishap() } }
    #expect(throws: Mishap.self) { try users.one.withLock("a") { throw Mishap() } }
    let nothing: Int?? = try users.other.withLockIfFree("a") { Int?.none }
    #expect(nothing == .some(.none))
  }

  @Test(arguments: Kind.allCases)
  func `one thread at a time holds a named lock`(_ kind: Kind) throws {
    let users = try kind.open()
    let counts = ConditionMutex<[String: (inside: Int, most: Int, done: Int, passed: Int)]>([:])
    Lanes.run(8) { lane in
      let locks = lane % 2 == 0 ? users.one : users.other
      for round in 0..<25 {
        let name = "n\((lane + round) % 3)"
        func body() {
          counts.withLock { counts in
            var count = counts[name] ?? (0, 0, 0, 0)
            count = (
              count.inside + 1, max(count.most, count.inside + 1), count.done + 1, count.passed
            )
            counts[name] = count
          }
          counts.withLock { $0[name]?.inside -= 1 }
        }
        do {
          if round % 2 == 0 {
            try locks.withLock(name, body)
          } else if try locks.withLockIfFree(name, body) == nil {
            counts.withLock { $0[name, default: (0, 0, 0, 0)].passed += 1 }
          }
        } catch {
          Issue.record("\(error)")
        }
      }
    }
    counts.withLock { counts in
      #expect(counts.values.allSatisfy { $0.most == 1 && $0.inside == 0 })
      #expect(counts.values.reduce(0) { $0 + $1.done + $1.passed } == 200)
    }
  }
}
