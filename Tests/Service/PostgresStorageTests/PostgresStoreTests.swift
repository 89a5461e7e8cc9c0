import Foundation
import Storage
import StorageTestSupport
import TestSupport
import Testing
import Threads

@testable import SharedStorage

/// Tests that only the store on PostgreSQL has.
@Suite(.enabled(if: PostgresServer.sharedURL != nil, "\(PostgresServer.absence)"))
struct PostgresStoreTests {
  private let schema: PostgresSchemaOfTest
  private let notes: CollectionPath

  init() throws {
    schema = PostgresSchemaOfTest(in: try #require(PostgresServer.sharedURL))
    notes = try CollectionPath("users/ann/notes")
  }

  private func open(
    _ indexes: [DocumentIndex] = [], _ limits: PostgresLimits = PostgresLimits()
  ) throws -> PostgresDocumentStore {
    try PostgresDocumentStore(schema.url, schema: schema.name, indexes: indexes, limits: limits)
  }

  /// A separate connection of the test.
  private func connect() throws -> PostgresConnection {
    try PostgresSession(schema.url, schema: schema.name, PostgresLimits())
      .connect(for: .maintenance)
  }

  private func fill(_ store: PostgresDocumentStore, _ count: Int) throws {
    var random = RandomValues(seed: 5)
    try store.change(at: Moment(seconds: 1)) { transaction throws in
      for number in 0..<count {
        try transaction.set(notes.document("d\(number)"), random.fields())
      }
    }
  }

  private func contents(_ store: PostgresDocumentStore) throws -> [DocumentChange] {
    try store.read { try $0.changes(after: 0, in: nil, limit: .max) }
  }

  // MARK: - Changes of several threads in one transaction

  @Test(arguments: [false, true])
  func `a failed change undoes no other change of its transaction`(
    asksFirst: Bool
  ) throws {
    let store = try open()
    let session = try PostgresSession(schema.url, schema: schema.name, PostgresLimits())
    let refusal = StorageError(.unavailable("no files"), "a")
    let changes = try ["a", "b", "c"].map { name in
      let path = try notes.document(name)
      return PendingChange(
        at: Moment(seconds: 1), preparation: { if name == "b", !asksFirst { throw refusal } }
      ) { transaction in
        try transaction.set(path, Fields())
        if name == "b" { throw refusal }
      }
    }
    PostgresDocuments(session, for: .writing).run(changes)
    #expect(changes.map { $0.failure as? StorageError } == [nil, refusal, nil])
    #expect(try contents(store).map(\.path.id) == ["a", "c"])
  }

  // MARK: - Opening

  @Test func `many threads can open one new schema at once`() throws {
    let problems = ConditionMutex<[String]>([])
    Lanes.run(8) { lane in
      do {
        let store = try open(DocumentStoreKind.indexes)
        try store.change(at: Moment(seconds: 1)) {
          try $0.set(notes.document("d\(lane)"), ["a": .integer(Int64(lane))])
        }
      } catch {
        problems.withLock { $0.append("\(error)") }
      }
    }
    problems.withLock { #expect($0 == []) }
    let store = try open(DocumentStoreKind.indexes)
    #expect(try store.documents(Query(notes).ordered(by: "a")).count == 8)
    #expect(try store.problems() == [])
    #expect(try store.identity != nil && store.identity == open(DocumentStoreKind.indexes).identity)
  }

  @Test func `indexes are created and deleted as declared, also for many documents`() throws {
    let first = try open()
    try fill(first, 300)
    let query = Query(notes).filtered("b", .atLeast(0)).ordered(by: "b", "a")
    let results = try first.documents(query)
    #expect(results.count > 20)
    for indexes in [DocumentStoreKind.indexes, [DocumentIndex("notes", "b", "a")], []] {
      let store = try open(indexes)
      // A store that was opened before uses the current indexes.
      #expect(try store.documents(query) == results && first.documents(query) == results)
      #expect(try store.problems() == [])
    }
  }

  @Test func `the tables of a newer program are refused and not changed`() throws {
    _ = try open()
    let connection = try connect()
    _ = try connection.rows("UPDATE facts SET value = 99 WHERE name = 'version'")
    #expect(problem { try open() } == .newerVersion(99))
    #expect(
      try connection.integer("SELECT value FROM facts WHERE name = 'version'") == 99)
  }

  @Test func `a transaction is durable although the server's default is another`() throws {
    let connection = try connect()
    #expect(try connection.rows("SHOW synchronous_commit").text(0, 0) == "on")
    let url = schema.url + "?options=-csynchronous_commit%3Doff"
    let other = try PostgresSession(url, schema: schema.name, PostgresLimits())
      .connect(for: .writing)
    #expect(try other.rows("SHOW synchronous_commit").text(0, 0) == "on")
  }

  // MARK: - Refused connections

  @Test
  func `a wrong password is no passing problem, and is not shown`()
    throws
  {
    let address = try PostgresAddress(schema.url)
    let password = try #require(address.options.first { $0.name == "password" }?.value)
    let database = try #require(schema.url.matches(of: #/\/\w+$/#).last?.output)
    for (url, code) in [
      (schema.url.replacingOccurrences(of: password, with: "wr0ng"), "password"),
      (schema.url.dropLast(database.count) + "/none", "exist"),
    ] where url != schema.url {
      do {
        _ = try PostgresDocumentStore(url)
        Issue.record("\(code) was taken")
      } catch {
        guard case .database(let text) = error.problem else {
          Issue.record("\(error)")
          continue
        }
        #expect(text.contains(code))
        #expect(!"\(error)".contains(password) && !"\(error)".contains("wr0ng"))
      }
    }
  }

  @Test func `a server that cannot be reached is a passing problem`() throws {
    guard
      case .unavailable = problem({
        try PostgresDocumentStore("postgres://ann:s3cret@127.0.0.1:1/ink")
      })
    else {
      Issue.record("another problem")
      return
    }
  }

  @Test func `too many PostgreSQL connections are a passing problem`() throws {
    let connection = try connect()
    let role = schema.name
    _ = try connection.rows("CREATE ROLE \(role) LOGIN PASSWORD 'x' CONNECTION LIMIT 1")
    defer { _ = try? connection.rows("DROP ROLE \(role)") }
    let address = try PostgresAddress(schema.url)
    func value(_ name: String) -> String { address.options.first { $0.name == name }?.value ?? "" }
    let url = "postgres://\(role):x@\(value("host")):\(value("port"))/\(value("dbname"))"
    let session = try PostgresSession(url, schema: schema.name, PostgresLimits())
    let first = try session.connect(for: .signals)
    guard case .unavailable = problem({ try session.connect(for: .signals) }) else {
      Issue.record("another problem")
      return
    }
    #expect(!first.isBroken)
  }

  @Test func `a role without rights gets an error about writing`() throws {
    _ = try open()
    let connection = try connect()
    let role = schema.name
    _ = try connection.rows("CREATE ROLE \(role) LOGIN PASSWORD 'x'")
    _ = try connection.rows("GRANT USAGE ON SCHEMA \(schema.name) TO \(role)")
    _ = try connection.rows("GRANT SELECT ON ALL TABLES IN SCHEMA \(schema.name) TO \(role)")
    let address = try PostgresAddress(schema.url)
    func value(_ name: String) -> String { address.options.first { $0.name == name }?.value ?? "" }
    let url = "postgres://\(role):x@\(value("host")):\(value("port"))/\(value("dbname"))"
    let store = try PostgresDocumentStore(url, schema: schema.name)
    #expect(try store.read { try $0.lastSequence() } == 0)
    #expect(
      problem { try store.change(at: Moment(seconds: 0)) { try $0.set(notes.document("x"), [:]) } }
        == .readOnly)
    _ = try connection.rows("DROP OWNED BY \(role)")
    _ = try connection.rows("DROP ROLE \(role)")
  }

