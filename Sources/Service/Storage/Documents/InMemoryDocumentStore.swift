import Threads

/// Documents in memory only: the reference for other stores, and the store of tests.
public final class InMemoryDocumentStore: DocumentStore {
  private let contents = ConditionMutex(Contents())
  /// Locked during a transaction. Readers do not need it.
  private let writing = ConditionMutex(())

  /// A random number that identifies the store.
  public let identity: Int64? = .random(in: 1...(.max))

  /// A store without documents.
  public init() {}

  /// Calls a body with a snapshot of the documents.
  public func read<Result>(_ body: (any DocumentReader) throws -> Result) throws -> Result {
    try body(Snapshot(contents.withLock { $0 }, moment: Moment(microseconds: 0)))
  }

  /// Runs a change in one transaction, after the transactions of other threads.
  public func carryOut(_ change: PendingChange) throws {
    try writing.withLock { _ in
      let snapshot = Snapshot(contents.withLock { $0 }, moment: change.moment)
      change.prepare()
      try change.run(snapshot)
      contents.withLock { $0 = snapshot.contents }
    }
  }

  /// Returns no problems: memory is not checked.
  public func problems() -> [StorageError] { [] }

  /// Does nothing: there are no indexes.
  public func repairIndexes() {}

  struct Contents {
    /// The documents, nil for deleted ones, with their last change.
    var entries: [DocumentPath: (document: Document?, sequence: Int64, moment: Moment)] = [:]
    var lastSequence: Int64 = 0
  }

  /// A snapshot of the documents, with the changes of a transaction.
  private final class Snapshot: DocumentTransaction {
    var contents: Contents
    let moment: Moment

    init(_ contents: Contents, moment: Moment) {
      self.contents = contents
      self.moment = moment
    }

    func document(_ path: DocumentPath) -> Document? { contents.entries[path]?.document }

    func deletion(of path: DocumentPath) -> DocumentDeletion? {
      contents.entries[path].flatMap { entry in
        entry.document == nil
          ? DocumentDeletion(moment: entry.moment, sequence: entry.sequence) : nil
      }
    }

    func uncheckedFields(_ path: DocumentPath) -> Fields? { document(path)?.fields }

    func page(_ query: Query) throws(StorageError) -> Query.Page {
      try query.check()
      var results = QuerySorter(query)
      for document in documents(in: query.collection) { results.add(document) }
      return results.page
    }

    func count(_ query: Query) throws(StorageError) -> Int {
      try query.check()
      return documents(in: query.collection).count { query.matches($0.fields) }
    }

    private func documents(in collection: CollectionPath) -> [Document] {
      contents.entries.values.compactMap(\.document).filter { $0.path.collection == collection }
    }

    func names(
      in collection: CollectionPath, after: String?, limit: Int
    ) throws(StorageError) -> [String] {
      try Query.check(limit: limit)
      let paths = documents(in: collection).map(\.path).sorted()
      return Array(paths.map(\.id).drop { !Self.isAfter($0, after) }.prefix(limit))
    }

    private static func isAfter(_ name: String, _ other: String?) -> Bool {
      other.map { $0.utf8.lexicographicallyPrecedes(name.utf8) } ?? true
    }

    func collections(
      beginningWith prefix: String, after: CollectionPath?, limit: Int
    ) throws(StorageError) -> [CollectionPath] {
      try Query.check(limit: limit)
      let all = Set(contents.entries.values.compactMap(\.document?.path.collection))
      return Array(
        all.filter { path in
          path.description.utf8.starts(with: prefix.utf8) && after.map { $0 < path } ?? true
        }.sorted().prefix(limit))
    }

    func byteCount(inCollectionsBeginningWith prefix: String) -> Int {
      contents.entries.filter { $0.key.collection.description.utf8.starts(with: prefix.utf8) }
        .reduce(0) { $0 + $1.key.id.utf8.count + ($1.value.document?.fields.bytes.count ?? 0) }
    }

    func changes(
      after sequence: Int64, in collection: CollectionPath?, limit: Int
    ) throws(StorageError) -> [DocumentChange] {
      try Query.check(limit: limit)
      let changed = contents.entries.filter { path, entry in
        entry.sequence > sequence && (collection == nil || collection == path.collection)
      }
      return changed.sorted { $0.value.sequence < $1.value.sequence }.prefix(limit).map {
        DocumentChange(path: $0, sequence: $1.sequence, moment: $1.moment, document: $1.document)
      }
    }

    func lastSequence() -> Int64 { contents.lastSequence }

    func set(_ path: DocumentPath, _ fields: Fields) throws(StorageError) -> Document {
      try copy(
        Document(
          path: path, fields: fields, created: self.document(path)?.created ?? moment,
          updated: moment, sequence: 0))
    }

    func copy(_ given: Document) throws(StorageError) -> Document {
      try given.fields.checkAsDocument(given.path)
      contents.lastSequence += 1
      let document = Document(
        path: given.path, fields: given.fields, created: given.created, updated: given.updated,
        sequence: contents.lastSequence)
      contents.entries[given.path] = (document, document.sequence, given.updated)
      return document
    }

    func delete(_ path: DocumentPath, at moment: Moment) -> Bool {
      guard document(path) != nil else { return false }
      contents.lastSequence += 1
      contents.entries[path] = (nil, contents.lastSequence, moment)
      return true
    }

    func noteDeletion(of path: DocumentPath, at moment: Moment) {
      contents.lastSequence += 1
      contents.entries[path] = (nil, contents.lastSequence, moment)
    }

    func erase(_ path: DocumentPath) { contents.entries[path] = nil }

    func erase(_ collection: CollectionPath) {
      contents.entries = contents.entries.filter { $0.key.collection != collection }
    }
  }
}

/// Filters and sorts documents for a query without an index.
package struct QuerySorter {
  private let query: Query
  private var results: [(key: ValueKey, document: Document)] = []
  /// The errors of documents that could not be read.
  package var damaged: [StorageError] = []

  package init(_ query: Query) { self.query = query }

  /// Adds a document if it matches the query.
  package mutating func add(_ document: Document) {
    guard query.matches(document.fields) else { return }
    let key = query.key(of: document)
    if query.isAfterCursor(key) { results.append((key, document)) }
  }

  /// The sorted matches, up to the limit of the query.
  package var page: Query.Page {
    let sorted = results.sorted { query.isDescending ? $1.key < $0.key : $0.key < $1.key }
    let wanted = query.limit.map { sorted.prefix($0) } ?? sorted[...]
    guard wanted.count < sorted.count else {
      return Query.Page(documents: wanted.map(\.document), cursor: nil, damaged: damaged)
    }
    // With a limit of zero the cursor does not advance.
    return Query.Page(
      documents: wanted.map(\.document),
      cursor: wanted.last.map { Query.Cursor(key: $0.key) } ?? query.cursor, damaged: damaged)
  }
}
