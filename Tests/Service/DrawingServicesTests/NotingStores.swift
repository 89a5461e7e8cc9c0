import Glibc
import Threads
@testable import DrawingServices
@testable import Storage

/// The recorded calls that change stores, in order. From a given call on, all fail, as if the
/// program had died.
final class Notes: Sendable {
  /// Whether snapshots of documents are recorded, too.
  let hasReads: Bool
  private let state = ConditionMutex((calls: [String](), rest: Int?.none))

  init(withReads hasReads: Bool = false) { self.hasReads = hasReads }

  var calls: [String] { state.withLock { $0.calls } }

  /// Clears the list of calls; the given number of further calls succeed.
  func reset(callsThatSucceed count: Int? = nil) { state.withLock { $0 = ([], count) } }

  func add(_ call: String) throws(StorageError) {
    try state.withLock { (state) throws(StorageError) in
      if let rest = state.rest {
        guard rest > 0 else { throw StorageError(.full, call) }
        state.rest = rest - 1
      }
      state.calls.append(call)
    }
  }
}

/// Documents whose changes are recorded before and after each call, and may fail.
struct NotingDocumentStore: DocumentStore {
  var store = InMemoryDocumentStore()
  let notes: Notes
  /// Called after each change.
  var afterChange: @Sendable () -> Void = {}

  func read<Result>(_ body: (any DocumentReader) throws -> Result) throws -> Result {
    if notes.hasReads { try notes.add("read") }
    return try store.read(body)
  }

  func problems() -> [StorageError] { store.problems() }

  func repairIndexes() {}

  var identity: Int64? { store.identity }

  func carryOut(_ change: PendingChange) throws {
    try notes.add("begin")
    defer { afterChange() }
    try store.change(at: change.moment) { transaction in
      change.prepare()
      try change.run(transaction)
      try notes.add("commit")
    }
  }
}

/// Blobs whose changes are recorded and may fail.
struct NotingBlobStore: BlobStore {
  var store = InMemoryBlobStore()
  let notes: Notes
  /// Called after a blob was read.
  var afterGet: @Sendable (BlobPath) -> Void = { _ in }
  /// Called before and after blobs are stored in an existing folder.
  var beforePut: @Sendable () -> Void = {}
  var afterPut: @Sendable () -> Void = {}
  /// Called before listing all files below a folder.
  var beforeWalk: @Sendable () throws -> Void = {}
  /// The thread with the lock of a folder.
  private let holder = ConditionMutex<UInt?>(nil)

  init(
    store: InMemoryBlobStore = InMemoryBlobStore(), notes: Notes,
    afterGet: @escaping @Sendable (BlobPath) -> Void = { _ in },
    beforePut: @escaping @Sendable () -> Void = {}, afterPut: @escaping @Sendable () -> Void = {},
    beforeWalk: @escaping @Sendable () throws -> Void = {}
  ) {
    (self.store, self.notes) = (store, notes)
    (self.afterGet, self.beforePut) = (afterGet, beforePut)
    (self.afterPut, self.beforeWalk) = (afterPut, beforeWalk)
  }

  func put(
    _ contents: [BlobContent], in folder: BlobFolder, at moment: Moment
  ) throws(StorageError) -> [BlobInfo] {
    try notes.add("put \(contents.map(\.name).joined(separator: " "))")
    beforePut()
    defer { afterPut() }
    return try store.put(contents, in: folder, at: moment)
  }
  func create(
    _ contents: [BlobContent], in folder: BlobFolder, at moment: Moment
  ) throws(StorageError) -> [BlobInfo]? {
    try notes.add("create \(contents.map(\.name).joined(separator: " "))")
    return try store.create(contents, in: folder, at: moment)
  }
  func add(
    _ contents: [BlobContent], beside info: BlobInfo, at moment: Moment
  ) throws(StorageError) -> [BlobInfo]? {
    try notes.add("add \(contents.map(\.name).joined(separator: " "))")
    return try store.add(contents, beside: info, at: moment)
  }
  func put(
    _ contents: [BlobContent], deleting names: [String], beside info: BlobInfo, at moment: Moment
  ) throws(StorageError) -> [BlobInfo]? {
    try notes.add("replace \(contents.map(\.name).joined(separator: " "))")
    beforePut()
    defer { afterPut() }
    return try store.put(contents, deleting: names, beside: info, at: moment)
  }
  func get(_ path: BlobPath) throws(StorageError) -> Blob? {
    let blob = store.get(path)
    afterGet(path)
    return blob
  }
  func get(_ names: [String], in folder: BlobFolder) -> [Result<Blob?, StorageError>] {
    names.map { name in
      Result { () throws(StorageError) in try get(folder.blob(name)) }
    }
  }
  func uncheckedBytes(_ path: BlobPath) throws(StorageError) -> [UInt8]? {
    store.uncheckedBytes(path)
  }
  func info(_ path: BlobPath) throws(StorageError) -> BlobInfo? { store.info(path) }
  func delete(_ path: BlobPath) throws(StorageError) -> Bool {
    try notes.add("delete \(path.name)")
    return store.delete(path)
  }
  func delete(_ folder: BlobFolder) throws(StorageError) -> Bool {
    try notes.add("delete files")
    return store.delete(folder)
  }
  func deleteTree(
    _ folder: BlobFolder, except keeps: (BlobFolder) throws -> Bool
  ) throws -> Int {
    try notes.add("delete tree")
    return try store.deleteTree(folder, except: keeps)
  }
  func move(_ folder: BlobFolder, to other: BlobFolder) throws(StorageError) -> Bool {
    try notes.add("move files")
    return try store.move(folder, to: other)
  }
  func forEachFolder(
    below folder: BlobFolder, _ body: (BlobFolder, [BlobFile]) throws -> Void
  ) throws {
    try beforeWalk()
    try store.forEachFolder(below: folder, body)
  }
  func fileNames(in folder: BlobFolder) -> Set<String> { store.fileNames(in: folder) }
  func folders(
    below folder: BlobFolder, after: BlobFolder?, limit: Int
  ) throws(StorageError) -> [BlobFolder] {
    try store.folders(below: folder, after: after, limit: limit)
  }
  func entries(of folder: BlobFolder) throws(StorageError) -> [BlobEntry] {
    store.entries(of: folder)
  }
  func removeLeftovers(below folder: BlobFolder, before moment: Moment) throws(StorageError) -> Int
  {
    store.removeLeftovers(below: folder, before: moment)
  }
  func noteUse(of path: BlobPath, at moment: Moment) { store.noteUse(of: path, at: moment) }
  func withExclusiveAccess<Result>(
    to folder: BlobFolder?, _ body: () throws -> Result
  ) throws -> Result {
    // An action in the middle of an operation stands for a program that has lost its lock.
    let thread = UInt(pthread_self())
    if holder.withLock({ $0 == thread }) { return try body() }
    return try store.withExclusiveAccess(to: folder) {
      holder.withLock { $0 = thread }
      defer { holder.withLock { $0 = nil } }
      return try body()
    }
  }
}

/// An action that runs once, during another operation.
final class Meanwhile: Sendable {
  private let act = ConditionMutex<(@Sendable () -> Void)?>(nil)
  private let happened = ConditionMutex(false)

  var hasHappened: Bool { happened.withLock { $0 } }

  func prepare(_ body: @escaping @Sendable () -> Void) { act.withLock { $0 = body } }

  func happen() {
    let body = act.withLock { act in
      defer { act = nil }
      return act
    }
    guard let body else { return }
    happened.withLock { $0 = true }
    body()
  }
}
