import StorageTestSupport
import TestSupport
import Testing

@testable import Storage

/// The simplest implementation of a document store, for comparison.
private struct PlainModel {
  var documents: [DocumentPath: Document] = [:]
  var changes: [DocumentPath: (sequence: Int64, moment: Moment)] = [:]
  var lastSequence: Int64 = 0

  mutating func set(_ path: DocumentPath, _ fields: Fields, at moment: Moment) {
    lastSequence += 1
    documents[path] = Document(
      path: path, fields: fields, created: documents[path]?.created ?? moment, updated: moment,
      sequence: lastSequence)
    changes[path] = (lastSequence, moment)
  }

  mutating func delete(_ path: DocumentPath, at moment: Moment) {
    guard documents.removeValue(forKey: path) != nil else { return }
    lastSequence += 1
    changes[path] = (lastSequence, moment)
  }

  mutating func noteDeletion(of path: DocumentPath, at moment: Moment) {
    documents[path] = nil
    lastSequence += 1
    changes[path] = (lastSequence, moment)
  }

  mutating func erase(_ collection: CollectionPath) {
    documents = documents.filter { $0.key.collection != collection }
    changes = changes.filter { $0.key.collection != collection }
  }

  /// All results of a query, without its limit.
  func results(_ query: Query) -> [Document] {
    let found = documents.values.filter { document in
      document.path.collection == query.collection
        && query.filters.allSatisfy { holds($0.condition, document[$0.field] ?? .null) }
    }
    let sorted = found.sorted { a, b in
      for field in query.order {
        let order = plainOrder(a[field] ?? .null, b[field] ?? .null)
        if order != 0 { return order < 0 }
      }
      return Array(a.id.utf8).lexicographicallyPrecedes(Array(b.id.utf8))
    }
    return query.isDescending ? sorted.reversed() : sorted
  }

  private func holds(_ condition: Query.Condition, _ value: FieldValue) -> Bool {
    func isComparable(_ other: FieldValue) -> Bool { value != .null && value.kind == other.kind }
    switch condition {
    case .equal(let other): return plainOrder(value, other) == 0
    case .less(let other): return isComparable(other) && plainOrder(value, other) < 0
    case .atMost(let other): return isComparable(other) && plainOrder(value, other) <= 0
    case .greater(let other): return isComparable(other) && plainOrder(value, other) > 0
    case .atLeast(let other): return isComparable(other) && plainOrder(value, other) >= 0
    case .oneOf(let others): return others.contains { plainOrder(value, $0) == 0 }
    case .contains(let other):
      return value.listValue?.contains { plainOrder($0, other) == 0 } ?? false
    }
  }

  func changed(after sequence: Int64, in collection: CollectionPath?) -> [DocumentChange] {
    changes.filter { $1.sequence > sequence && (collection == nil || $0.collection == collection) }
      .sorted { $0.value.sequence < $1.value.sequence }
      .map {
        DocumentChange(
          path: $0, sequence: $1.sequence, moment: $1.moment, document: documents[$0])
      }
  }
}

struct DocumentModelTests {
  private static let collections = ["notes", "users/ann/notes", "users/bob/notes", "other"]
  private static let names = (0..<12).map { "d\($0)" } + ["D1", "d-1", "d.1", "d_1", "d", "1d"]

  private static func path(_ random: inout RandomValues) throws -> DocumentPath {
    try CollectionPath(random.pick(collections)).document(random.pick(names))
  }

  private static func query(_ random: inout RandomValues) throws -> Query {
    var query = Query(try CollectionPath(random.pick(collections)))
    for _ in 0..<random.pick([0, 1, 1, 2, 3]) {
      let value = random.value(depth: 1)
      let condition: Query.Condition =
        switch random.whole(0...8) {
        case 0...2: .equal(value)
        case 3: .less(value)
        case 4: .atMost(value)
        case 5: .greater(value)
        case 6: .atLeast(value)
        case 7: .contains(random.value(depth: 0))
        default: .oneOf((0..<random.whole(0...12)).map { _ in random.value(depth: 0) })
        }
      query = query.filtered(random.pick(["a", "b", "c", "z"]), condition)
    }
    query.order = random.pick([
      [], ["a"], ["a"], ["b"], ["a", "b"], ["b", "a"], ["c", "a", "b"], ["z", "a"], ["é"],
    ])
    query.isDescending = random.chance(0.5)
    return query
  }

  @Test(arguments: DocumentStoreKind.allCases, [1, 2] as [UInt64])
  func `random transactions and queries have the results of a plain model`(
    _ kind: DocumentStoreKind, _ seed: UInt64
  ) throws {
    let store = try kind.open()
    var model = PlainModel()
    var random = RandomValues(seed: seed)
    // The number of results: queries without results would test nothing.
    var resultCount = 0
    for round in 0..<22 {
      let before = model
      let fails = random.chance(0.15)
      do {
        try store.change(at: Int64(round)) { transaction throws in
          for _ in 0...random.whole(0...8) {
            let path = try Self.path(&random)
            switch random.whole(0...19) {
            case 0...12:
              let fields = random.fields()
              try transaction.set(path, fields)
              model.set(path, fields, at: Moment(seconds: Int64(round)))
            case 13...15:
              let moment = Moment(seconds: Int64(random.whole(0...99)))
              #expect(
                try transaction.delete(path, at: moment) == (model.documents[path] != nil))
              model.delete(path, at: moment)
              if random.chance(0.2) {
                try transaction.noteDeletion(of: path, at: moment)
                model.noteDeletion(of: path, at: moment)
              }
              #expect(
                try transaction.deletion(of: path)?.moment == model.changes[path]?.moment)
            case 16...18:
              guard let old = model.documents[path] else { continue }
              let fields = random.fields()
              try transaction.update(path, fields)
              let merged = Fields(old.fields.all + fields.all)
              model.set(path, merged, at: Moment(seconds: Int64(round)))
            default:
              guard random.chance(0.3) else { continue }
              try transaction.erase(path.collection)
              model.erase(path.collection)
            }
          }
          if fails { throw Mishap() }
        }
      } catch is Mishap {
        model = before
      }
      try store.read { reader throws in
        #expect(try reader.lastSequence() == model.lastSequence)
        let after = Int64(random.whole(0...Int(model.lastSequence)))
        let one = try CollectionPath(random.pick(Self.collections))
        for collection in [nil, one] {
          let changes = model.changed(after: after, in: collection)
          #expect(
            try reader.changes(after: after, in: collection, limit: 5) == Array(changes.prefix(5)))
        }
        let collections = Set(model.documents.keys.map(\.collection)).sorted()
        #expect(try reader.collections(beginningWith: "", after: nil, limit: 9) == collections)
        let path = try Self.path(&random)
        #expect(try reader.document(path) == model.documents[path])
      }
      for _ in 0..<12 {
        let query = try Self.query(&random)
        let results = model.results(query)
        resultCount += results.count
        try #require(try store.store.documents(query) == results, "\(query)")
        #expect(try store.read { try $0.count(query) } == results.count, "\(query)")
        let pages = try store.allPages(of: query, size: random.whole(1...5))
        try #require(pages.flatMap { $0 } == results, "\(query), by pages")
      }
    }
    #expect(resultCount > 100)
    if let sqlite = store.store as? SQLiteDocumentStore { #expect(try sqlite.problems() == []) }
  }
}
