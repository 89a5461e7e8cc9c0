import Threads

/// Blobs in memory only: the reference for other stores, and the store of tests.
public final class InMemoryBlobStore: BlobStore {
  private let contents = ConditionMutex(Contents())
  private let uses = ConditionMutex<[BlobFolder: [String: Moment]]>([:])
  /// The folders that are locked; nil stands for the store.
  private let locked = ConditionMutex<Set<BlobFolder?>>([])

  /// A store without blobs.
  public init() {}

  private struct Contents {
    private(set) var blobs: [BlobFolder: [String: Blob]] = [:]
    /// The number of folders with blobs at a path or below it.
    private var folderCounts: [String: Int] = [:]

    subscript(folder: BlobFolder) -> [String: Blob] {
      get { blobs[folder] ?? [:] }
      set {
        let change = (newValue.isEmpty ? 0 : 1) - (blobs[folder] == nil ? 0 : 1)
        blobs[folder] = newValue.isEmpty ? nil : newValue
        guard change != 0 else { return }
        for path in folder.paths { folderCounts[path, default: 0] += change }
      }
    }

    mutating func put(
      _ contents: [BlobContent], in folder: BlobFolder, at moment: Moment
    ) -> [BlobInfo] {
      contents.map { content in
        let created = self[folder][content.name]?.info.created ?? moment
        let info = content.info(in: folder, created: created, updated: moment)
        self[folder][content.name] = Blob(info: info, bytes: content.bytes)
        return info
      }
    }

    /// Throws if a path would be both a folder and a blob, which a file system does not allow.
    func check(_ names: [String], in folder: BlobFolder) throws(StorageError) {
      for name in names where folderCounts["\(folder)/\(name)", default: 0] > 0 {
        throw StorageError(.alreadyExists, "\(folder)/\(name)")
      }
      for path in folder.paths.dropFirst() {
        if let path = try? BlobPath(path), self[path.folder][path.name] != nil {
          throw StorageError(.alreadyExists, path.description)
        }
      }
    }
  }

  /// Stores blobs in a folder. Replaces blobs with the same names.
  public func put(
    _ contents: [BlobContent], in folder: BlobFolder, at moment: Moment
  ) throws(StorageError) -> [BlobInfo] {
    try store(contents, in: folder, at: moment, isNew: false) ?? []
  }

  /// Stores blobs in a new folder; nil if the folder exists already.
  public func create(
    _ contents: [BlobContent], in folder: BlobFolder, at moment: Moment
  ) throws(StorageError) -> [BlobInfo]? {
    try store(contents, in: folder, at: moment, isNew: true)
  }

  private func store(
    _ contents: [BlobContent], in folder: BlobFolder, at moment: Moment, isNew: Bool
  ) throws(StorageError) -> [BlobInfo]? {
    try BlobContent.check(contents)
    return try self.contents.withLock { (stored) throws(StorageError) in
      try stored.check(contents.map(\.name), in: folder)
      if isNew, !stored[folder].isEmpty { return nil }
      return stored.put(contents, in: folder, at: moment)
    }
  }

  /// Adds blobs beside another one, if it still has these bytes and none has their names.
  public func add(
    _ contents: [BlobContent], beside info: BlobInfo, at moment: Moment
  ) throws(StorageError) -> [BlobInfo]? {
    try BlobContent.check(contents)
    let folder = info.path.folder
    return try self.contents.withLock { (stored) throws(StorageError) in
      guard stored[folder][info.path.name]?.info.digest == info.digest,
        contents.allSatisfy({ stored[folder][$0.name] == nil })
      else { return nil }
      try stored.check(contents.map(\.name), in: folder)
      return stored.put(contents, in: folder, at: moment)
    }
  }

  /// Stores blobs beside another one and deletes others, if that blob is still exactly this one.
  public func put(
    _ contents: [BlobContent], deleting names: [String], beside info: BlobInfo, at moment: Moment
  ) throws(StorageError) -> [BlobInfo]? {
    try BlobContent.check(contents)
    let folder = info.path.folder
    return try self.contents.withLock { (stored) throws(StorageError) in
      guard stored[folder][info.path.name]?.info == info else { return nil }
      try stored.check(contents.map(\.name), in: folder)
      let infos = stored.put(contents, in: folder, at: moment)
      for name in names { stored[folder][name] = nil }
      return infos
    }
  }

  /// A blob; nil if there is none.
  public func get(_ path: BlobPath) -> Blob? { contents.withLock { $0[path.folder][path.name] } }

