/// Durable storage of documents by path.
///
/// Transactions are atomic, and durable once they have returned, also after a power cut. A store
/// may be used from any thread.
public protocol DocumentStore: Sendable {
  /// Calls a body with a snapshot of the documents.
  func read<Result>(_ body: (any DocumentReader) throws -> Result) throws -> Result
  /// Runs a change in one transaction. If its body throws, nothing has changed, and this throws the
  /// error. No other transaction runs at the same time.
  func carryOut(_ change: PendingChange) throws
  /// Checks everything and returns the problems.
  func problems() throws(StorageError) -> [StorageError]
  /// Rebuilds indexes and counts from the readable documents.
  func repairIndexes() throws(StorageError)
  /// Calls a body after changes by any program, with the last sequence number, until the
  /// observation is released. It must be brief. Numbers may be skipped or repeated. Nil if the
  /// store has to be polled instead.
  func observeChanges(_ body: @escaping @Sendable (Int64) -> Void) -> ChangeObservation?
  /// Overwrites the remains of erased documents in the store's files. Returns false if a reader
  /// still uses an old snapshot: then call it again.
  func forgetErased() throws(StorageError) -> Bool
  /// A random number that identifies the store and its copies.
  var identity: Int64? { get throws }
}

/// A snapshot of documents.
public protocol DocumentReader {
  /// A document; nil if there is none. Throws if it is damaged.
  func document(_ path: DocumentPath) throws(StorageError) -> Document?
  /// The deletion of the document at this path; nil if it was not deleted, or `changes` no longer
  /// reports that.
  func deletion(of path: DocumentPath) throws(StorageError) -> DocumentDeletion?
  /// The fields of a document without checking its checksum, for the repair of a damaged one. Nil
  /// if there is no document, or its bytes are not fields.
  func uncheckedFields(_ path: DocumentPath) throws(StorageError) -> Fields?
  /// The result of a query. Damaged documents are skipped and listed in `damaged`.
  func page(_ query: Query) throws(StorageError) -> Query.Page
  /// The number of documents that match a query, without regard to limit and cursor. Damaged
  /// documents are included if the count does not need their fields. Takes constant time without
  /// filters.
  func count(_ query: Query) throws(StorageError) -> Int
  /// The sorted names of the documents in a collection, damaged ones included: those after `after`,
  /// at most `limit`.
  func names(
    in collection: CollectionPath, after: String?, limit: Int
  ) throws(StorageError) -> [String]
  /// The sorted paths of the collections with documents whose paths begin with `prefix`: those
  /// after `after`, at most `limit`.
  func collections(
    beginningWith prefix: String, after: CollectionPath?, limit: Int
  ) throws(StorageError) -> [CollectionPath]
  /// The size in bytes of documents in the collections whose paths begin with `prefix`: their names
  /// and fields, and the names of deleted ones that `changes` still reports. Reads no fields.
  func byteCount(inCollectionsBeginningWith prefix: String) throws(StorageError) -> Int
  /// The last change of every document that has changed after a sequence number, in the order of
  /// the changes; in one collection, or in all if nil.
  func changes(
    after sequence: Int64, in collection: CollectionPath?, limit: Int
  ) throws(StorageError) -> [DocumentChange]
  /// The sequence number of the last change; zero before the first one.
  func lastSequence() throws(StorageError) -> Int64
}

/// A transaction that reads and changes documents.
public protocol DocumentTransaction: DocumentReader {
  /// The moment of all changes in this transaction.
  var moment: Moment { get }
  /// Stores a document. Replaces an existing one, also a damaged one.
  @discardableResult
  func set(_ path: DocumentPath, _ fields: Fields) throws(StorageError) -> Document
  /// Stores a document of another store with its times. Its sequence number is the next one here.
  @discardableResult
  func copy(_ document: Document) throws(StorageError) -> Document
  /// Deletes a document, damaged or not, and returns whether it existed. `changes` reports the
  /// deletion and its moment, which need not be that of the transaction.
  @discardableResult
  func delete(_ path: DocumentPath, at moment: Moment) throws(StorageError) -> Bool
  /// Records that a document was deleted at a moment, even if it never existed here. `changes`
  /// reports it.
  func noteDeletion(of path: DocumentPath, at moment: Moment) throws(StorageError)
  /// Removes a document and every trace of it, so that `changes` does not report it.
  func erase(_ path: DocumentPath) throws(StorageError)
  /// Removes all documents of a collection and every trace of the deleted ones.
  func erase(_ collection: CollectionPath) throws(StorageError)
}