  @Test func `the server's codes are the problems of the store`() {
    let cases: [(String, StorageError.Problem)] = [
      ("57P01", .unavailable("m")), ("57P03", .unavailable("m")), ("53300", .unavailable("m")),
      ("40001", .unavailable("m")), ("40P01", .unavailable("m")), ("08006", .unavailable("m")),
      ("55P03", .locked), ("53100", .full), ("25006", .readOnly), ("42501", .readOnly),
      ("XX001", .damaged("m")), ("XX002", .damaged("m")), ("XX000", .database("m")),
      ("42P01", .database("m")), ("28P01", .database("m")), ("22021", .database("m")),
    ]
    for (code, expected) in cases { #expect(PostgresError.problem(code, "m") == expected) }
    // Messages of a server in another language.
    #expect(
      PostgresError.problem(
        ofConnecting: "Verbindung zu \"h\" fehlgeschlagen: FATAL:  28P01: Passwort-"
          + "Authentifizierung fehlgeschlagen\nLOCATION:  auth_failed, auth.c:338\n")
        == .database("Passwort-Authentifizierung fehlgeschlagen"))
    // A server that dies while TLS begins counts as unreachable.
    for text in ["SSL SYSCALL error: EOF detected", "SSL connection has been closed unexpectedly"] {
      #expect(PostgresError.problem(ofConnecting: text) == .unavailable(text))
    }
    let refused = "server does not support SSL, but SSL was required"
    #expect(PostgresError.problem(ofConnecting: refused) == .database(refused))
  }