  /// Several blobs of one folder; nil for missing ones.
  public func get(_ names: [String], in folder: BlobFolder) -> [Result<Blob?, StorageError>] {
    let blobs = contents.withLock { $0[folder] }
    return names.map { .success(blobs[$0]) }
  }

  /// The bytes of a blob; nil if there is none.
  public func uncheckedBytes(_ path: BlobPath) -> [UInt8]? { get(path)?.bytes }

  /// The metadata of a blob; nil if there is none.
  public func info(_ path: BlobPath) -> BlobInfo? { get(path)?.info }

  /// Deletes a blob and returns whether it existed.
  public func delete(_ path: BlobPath) -> Bool {
    uses.withLock { _ = $0[path.folder]?.removeValue(forKey: path.name) }
    return contents.withLock { $0[path.folder].removeValue(forKey: path.name) != nil }
  }

  /// Deletes all blobs of a folder and returns whether there were any.
  public func delete(_ folder: BlobFolder) -> Bool {
    uses.withLock { $0[folder] = nil }
    return contents.withLock { contents in
      defer { contents[folder] = [:] }
      return !contents[folder].isEmpty
    }
  }

  /// Deletes folder by folder: all paths of this store are valid.
  public func deleteTree(
    _ folder: BlobFolder, except keeps: (BlobFolder) throws -> Bool
  ) throws -> Int {
    var count = 0
    for found in try folders(below: folder, after: nil, limit: .max).reversed() + [folder]
    where try !keeps(found) {
      if delete(found) { count += 1 }
    }
    return count
  }

  /// Moves all blobs of a folder to a new folder and returns whether there were any.
  public func move(_ folder: BlobFolder, to other: BlobFolder) throws(StorageError) -> Bool {
    try contents.withLock { (contents) throws(StorageError) in
      let moved = contents[folder]
      guard contents[other].isEmpty else {
        throw StorageError(.alreadyExists, other.description)
      }
      try contents.check(Array(moved.keys), in: other)
      contents[folder] = [:]
      contents[other] = moved
      return !moved.isEmpty
    }
  }

  /// Calls a body with every folder below a folder, in sorted order, and with its blobs.
  public func forEachFolder(
    below folder: BlobFolder, _ body: (BlobFolder, [BlobFile]) throws -> Void
  ) throws {
    for folder in try folders(below: folder, after: nil, limit: .max) {
      let files = entries(of: folder).compactMap { entry in
        entry.info.map { BlobFile(name: entry.name, size: $0.size, modified: $0.updated) }
      }
      try body(folder, files)
    }
  }

  /// The sorted folders with blobs below a folder: those after `after`, at most `limit`.
  public func folders(
    below folder: BlobFolder, after: BlobFolder?, limit: Int
  ) throws(StorageError) -> [BlobFolder] {
    try Query.check(limit: limit)
    return contents.withLock { contents in
      let below = contents.blobs.keys.filter { other in
        other != folder && other.names.starts(with: folder.names)
          && after.map { $0 < other } ?? true
      }
      return Array(below.sorted().prefix(limit))
    }
  }

  /// The names of the blobs in a folder.
  public func fileNames(in folder: BlobFolder) -> Set<String> {
    Set(contents.withLock { $0[folder] }.keys)
  }

  /// The blobs of a folder, sorted by name.
  public func entries(of folder: BlobFolder) -> [BlobEntry] {
    let blobs = contents.withLock { $0[folder] }
    let uses = uses.withLock { $0[folder] ?? [:] }
    return blobs.values.sorted { $0.info.path < $1.info.path }.map {
      BlobEntry(
        name: $0.info.path.name, info: $0.info, modified: $0.info.updated,
        used: max(uses[$0.info.path.name] ?? $0.info.updated, $0.info.updated))
    }
  }

  /// Records that a blob was used at a moment, if it exists.
  public func noteUse(of path: BlobPath, at moment: Moment) {
    guard info(path) != nil else { return }
    uses.withLock { $0[path.folder, default: [:]][path.name] = moment }
  }

  /// Calls a body under the lock of a folder, or of the store, that excludes other threads.
  public func withExclusiveAccess<Result>(
    to folder: BlobFolder?, _ body: () throws -> Result
  ) throws -> Result {
    locked.wait { $0.insert(folder).inserted ? () : nil }
    defer { locked.change { _ = $0.remove(folder) } }
    return try body()
  }

  /// Does nothing and returns zero: there are no unfinished files in memory.
  public func removeLeftovers(below folder: BlobFolder, before moment: Moment) -> Int { 0 }
}

extension BlobFolder {
  /// The paths of the surrounding folders and its own, the outermost first.
  fileprivate var paths: [String] {
    names.indices.map { names[...$0].joined(separator: "/") }
  }
}
