import Foundation
import TestSupport
import Testing

@testable import Storage

/// The document stores, which all pass the same tests.
enum DocumentStoreKind: CaseIterable, Sendable {
  case inMemory, sqlite, sqliteWithIndexes

  /// Indexes that fit some queries of the tests: of names alone, of one field, of two.
  static let indexes = [
    DocumentIndex("notes"), DocumentIndex("notes", "a"), DocumentIndex("notes", "a", "b"),
    DocumentIndex("notes", "b", "a"), DocumentIndex("notes", "c", "a", "b"),
    DocumentIndex("users", "name"),
  ]

  /// An empty store.
  func open() throws -> OpenDocumentStore {
    if self == .inMemory { return OpenDocumentStore(InMemoryDocumentStore(), nil) }
    let folder = try TemporaryFolder()
    let indexes = self == .sqlite ? [] : Self.indexes
    return OpenDocumentStore(
      try SQLiteDocumentStore(folder.file("documents").path, indexes: indexes), folder)
  }
}

/// A store and its folder, which is deleted with it.
struct OpenDocumentStore {
  let store: any DocumentStore
  private let folder: TemporaryFolder?

  init(_ store: any DocumentStore, _ folder: TemporaryFolder?) {
    self.store = store
    self.folder = folder
  }

  /// Changes documents at a moment in seconds since 1970.
  @discardableResult
  func change<Result>(
    at seconds: Int64 = 0, _ body: (any DocumentTransaction) throws -> Result
  ) throws -> Result {
    try store.change(at: Moment(seconds: seconds), body)
  }

  func read<Result>(_ body: (any DocumentReader) throws -> Result) throws -> Result {
    try store.read(body)
  }

  /// The names of the documents that match a query.
  func ids(_ query: Query) throws -> [String] { try store.documents(query).map(\.id) }

  /// The results of all pages of a query in order; each cursor is read back from its text.
  func allPages(of query: Query, size: Int) throws -> [[Document]] {
    var pages: [[Document]] = []
    var cursor: Query.Cursor?
    repeat {
      let page = try read { try $0.page(query.page(size, after: cursor)) }
      pages.append(page.documents)
      cursor = try page.cursor.map { try #require(Query.Cursor($0.description)) }
      // Fails instead of hanging if a store returns the same page again and again.
      try #require(pages.count < 1000)
    } while cursor != nil
    return pages
  }
}

/// The `StorageError` that a body throws; anything else fails the test.
func problem<Result>(_ body: () throws -> Result) -> StorageError.Problem? {
  do {
    _ = try body()
  } catch let error as StorageError {
    return error.problem
  } catch {
    Issue.record("another kind of error: \(error)")
  }
  return nil
}

/// An error that the caller throws in a transaction.
struct Mishap: Error {}
