import Foundation
import Storage
import StorageTestSupport
import TestSupport
import Testing
import Threads

@testable import SharedStorage

/// Repeats the measurements of decision 43 with `TEST_MEASURE=1`.
@Suite(
  .enabled(
    if: ProcessInfo.processInfo.environment["TEST_MEASURE"] != nil, "TEST_MEASURE is not set"),
  .serialized)
struct PostgresMeasurements {
  private static let fields: Fields = [
    "imageURL": "file:users/ann/drawings/abcdefghijklmnopqrst/image.png",
    "recordingURL": "file:users/ann/drawings/abcdefghijklmnopqrst/recording.pkd",
    "isFromCheckIn": false, "timezoneOffsetMinutes": 480,
    "createdAt": .moment(Moment(seconds: 1_700_000_000)),
    "updatedAt": .moment(Moment(seconds: 1_700_000_000)),
  ]

  /// The number of calls per second of some threads, measured for a second and a half.
  private func rate(_ threads: Int, _ body: (Int, Int) throws -> Void) -> Int {
    let count = ConditionMutex(0)
    let start = DispatchTime.now().uptimeNanoseconds
    Lanes.run(threads) { lane in
      var number = 0
      while DispatchTime.now().uptimeNanoseconds - start < 1_500_000_000 {
        number += 1
        do {
          try body(lane, number)
        } catch {
          Issue.record("\(error)")
          return
        }
      }
      count.withLock { $0 += number }
    }
    let seconds = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
    return count.withLock { Int(Double($0) / seconds) }
  }

  @Test func `times of searches among 40,000 documents of 40 words are printed`() throws {
    let index = [DocumentIndex("drawings", "createdAt", texts: ["words/text"])]
    let folder = try TemporaryFolder()
    let schema = PostgresSchemaOfTest(in: try #require(PostgresServer.sharedURL))
    let stores: [(String, any DocumentStore)] = [
      ("SQLite", try SQLiteDocumentStore(folder.file("documents").path, indexes: index)),
      ("PostgreSQL", try PostgresDocumentStore(schema.url, schema: schema.name, indexes: index)),
    ]
    let parts = [
      "sh", "op", "ing", "ra", "ter", "con", "the", "an", "d", "al", "un", "der", "天", "氣",
    ]
    for (name, store) in stores {
      var random = RandomValues(seed: 1)
      let vocabulary = (0..<8_000).map { _ in
        (0...random.whole(0...4)).map { _ in random.pick(parts) }.joined()
      }
      var start = DispatchTime.now().uptimeNanoseconds
      func milliseconds() -> Double {
        Double(DispatchTime.now().uptimeNanoseconds - start) / 1e6
      }
      for (user, count) in [("ann", 40_000), ("bob", 20_000)] {
        let drawings = try CollectionPath("users/\(user)/drawings")
        for first in stride(from: 0, to: count, by: 500) {
          try store.change(at: Moment(seconds: 1)) { transaction in
            for number in first..<first + 500 {
              let words: [FieldValue] = (0..<40).map { word in
                let isWanted = word == 0 && number % 50 == 0
                let text =
                  isWanted ? "shopping" : vocabulary[random.whole(0...random.whole(0...7_999))]
                return .map(["text": .text(text), "box": [1.5, 2.5, 3.5, 4.5]])
              }
              try transaction.set(
                drawings.document("d\(number)"),
                Self.fields.merging([
                  "createdAt": .moment(Moment(seconds: Int64(number))), "words": .list(words),
                ]))
            }
          }
        }
      }
      var line = "\(name): filled in \(Int(milliseconds())) ms"
      for text in ["shopping", "nowhere", "ingra", "o", "shopping the", "天氣", "q"] {
        var query = Query(try CollectionPath("users/ann/drawings"))
          .ordered(by: "createdAt", descending: true).page(60)
        query.search = TextSearch(text, in: ["words/text"])
        var (best, count) = (Double.infinity, 0)
        for _ in 0..<9 {
          start = DispatchTime.now().uptimeNanoseconds
          count = try store.documents(query).count
          best = min(best, milliseconds())
        }
        line += ", \(text): \(count) in \(best) ms"
      }
      print(line)
    }
  }

  @Test func `rates of PostgreSQL and SQLite transactions are printed`() throws {
    let drawings = try CollectionPath("users/ann/drawings")
    let indexes = [
      DocumentIndex("drawings", "createdAt"), DocumentIndex("drawings", "checkinId", "createdAt"),
    ]
    let folder = try TemporaryFolder()
    let schema = PostgresSchemaOfTest(in: try #require(PostgresServer.sharedURL))
    func postgres() throws -> PostgresDocumentStore {
      try PostgresDocumentStore(schema.url, schema: schema.name, indexes: indexes)
    }
    let first = try postgres()
    let second = try postgres()
    let sqlite = try SQLiteDocumentStore(folder.file("documents").path, indexes: indexes)
    let stores: [(String, [any DocumentStore])] = [
      ("SQLite", [sqlite]), ("PostgreSQL", [first]), ("PostgreSQL, two stores", [first, second]),
    ]
    for (name, stores) in stores {
      func set(_ lane: Int, _ path: DocumentPath) throws {
        try stores[lane % stores.count].change(at: Moment(seconds: 1)) {
          try $0.set(path, Self.fields)
          return ()
        }
      }
      var line = name
      for threads in [1, 8] {
        let rate = rate(threads) { lane, number in
          try set(
            lane, drawings.document("\(name.prefix(1))\(stores.count)\(threads)-\(lane)-\(number)"))
        }
        line += ", set by \(threads): \(rate)"
      }
      // A submission reads permissions and stores two documents, an outbox entry and a count.
      let submits = rate(8) { lane, number in
        for step in 0..<4 {
          try set(lane, drawings.document("x\(stores.count)\(step)-\(lane)-\(number)"))
        }
      }
      line += ", four transactions by 8: \(submits)"
      let pages = try CollectionPath("users/bob/drawings")
      try stores[0].change(at: Moment(seconds: 1)) { transaction throws in
        for number in 0..<10_000 {
          try transaction.set(
            pages.document("d\(number)"),
            Self.fields.merging(["createdAt": .moment(Moment(seconds: Int64(number)))]))
        }
      }
      for threads in [1, 8] {
        let reads = rate(threads) { lane, number in
          _ = try stores[lane % stores.count].document(pages.document("d\(number % 10_000)"))
        }
        line += ", document by \(threads): \(reads)"
      }
      for threads in [1, 8] {
        let rate = rate(threads) { lane, number in
          let query = Query(pages).ordered(by: "createdAt", descending: number % 2 == 0).page(50)
            .filtered("createdAt", .greater(.moment(Moment(seconds: Int64(number * 37 % 9_000)))))
          let found = try stores[lane % stores.count].documents(query)
          if found.count != 50 { throw Mishap() }
        }
        line += ", page of 50 by \(threads): \(rate)"
      }
      let numbers = rate(1) { _, _ in _ = try stores[0].read { try $0.lastSequence() } }
      line += ", last number by 1: \(numbers)"
      print(line)
    }
    let start = PostgresConnection.now()
    #expect(try first.problems() == [])
    let checked = PostgresConnection.now()
    try first.repairIndexes()
    let count = try first.read { try $0.changes(after: 0, in: nil, limit: .max).count }
    print(
      "\(count) documents: checked in \(checked - start) ms, repaired in \(PostgresConnection.now() - checked) ms"
    )
  }
}