extension DocumentReader {
  /// The documents that match a query. Skips damaged ones.
  public func documents(_ query: Query) throws(StorageError) -> [Document] {
    try page(query).documents
  }

  /// Whether a document at this path was deleted and `changes` still reports the deletion.
  public func wasDeleted(_ path: DocumentPath) throws(StorageError) -> Bool {
    try deletion(of: path) != nil
  }

  /// A document that must exist; throws `.notFound` otherwise.
  public func existing(_ path: DocumentPath) throws(StorageError) -> Document {
    guard let document = try document(path) else {
      throw StorageError(.notFound, path.description)
    }
    return document
  }
}

extension DocumentTransaction {
  /// Deletes a document at the moment of the transaction.
  @discardableResult
  public func delete(_ path: DocumentPath) throws(StorageError) -> Bool {
    try delete(path, at: moment)
  }

  /// Stores a new document; throws `.alreadyExists` if there is one.
  @discardableResult
  public func create(_ path: DocumentPath, _ fields: Fields) throws(StorageError) -> Document {
    guard try document(path) == nil else {
      throw StorageError(.alreadyExists, path.description)
    }
    return try set(path, fields)
  }

  /// Replaces some fields of an existing document; the others stay. Throws `.notFound` if there is
  /// none.
  @discardableResult
  public func update(_ path: DocumentPath, _ fields: Fields) throws(StorageError) -> Document {
    try set(path, try existing(path).fields.merging(fields))
  }
}

extension DocumentStore {
  /// Nothing to do: no remains of erased documents can be reached.
  public func forgetErased() throws(StorageError) -> Bool { true }

  /// A document; nil if there is none.
  public func document(_ path: DocumentPath) throws -> Document? {
    try read { try $0.document(path) }
  }

  /// The documents that match a query. Skips damaged ones.
  public func documents(_ query: Query) throws -> [Document] {
    try read { try $0.documents(query) }
  }
}

/// An index over all collections with the same last name: first the fields with equality filters,
/// then the fields of the order. It may also find words in texts.
public struct DocumentIndex: Hashable, Sendable {
  /// The last name of the indexed collections.
  public let collection: String
  /// The indexed fields, the most significant first.
  public let fields: [String]
  /// The paths of the indexed texts, as in `TextSearch`.
  public let texts: [String]

  /// An index over fields, the most significant first.
  public init(_ collection: String, _ fields: String..., texts: [String] = []) {
    self.init(collection: collection, fields: fields, texts: texts)
  }

  package init(collection: String, fields: [String], texts: [String]) {
    self.collection = collection
    self.fields = fields
    self.texts = texts
  }
}

extension DocumentIndex {
  /// Throws if this index cannot be stored: a newline separates the stored names of its fields.
  package func check() throws(StorageError) {
    try StorageName.check(collection)
    for field in fields + texts where field.isEmpty || field.utf8.contains(UInt8(ascii: "\n")) {
      throw StorageError(.badValue("not a field name for an index"), field.printableASCII)
    }
  }

  /// Fields and texts as a store keeps them: one a line, the texts after an empty line.
  package var lines: String {
    (texts.isEmpty ? fields : fields + [""] + texts).joined(separator: "\n")
  }

  package init(_ collection: String, lines: String) {
    let lines = lines.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
    let end = lines.firstIndex(of: "") ?? lines.count
    self.init(
      collection: collection, fields: Array(lines[..<end]), texts: Array(lines.dropFirst(end + 1)))
  }
}

extension Fields {
  /// Throws if these fields cannot be stored as a document.
  package func checkAsDocument(_ path: DocumentPath) throws(StorageError) {
    try check()
    guard bytes.count <= Document.maximumByteCount else {
      throw StorageError(.tooLarge(limit: Document.maximumByteCount), path.description)
    }
  }
}
