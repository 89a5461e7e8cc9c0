import Storage

/// The power of a simulated machine. It can fail at any write: before it, or after it but before
/// the write is acknowledged.
final class Power: @unchecked Sendable {
  // Only one thread runs a simulation.

  /// The number of writes that are still made; nil for no limit.
  var writesLeft: Int?
  /// Whether the last write is made, although the power fails.
  var makesLast = false
  private(set) var isOff = false

  static let failure = StorageError(.database("the power is off"), "simulation")

  /// Runs a write, or the power fails.
  func write<Result>(_ body: () throws -> Result) throws -> Result {
    guard !isOff else { throw Self.failure }
    if let left = writesLeft {
      if left <= 0 {
        isOff = true
        if makesLast { _ = try body() }
        throw Self.failure
      }
      writesLeft = left - 1
    }
    return try body()
  }

  func write<Result>(
    _ body: () throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    do {
      return try write { try body() } as Result
    } catch let error as StorageError {
      throw error
    } catch {
      throw Self.failure
    }
  }

  func read() throws(StorageError) {
    if isOff { throw Self.failure }
  }

  func restart() {
    isOff = false
    writesLeft = nil
  }
}

/// Documents of a machine whose power may fail.
final class CrashingDocuments: DocumentStore {
  private let store: InMemoryDocumentStore
  private let power: Power

  init(_ store: InMemoryDocumentStore, _ power: Power) { (self.store, self.power) = (store, power) }

  var identity: Int64? { store.identity }

  func read<Result>(_ body: (any DocumentReader) throws -> Result) throws -> Result {
    try power.read()
    return try store.read(body)
  }

  func carryOut(_ change: PendingChange) throws {
    try power.write { () throws in try store.carryOut(change) }
  }

  func problems() -> [StorageError] { store.problems() }
  func repairIndexes() { store.repairIndexes() }
}

/// Files of a machine whose power may fail.
final class CrashingBlobs: BlobStore {
  private let store: InMemoryBlobStore
  private let power: Power

  init(_ store: InMemoryBlobStore, _ power: Power) { (self.store, self.power) = (store, power) }

  func put(
    _ contents: [BlobContent], in folder: BlobFolder, at moment: Moment
  ) throws(StorageError) -> [BlobInfo] {
    try power.write { () throws(StorageError) in try store.put(contents, in: folder, at: moment) }
  }

  func create(
    _ contents: [BlobContent], in folder: BlobFolder, at moment: Moment
  ) throws(StorageError) -> [BlobInfo]? {
    try power.write { () throws(StorageError) in
      try store.create(contents, in: folder, at: moment)
    }
  }

  func add(
    _ contents: [BlobContent], beside info: BlobInfo, at moment: Moment
  ) throws(StorageError) -> [BlobInfo]? {
    try power.write { () throws(StorageError) in try store.add(contents, beside: info, at: moment) }
  }

  func put(
    _ contents: [BlobContent], deleting names: [String], beside info: BlobInfo, at moment: Moment
  ) throws(StorageError) -> [BlobInfo]? {
    try power.write { () throws(StorageError) in
      try store.put(contents, deleting: names, beside: info, at: moment)
    }
  }

  func get(_ path: BlobPath) throws(StorageError) -> Blob? {
    try power.read()
    return store.get(path)
  }

  func get(
    _ names: [String], in folder: BlobFolder
  ) throws(StorageError) -> [Result<Blob?, StorageError>] {
    try power.read()
    return store.get(names, in: folder)
  }

  func uncheckedBytes(_ path: BlobPath) throws(StorageError) -> [UInt8]? {
    try power.read()
    return store.uncheckedBytes(path)
  }

  func info(_ path: BlobPath) throws(StorageError) -> BlobInfo? {
    try power.read()
    return store.info(path)
  }

  func delete(_ path: BlobPath) throws(StorageError) -> Bool {
    try power.write { () throws(StorageError) in store.delete(path) }
  }

  func delete(_ folder: BlobFolder) throws(StorageError) -> Bool {
    try power.write { () throws(StorageError) in store.delete(folder) }
  }

  func deleteTree(
    _ folder: BlobFolder, except keeps: (BlobFolder) throws -> Bool
  ) throws -> Int {
    try power.write { () throws -> Int in try store.deleteTree(folder, except: keeps) }
  }

  func move(_ folder: BlobFolder, to other: BlobFolder) throws(StorageError) -> Bool {
    try power.write { () throws(StorageError) in try store.move(folder, to: other) }
  }

  func forEachFolder(
    below folder: BlobFolder, _ body: (BlobFolder, [BlobFile]) throws -> Void
  ) throws {
    try power.read()
    try store.forEachFolder(below: folder, body)
  }

  func folders(
    below folder: BlobFolder, after: BlobFolder?, limit: Int
  ) throws(StorageError) -> [BlobFolder] {
    try power.read()
    return try store.folders(below: folder, after: after, limit: limit)
  }

  func fileNames(in folder: BlobFolder) throws(StorageError) -> Set<String> {
    try power.read()
    return store.fileNames(in: folder)
  }

  func entries(of folder: BlobFolder) throws(StorageError) -> [BlobEntry] {
    try power.read()
    return store.entries(of: folder)
  }

  func removeLeftovers(
    below folder: BlobFolder, before moment: Moment
  ) throws(StorageError) -> Int {
    try power.write { () throws(StorageError) in
      store.removeLeftovers(below: folder, before: moment)
    }
  }

  func noteUse(of path: BlobPath, at moment: Moment) throws(StorageError) {
    try power.write { () throws(StorageError) in store.noteUse(of: path, at: moment) }
  }

  func withExclusiveAccess<Result>(
    to folder: BlobFolder?, _ body: () throws -> Result
  ) throws -> Result {
    try power.read()
    return try store.withExclusiveAccess(to: folder, body)
  }
}
