import Foundation
import StorageTestSupport
import TestSupport
import Testing
import Threads

@testable import Storage

/// Changes of several threads that share one transaction.
struct SharedTransactionTests {
  private let folder: TemporaryFolder
  private let store: SQLiteDocumentStore
  private let notes: CollectionPath

  init() throws {
    folder = try TemporaryFolder()
    store = try SQLiteDocumentStore(
      folder.file("documents").path, indexes: DocumentStoreKind.indexes)
    notes = try CollectionPath("users/ann/notes")
  }

  private typealias Body = @Sendable (any DocumentTransaction) throws -> Void

  /// Runs bodies in one transaction, in order, and returns the error of each; nil for those that
  /// were reported as stored. The moment of a body is its number.
  private func together(_ bodies: [Body]) -> [(any Error)?] {
    let store = store
    return atOnce(
      bodies.enumerated().map { number, body in
        { try store.change(at: Moment(seconds: Int64(number + 1))) { try body($0) } }
      })
  }

  /// Makes calls whose changes run in one transaction, in their order, and returns the error of
  /// each.
  private func atOnce(_ calls: [@Sendable () throws -> Void]) -> [(any Error)?] {
    let errors = ConditionMutex([(any Error)?](repeating: nil, count: calls.count))
    let hasBegun = ConditionMutex(false)
    let store = store
    Lanes.run(calls.count + 1) { lane in
      if lane == 0 {
        // The other calls arrive while this one runs.
        try? store.change(at: Moment(seconds: 0)) { _ in
          hasBegun.change { $0 = true }
          while store.waitingCount < calls.count { usleep(100) }
        }
        return
      }
      hasBegun.wait { $0 ? () : nil }
      while store.waitingCount < lane - 1 { usleep(100) }
      do {
        try calls[lane - 1]()
      } catch {
        errors.withLock { $0[lane - 1] = error }
      }
    }
    return errors.withLock { $0 }
  }

  private func setting(_ name: String) throws -> Body {
    let path = try notes.document(name)
    return { try $0.set(path, ["a": 1]) }
  }

  private func names() throws -> [String] {
    #expect(try store.problems() == [])
    return try store.read { try $0.names(in: notes, after: nil, limit: 99) }
  }

  @Test func `waiting changes run in order on one thread, each with its own time`() throws {
    let threads = ConditionMutex<[UInt]>([])
    let notes = notes
    let errors = together(
      (1...5).map { number in
        { transaction in
          threads.withLock { $0.append(UInt(pthread_self())) }
          // Each body sees the changes of the earlier ones.
          #expect(try transaction.count(Query(notes)) == number - 1)
          try transaction.set(notes.document("d\(number)"), ["a": .integer(Int64(number))])
        }
      })
    #expect(errors.allSatisfy { $0 == nil })
    #expect(threads.withLock { $0.count == 5 && Set($0).count == 1 })
    let documents = try store.documents(Query(notes).ordered(by: "a"))
    #expect(documents.map(\.id) == (1...5).map { "d\($0)" })
    #expect(documents.map(\.updated) == (1...5).map { Moment(seconds: $0) })
    #expect(documents.map(\.sequence) == [1, 2, 3, 4, 5])
    #expect(try store.problems() == [])
  }

  /// A call that reads a word in its preparation; its change stores the word under a name.
  private func preparing(
    _ name: String, _ prepare: @escaping @Sendable () throws -> String
  ) throws -> @Sendable () throws -> Void {
    let (store, path) = (store, try notes.document(name))
    return {
      try store.change(at: Moment(seconds: 1), preparing: prepare) { transaction, word -> Void in
        try transaction.set(path, ["word": .text(word)])
      }
    }
  }

