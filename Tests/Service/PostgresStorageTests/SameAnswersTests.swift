import Foundation
import Storage
import StorageTestSupport
import TestSupport
import Testing

/// Random operations on two stores, which must give the same results.
struct SameAnswersTests {
  /// Names with all allowed bytes, up to the maximum length.
  private static let names =
    ["a", "A", "0", "a-b", "a.b", "a_b", "Z9", "z", "1.", "e-", "x__"]
    + [
      "a" + String(decoding: [UInt8](45...122).filter(isOfNames), as: UTF8.self),
      String(repeating: "n", count: 128), String(repeating: "n", count: 127) + "m",
    ]

  private static func isOfNames(_ byte: UInt8) -> Bool {
    switch byte {
    case 45, 46, 48...57, 65...90, 95, 97...122: true
    default: false
    }
  }

  private static func collections() throws -> [CollectionPath] {
    // Fifteen names of 128 letters: the longest path.
    let long = (0..<15).map { _ in String(repeating: "p", count: 124) + "note" }
    return try [
      "notes", "users/ann/notes", "users/bob/notes", "users/Ann/notes", "users", "notes2",
    ]
    .map { try CollectionPath($0) } + [CollectionPath(long.joined(separator: "/"))]
  }

  @Test(
    .enabled(if: PostgresServer.sharedURL != nil, "\(PostgresServer.absence)"), arguments: 0..<4)
  func `the stores on PostgreSQL and SQLite give the same results`(_ seed: Int) throws {
    var random = RandomValues(seed: UInt64(seed))
    let indexed = seed % 2 == 1
    let one = try (indexed ? DocumentStoreKind.sqliteWithIndexes : .sqlite).open()
    let two = try (indexed ? DocumentStoreKind.postgresWithIndexes : .postgres).open()
    let collections = try Self.collections()
    for round in 0..<(RunLength.isLong ? 400 : 40) {
      let changes = try (0..<random.whole(1...6)).map { _ in try change(&random, collections) }
      let fails = random.chance(0.15)
      for store in [one, two] {
        try? store.change(at: Int64(round)) { transaction throws in
          for change in changes { try change(transaction) }
          if fails { throw Mishap() }
        }
      }
      let before = random
      let first = try one.read { try answers($0, &random, collections) }
      var again = before
      let second = try two.read { try answers($0, &again, collections) }
      try #require(first == second, "seed \(seed), round \(round)")
      // The same query within a transaction.
      if round % 4 == 0 {
        var last = before
        let third = try two.change { try answers($0, &last, collections) }
        try #require(first == third, "seed \(seed), round \(round)")
      }
    }
    #expect(try one.store.problems() == [] && two.store.problems() == [])
    try two.store.repairIndexes()
    #expect(try two.store.problems() == [])
    var again = random
    #expect(
      try one.read { try answers($0, &random, collections) }
        == two.read { try answers($0, &again, collections) })
  }

  private func change(
    _ random: inout RandomValues, _ collections: [CollectionPath]
  ) throws -> (any DocumentTransaction) throws -> Void {
    let path = try random.pick(collections).document(random.pick(Self.names))
    let moment = Moment(seconds: Int64(random.whole(-5...5)))
    switch random.whole(0...19) {
    case 0...10:
      var fields = random.fields()
      // Keys that only differ beyond the length of an index row of the server.
      if random.chance(0.2) {
        let long = String(repeating: random.pick(["x", "é", "\0"]), count: random.whole(100...700))
        fields["a"] = .text(long + random.text())
      }
      return { [fields] in try $0.set(path, fields) }
    case 11...13: return { try $0.delete(path, at: moment) }
    case 14: return { try $0.noteDeletion(of: path, at: moment) }
    case 15: return { try $0.erase(path) }
    case 16: return { try $0.erase(path.collection) }
    case 17: return { try $0.delete(path) }
    default:
      let fields = random.fields()
      return { if try $0.document(path) != nil { try $0.update(path, fields) } }
    }
  }

  /// The results of random queries as texts.
  private func answers(
    _ reader: any DocumentReader, _ random: inout RandomValues, _ collections: [CollectionPath]
  ) throws -> [String] {
    var answers = ["\(try reader.lastSequence())"]
    for _ in 0..<3 {
      let path = try random.pick(collections).document(random.pick(Self.names))
      answers.append("\(String(describing: try reader.document(path)))")
      answers.append("\(String(describing: try reader.deletion(of: path)))")
      answers.append("\(String(describing: try reader.uncheckedFields(path)))")
    }
    for _ in 0..<3 {
      let query = self.query(&random, collections)
      answers.append("\(try reader.count(query))")
      var cursor: Query.Cursor?
      let size = random.pick([1, 2, 5, 100, nil])
      repeat {
        let page = try reader.page(query.page(size, after: cursor))
        answers.append("\(page.documents) \(page.damaged)")
        cursor = page.cursor
      } while cursor != nil && answers.count < 100
    }
    let collection = random.pick(collections)
    let after = random.chance(0.5) ? random.pick(Self.names + ["a\0", "aé", "a~", "", "zz"]) : nil
    answers.append("\(try reader.names(in: collection, after: after, limit: random.whole(0...9)))")
    answers.append(
      "\(try reader.collections(beginningWith: random.pick(["", "users/", "n", "é", "~"]), after: random.chance(0.5) ? random.pick(collections) : nil, limit: random.whole(0...9)))"
    )
    let since = Int64(random.whole(0...40))
    let place = random.chance(0.5) ? collection : nil
    let changes = try reader.changes(after: since, in: place, limit: random.whole(0...99))
    return answers + changes.map { "\($0)" }
  }

  private func query(_ random: inout RandomValues, _ collections: [CollectionPath]) -> Query {
    var query = Query(random.pick(collections))
    let orders: [[String]] = [
      [], ["a"], ["b"], ["a", "b"], ["b", "a"], ["b\0"], ["c", "a", "b"],
    ]
    query.order = random.pick(orders)
    query.isDescending = random.chance(0.5)
    if random.chance(0.3) {
      query.search = TextSearch(
        random.pick(["a", "é", "ab", "kk", "e b", "\0", "好"]), in: ["b", "c/text"])
    }
    for _ in 0..<random.whole(0...2) {
      let value = random.value(depth: 1)
      let conditions: [Query.Condition] = [
        .equal(value), .less(value), .atMost(value), .greater(value), .atLeast(value),
        .oneOf([value, random.value(depth: 1)]), .contains(random.value(depth: 0)),
      ]
      query = query.filtered(random.pick(["a", "b", "c"]), random.pick(conditions))
    }
    return query
  }
}
