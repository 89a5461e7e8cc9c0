import StorageTestSupport
import TestSupport
import Testing

@testable import Storage

/// The results of queries in every document store.
struct DocumentQueryTests {
  private let notes: CollectionPath

  init() throws { notes = try CollectionPath("users/ann/notes") }

  /// A store with documents of these names.
  private func store(
    _ kind: DocumentStoreKind, _ documents: KeyValuePairs<String, Fields>
  ) throws -> OpenDocumentStore {
    let store = try kind.open()
    try store.change { transaction throws in
      for (id, fields) in documents { try transaction.set(notes.document(id), fields) }
      // Another collection of the same last name, with entries in the same indexes.
      try transaction.set(CollectionPath("notes").document("other"), ["a": 1, "b": 1])
    }
    return store
  }

  private static let numbers: KeyValuePairs<String, Fields> = [
    "two": ["a": 2], "one": ["a": 1], "none": [:], "null": ["a": .null], "text": ["a": "1"],
    "half": ["a": 1.5], "three": ["a": 3], "same": ["a": 1.0],
  ]

  @Test(arguments: DocumentStoreKind.allCases)
  func `every query condition matches only values of the same kind`(
    _ kind: DocumentStoreKind
  ) throws {
    let store = try store(kind, Self.numbers)
    let cases: [(Query.Condition, [String])] = [
      (.equal(1), ["one", "same"]),
      (.equal(1.0), ["one", "same"]),
      (.equal("1"), ["text"]),
      (.equal(.null), ["none", "null"]),
      (.less(2), ["one", "same", "half"]),
      (.less(1), []),
      (.atMost(2), ["one", "same", "half", "two"]),
      (.greater(1), ["half", "two", "three"]),
      (.greater(1.25), ["half", "two", "three"]),
      (.atLeast(2), ["two", "three"]),
      (.atLeast(true), []),
      (.less("2"), ["text"]),
      (.atLeast(.moment(Moment(seconds: 0))), []),
      // Comparisons with null match nothing.
      (.less(.null), []), (.atMost(.null), []), (.greater(.null), []), (.atLeast(.null), []),
      (.oneOf([2, "1", 7]), ["two", "text"]),
      (.oneOf([.null, 3]), ["none", "null", "three"]),
      (.oneOf([1, 1, 1.0]), ["one", "same"]),
      (.oneOf([]), []),
    ]
    for (condition, ids) in cases {
      let query = Query(notes).filtered("a", condition)
      #expect(try store.ids(query) == ids.sorted(), "\(condition)")
      #expect(try store.read { try $0.count(query) } == ids.count, "\(condition)")
      let ordered = try store.ids(query.ordered(by: "a"))
      #expect(Set(ordered) == Set(ids) && ordered.count == ids.count, "\(condition), ordered")
      #expect(try store.read { try $0.count(query.ordered(by: "a")) } == ids.count)
      let reversed = try store.ids(query.ordered(by: "a", descending: true))
      #expect(reversed == ordered.reversed(), "\(condition), descending")
    }
  }

  @Test(arguments: DocumentStoreKind.allCases)
  func `a list is found by its values, and texts are sorted without case and accents`(
    _ kind: DocumentStoreKind
  ) throws {
    let store = try store(
      kind,
      [
        "one": ["b": "banana", "a": ["x", "y"]], "two": ["b": "Äpfel", "a": ["y"]],
        "three": ["b": "Cherry", "a": "y"], "four": ["b": 7, "a": []],
      ])
    #expect(try store.ids(Query(notes).filtered("a", .contains("y"))) == ["one", "two"])
    #expect(try store.ids(Query(notes).filtered("a", .contains(.null))) == [])
    let sorted = Query(notes).ordered(by: "b/folded", "a")
    // A number is no text, and sorted as if it were missing.
    #expect(try store.ids(sorted) == ["four", "two", "one", "three"])
    #expect(try store.ids(sorted.filtered("b/folded", .atLeast("b"))) == ["one", "three"])
    #expect(try store.ids(sorted.filtered("b/folded", .equal(.null))) == ["four"])
    let first = try store.store.read { try $0.page(sorted.page(2)) }
    #expect(try store.ids(sorted.page(9, after: first.cursor)) == ["one", "three"])
  }

