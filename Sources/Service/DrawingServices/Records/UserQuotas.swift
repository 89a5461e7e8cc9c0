import Storage
import Threads

/// The limit for the bytes of each user. A user's sum is computed from the stores when the user
/// first writes, updated with each change, and computed again periodically, since other programs
/// write too.
///
/// Changes and computations run concurrently. Whether a sum includes a change that ran meanwhile is
/// unknown: such a change counts if it adds bytes, and not if it frees some. So a sum may be too
/// large for a while, but never too small. Before an uncertain sum causes a refusal, it is computed
/// again.
package final class UserQuotas: Sendable {
  /// The known usage of one user.
  private struct Account {
    /// The stored bytes; nil before the first computation.
    var bytes: Int?
    /// Whether the sum includes files. The file store may be unavailable.
    var hasFiles = false
    /// Whether nothing has changed while the sum was computed.
    var isExact = false
    /// When the sum was computed, and when it must be computed again.
    var taken = Moment(microseconds: 0)
    var due = Moment(microseconds: 0)
    /// The duration of the computation.
    var seconds: Int64 = 0
    /// Incremented at the beginning and the end of a computation: odd while one runs.
    var epoch = 0
    /// The bytes that changes have added during the computation.
    var added = 0
    /// The error of the last computation; nil if it succeeded.
    var failure: (any Error)?
    /// The number of running changes, and the bytes that they may add.
    var changeCount = 0
    var reserved = 0

    var isBeingTaken: Bool { epoch % 2 == 1 }

    /// How long the sum may cause refusals before it is computed again, in seconds. An exact sum
    /// can only be wrong because of other programs. The time grows with the duration of the
    /// computation.
    var trustedSeconds: Int64 { max(isExact ? 10 : 1, 30 * seconds) }

    mutating func doubt(isWrong: Bool) {
      if isWrong { isExact = false }
      due = min(due, taken + trustedSeconds)
    }

    func isCurrent(at now: Moment) -> Bool {
      // A clock that was set back must not prolong the validity.
      now <= due && due <= now + UserQuotas.memorySeconds
    }
  }

  /// A running change of a user's data.
  struct Change {
    fileprivate let uid: String
    fileprivate let epoch: Int
    fileprivate(set) var reserved: Int
  }

  /// The maximum number of bytes of one user.
  package let limit: Int
  private let accounts = ConditionMutex<[String: Account]>([:])
  /// Locks of the folders in which files change.
  let folders = ProcessLocks()

  private static let memorySeconds: Int64 = 600
  private static let memorySize = 100_000
  /// The time until a sum without files is computed again, in seconds.
  private static let awaySeconds: Int64 = 10

  package init(limit: Int) { self.limit = limit }

  // MARK: - Sums

  /// The sum of a user; nil if unknown.
  func sum(of uid: String) -> Int? { accounts.withLock { $0[uid]?.bytes } }

  /// Makes sure that the sum of a user is known. One thread computes it; others wait only if they
  /// have no sum at all. Without `files`, a sum of documents suffices if the file store cannot be
  /// read. Must not be called within a transaction, since it reads the stores. With `epoch`,
  /// requires a sum that was computed after it.
  private func prepare(
    _ uid: String, in environment: ServiceEnvironment, files: Bool, after epoch: Int? = nil
  ) throws {
    let now = environment.now()
    var awaited: Int?
    let failure = accounts.wait { accounts -> (any Error)?? in
      var account = accounts[uid] ?? Account()
      let isKnown = account.bytes != nil && (account.hasFiles || !files)
      if account.isBeingTaken {
        if isKnown, epoch == nil { return .some(nil) }
        awaited = account.epoch
        return nil
      }
      if isKnown, epoch.map({ $0 < account.epoch }) ?? account.isCurrent(at: now) {
        return .some(nil)
      }
      // All threads that waited for this computation get its error, instead of retrying one after
      // the other.
      if let awaited, account.epoch == awaited + 1, let failure = account.failure { return failure }
      if accounts.count >= Self.memorySize {
        accounts = accounts.filter { $0.value.isBeingTaken || $0.value.changeCount > 0 }
      }
      account.epoch += 1
      (account.added, account.failure, account.isExact) = (0, nil, account.changeCount == 0)
      accounts[uid] = account
      return TakesSum()
    }
    guard let failure else { return }
    guard failure is TakesSum else { throw failure }
    try take(uid, in: environment, files: files, now)
  }

  /// Tells a thread to compute the sum.
  private struct TakesSum: Error {}

  private func take(
    _ uid: String, in environment: ServiceEnvironment, files: Bool, _ now: Moment
  ) throws {
    func end(_ change: (inout Account) -> Void) {
      accounts.change { accounts in
        guard var account = accounts[uid] else { return }
        account.epoch += 1
        account.taken = now
        let duration = environment.now().microseconds - now.microseconds
        account.seconds = max(0, duration) / 1_000_000
        change(&account)
        accounts[uid] = account
      }
    }
    var documentBytes: Int?
    do {
      let belongings = try Belongings(of: uid, in: environment)
      documentBytes = try belongings.documentBytes()
      let bytes = try belongings.fileBytes() + (documentBytes ?? 0)
      end { account in
        (account.bytes, account.hasFiles) = (bytes + account.added, true)
        account.due = now + Self.memorySeconds
      }
    } catch {
      end { account in
        account.failure = error
        // Without the files, the former sum is used; if there is none, the sum of the documents.
        if let documentBytes, account.bytes == nil || !account.hasFiles {
          (account.bytes, account.hasFiles) = (documentBytes + account.added, false)
        }
        // The time spent waiting for an unavailable store is not the time of a computation.
        (account.isExact, account.seconds) = (false, 0)
        account.due = now + Self.awaySeconds
      }
      let isKnown = accounts.withLock { $0[uid].map { $0.bytes != nil && ($0.hasFiles || !files) } }
      if isKnown != true { throw error }
    }
  }

  /// Computes a sum that causes a refusal again, unless it is recent. Returns whether it did.
  private func renew(_ uid: String, in environment: ServiceEnvironment, files: Bool) throws -> Bool
  {
    let now = environment.now()
    let epoch = accounts.withLock { accounts -> Int? in
      guard let account = accounts[uid] else { return nil }
      let isNew = account.taken <= now && now < account.taken + account.trustedSeconds
      return account.isBeingTaken || !isNew ? account.epoch : nil
    }
    guard let epoch else { return false }
    try prepare(uid, in: environment, files: files, after: epoch)
    return true
  }

  /// Calls a body that counts bytes of a user whose sum is known. If they exceed the quota,
  /// computes the sum again and retries.
  func withSum<Result>(
    of uid: String, in environment: ServiceEnvironment, files: Bool, _ body: () throws -> Result
  ) throws -> Result {
    try prepare(uid, in: environment, files: files)
    do {
      return try body()
    } catch let error as StorageError {
      guard case .overQuota = error.problem, try renew(uid, in: environment, files: files) else {
        throw error
      }
      return try body()
    }
  }

  /// Makes the sum of a user be computed again soon, because it causes a refusal or may be wrong.
  func doubt(_ uid: String, isWrong: Bool = false) {
    accounts.withLock { $0[uid]?.doubt(isWrong: isWrong) }
  }

  /// Forgets a sum, so that it is computed again.
  package func forget(_ uid: String) { accounts.withLock { $0[uid]?.bytes = nil } }

  // MARK: - Changes

  /// Throws if this number of additional bytes exceeds the quota now.
  func check(_ count: Int, of uid: String) throws(StorageError) {
    try accounts.withLock { (accounts) throws(StorageError) in
      guard let account = accounts[uid] else { return }
      try check(count, of: account, uid)
    }
  }

  private func check(_ count: Int, of account: Account, _ uid: String) throws(StorageError) {
    if let bytes = account.bytes, bytes + account.reserved + count > limit {
      throw StorageError(.overQuota(limit: limit), "users/\(uid)")
    }
  }

  /// Begins a change that may add bytes; throws if they exceed the quota. Never throws for a
  /// negative number.
  func begin(_ count: Int, of uid: String) throws(StorageError) -> Change {
    try accounts.withLock { (accounts) throws(StorageError) in
      var account = accounts[uid] ?? Account()
      var change = Change(uid: uid, epoch: account.epoch, reserved: 0)
      try reserve(count, for: &change, of: &account)
      account.changeCount += 1
      accounts[uid] = account
      return change
    }
  }

  /// Sets the total number of bytes that a running change may add.
  func reserve(_ count: Int, for change: inout Change) throws(StorageError) {
    try accounts.withLock { (accounts) throws(StorageError) in
      var account = accounts[change.uid] ?? Account()
      try reserve(count, for: &change, of: &account)
      accounts[change.uid] = account
    }
  }

  private func reserve(
    _ count: Int, for change: inout Change, of account: inout Account
  ) throws(StorageError) {
    let more = count - change.reserved
    guard more > 0 else { return }
    try check(more, of: account, change.uid)
    account.reserved += more
    change.reserved = count
  }

  /// Ends a change that has added or deleted bytes.
  func end(_ change: Change, adding count: Int) {
    accounts.withLock { accounts in
      guard var account = accounts[change.uid] else { return }
      account.changeCount -= 1
      account.reserved -= change.reserved
      let isAlone = change.epoch == account.epoch && !account.isBeingTaken
      let counted = isAlone ? count : max(0, count)
      if account.isBeingTaken { account.added += counted }
      if !isAlone, count != 0 { account.isExact = false }
      if let bytes = account.bytes.map({ $0 + counted }) {
        // A document may be deleted before the change that stored it has ended here.
        let isWrong = bytes < 0 && account.changeCount == 0
        account.bytes = isWrong ? 0 : bytes
        if isWrong { account.doubt(isWrong: true) }
      }
      accounts[change.uid] = account
    }
  }
}

