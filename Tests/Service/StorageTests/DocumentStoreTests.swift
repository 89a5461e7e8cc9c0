import Foundation
import StorageTestSupport
import TestSupport
import Testing
import Threads

@testable import Storage

/// The tests that every document store passes.
struct DocumentStoreTests {
  private let notes: CollectionPath
  private let one: DocumentPath
  private let two: DocumentPath

  init() throws {
    notes = try CollectionPath("users/ann/notes")
    one = try notes.document("one")
    two = try notes.document("two")
  }

  @Test(arguments: DocumentStoreKind.allCases)
  func `an empty document store returns nothing`(_ kind: DocumentStoreKind) throws {
    let store = try kind.open()
    try store.read { reader throws in
      #expect(try reader.document(one) == nil)
      #expect(try reader.documents(Query(notes)) == [])
      #expect(try reader.page(Query(notes)).cursor == nil)
      #expect(try reader.count(Query(notes)) == 0)
      #expect(try reader.collections(beginningWith: "", after: nil, limit: 9) == [])
      #expect(try reader.changes(after: 0, in: nil, limit: 9) == [])
      #expect(try reader.changes(after: 0, in: notes, limit: 9) == [])
      #expect(try reader.lastSequence() == 0)
      #expect(problem { _ = try reader.existing(one) } == .notFound)
    }
    try store.change { transaction throws in
      #expect(try !transaction.delete(one))
      try transaction.erase(notes)
      #expect(try transaction.lastSequence() == 0)
    }
  }

  @Test(arguments: DocumentStoreKind.allCases)
  func `a document keeps its creation time and has the time of its last change`(
    _ kind: DocumentStoreKind
  ) throws {
    let store = try kind.open()
    let first = try store.change(at: 10) { try $0.create(one, ["a": 1, "b": "x"]) }
    #expect(first.path == one && first.fields == ["a": 1, "b": "x"] && first.sequence == 1)
    #expect(first.created == Moment(seconds: 10) && first.updated == Moment(seconds: 10))
    #expect(try store.store.document(one) == first)

    // Clocks may go backwards; the store accepts that.
    let second = try store.change(at: 5) { try $0.update(one, ["b": nil, "c": true]) }
    #expect(second.fields == ["a": 1, "b": "x", "c": true], "a literal leaves nil out")
    #expect(second.created == Moment(seconds: 10) && second.updated == Moment(seconds: 5))
    #expect(second.sequence == 2)
    let third = try store.change(at: 20) { try $0.update(one, ["b": .null, "c": [1]]) }
    #expect(third.fields == ["a": 1, "b": .null, "c": [1]])
    let fourth = try store.change(at: 30) { try $0.set(one, ["d": 4]) }
    #expect(fourth.fields == ["d": 4] && fourth.created == Moment(seconds: 10))
    #expect(fourth.updated == Moment(seconds: 30) && fourth.sequence == 4)
    #expect(try store.store.document(one) == fourth)
    #expect(try store.read { try $0.existing(one) } == fourth)

    #expect(try store.change(at: 40) { try $0.delete(one) })
    #expect(try store.store.document(one) == nil)
    #expect(try store.change(at: 41) { try !$0.delete(one) })
    // A document stored afterwards is a new one.
    let fifth = try store.change(at: 50) { try $0.create(one, [:]) }
    #expect(fifth.created == Moment(seconds: 50) && fifth.sequence == 6)
    #expect(try store.store.document(one) == fifth)
  }