  @Test(arguments: DocumentStoreKind.allCases)
  func `documents are sorted by kind, by value, and then by name`(
    _ kind: DocumentStoreKind
  ) throws {
    let store = try store(kind, Self.numbers)
    let all = ["none", "null", "one", "same", "half", "two", "three", "text"]
    #expect(try store.ids(Query(notes).ordered(by: "a")) == all)
    #expect(try store.ids(Query(notes).ordered(by: "a", descending: true)) == all.reversed())
    #expect(try store.ids(Query(notes)) == all.sorted())
    #expect(try store.ids(Query(notes).ordered(descending: true)) == all.sorted().reversed())
    // A field that no document has.
    #expect(try store.ids(Query(notes).ordered(by: "z")) == all.sorted())
    #expect(try store.ids(Query(notes).ordered(by: "b", "a")) == all)
    #expect(try store.ids(Query(notes).filtered("z", .equal(.null))) == all.sorted())
  }

  @Test(arguments: DocumentStoreKind.allCases)
  func `document names are sorted by their bytes`(_ kind: DocumentStoreKind) throws {
    let ids = ["-", ".", "_", "", "0", "10", "9", "A", "Z", "a", "a-a", "a.a", "aa", "z"]
      .map { "x\($0)" }
    let store = try kind.open()
    try store.change { transaction throws in
      for id in ids.reversed() { try transaction.set(notes.document(id), ["a": 1]) }
    }
    let sorted = ids.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    for order in [[], ["a"], ["b"], ["a", "b"]] {
      var query = Query(notes)
      query.order = order
      #expect(try store.ids(query) == sorted)
      for size in [1, 3, 5] {
        #expect(try store.allPages(of: query, size: size).flatMap { $0.map(\.id) } == sorted)
      }
    }
  }

  @Test(arguments: DocumentStoreKind.allCases)
  func `all critical values are sorted correctly, ascending and descending`(
    _ kind: DocumentStoreKind
  ) throws {
    let store = try kind.open()
    let values = RandomValues.critical
    try store.change { transaction throws in
      for (number, value) in values.enumerated() {
        try transaction.set(notes.document("d\(number + 100)"), ["a": value])
      }
    }
    // Sorting is stable, and names are in the order of the values here.
    let expected = values.enumerated().sorted { plainOrder($0.element, $1.element) < 0 }.map {
      "d\($0.offset + 100)"
    }
    let query = Query(notes).ordered(by: "a")
    #expect(try store.ids(query) == expected)
    #expect(try store.ids(Query(notes).ordered(by: "a", descending: true)) == expected.reversed())
    for size in [1, 7, values.count - 1, values.count, values.count + 1] {
      let pages = try store.allPages(of: query, size: size)
      #expect(pages.flatMap { $0.map(\.id) } == expected, "pages of \(size)")
      #expect(pages.dropLast().allSatisfy { $0.count == size })
    }
    var random = RandomValues(seed: UInt64(values.count))
    for value in values where random.chance(0.25) {
      for (condition, holds): (Query.Condition, (Int) -> Bool) in [
        (.equal(value), { $0 == 0 }), (.less(value), { $0 < 0 }), (.atMost(value), { $0 <= 0 }),
        (.greater(value), { $0 > 0 }), (.atLeast(value), { $0 >= 0 }),
      ] {
        let isEquality = if case .equal = condition { true } else { false }
        let wanted = values.enumerated().filter { _, other in
          other.kind == value.kind && (isEquality || value != .null)
            && holds(plainOrder(other, value))
        }.map { "d\($0.offset + 100)" }
        let found = try store.ids(query.filtered("a", condition))
        #expect(found == expected.filter { wanted.contains($0) }, "\(condition)")
        #expect(try store.ids(Query(notes).filtered("a", condition)) == wanted, "\(condition)")
      }
    }
  }