extension ServiceEnvironment {
  /// Throws if a user may not store this number of additional bytes.
  package func checkQuota(_ count: Int, of uid: String) throws {
    guard let quotas, count > 0 else { return }
    try quotas.withSum(of: uid, in: self, files: true) { try quotas.check(count, of: uid) }
  }
}

/// A transaction that counts the bytes of a user's documents.
final class CountingTransaction: DocumentTransaction {
  private let inner: any DocumentTransaction
  private let quotas: UserQuotas
  private var change: UserQuotas.Change
  /// The bytes that the transaction has added.
  private var added = 0
  /// Whether something was refused.
  private(set) var wasRefused = false

  init(
    _ inner: any DocumentTransaction, _ quotas: UserQuotas, of uid: String
  ) throws(StorageError) {
    (self.inner, self.quotas) = (inner, quotas)
    change = try quotas.begin(0, of: uid)
  }

  /// Ends the counting. Without `isStored`, nothing counts.
  func end(isStored: Bool) { quotas.end(change, adding: isStored ? added : 0) }

  /// The counted bytes of a document's name, and those that remain after its deletion.
  private func nameBytes(_ path: DocumentPath) -> (whileStored: Int, afterwards: Int) {
    let (collection, count) = (path.collection, path.id.utf8.count)
    if collection == Collections.users { return (0, 0) }
    return (count, collection.description.hasPrefix("\(Collections.users)/") ? count : 0)
  }

