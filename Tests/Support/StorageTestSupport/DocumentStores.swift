import Foundation
import SharedStorage
public import Storage
import TestSupport

/// The document stores, which all pass the same tests.
public enum DocumentStoreKind: CaseIterable, Sendable {
  case inMemory, sqlite, sqliteWithIndexes, postgres, postgresWithIndexes

  /// The stores on this machine; a missing one is reported.
  public static let allCases: [Self] = {
    let always: [Self] = [.inMemory, .sqlite, .sqliteWithIndexes]
    if PostgresServer.sharedURL != nil { return always + [.postgres, .postgresWithIndexes] }
    print("documents in PostgreSQL: \(PostgresServer.absence)")
    return always
  }()

  /// Indexes for some queries of the tests: of names only, of one field, of two.
  public static let indexes = [
    DocumentIndex("notes"), DocumentIndex("notes", "a"), DocumentIndex("notes", "a", "b"),
    DocumentIndex("notes", "b", "a"), DocumentIndex("notes", "c", "a", "b"),
    DocumentIndex("notes", "a", texts: ["b", "c/text"]), DocumentIndex("users", "name"),
    DocumentIndex("notes", "b/folded", "a"),
  ]

  /// An empty store.
  public func open() throws -> OpenDocumentStore {
    switch self {
    case .inMemory: return OpenDocumentStore(InMemoryDocumentStore(), nil)
    case .sqlite, .sqliteWithIndexes:
      let folder = try TemporaryFolder()
      return OpenDocumentStore(
        try SQLiteDocumentStore(
          folder.file("documents").path, indexes: self == .sqlite ? [] : Self.indexes), folder)
    case .postgres, .postgresWithIndexes:
      let schema = PostgresSchemaOfTest(in: PostgresServer.sharedURL ?? "")
      return OpenDocumentStore(
        try PostgresDocumentStore(
          schema.url, schema: schema.name, indexes: self == .postgres ? [] : Self.indexes), schema)
    }
  }
}

/// A store with the folder or schema that is deleted with it.
public struct OpenDocumentStore: Sendable {
  /// The store.
  public let store: any DocumentStore
  private let holder: (any AnyObject & Sendable)?

  init(_ store: any DocumentStore, _ holder: (any AnyObject & Sendable)?) {
    self.store = store
    self.holder = holder
  }

  /// Changes documents at a moment in seconds since 1970.
  @discardableResult
  public func change<Result>(
    at seconds: Int64 = 0, _ body: (any DocumentTransaction) throws -> Result
  ) throws -> Result {
    try store.change(at: Moment(seconds: seconds), body)
  }

  /// Reads a snapshot.
  public func read<Result>(_ body: (any DocumentReader) throws -> Result) throws -> Result {
    try store.read(body)
  }

  /// The names of the documents that match a query.
  public func ids(_ query: Query) throws -> [String] { try store.documents(query).map(\.id) }

  /// The results of all pages of a query in order; each cursor is read back from its text.
  public func allPages(of query: Query, size: Int) throws -> [[Document]] {
    var pages: [[Document]] = []
    var cursor: Query.Cursor?
    repeat {
      let page = try read { try $0.page(query.page(size, after: cursor)) }
      pages.append(page.documents)
      cursor = try page.cursor.map { cursor in
        guard let again = Query.Cursor(cursor.description) else { throw Mishap() }
        return again
      }
      // Fails instead of hanging if a store returns the same page again and again.
      guard pages.count < 1000 else { throw Mishap() }
    } while cursor != nil
    return pages
  }
}

/// The problem of the `StorageError` that a body throws. Any other error becomes one that no test
/// expects.
public func problem<Result>(_ body: () throws -> Result) -> StorageError.Problem? {
  do {
    _ = try body()
  } catch let error as StorageError {
    return error.problem
  } catch {
    return .database("another kind of error: \(error)")
  }
  return nil
}

/// An error that the caller throws in a transaction.
public struct Mishap: Error {
  /// An error without a reason.
  public init() {}
}