  // MARK: - Limits

  @Test func `more readers than connections wait for each other, up to a limit`() throws {
    var limits = PostgresLimits()
    limits.readers = 2
    limits.waitMilliseconds = 300
    let store = try open([], limits)
    try fill(store, 10)
    let problems = ConditionMutex<[String]>([])
    Lanes.run(12) { _ in
      do {
        let count = try store.read { try $0.count(Query(notes)) }
        if count != 10 { throw Mishap() }
      } catch {
        problems.withLock { $0.append("\(error)") }
      }
    }
    problems.withLock { #expect($0 == []) }
    try store.read { _ throws in
      try store.read { _ throws in
        #expect(
          problem { try store.read { try $0.lastSequence() } }
            == .unavailable("all 2 connections are in use"))
      }
    }
    #expect(try store.read { try $0.lastSequence() } == 10)
  }

  @Test func `a lock that another program holds is reported after the time limit`() throws {
    var limits = PostgresLimits()
    limits.waitMilliseconds = 200
    let (store, other) = (try open(), try open([], limits))
    let path = try notes.document("x")
    try store.change(at: Moment(seconds: 0)) { transaction throws in
      try transaction.set(path, ["a": 1])
      let seen = problem { try other.change(at: Moment(seconds: 0)) { try $0.set(path, [:]) } }
      #expect(seen == .locked)
      // Readers never wait.
      #expect(try other.document(path) == nil)
    }
    try other.change(at: Moment(seconds: 1)) { try $0.update(path, ["b": 2]) }
    #expect(try store.document(path)?.fields == ["a": 1, "b": 2])
  }

  @Test func `a process that hangs within a transaction does not delay the others`() throws {
    var limits = PostgresLimits()
    limits.silenceMilliseconds = 300
    let (store, other) = (try open([], limits), try open())
    let path = try notes.document("x")
    let seen = problem {
      try store.change(at: Moment(seconds: 0)) { transaction throws in
        try transaction.set(path, ["a": 1])
        _ = try transaction.count(Query(notes))
        try other.change(at: Moment(seconds: 0)) { try $0.set(path, ["b": 2]) }
      }
    }
    guard case .unavailable = seen else {
      Issue.record("\(String(describing: seen))")
      return
    }
    #expect(try store.document(path)?.fields == ["b": 2])
    try store.change(at: Moment(seconds: 0)) { try $0.set(path, ["c": 3]) }
    #expect(try other.document(path)?.fields == ["c": 3])
  }

  // MARK: - Lost connections

  /// Ends the server's side of all connections to this schema except one.
  private func cut(_ connection: PostgresConnection) throws {
    _ = try connection.rows(
      """
      SELECT pg_terminate_backend(l.pid) FROM pg_locks l
      WHERE l.relation = 'facts'::regclass::oid AND l.pid <> pg_backend_pid()
      """)
  }

  @Test
  func `a connection cut within a transaction undoes it, and its body runs once`()
    throws
  {
    let store = try open()
    try fill(store, 3)
    let before = try contents(store)
    let connection = try connect()
    for cutsBeforeEnd in [true, false] {
      var runs = 0
      let seen = problem {
        try store.change(at: Moment(seconds: 2)) { transaction throws in
          runs += 1
          try transaction.set(notes.document("d0"), ["x": 1])
          _ = try transaction.document(notes.document("d1"))
          try cut(connection)
          if cutsBeforeEnd { try transaction.set(notes.document("d1"), ["x": 1]) }
        }
      }
      guard case .unavailable(let reason) = seen else {
        Issue.record("\(String(describing: seen))")
        continue
      }
      #expect(reason.contains("may be stored") == !cutsBeforeEnd)
      #expect(runs == 1)
      #expect(try contents(store) == before)
    }
    // The same if the body ignores the error.
    let ignored = problem {
      try store.change(at: Moment(seconds: 2)) { transaction throws in
        _ = try transaction.document(notes.document("d1"))
        try cut(connection)
        for name in ["d0", "d1"] { _ = try? transaction.set(notes.document(name), ["x": 1]) }
      }
    }
    guard case .unavailable = ignored else {
      Issue.record("\(String(describing: ignored))")
      return
    }
    #expect(try contents(store) == before && store.problems() == [])
  }

