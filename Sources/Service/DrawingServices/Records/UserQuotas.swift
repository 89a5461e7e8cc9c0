package import Storage
import Threads

/// How many bytes each user may store. The sum is taken from the stores when a user first writes, counted on, and taken
/// again now and then, since other programs write, too.
package final class UserQuotas: Sendable {
  private struct Holding {
    var bytes: Int
    let until: Moment
  }

  /// The bytes that one user may have.
  package let limit: Int
  private let holdings = ConditionMutex<[String: Holding]>([:])

  private static let memorySeconds: Int64 = 600
  private static let memorySize = 100_000

  package init(limit: Int) { self.limit = limit }

  /// Makes sure that the sum of a user is known. Reads the stores, so not to be called within a transaction.
  func prepare(_ uid: String, in environment: ServiceEnvironment) throws {
    let now = environment.now()
    let known = holdings.withLock { $0[uid] }
    // A clock that was set back must not prolong it.
    if let known, now <= known.until, known.until <= now + Self.memorySeconds { return }
    let bytes = try Belongings(of: uid, in: environment).countedBytes()
    holdings.withLock { holdings in
      if holdings.count >= Self.memorySize { holdings = [:] }
      holdings[uid] = Holding(bytes: bytes, until: now + Self.memorySeconds)
    }
  }

  /// Counts bytes of a user whose sum was prepared; throws if they are too many. A negative number gives some back, and
  /// never fails.
  func take(_ count: Int, of uid: String) throws(StorageError) {
    try holdings.withLock { (holdings) throws(StorageError) in
      guard let holding = holdings[uid] else { return }
      guard count <= 0 || holding.bytes + count <= limit else {
        throw StorageError(.overQuota(limit: limit), "users/\(uid)")
      }
      holdings[uid]?.bytes = max(0, holding.bytes + count)
    }
  }

  /// Forgets a sum, so that it is taken again.
  package func forget(_ uid: String) { holdings.withLock { $0[uid] = nil } }
}

extension ServiceEnvironment {
  /// Calls a body that stores bytes of a user; throws before it if they are too many. If it fails, they count no longer.
  package func counting<Result>(
    _ count: Int, of uid: String, _ body: () throws -> Result
  ) throws -> Result {
    guard let quotas else { return try body() }
    try quotas.prepare(uid, in: self)
    try quotas.take(count, of: uid)
    do {
      return try body()
    } catch {
      try? quotas.take(-count, of: uid)
      throw error
    }
  }

  /// Throws if a user may not store so many more bytes.
  package func checkQuota(_ count: Int, of uid: String) throws {
    try counting(count, of: uid) {}
    giveBack(count, of: uid)
  }

  /// Counts bytes of a user no longer.
  package func giveBack(_ count: Int, of uid: String) { try? quotas?.take(-count, of: uid) }

  /// The bytes of the files in a folder, or of those whose names fulfil a condition.
  package func byteCount(
    in folder: BlobFolder, where isCounted: (String) -> Bool = { _ in true }
  ) -> Int {
    guard quotas != nil, let entries = try? blobs.entries(of: folder) else { return 0 }
    return entries.reduce(0) { $0 + (isCounted($1.name) ? $1.info?.size ?? 0 : 0) }
  }
}

/// A transaction that counts the bytes of a user's documents.
final class CountingTransaction: DocumentTransaction {
  private let inner: any DocumentTransaction
  private let quotas: UserQuotas
  private let uid: String
  /// The bytes that it has added.
  private(set) var added = 0

  init(_ inner: any DocumentTransaction, _ quotas: UserQuotas, of uid: String) {
    (self.inner, self.quotas, self.uid) = (inner, quotas, uid)
  }

  /// The bytes of a stored document. One that is damaged counts as none.
  private func size(_ path: DocumentPath) -> Int {
    (try? inner.document(path))?.fields.bytes.count ?? 0
  }

  private func count(_ bytes: Int) throws(StorageError) {
    try quotas.take(bytes, of: uid)
    added += bytes
  }

  var moment: Moment { inner.moment }

  func set(_ path: DocumentPath, _ fields: Fields) throws(StorageError) -> Document {
    try count(fields.bytes.count - size(path))
    return try inner.set(path, fields)
  }
  func copy(_ document: Document) throws(StorageError) -> Document {
    try count(document.fields.bytes.count - size(document.path))
    return try inner.copy(document)
  }
  func delete(_ path: DocumentPath, at moment: Moment) throws(StorageError) -> Bool {
    try count(-size(path))
    return try inner.delete(path, at: moment)
  }
  func noteDeletion(of path: DocumentPath, at moment: Moment) throws(StorageError) {
    try count(-size(path))
    try inner.noteDeletion(of: path, at: moment)
  }
  func erase(_ path: DocumentPath) throws(StorageError) {
    try count(-size(path))
    try inner.erase(path)
  }
  func erase(_ collection: CollectionPath) throws(StorageError) { try inner.erase(collection) }

  func document(_ path: DocumentPath) throws(StorageError) -> Document? {
    try inner.document(path)
  }
  func deletion(of path: DocumentPath) throws(StorageError) -> DocumentDeletion? {
    try inner.deletion(of: path)
  }
  func uncheckedFields(_ path: DocumentPath) throws(StorageError) -> Fields? {
    try inner.uncheckedFields(path)
  }
  func page(_ query: Query) throws(StorageError) -> Query.Page { try inner.page(query) }
  func count(_ query: Query) throws(StorageError) -> Int { try inner.count(query) }
  func names(
    in collection: CollectionPath, after: String?, limit: Int
  ) throws(StorageError) -> [String] {
    try inner.names(in: collection, after: after, limit: limit)
  }
  func collections(
    beginningWith prefix: String, after: CollectionPath?, limit: Int
  ) throws(StorageError) -> [CollectionPath] {
    try inner.collections(beginningWith: prefix, after: after, limit: limit)
  }
  func byteCount(inCollectionsBeginningWith prefix: String) throws(StorageError) -> Int {
    try inner.byteCount(inCollectionsBeginningWith: prefix)
  }
  func changes(
    after sequence: Int64, in collection: CollectionPath?, limit: Int
  ) throws(StorageError) -> [DocumentChange] {
    try inner.changes(after: sequence, in: collection, limit: limit)
  }
  func lastSequence() throws(StorageError) -> Int64 { try inner.lastSequence() }
}