  @Test(arguments: DocumentStoreKind.allCases)
  func `a query's filters of several fields must all match`(_ kind: DocumentStoreKind) throws {
    let store = try kind.open()
    try store.change { transaction throws in
      for a in 0..<4 {
        for b in 0..<4 {
          try transaction.set(
            notes.document("d\(a)\(b)"), ["a": .integer(Int64(a)), "b": .integer(Int64(b))])
        }
      }
    }
    let base = Query(notes)
    let b13 = base.filtered("b", .greater(0)).filtered("b", .less(3))
    #expect(try store.ids(b13.filtered("a", .equal(2))) == ["d21", "d22"])
    #expect(
      try store.ids(b13.filtered("a", .equal(2)).ordered(by: "b", descending: true))
        == ["d22", "d21"])
    #expect(try store.ids(b13.filtered("a", .equal(2)).filtered("a", .equal(3))) == [])
    #expect(try store.ids(b13.filtered("a", .oneOf([3, 0]))) == ["d01", "d02", "d31", "d32"])
    #expect(
      try store.ids(base.filtered("a", .atLeast(2)).ordered(by: "b", "a").page(3))
        == ["d20", "d30", "d21"])
    #expect(
      try store.ids(
        base.filtered("b", .atMost(0)).filtered("b", .atLeast(0)).ordered(by: "b", "a"))
        == ["d00", "d10", "d20", "d30"])
    // The order is by a field with an equality filter.
    #expect(
      try store.ids(base.filtered("a", .equal(1)).ordered(by: "a", "b", descending: true))
        == ["d13", "d12", "d11", "d10"])
    #expect(
      try store.ids(
        base.filtered("a", .equal(1)).filtered("b", .equal(2)).ordered(by: "b", "a")) == ["d12"])
  }

  @Test(arguments: DocumentStoreKind.allCases)
  func `a page of results has a cursor if there are more`(_ kind: DocumentStoreKind) throws {
    let store = try store(kind, ["d1": ["a": 1], "d2": ["a": 1], "d3": ["a": 2]])
    for query in [Query(notes), Query(notes).ordered(by: "a"), Query(notes).ordered(by: "c")] {
      func page(_ limit: Int?, after cursor: Query.Cursor? = nil) throws -> Query.Page {
        try store.read { try $0.page(query.page(limit, after: cursor)) }
      }
      #expect(try page(nil).cursor == nil && page(nil).documents.count == 3)
      #expect(try page(3).cursor == nil && page(.max).cursor == nil)
      let first = try page(2)
      #expect(first.documents.map(\.id) == ["d1", "d2"])
      let cursor = try #require(first.cursor)
      #expect(try page(1, after: cursor).documents.map(\.id) == ["d3"])
      #expect(try page(1, after: cursor).cursor == nil)
      #expect(try page(nil, after: cursor).documents.map(\.id) == ["d3"])
      // A limit of zero does not move the cursor.
      #expect(try page(0).documents.isEmpty)
      #expect(try page(0, after: cursor).documents.isEmpty)
      #expect(try page(0, after: cursor).cursor == cursor)
      #expect(try store.read { try $0.count(query.page(1, after: cursor)) } == 3)
    }
    let filtered = Query(notes).filtered("a", .equal(1)).ordered(by: "a").page(2)
    #expect(try store.read { try $0.page(filtered) }.cursor == nil)
  }

  @Test(arguments: DocumentStoreKind.allCases)
  func `documents created or deleted between pages neither hide nor repeat others`(
    _ kind: DocumentStoreKind
  ) throws {
    for isDescending in [false, true] {
      let store = try kind.open()
      try store.change { transaction throws in
        for number in 0..<20 {
          try transaction.set(
            notes.document("d\(number + 10)"), ["a": .integer(Int64(number / 3))])
        }
      }
      let query = Query(notes).ordered(by: "a", descending: isDescending)
      var seen: [String] = []
      var cursor: Query.Cursor?
      var round = 0
      repeat {
        let page = try store.read { try $0.page(query.page(4, after: cursor)) }
        seen += page.documents.map(\.id)
        cursor = page.cursor
        try store.change { transaction throws in
          // The document of the cursor, one of an earlier page, and one before all others.
          if let last = page.documents.last { try transaction.delete(last.path) }
          if let first = page.documents.first { try transaction.set(first.path, first.fields) }
          try transaction.set(
            notes.document("new\(round)"), ["a": isDescending ? .integer(99) : -1])
        }
        round += 1
        try #require(round < 20)
      } while cursor != nil
      let all = (10..<30).map { "d\($0)" }
      #expect(seen == (isDescending ? all.reversed() : all))
    }
  }

  @Test(arguments: DocumentStoreKind.allCases)
  func `a changed document moves in every sort order`(_ kind: DocumentStoreKind) throws {
    let store = try store(kind, ["d1": ["a": 1, "b": 1], "d2": ["a": 2, "b": 2]])
    let (byA, byB) = (Query(notes).ordered(by: "a"), Query(notes).ordered(by: "b", "a"))
    let path = try notes.document("d1")
    try store.change { try $0.update(path, ["a": 3]) }
    #expect(try store.ids(byA) == ["d2", "d1"] && store.ids(byB) == ["d1", "d2"])
    try store.change { try $0.set(path, ["b": 5]) }
    #expect(try store.ids(byA) == ["d1", "d2"] && store.ids(byB) == ["d2", "d1"])
    try store.change { transaction throws in
      try transaction.delete(path)
      #expect(try transaction.documents(byA).map(\.id) == ["d2"])
      try transaction.set(path, ["a": 9])
    }
    #expect(try store.ids(byA) == ["d2", "d1"] && store.ids(byB) == ["d1", "d2"])
    try store.change { try $0.delete(path) }
    #expect(try store.ids(byA) == ["d2"] && store.ids(byB) == ["d2"])
    #expect(try store.read { try $0.count(byA.filtered("a", .greater(0))) } == 1)
  }

  @Test(arguments: DocumentStoreKind.allCases)
  func `invalid queries are refused`(_ kind: DocumentStoreKind) throws {
    let store = try kind.open()
    let hundred = [FieldValue](repeating: 1, count: 100)
    #expect(try store.ids(Query(notes).filtered("a", .oneOf(hundred))) == [])
    let query = Query(notes).filtered("a", .oneOf(hundred + [1]))
    for body: (any DocumentReader) throws -> Void in [
      { _ = try $0.page(query) }, { _ = try $0.count(query) },
    ] {
      #expect(problem { try store.read(body) } == .badValue("more than 100 values"))
    }
    // Values that documents cannot contain find nothing.
    for value: FieldValue in [.number(.nan), .moment(Moment(microseconds: .max))] {
      #expect(try store.ids(Query(notes).filtered("a", .equal(value)).ordered(by: "a")) == [])
    }
  }

  @Test(arguments: DocumentStoreKind.allCases)
  func `a cursor of long values is read back, and a crafted one does no harm`(
    _ kind: DocumentStoreKind
  ) throws {
    let store = try kind.open()
    let long = String(repeating: "long", count: 1500)
    try store.change { transaction throws in
      for number in 0..<5 {
        try transaction.set(
          notes.document("d\(number)"), ["a": .text(long + "\(number / 2)")])
      }
    }
    let query = Query(notes).ordered(by: "a")
    let all = ["d0", "d1", "d2", "d3", "d4"]
    #expect(try store.allPages(of: query, size: 2).flatMap { $0.map(\.id) } == all)
    for text in ["00", "ff", "05", "0561", "0100ff"] {
      let cursor = try #require(Query.Cursor(text))
      for descending in [false, true] {
        let ids = try store.ids(
          Query(notes).ordered(by: "a", descending: descending).page(nil, after: cursor))
        #expect(ids.isEmpty || ids == (descending ? all.reversed() : all))
      }
    }
  }

  @Test func `text that is no cursor is refused`() throws {
    for text in ["", "0", "0g", "+f", "-0", " 0", "0x", "000", "é", "FF", "0\u{300}"] {
      #expect(Query.Cursor(text) == nil, "'\(text)'")
    }
    var bytes = ValueKey()
    for value in RandomValues.critical { bytes.append(value) }
    let cursor = Query.Cursor(key: bytes)
    #expect(Query.Cursor(cursor.description) == cursor)
    #expect(cursor.description.count == 2 * bytes.bytes.count)
  }

  @Test func `an index is used if it fits the query`() throws {
    func plan(_ query: Query, _ indexes: [[String]]) -> QueryPlan {
      QueryPlan(
        query,
        indexes.enumerated().map {
          IndexPattern(
            number: Int64($0.offset),
            DocumentIndex(collection: "notes", fields: $0.element, texts: []))
        })
    }
    let base = Query(notes)
    let byA = base.ordered(by: "a")
    #expect(plan(base, [["a"]]).range == nil)
    #expect(plan(base, [["a"], []]).range?.pattern == 1)
    #expect(plan(byA, [["b"], ["a", "b"], ["a"]]).range?.pattern == 2)
    #expect(plan(base.ordered(by: "b"), [["a", "b"]]).range == nil)
    // A field with an equality filter precedes those of the order, or is one of them.
    let known = base.filtered("a", .equal(1))
    #expect(plan(known, [["a"]]).range?.pattern == 0)
    #expect(plan(known.ordered(by: "b"), [["a"], ["a", "b"]]).range?.pattern == 1)
    #expect(plan(known.ordered(by: "a"), [["a"]]).range?.pattern == 0)
    #expect(plan(known.ordered(by: "a", "b"), [["a", "b"]]).remainingFilters.isEmpty)
    let both = known.filtered("b", .equal(2)).ordered(by: "b")
    #expect(
      plan(both, [["a", "b"]]).range?.pattern == 0
        && plan(both, [["a", "b"]]).remainingFilters.isEmpty)
    // The index that covers the most filters.
    let ranged = known.filtered("b", .less(2)).ordered(by: "b")
    #expect(plan(ranged, [["b"], ["a", "b"]]).range?.pattern == 1)
    #expect(
      plan(ranged, [["b"]]).remainingFilters == [Query.Filter(field: "a", condition: .equal(1))])
  }
}