  @Test func `connections lost while unused are replaced without an error`()
    throws
  {
    let store = try open()
    let connection = try connect()
    for round in 0..<3 {
      // Idle connections hold no locks, so they are found by name.
      _ = try connection.rows(
        """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE pid <> pg_backend_pid() AND application_name = 'pentimento' AND state = 'idle'
        AND pid IN (SELECT unnest($1::text::bigint[]))
        """, .text("{\(try processes(store).map(String.init).joined(separator: ","))}"))
      usleep(50_000)
      try store.change(at: Moment(seconds: 0)) { try $0.set(notes.document("d\(round)"), [:]) }
      #expect(try store.read { try $0.count(Query(notes)) } == round + 1)
    }
  }

  /// The server's processes of a writing and a reading connection.
  private func processes(_ store: PostgresDocumentStore) throws -> [Int64] {
    func process(_ reader: any DocumentReader) throws -> Int64 {
      try #require(reader as? PostgresDocuments).rows("SELECT pg_backend_pid()::bigint")
        .integer(0, 0)
    }
    return try [
      store.change(at: Moment(seconds: 0)) { try process($0) }, store.read { try process($0) },
    ]
  }

  @Test func `a statement that fails does not spoil the ones that were sent with it`() throws {
    let connection = try connect()
    for round in 0..<5 {
      // None of these statements is prepared, because the first one fails; their names are not
      // reused.
      connection.later("SELECT 1 / $1", .integer(0))
      connection.later("SELECT \(round)::bigint + 100")
      guard case .database = problem({ try connection.rows("SELECT \(round)::bigint") }) else {
        Issue.record("no error")
        return
      }
      for number in 0...round {
        #expect(try connection.integer("SELECT \(number)::bigint") == Int64(number))
        #expect(try connection.integer("SELECT \(number)::bigint + 100") == Int64(number + 100))
      }
    }
  }

  // MARK: - Groups

  @Test func `exactly the acknowledged changes of many threads are stored`() throws {
    let store = try open(DocumentStoreKind.indexes)
    let acknowledged = ConditionMutex<Set<String>>([])
    Lanes.run(12) { lane in
      var random = RandomValues(seed: UInt64(lane))
      for number in 0..<25 {
        let name = "d\(lane)-\(number)"
        let fate = random.whole(0...9)
        do {
          try store.change(at: Moment(seconds: 1)) { transaction in
            try transaction.set(notes.document(name), ["a": .integer(Int64(number))])
            if fate < 2 { throw Mishap() }
            if fate == 2 {
              // An error of the server, which the body ignores.
              let documents = try #require(transaction as? PostgresDocuments)
              _ = try? documents.rows("SELECT 1 / 0")
            }
          }
          acknowledged.withLock { _ = $0.insert(name) }
        } catch {}
      }
    }
    let found = try store.read { try $0.names(in: notes, after: nil, limit: 999) }
    let kept = acknowledged.withLock { $0 }
    #expect(kept.count > 150 && kept.count < 300)
    #expect(Set(found).symmetricDifference(kept).sorted() == [])
    #expect(try store.problems() == [])
    #expect(try store.read { try $0.lastSequence() } == Int64(kept.count))
  }