  /// The bytes of a document and its name, or of a deleted document's name. A damaged document
  /// counts as zero.
  private func size(_ path: DocumentPath) -> Int {
    let name = nameBytes(path)
    if let document = try? inner.document(path) {
      return document.fields.bytes.count + name.whileStored
    }
    let isDeleted = name.afterwards > 0 && (try? inner.deletion(of: path)) != nil
    return isDeleted ? name.afterwards : 0
  }

  private func count(_ bytes: Int) throws(StorageError) {
    // Changes that free bytes are never refused.
    if bytes > 0 {
      do throws(StorageError) {
        try quotas.reserve(added + bytes, for: &change)
      } catch {
        wasRefused = true
        throw error
      }
    }
    added += bytes
  }

  /// The transaction without counting, for documents of other users.
  fileprivate var uncounted: any DocumentTransaction { inner }

  var moment: Moment { inner.moment }

  func set(_ path: DocumentPath, _ fields: Fields) throws(StorageError) -> Document {
    try count(fields.bytes.count + nameBytes(path).whileStored - size(path))
    return try inner.set(path, fields)
  }
  func copy(_ document: Document) throws(StorageError) -> Document {
    let path = document.path
    try count(document.fields.bytes.count + nameBytes(path).whileStored - size(path))
    return try inner.copy(document)
  }
  func delete(_ path: DocumentPath, at moment: Moment) throws(StorageError) -> Bool {
    let former = size(path)
    guard try inner.delete(path, at: moment) else { return false }
    added += nameBytes(path).afterwards - former
    return true
  }
  func noteDeletion(of path: DocumentPath, at moment: Moment) throws(StorageError) {
    try count(nameBytes(path).afterwards - size(path))
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

extension DocumentTransaction {
  /// The same transaction, in which changes of other users' documents do not count for the caller.
  var ofOthers: any DocumentTransaction { (self as? CountingTransaction)?.uncounted ?? self }
}
