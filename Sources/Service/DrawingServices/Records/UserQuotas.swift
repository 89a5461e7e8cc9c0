import Storage
import Threads

/// How many bytes each user may store. The sum is taken from the stores when a user first writes, counted on, and taken
/// again now and then, since other programs write, too.
///
/// Nobody waits for a change to end before a sum is taken, and none waits for the other one. Of a change that was under way
/// meanwhile nobody knows whether the sum has seen it: it counts if it adds bytes, and not if it gives some back. So a sum
/// may be too large for a while, but never too small; before anybody is refused by such a sum it is taken again.
package final class UserQuotas: Sendable {
  /// What one user has, as far as it is known.
  private struct Account {
    /// The bytes that are stored; nil if nobody has taken the sum yet.
    var bytes: Int?
    /// Whether files are among them. The store of files may be away.
    var hasFiles = false
    /// Whether nothing has changed while the sum was taken.
    var isExact = false
    /// When the sum was taken, and when it is to be taken again.
    var taken = Moment(microseconds: 0)
    var due = Moment(microseconds: 0)
    /// How long it took.
    var seconds: Int64 = 0
    /// Changes by one when somebody begins and ends to take the sum: odd while somebody does.
    var epoch = 0
    /// The bytes that changes have added meanwhile.
    var added = 0
    /// Why the sum could not be taken the last time.
    var failure: (any Error)?
    /// The changes that are under way, and the bytes that they may add.
    var changeCount = 0
    var reserved = 0

    var isBeingTaken: Bool { epoch % 2 == 1 }

    /// How long the sum may refuse something without being taken again. Only other programs can make an exact one wrong.
    /// One that has taken long is not taken all the time.
    var trustedSeconds: Int64 { max(isExact ? 10 : 1, 30 * seconds) }

    mutating func doubt(isWrong: Bool) {
      if isWrong { isExact = false }
      due = min(due, taken + trustedSeconds)
    }

    func isCurrent(at now: Moment) -> Bool {
      // A clock that was set back must not prolong it.
      now <= due && due <= now + UserQuotas.memorySeconds
    }
  }

  /// A change of what a user has that is under way.
  struct Change {
    fileprivate let uid: String
    fileprivate let epoch: Int
    fileprivate(set) var reserved: Int
  }

  /// The bytes that one user may have.
  package let limit: Int
  private let accounts = ConditionMutex<[String: Account]>([:])
  /// Locks of the folders in which files change.
  let folders = ProcessLocks()

  private static let memorySeconds: Int64 = 600
  private static let memorySize = 100_000
  /// When a sum without files is taken again.
  private static let awaySeconds: Int64 = 10

  package init(limit: Int) { self.limit = limit }

  // MARK: - Sums

  /// The bytes of a user, if they are known.
  func sum(of uid: String) -> Int? { accounts.withLock { $0[uid]?.bytes } }

  /// Makes sure that the sum of a user is known. One thread takes it, and the others wait if they have none at all.
  /// Without `files` a sum of documents will do, if the store of files cannot be read. Reads the stores, so not to be
  /// called within a transaction. With an epoch, a sum is meant that is taken after it.
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
      // All who have waited for it learn that it failed, and do not try one after the other.
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

  /// Says to a thread that it takes the sum.
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
        // The former sum is better than none, and so is that of the documents.
        if let documentBytes, account.bytes == nil || !account.hasFiles {
          (account.bytes, account.hasFiles) = (documentBytes + account.added, false)
        }
        // The wait for a store that is away was none for a sum.
        (account.isExact, account.seconds) = (false, 0)
        account.due = now + Self.awaySeconds
      }
      let isKnown = accounts.withLock { $0[uid].map { $0.bytes != nil && ($0.hasFiles || !files) } }
      if isKnown != true { throw error }
    }
  }

  /// Takes a sum again by which somebody is refused, if that may help.
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

  /// Calls a body that counts bytes of a user whose sum is known. If they are too many, the sum is taken again first.
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

  /// Has the sum of a user taken again soon, since it refuses something or is perhaps wrong.
  func doubt(_ uid: String, isWrong: Bool = false) {
    accounts.withLock { $0[uid]?.doubt(isWrong: isWrong) }
  }

  /// Forgets a sum, so that it is taken again.
  package func forget(_ uid: String) { accounts.withLock { $0[uid]?.bytes = nil } }

  // MARK: - Changes

  /// Throws if so many more bytes are too many at the moment.
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

  /// Begins a change that may add bytes; throws if they are too many. A negative number never fails.
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

  /// Says how many bytes a change that is under way may add in all.
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

  /// Ends a change that has added bytes, or deleted some.
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
        // A document may be deleted before its change has ended here.
        let isWrong = bytes < 0 && account.changeCount == 0
        account.bytes = isWrong ? 0 : bytes
        if isWrong { account.doubt(isWrong: true) }
      }
      accounts[change.uid] = account
    }
  }
}

extension ServiceEnvironment {
  /// Throws if a user may not store so many more bytes.
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
  /// The bytes that it has added.
  private var added = 0
  /// Whether something was refused.
  private(set) var wasRefused = false

  init(
    _ inner: any DocumentTransaction, _ quotas: UserQuotas, of uid: String
  ) throws(StorageError) {
    (self.inner, self.quotas) = (inner, quotas)
    change = try quotas.begin(0, of: uid)
  }

  /// Ends the counting. What was not stored does not count.
  func end(isStored: Bool) { quotas.end(change, adding: isStored ? added : 0) }

  /// The bytes of the name of a document, as far as they count, and those that stay when it is deleted.
  private func nameBytes(_ path: DocumentPath) -> (whileStored: Int, afterwards: Int) {
    let (collection, count) = (path.collection, path.id.utf8.count)
    if collection == Collections.users { return (0, 0) }
    return (count, collection.description.hasPrefix("\(Collections.users)/") ? count : 0)
  }

  /// The bytes of a document and its name, or of the name of a deleted one. A damaged document counts as none.
  private func size(_ path: DocumentPath) -> Int {
    let name = nameBytes(path)
    if let document = try? inner.document(path) {
      return document.fields.bytes.count + name.whileStored
    }
    let isDeleted = name.afterwards > 0 && (try? inner.deletion(of: path)) != nil
    return isDeleted ? name.afterwards : 0
  }

  private func count(_ bytes: Int) throws(StorageError) {
    // What makes it smaller is never refused.
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