  @Test func `sequence numbers grow in the order in which two stores see the changes`() throws {
    let stores = try [open(), open()]
    let isDone = ConditionMutex(0)
    let problems = ConditionMutex<[String]>([])
    Lanes.run(6) { lane in
      do {
        if lane < 4 {
          defer { isDone.change { $0 += 1 } }
          for number in 0..<40 {
            try stores[lane % 2].change(at: Moment(seconds: 1)) {
              try $0.set(notes.document("d\(lane)-\(number)"), [:])
            }
          }
        } else {
          // Reading on from the last seen number misses no change.
          var seen: Int64 = 0
          while seen < 160 {
            let wasDone = isDone.withLock { $0 == 4 }
            let changes = try stores[lane % 2].read {
              try $0.changes(after: seen, in: nil, limit: 99)
            }
            for change in changes {
              if change.sequence != seen + 1 { throw Mishap() }
              seen = change.sequence
            }
            if changes.isEmpty, wasDone, seen < 160 { throw Mishap() }
          }
        }
      } catch {
        problems.withLock { $0.append("\(error)") }
      }
    }
    problems.withLock { #expect($0 == []) }
  }

  @Test func `a page finds the few documents that match behind many that do not`() throws {
    let store = try open([DocumentIndex("notes", "a")])
    try store.change(at: Moment(seconds: 1)) { transaction throws in
      for number in 0..<1000 {
        let fields: Fields = ["a": .integer(Int64(number)), "b": .bool(number % 300 == 299)]
        try transaction.set(notes.document("d\(number)"), fields)
      }
    }
    for descending in [false, true] {
      var query = Query(notes).ordered(by: "a", descending: descending).filtered("b", .equal(true))
      query.limit = 2
      let page = try store.read { try $0.page(query) }
      #expect(page.documents.map(\.id) == (descending ? ["d899", "d599"] : ["d299", "d599"]))
      query.cursor = page.cursor
      #expect(try store.documents(query).map(\.id) == (descending ? ["d299"] : ["d899"]))
    }
  }

  // MARK: - Values

  @Test func `every text and every byte round-trips through PostgreSQL`() throws {
    let store = try open([DocumentIndex("notes", "a")])
    var values = RandomValues.critical
    for start in stride(from: 0, to: 0x11_0000, by: 0x4000) {
      let scalars = (start..<start + 0x4000).compactMap { Unicode.Scalar($0) }
      var text = ""
      text.unicodeScalars.append(contentsOf: scalars)
      values.append(.text(text))
    }
    values.append(.bytes(Array(0...255)))
    values.append(
      .bytes((0..<Document.maximumByteCount - 20).map { UInt8(truncatingIfNeeded: $0) }))
    try store.change(at: Moment(seconds: 0)) { transaction throws in
      for (number, value) in values.enumerated() {
        try transaction.set(notes.document("d\(number)"), ["a": value])
      }
    }
    for (number, value) in values.enumerated() {
      #expect(try store.document(notes.document("d\(number)"))?.fields == ["a": value])
    }
    #expect(try store.documents(Query(notes).ordered(by: "a")).count == values.count)
    #expect(try store.problems() == [])
  }

  // MARK: - Damage

  @Test(arguments: [
    "UPDATE documents SET fields = (SELECT fields FROM documents WHERE id = 'd2') WHERE id = 'd1'",
    "UPDATE documents SET id = 'swapped' WHERE id = 'd1'",
    "UPDATE documents SET created = created + 1 WHERE id = 'd1'",
    "UPDATE documents SET updated = updated - 1 WHERE id = 'd1'",
    "UPDATE documents SET sequence = 1000 WHERE id = 'd1'",
    "UPDATE documents SET checksum = checksum + 4294967296 WHERE id = 'd1'",
    "UPDATE documents SET fields = NULL WHERE id = 'd1'",
    "UPDATE documents SET fields = '\\xa0' WHERE id = 'd0'",
    "UPDATE documents SET collection = 'notes' WHERE id = 'd1'",
  ])
  func `a row that was changed is found by reading it and by checking all`(
    _ statement: String
  ) throws {
    let index = [DocumentIndex("notes", "a")]
    let store = try open(index)
    try fill(store, 150)
    #expect(try store.problems() == [])
    _ = try connect().rows(statement)
    #expect(try !store.problems().isEmpty)
    let damaged = try store.read { try $0.changes(after: 0, in: nil, limit: .max) }
      .filter(\.isDamaged)
    #expect(damaged.count == 1)
    for change in damaged {
      #expect(
        problem { try store.document(change.path) } == .damaged("its checksum is wrong"))
      try store.change(at: Moment(seconds: 2)) { try $0.erase(change.path) }
    }
    try store.repairIndexes()
    #expect(try store.problems() == [])
  }