  @Test(arguments: DocumentStoreKind.allCases)
  func `no document is created twice, and no missing one is updated`(
    _ kind: DocumentStoreKind
  ) throws {
    let store = try kind.open()
    try store.change { try $0.create(one, ["a": 1]) }
    #expect(
      problem { try store.change { try $0.create(one, ["a": 2]) } } == .alreadyExists)
    #expect(problem { try store.change { try $0.update(two, ["a": 2]) } } == .notFound)
    #expect(try store.store.document(one)?["a"] == 1)
    #expect(try store.store.document(two) == nil)
    #expect(try store.read { try $0.lastSequence() } == 1)
  }

  @Test(arguments: DocumentStoreKind.allCases)
  func `a transaction that throws leaves nothing behind`(_ kind: DocumentStoreKind) throws {
    let store = try kind.open()
    let before = try store.change(at: 1) { try $0.set(one, ["a": 1]) }
    let other = try CollectionPath("users/bob/notes")
    #expect(throws: Mishap.self) {
      try store.change(at: 2) { transaction throws in
        try transaction.set(one, ["a": 2])
        try transaction.set(two, ["a": 3])
        // A new collection.
        try transaction.set(other.document("x"), ["a": 4])
        try transaction.erase(notes)
        try transaction.set(two, ["a": 5])
        #expect(try transaction.documents(Query(notes)).map(\.path) == [two])
        throw Mishap()
      }
    }
    #expect(try store.store.documents(Query(notes)) == [before])
    #expect(try store.ids(Query(notes).filtered("a", .atLeast(2)).ordered(by: "a")) == [])
    try store.read { reader throws in
      #expect(try reader.lastSequence() == 1)
      #expect(try reader.changes(after: 0, in: nil, limit: 9).map(\.path) == [one])
      #expect(try reader.collections(beginningWith: "", after: nil, limit: 9) == [notes])
    }
    // The collection numbers of that transaction are forgotten, too.
    try store.change { transaction throws in
      try transaction.set(CollectionPath("users/eve/notes").document("y"), [:])
      try transaction.set(other.document("x"), [:])
    }
    #expect(try store.ids(Query(other)) == ["x"])
  }

  @Test(arguments: DocumentStoreKind.allCases)
  func `a transaction sees its own changes, and others see them when it has ended`(
    _ kind: DocumentStoreKind
  ) throws {
    let store = try kind.open()
    try store.change { transaction throws in
      try transaction.set(one, ["a": 1])
      #expect(try transaction.document(one)?["a"] == 1)
      #expect(try store.store.document(one) == nil)
      try transaction.set(two, ["a": 0])
      #expect(try transaction.documents(Query(notes).ordered(by: "a")).map(\.path) == [two, one])
      try transaction.delete(two)
      #expect(try transaction.count(Query(notes)) == 1)
      #expect(try transaction.lastSequence() == 3)
      #expect(try transaction.changes(after: 1, in: notes, limit: 9).map(\.path) == [two])
      #expect(transaction.moment == Moment(seconds: 0))
    }
    #expect(try store.ids(Query(notes)) == ["one"])
  }

  @Test(arguments: DocumentStoreKind.allCases)
  func `a reader sees a snapshot, whatever is changed meanwhile`(_ kind: DocumentStoreKind) throws {
    let store = try kind.open()
    try store.change { try $0.set(one, ["a": 1]) }
    try store.read { reader throws in
      // The snapshot is taken when reading begins, not at the first query.
      try store.change { transaction throws in
        try transaction.set(one, ["a": 2])
        try transaction.set(two, [:])
      }
      #expect(try reader.document(one)?["a"] == 1)
      try store.change { try $0.delete(one) }
      #expect(try reader.document(one)?["a"] == 1)
      #expect(try reader.documents(Query(notes)).map(\.path) == [one])
      #expect(try reader.lastSequence() == 1)
    }
    #expect(try store.ids(Query(notes)) == ["two"])
  }

  @Test(arguments: DocumentStoreKind.allCases)
  func `an error of a reader is passed on and the store stays usable`(
    _ kind: DocumentStoreKind
  ) throws {
    let store = try kind.open()
    for _ in 0..<8 {
      #expect(throws: Mishap.self) { try store.read { _ in throw Mishap() } }
    }
    try store.change { try $0.set(one, [:]) }
    #expect(try store.ids(Query(notes)) == ["one"])
  }

  @Test(arguments: DocumentStoreKind.allCases)
  func `documents with invalid values are refused and change nothing`(
    _ kind: DocumentStoreKind
  ) throws {
    let store = try kind.open()
    var deep: FieldValue = 1
    for _ in 0..<40 { deep = .map(["a": deep]) }
    let bad: [Fields] = [
      ["a": .number(.nan)], ["a": [.number(.infinity)]], ["": 1], ["a": deep],
      ["a": .moment(Moment(microseconds: .max))], ["a": .moment(Moment(microseconds: .min))],
      [String(repeating: "n", count: 201): 1],
    ]
    try store.change { try $0.set(one, ["kept": 1]) }
    for fields in bad {
      for body: (any DocumentTransaction) throws -> Void in [
        { try $0.set(two, fields) }, { try $0.create(two, fields) }, { try $0.update(one, fields) },
      ] {
        guard case .badValue = problem({ try store.change { try body($0) } }) else {
          Issue.record("\(fields.count) fields were taken")
          continue
        }
      }
    }
    #expect(try store.store.documents(Query(notes)).map(\.fields) == [["kept": 1]])
    #expect(try store.read { try $0.lastSequence() } == 1)
  }

  @Test(arguments: DocumentStoreKind.allCases)
  func `a document may be a megabyte and not a byte larger`(_ kind: DocumentStoreKind) throws {
    let store = try kind.open()
    let limit = Document.maximumByteCount
    // The heads of the map and of the bytes, and a name of one letter, take eight bytes.
    let largest: Fields = ["a": .bytes([UInt8](repeating: 7, count: limit - 8))]
    #expect(largest.bytes.count == limit)
    try store.change { try $0.set(one, largest) }
    #expect(try store.store.document(one)?.fields == largest)
    let larger: Fields = ["a": .bytes([UInt8](repeating: 7, count: limit - 7))]
    #expect(problem { try store.change { try $0.set(two, larger) } } == .tooLarge(limit: limit))
    #expect(
      problem { try store.change { try $0.update(one, ["b": 1]) } } == .tooLarge(limit: limit))
  }

  // MARK: - Changes

  @Test(arguments: DocumentStoreKind.allCases)
  func `the list of changes has the last one of each document, in order`(
    _ kind: DocumentStoreKind
  ) throws {
    let store = try kind.open()
    let other = try CollectionPath("users/bob/notes").document("x")
    try store.change { transaction throws in
      try transaction.set(one, ["a": 1])
      try transaction.set(other, [:])
      try transaction.set(two, [:])
      try transaction.set(one, ["a": 2])
      try transaction.delete(two)
    }
    try store.read { reader throws in
      let all = try reader.changes(after: 0, in: nil, limit: 9)
      #expect(all.map(\.path) == [other, one, two])
      #expect(all.map(\.sequence) == [2, 4, 5])
      #expect(all.map { $0.document?.fields } == [[:], ["a": 2], nil])
      #expect(try all[1].document == reader.document(one))
      #expect(try reader.changes(after: 0, in: nil, limit: 2) == Array(all.prefix(2)))
      #expect(try reader.changes(after: 2, in: nil, limit: 9) == Array(all.dropFirst()))
      #expect(try reader.changes(after: 4, in: notes, limit: 9) == [all[2]])
      #expect(try reader.changes(after: 0, in: notes, limit: 9) == Array(all.dropFirst()))
      #expect(try reader.changes(after: 0, in: notes, limit: 1) == [all[1]])
      #expect(try reader.changes(after: 0, in: nil, limit: 0) == [])
      #expect(try reader.changes(after: 5, in: nil, limit: 9) == [])
      #expect(try reader.changes(after: .max, in: nil, limit: .max) == [])
      #expect(try reader.changes(after: .min, in: nil, limit: .max) == all)
      #expect(try reader.changes(after: 0, in: CollectionPath("users"), limit: 9) == [])
      #expect(try reader.lastSequence() == 5)
    }
  }

  @Test(arguments: DocumentStoreKind.allCases)
  func `erasing a collection leaves no trace of it, and changes no other`(
    _ kind: DocumentStoreKind
  ) throws {
    let store = try kind.open()
    let below = try CollectionPath("users/ann/notes/one/notes").document("x")
    let beside = try CollectionPath("users/ann/notes2").document("x")
    try store.change { transaction throws in
      for path in [one, two, below, beside] { try transaction.set(path, ["a": 1]) }
      try transaction.delete(two)
    }
    try store.change { try $0.erase(notes) }
    try store.read { reader throws in
      #expect(try reader.documents(Query(notes)) == [])
      #expect(try reader.documents(Query(notes).ordered(by: "a")) == [])
      #expect(try reader.changes(after: 0, in: nil, limit: 9).map(\.path) == [below, beside])
      #expect(try reader.lastSequence() == 5, "numbers are not given again")
    }
    // The next document at that path has none of its data.
    let again = try store.change(at: 9) { try $0.create(one, ["a": 1]) }
    #expect(again.created == Moment(seconds: 9) && again.sequence == 6)
    #expect(try store.ids(Query(notes).ordered(by: "a")) == ["one"])
  }

  @Test(arguments: DocumentStoreKind.allCases)
  func `bytes of documents are counted below a prefix`(
    _ kind: DocumentStoreKind
  ) throws {
    let opened = try kind.open()
    let fields: Fields = ["text": .text(String(repeating: "x", count: 10_000))]
    func count(_ prefix: String) throws -> Int {
      try opened.store.read { try $0.byteCount(inCollectionsBeginningWith: prefix) }
    }
    #expect(try count("users/ann/") == 0)
    try opened.change { transaction in
      for path in ["users/ann", "users/ann/notes/n1", "users/ann/things/t22", "users/anna/notes/n"]
      {
        try transaction.set(DocumentPath(path), fields)
      }
    }
    #expect(try count("users/ann/") == 2 * fields.bytes.count + 5)
    try opened.change { transaction in
      _ = try transaction.delete(DocumentPath("users/ann/notes/n1"))
    }
    #expect(try count("users/ann/") == fields.bytes.count + 5)
    try opened.change { try $0.erase(CollectionPath("users/ann/things")) }
    #expect(try count("users/ann/") == 2)
    #expect(try opened.store.forgetErased())
  }

  @Test(arguments: DocumentStoreKind.allCases)
  func `erasing a document leaves no trace of it, whether it was deleted before or not`(
    _ kind: DocumentStoreKind
  ) throws {
    let store = try kind.open()
    let three = try notes.document("three")
    try store.change { transaction throws in
      for path in [one, two, three] { try transaction.set(path, ["a": 1]) }
      try transaction.delete(two)
    }
    try store.change { transaction throws in
      for path in [one, two, try notes.document("never"), try DocumentPath("other/x")] {
        try transaction.erase(path)
      }
    }
    #expect(try store.ids(Query(notes).ordered(by: "a")) == ["three"])
    #expect(try store.read { try $0.changes(after: 0, in: nil, limit: 9).map(\.path) } == [three])
    let again = try store.change(at: 9) { try $0.create(one, ["a": 1]) }
    #expect(again.created == Moment(seconds: 9) && again.sequence == 5)
    #expect(try store.ids(Query(notes).ordered(by: "a")) == ["one", "three"])
    #expect(try store.store.problems().isEmpty)
  }

  @Test(arguments: DocumentStoreKind.allCases)
  func `document names are listed in order and in pages, without deleted ones`(
    _ kind: DocumentStoreKind
  ) throws {
    let store = try kind.open()
    let names = ["A", "Z", "a", "a-b", "a.b", "ab", "b"]
    try store.change { transaction throws in
      for name in names.reversed() + ["deleted"] { try transaction.set(notes.document(name), [:]) }
      try transaction.set(CollectionPath("users/ann/notes2").document("c"), [:])
      try transaction.delete(notes.document("deleted"))
    }
    for size in 1...8 {
      var found: [String] = []
      while true {
        let page = try store.read { try $0.names(in: notes, after: found.last, limit: size) }
        #expect(page.count <= size)
        if page.isEmpty { break }
        found += page
      }
      #expect(found == names)
    }
    try store.read { reader throws in
      #expect(try reader.names(in: CollectionPath("none"), after: nil, limit: 9).isEmpty)
      #expect(try reader.names(in: notes, after: "a,", limit: 2) == ["a-b", "a.b"])
      #expect(
        problem { try reader.names(in: notes, after: nil, limit: -1) } == .badValue("below zero"))
    }
  }

  @Test(arguments: DocumentStoreKind.allCases)
  func `readers do not mistake a new collection for an erased one`(
    _ kind: DocumentStoreKind
  ) throws {
    let store = try kind.open()
    let other = try CollectionPath("users/bob/notes")
    try store.change { try $0.set(one, ["a": 1]) }
    #expect(try store.ids(Query(notes)) == ["one"])
    try store.change { try $0.erase(notes) }
    try store.change { try $0.set(other.document("x"), ["a": 2]) }
    #expect(try store.ids(Query(notes)) == [])
    #expect(try store.ids(Query(notes).ordered(by: "a")) == [])
    try store.change { try $0.set(two, ["a": 3]) }
    #expect(try store.ids(Query(notes)) == ["two"])
    #expect(try store.ids(Query(other)) == ["x"])
  }

  // MARK: - Collections

  @Test(arguments: DocumentStoreKind.allCases)
  func `collections with documents are listed by the prefixes of their paths`(
    _ kind: DocumentStoreKind
  ) throws {
    let store = try kind.open()
    let paths = ["a", "a-b", "a/x/b", "a0", "ab", "Kelvin", "users/ann/notes", "users/ann/notes2"]
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    try store.change { transaction throws in
      for path in paths { try transaction.set(CollectionPath(path).document("d"), [:]) }
      // A collection whose documents were all deleted is not listed.
      let gone = try CollectionPath("a/x/gone").document("d")
      try transaction.set(gone, [:])
      try transaction.delete(gone)
    }
    try store.read { reader throws in
      func listed(_ prefix: String, after: String? = nil, limit: Int = 99) throws -> [String] {
        try reader.collections(
          beginningWith: prefix, after: after.map { try CollectionPath($0) }, limit: limit
        ).map(\.description)
      }
      #expect(try listed("") == paths)
      #expect(try listed("a") == ["a", "a-b", "a/x/b", "a0", "ab"])
      #expect(try listed("a/") == ["a/x/b"])
      #expect(try listed("users/ann/notes") == ["users/ann/notes", "users/ann/notes2"])
      #expect(try listed("users/ann/notes2") == ["users/ann/notes2"])
      #expect(try listed("a", after: "a/x/b") == ["a0", "ab"])
      #expect(try listed("a", after: "a/x/a") == ["a/x/b", "a0", "ab"])
      #expect(try listed("a", after: "z") == [])
      #expect(try listed("b", after: "a") == [])
      #expect(try listed("", limit: 3) == Array(paths.prefix(3)))
      #expect(try listed("", limit: 0) == [])
      #expect(try listed("a\0") == [])
      #expect(try listed("~") == [] && listed("a~") == [] && listed("é") == [])
      // The kelvin sign looks like K, but has other bytes.
      #expect(try listed("\u{212A}") == [] && listed("K") == ["Kelvin"])
    }
  }

  @Test(arguments: DocumentStoreKind.allCases)
  func `document lists refuse limits below zero without a trap`(_ kind: DocumentStoreKind) throws {
    let store = try kind.open()
    try store.change { try $0.set(one, [:]) }
    try store.read { reader throws in
      let refusal = StorageError.Problem.badValue("below zero")
      #expect(problem { _ = try reader.page(Query(notes).page(-1)) } == refusal)
      #expect(problem { _ = try reader.count(Query(notes).page(-1)) } == refusal)
      #expect(problem { _ = try reader.changes(after: 0, in: nil, limit: -1) } == refusal)
      #expect(
        problem { _ = try reader.collections(beginningWith: "", after: nil, limit: .min) }
          == refusal)
    }
  }

  // MARK: - Concurrency

  @Test(arguments: DocumentStoreKind.allCases)
  func `concurrent transactions of many threads lose no change`(_ kind: DocumentStoreKind) throws {
    let store = try kind.open()
    try store.change { try $0.set(one, ["count": 0]) }
    let problems = ConditionMutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 64) { number in
      do {
        try store.change(at: Int64(number)) { transaction throws in
          let count = try transaction.existing(one)["count"]?.integerValue ?? 0
          try transaction.set(one, ["count": .integer(count + 1)])
          try transaction.set(notes.document("n\(number)"), ["a": .integer(count)])
        }
        let (count, documents) = try store.read { reader throws in
          (try reader.existing(one)["count"]?.integerValue, try reader.count(Query(notes)))
        }
        if Int(count ?? 0) != documents - 1 {
          problems.withLock { $0.append("\(documents) documents, counted to \(count ?? 0)") }
        }
      } catch {
        problems.withLock { $0.append("\(error)") }
      }
    }
    problems.withLock { #expect($0 == []) }
    #expect(try store.store.document(one)?["count"] == 64)
    let stored = try store.store.documents(
      Query(notes).filtered("a", .atLeast(0)).ordered(by: "a"))
    #expect(stored.map { $0["a"] } == (0..<64).map { .integer($0) })
    #expect(stored.map(\.sequence) == stored.map(\.sequence).sorted())
  }
}