  @Test func `preparations of changes run concurrently within their transaction`()
    throws
  {
    let (path, arrived) = (folder.file("documents").path, ConditionMutex(0))
    let errors = atOnce(
      try (0..<6).map { number in
        try preparing("d\(number)") {
          arrived.change { $0 += 1 }
          arrived.wait { $0 == 6 ? () : nil }
          // No other connection can write now.
          #expect(throws: StorageError.self) {
            try SQLiteConnection(path, for: .writing).run("BEGIN IMMEDIATE")
          }
          return "known \(number)"
        }
      })
    #expect(errors.allSatisfy { $0 == nil })
    let words = try store.documents(Query(notes)).map { $0.fields["word"] }
    #expect(Set(words) == Set((0..<6).map { .text("known \($0)") }))
  }

  @Test func `preparations behind a change of files run after that change`() throws {
    let (store, files) = (store, ConditionMutex("there"))
    let errors = atOnce([
      try preparing("before") { files.withLock { $0 } },
      {
        try store.change(at: Moment(seconds: 1), isBarrier: true) { _ in
          files.withLock { $0 = "gone" }
        }
      },
      try preparing("after") { files.withLock { $0 } },
    ])
    #expect(errors.allSatisfy { $0 == nil })
    #expect(try store.document(notes.document("before"))?.fields["word"] == "there")
    #expect(try store.document(notes.document("after"))?.fields["word"] == "gone")
  }

  @Test func `a change whose preparation fails is the only one to fail`() throws {
    let errors = atOnce([
      try preparing("one") { "1" }, try preparing("two") { throw Mishap() },
      try preparing("three") { "3" },
    ])
    #expect(errors.map { $0 is Mishap } == [false, true, false])
    #expect(try names() == ["one", "three"])
  }

  @Test func `preparations run again in another transaction`() throws {
    let (store, count) = (store, ConditionMutex(0))
    let errors = atOnce([
      {
        try store.change(at: Moment(seconds: 1)) { transaction in
          try #require(transaction as? SQLiteDocuments).connection.run("ROLLBACK")
          throw Mishap()
        }
      },
      try preparing("two") { "\(count.withLock { $0 += 1; return $0 })" },
    ])
    #expect(errors.map { $0 == nil } == [false, true])
    #expect(try store.document(notes.document("two"))?.fields["word"] == "2")
  }

  @Test func `a change that throws in a group undoes only itself`() throws {
    let other = try CollectionPath("other").document("x")
    let notes = notes
    let errors = together([
      try setting("one"),
      { transaction in
        // The collection is new, and its number must be forgotten.
        try transaction.set(other, [:])
        try transaction.delete(notes.document("one"))
        throw Mishap()
      },
      { transaction in
        #expect(try transaction.document(other) == nil)
        try transaction.set(other, ["b": 2])
      },
      { try $0.set(other, ["large": .bytes([UInt8](repeating: 0, count: 2 << 20))]) },
      try setting("two"),
    ])
    #expect(errors.map { $0 == nil } == [true, false, true, false, true])
    #expect(errors[1] is Mishap)
    #expect(try names() == ["one", "two"])
    #expect(try store.document(other)?.fields == ["b": 2])
    #expect(try store.read { try $0.lastSequence() } == 3)
  }

  @Test func `a full disk fails only changes that were not stored`() throws {
    let large: Fields = ["a": .bytes([UInt8](repeating: 1, count: 200_000))]
    let (first, notes) = (try setting("first"), notes)
    let errors = together([
      { transaction in
        try #require(transaction as? SQLiteDocuments).connection.run("PRAGMA max_page_count = 40")
        try first(transaction)
      },
      // The body ignores the error.
      { transaction in
        #expect(problem { try transaction.set(notes.document("large"), large) } == .full)
        #expect(problem { try transaction.set(notes.document("after"), [:]) } == .full)
      },
      try setting("last"),
    ])
    #expect((errors[1] as? StorageError)?.problem == .full && errors[2] == nil)
    #expect(try names() == (errors[0] == nil ? ["first", "last"] : ["last"]))
  }

  @Test func `changes that the database has undone are reported as failed`()
    throws
  {
    let errors = together([
      try setting("one"),
      { _ in throw Mishap() },
      { transaction in
        // Like SQLite itself after a disk error.
        try #require(transaction as? SQLiteDocuments).connection.run("ROLLBACK")
        throw Mishap()
      },
      try setting("two"),
      try setting("three"),
    ])
    #expect(errors.map { $0 == nil } == [false, false, false, true, true])
    #expect(errors[0] is StorageError && errors[1] is Mishap && errors[2] is Mishap)
    #expect(try names() == ["three", "two"])
  }

  @Test func `a failed commit is reported to every caller of its group`()
    throws
  {
    let connection = try store.change(at: Moment(seconds: 0)) {
      try #require($0 as? SQLiteDocuments).connection
    }
    try connection.run("PRAGMA foreign_keys = ON")
    let errors = together([
      try setting("one"),
      { transaction in
        // A row without its collection, which only the commit finds.
        let connection = try #require(transaction as? SQLiteDocuments).connection
        try connection.run(
          """
          PRAGMA defer_foreign_keys = ON;
          INSERT INTO documents VALUES (NULL, 99, 'x', NULL, 0, 0, 77, 0)
          """)
      },
      { _ in throw Mishap() },
      try setting("two"),
    ])
    #expect(errors.map { $0 is StorageError } == [true, true, false, true])
    #expect(errors[2] is Mishap)
    #expect(try names() == [])
    try store.change(at: Moment(seconds: 1)) { try setting("three")($0) }
    #expect(try names() == ["three"])
  }

  @Test func `all changes of a transaction that cannot begin fail`() throws {
    let store = try SQLiteDocumentStore(
      folder.file("documents").path, indexes: DocumentStoreKind.indexes, timeoutMilliseconds: 0)
    let other = try SQLiteConnection(folder.file("documents").path, for: .writing)
    try other.run("BEGIN IMMEDIATE")
    let failures = ConditionMutex(0)
    let path = try notes.document("x")
    Lanes.run(6) { _ in
      if problem({ try store.change(at: Moment(seconds: 0)) { try $0.set(path, [:]) } }) == .locked
      {
        failures.withLock { $0 += 1 }
      }
    }
    #expect(failures.withLock { $0 } == 6)
    try other.run("COMMIT")
    try store.change(at: Moment(seconds: 0)) { try $0.set(path, [:]) }
    #expect(try names() == ["x"])
  }

  @Test func `exactly the acknowledged changes of many threads are stored`() throws {
    let store = store
    let notes = notes
    let acknowledged = ConditionMutex<Set<String>>([])
    Lanes.run(12) { lane in
      var random = RandomValues(seed: UInt64(lane))
      for number in 0..<40 {
        let name = "d\(lane)-\(number)"
        let fails = random.chance(0.3)
        try? store.change(at: Moment(seconds: 1)) { transaction in
          try transaction.set(notes.document(name), ["a": .integer(Int64(number))])
          if fails { throw Mishap() }
          return ()
        }
        if !fails { acknowledged.withLock { _ = $0.insert(name) } }
      }
    }
    let found = try store.read { try $0.names(in: notes, after: nil, limit: 999) }
    let kept = acknowledged.withLock { $0 }
    #expect(Set(found).symmetricDifference(kept).sorted() == [])
    #expect(try store.problems() == [])
  }
}