  @Test(arguments: [
    "DELETE FROM places WHERE id = 'd2'",
    "DELETE FROM documents WHERE id = 'd1'",
    "DELETE FROM collections",
    "UPDATE collections SET count = count + 1",
    "UPDATE collections SET name = 'other'",
    "UPDATE places SET id = 'd3x' WHERE id = 'd2'",
    "UPDATE places SET head = '\\x03' WHERE id = 'd2'",
    "UPDATE places SET rest = '\\x03' WHERE id = 'd2'",
    "INSERT INTO places VALUES (1, 'users/ann/notes', '\\x0301', '', 'd2')",
    "UPDATE facts SET value = 3 WHERE name = 'lastSequence'",
  ])
  func `a wrong index, count or number is found and repaired`(_ statement: String) throws {
    let index = [DocumentIndex("notes", "a")]
    let store = try open(index)
    try fill(store, 20)
    _ = try connect().rows(statement)
    #expect(try !store.problems().isEmpty)
    try store.repairIndexes()
    #expect(try store.problems() == [])
    let (all, sorted) = try (
      store.documents(Query(notes)), store.documents(Query(notes).ordered(by: "a"))
    )
    #expect(Set(all) == Set(sorted) && all.count >= 19)
    let next = try store.change(at: Moment(seconds: 2)) { try $0.set(notes.document("n"), [:]) }
    #expect(next.sequence == 21)
  }

  // MARK: - Signals

  @Test func `a store is notified of another one's changes within milliseconds`() throws {
    let (one, two) = (try open(), try open())
    // The first call connects.
    #expect(try two.waitForChange(after: 0, timeoutMilliseconds: 50) == 0)
    let heard = ConditionMutex<[Int64]>([])
    let observation = two.observeChanges { last in heard.change { $0.append(last) } }
    defer { observation?.end() }
    var longest = 0
    for number in 1...20 {
      try one.change(at: Moment(seconds: 1)) {
        try $0.set(notes.document("d\(number)"), [:])
        return ()
      }
      let start = PostgresConnection.now()
      #expect(
        try two.waitForChange(after: Int64(number - 1), timeoutMilliseconds: 5000)
          == Int64(number))
      longest = max(longest, PostgresConnection.now() - start)
    }
    print("a change was heard of within \(longest) ms")
    #expect(longest < 1000)
    usleep(200_000)
    heard.withLock { #expect($0.last == 20 && $0 == $0.sorted()) }
    // Without a change it returns after the timeout.
    #expect(try two.waitForChange(after: 20, timeoutMilliseconds: 20) == 20)
  }

  @Test func `one process at a time has a lock, and a lost one is reported`() throws {
    let locks = try [0, 1].map { _ in try PostgresLocks(schema.url, schema: schema.name) }
    let inside = ConditionMutex((now: 0, most: 0, count: 0))
    Lanes.run(8) { lane in
      for _ in 0..<10 {
        try? locks[lane % 2].withExclusiveAccess(to: "users/ann") { lease in
          inside.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1), $0.count + 1) }
          try lease.check()
          inside.withLock { $0.now -= 1 }
        }
      }
    }
    inside.withLock { #expect($0.most == 1 && $0.count == 80) }
    // Another name is free meanwhile; the same name is not.
    var limits = PostgresLimits()
    limits.waitMilliseconds = 100
    let hasty = try PostgresLocks(schema.url, schema: schema.name, limits: limits)
    try locks[0].withExclusiveAccess(to: "a\0é") { _ in
      try locks[0].withExclusiveAccess(to: "b") { _ in }
      #expect(problem { try hasty.withExclusiveAccess(to: "a\0é") { _ in } } == .locked)
    }
    try hasty.withExclusiveAccess(to: "a\0é") { _ in }
    #expect(throws: Mishap.self) {
      try hasty.withExclusiveAccess(to: "a\0é") { _ in throw Mishap() }
    }
    // A lock whose connection is cut.
    let connection = try connect()
    let seen = problem {
      try locks[0].withExclusiveAccess(to: "c") { lease in
        let process = try lease.process()
        _ = try connection.rows("SELECT pg_terminate_backend($1::int4)", .integer(process))
        try hasty.withExclusiveAccess(to: "c") { _ in }
        guard case .unavailable = problem({ try lease.check() }) else { throw Mishap() }
      }
    }
    guard case .unavailable = seen else {
      Issue.record("\(String(describing: seen))")
      return
    }
    try locks[0].withExclusiveAccess(to: "c") { _ in }
  }
}
