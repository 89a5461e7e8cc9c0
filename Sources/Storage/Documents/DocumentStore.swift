/// Documents by their paths, kept safely.
///
/// What a transaction did is there as a whole or not at all, also after a power cut, once it has
/// returned. Stores may be used from any thread.
public protocol DocumentStore: Sendable {
  /// Calls a body with the documents as they are at one moment.
  func read<Result>(_ body: (any DocumentReader) throws -> Result) throws -> Result
  /// Calls a body that changes documents, at a moment by the caller's clock. If it throws, nothing
  /// has changed. Nobody else changes documents meanwhile.
  @discardableResult
  func change<Result>(
    at moment: Moment, _ body: (any DocumentTransaction) throws -> Result
  ) throws -> Result
  /// Looks at everything and says what is wrong.
  func problems() throws(StorageError) -> [StorageError]
  /// Makes indexes and counts again from the documents that can be read.
  func repairIndexes() throws(StorageError)
}

/// Documents as they are at one moment.
public protocol DocumentReader {
  /// A document; nil where there is none. Throws for one that is damaged.
  func document(_ path: DocumentPath) throws(StorageError) -> Document?
  /// Whether there was a document of this path which was deleted since, as `changes` knows, too.
  func wasDeleted(_ path: DocumentPath) throws(StorageError) -> Bool
  /// The fields of a document that may be damaged, as far as they can be read at all: nobody vouches for
  /// them. Nil where there is nothing to read.
  func uncheckedFields(_ path: DocumentPath) throws(StorageError) -> Fields?
  /// The answer to a question. Documents that are damaged are passed over, and named in the answer.
  func page(_ query: Query) throws(StorageError) -> Query.Page
  /// How many documents answer a question; limit and cursor do not count. Damaged documents count where
  /// nothing has to be read of them. Without filters this takes the same time for any number.
  func count(_ query: Query) throws(StorageError) -> Int
  /// The names of a collection's documents behind one of them, in order, so many at most; also of those
  /// that cannot be read any more.
  func names(
    in collection: CollectionPath, after: String?, limit: Int
  ) throws(StorageError) -> [String]
  /// Collections that hold documents, in the order of their paths: those whose paths begin with some
  /// letters, behind one of them, so many at most.
  func collections(
    beginningWith prefix: String, after: CollectionPath?, limit: Int
  ) throws(StorageError) -> [CollectionPath]
  /// The last change of every document that changed after a number, in their order; of one collection
  /// or of all.
  func changes(
    after sequence: Int64, in collection: CollectionPath?, limit: Int
  ) throws(StorageError) -> [DocumentChange]
  /// The number of the last change; zero before the first.
  func lastSequence() throws(StorageError) -> Int64
}

/// Documents that are being changed.
public protocol DocumentTransaction: DocumentReader {
  /// The moment at which all of this happens.
  var moment: Moment { get }
  /// Stores a document; one that is there is replaced, also if it is damaged.
  @discardableResult
  func set(_ path: DocumentPath, _ fields: Fields) throws(StorageError) -> Document
  /// Takes a document away, damaged or not, if there is one, and says whether there was. That it was
  /// deleted stays known to `changes`.
  @discardableResult
  func delete(_ path: DocumentPath) throws(StorageError) -> Bool
  /// Takes a document away, and all that is known of it.
  func erase(_ path: DocumentPath) throws(StorageError)
  /// Takes all documents of a collection away, and what is known of those that were deleted.
  func erase(_ collection: CollectionPath) throws(StorageError)
}

extension DocumentReader {
  /// All documents that answer a question.
  public func documents(_ query: Query) throws(StorageError) -> [Document] {
    try page(query).documents
  }

  /// A document that must be there.
  public func existing(_ path: DocumentPath) throws(StorageError) -> Document {
    guard let document = try document(path) else {
      throw StorageError(.notFound, path.description)
    }
    return document
  }
}

extension DocumentTransaction {
  /// Stores a document where there must be none.
  @discardableResult
  public func create(_ path: DocumentPath, _ fields: Fields) throws(StorageError) -> Document {
    guard try document(path) == nil else {
      throw StorageError(.alreadyThere, path.description)
    }
    return try set(path, fields)
  }

  /// Puts fields over those of a document that must be there; the others stay.
  @discardableResult
  public func update(_ path: DocumentPath, _ fields: Fields) throws(StorageError) -> Document {
    try set(path, try existing(path).fields.merging(fields))
  }
}

extension DocumentStore {
  /// A document; nil where there is none.
  public func document(_ path: DocumentPath) throws -> Document? {
    try read { try $0.document(path) }
  }

  /// All documents that answer a question.
  public func documents(_ query: Query) throws -> [Document] {
    try read { try $0.documents(query) }
  }
}

/// An order in which documents of all collections of one name can be found without looking at others:
/// first by fields that must have a value, then by those that are ordered.
public struct DocumentIndex: Hashable, Sendable {
  /// The last name of the collections.
  public let collection: String
  /// The fields, the first one first.
  public let fields: [String]

  /// An index.
  public init(_ collection: String, _ fields: String...) {
    self.init(collection: collection, fields: fields)
  }

  init(collection: String, fields: [String]) {
    self.collection = collection
    self.fields = fields
  }
}

extension Fields {
  /// Throws where this cannot be a document.
  func checkAsDocument(_ path: DocumentPath) throws(StorageError) {
    try check()
    guard bytes.count <= Document.maximumByteCount else {
      throw StorageError(.tooLarge(limit: Document.maximumByteCount), path.description)
    }
  }
}
