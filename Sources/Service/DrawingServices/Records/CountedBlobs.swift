import Storage

/// The file store of a service with quotas. It counts stored and deleted bytes, and refuses bytes
/// over the quota.
///
/// Changes of one folder exclude each other within this process, so that the difference of each
/// change is known exactly, even after a failure. Changes by other programs are found when the sum
/// is computed again.
struct CountedBlobs: BlobStore {
  /// The environment with the underlying store.
  let environment: ServiceEnvironment
  let quotas: UserQuotas
  /// Whether sums may be computed; false within a transaction.
  var takesSums = true
  /// Whether changes over the quota are refused.
  var refuses = true
  private var store: any BlobStore { environment.storedBlobs }

  /// The user who owns the files of a folder; nil if they do not count.
  private func owner(of folder: BlobFolder) -> String? {
    let names = folder.names
    guard names.count > 2 else { return nil }
    switch FilePlace(rawValue: String(names[0])) {
    case .drawings: return names[2] == "drawings" ? String(names[1]) : nil
    case .unfinished: return String(names[1])
    default: return nil
    }
  }

  // MARK: - Counting

  /// Calls a body that stores blobs and deletes others. `names` are the files whose bytes it
  /// changes; nil means all of the folder. With `isNew`, the body only stores files if the folder
  /// does not exist yet. A body that returns nil has changed nothing.
  private func counting<Result>(
    _ folder: BlobFolder, storing contents: [BlobContent] = [], changing names: [String]?,
    isNew: Bool = false, _ body: () throws(StorageError) -> Result?
  ) throws(StorageError) -> Result? {
    guard let uid = owner(of: folder) else { return try body() }
    let added = contents.reduce(0) { $0 + $1.bytes.count }
    func attempt() throws -> Result? {
      try quotas.folders.withLock(folder.description) {
        let former = isNew ? 0 : try store.byteCount(of: names, in: folder)
        let change: UserQuotas.Change
        do throws(StorageError) {
          change = try quotas.begin(refuses ? added - former : 0, of: uid)
        } catch {
          // In an existing folder the body stores nothing.
          guard isNew, try !store.fileNames(in: folder).isEmpty else { throw error }
          return try body()
        }
        do throws(StorageError) {
          let result = try body()
          quotas.end(change, adding: result == nil ? 0 : added - former)
          return result
        } catch {
          // A part of the change may be done.
          let now = try? store.byteCount(of: names, in: folder)
          quotas.end(change, adding: now.map { $0 - former } ?? max(0, added - former))
          if now == nil { quotas.doubt(uid, isWrong: true) }
          throw error
        }
      }
    }
    do {
      guard takesSums, !contents.isEmpty else { return try attempt() }
      return try quotas.withSum(of: uid, in: environment, files: true, attempt)
    } catch {
      throw error as? StorageError
        ?? StorageError(.unavailable("\(error)"), folder.description)
    }
  }

  func put(
    _ contents: [BlobContent], in folder: BlobFolder, at moment: Moment
  ) throws(StorageError) -> [BlobInfo] {
    try counting(folder, storing: contents, changing: contents.map(\.name)) {
      () throws(StorageError) in try store.put(contents, in: folder, at: moment)
    } ?? []
  }

  func create(
    _ contents: [BlobContent], in folder: BlobFolder, at moment: Moment
  ) throws(StorageError) -> [BlobInfo]? {
    try counting(folder, storing: contents, changing: contents.map(\.name), isNew: true) {
      () throws(StorageError) in try store.create(contents, in: folder, at: moment)
    }
  }

  func add(
    _ contents: [BlobContent], beside info: BlobInfo, at moment: Moment
  ) throws(StorageError) -> [BlobInfo]? {
    try counting(info.path.folder, storing: contents, changing: contents.map(\.name)) {
      () throws(StorageError) in try store.add(contents, beside: info, at: moment)
    }
  }

  func put(
    _ contents: [BlobContent], deleting names: [String], beside info: BlobInfo, at moment: Moment
  ) throws(StorageError) -> [BlobInfo]? {
    try counting(
      info.path.folder, storing: contents, changing: contents.map(\.name) + names
    ) { () throws(StorageError) in
      try store.put(contents, deleting: names, beside: info, at: moment)
    }
  }

  func delete(_ path: BlobPath) throws(StorageError) -> Bool {
    try counting(path.folder, changing: [path.name]) { () throws(StorageError) in
      try store.delete(path) ? true : nil
    } ?? false
  }

  func delete(_ folder: BlobFolder) throws(StorageError) -> Bool {
    try counting(folder, changing: nil) { () throws(StorageError) in
      try store.delete(folder) ? true : nil
    } ?? false
  }

  func move(_ folder: BlobFolder, to other: BlobFolder) throws(StorageError) -> Bool {
    let isMoved =
      try counting(folder, changing: nil) { () throws(StorageError) in
        try store.move(folder, to: other) ? true : nil
      } ?? false
    // Only operators move files to a user's folder.
    if isMoved, let uid = owner(of: other) { quotas.doubt(uid, isWrong: true) }
    return isMoved
  }

  func deleteTree(
    _ folder: BlobFolder, except keeps: (BlobFolder) throws -> Bool
  ) throws -> Int {
    // The remaining size is unknown until the sum is computed again.
    defer {
      let place = folder.names.first.flatMap { FilePlace(rawValue: String($0)) }
      if place == .drawings || place == .unfinished, folder.names.count > 1 {
        quotas.forget(String(folder.names[1]))
        quotas.doubt(String(folder.names[1]), isWrong: true)
      }
    }
    return try store.deleteTree(folder, except: keeps)
  }

  // MARK: - All else

  func get(_ path: BlobPath) throws(StorageError) -> Blob? { try store.get(path) }
  func get(
    _ names: [String], in folder: BlobFolder
  ) throws(StorageError) -> [Result<Blob?, StorageError>] { try store.get(names, in: folder) }
  func uncheckedBytes(_ path: BlobPath) throws(StorageError) -> [UInt8]? {
    try store.uncheckedBytes(path)
  }
  func info(_ path: BlobPath) throws(StorageError) -> BlobInfo? { try store.info(path) }
  func link(to path: BlobPath, at moment: Moment, seconds: Int) throws -> String? {
    try store.link(to: path, at: moment, seconds: seconds)
  }
  func forEachFolder(
    below folder: BlobFolder, _ body: (BlobFolder, [BlobFile]) throws -> Void
  ) throws { try store.forEachFolder(below: folder, body) }
  func unreachableFolders(below folder: BlobFolder) throws(StorageError) -> [String] {
    try store.unreachableFolders(below: folder)
  }
  func folders(
    below folder: BlobFolder, after: BlobFolder?, limit: Int
  ) throws(StorageError) -> [BlobFolder] {
    try store.folders(below: folder, after: after, limit: limit)
  }
  func fileNames(in folder: BlobFolder) throws(StorageError) -> Set<String> {
    try store.fileNames(in: folder)
  }
  func entries(of folder: BlobFolder) throws(StorageError) -> [BlobEntry] {
    try store.entries(of: folder)
  }
  func timeOfFiles(_ now: Moment) throws(StorageError) -> Moment { try store.timeOfFiles(now) }
  func holds(_ infos: [BlobInfo], in folder: BlobFolder) throws(StorageError) -> Bool {
    try store.holds(infos, in: folder)
  }
  func removeLeftovers(
    below folder: BlobFolder, before moment: Moment
  ) throws(StorageError) -> Int { try store.removeLeftovers(below: folder, before: moment) }
  func noteUse(of path: BlobPath, at moment: Moment) throws(StorageError) {
    try store.noteUse(of: path, at: moment)
  }
  func withExclusiveAccess<Result>(
    to folder: BlobFolder?, _ body: () throws -> Result
  ) throws -> Result { try store.withExclusiveAccess(to: folder, body) }
}

extension BlobStore {
  /// The size of some files in a folder in bytes; of all for nil. A damaged file counts as zero.
  func byteCount(of names: [String]?, in folder: BlobFolder) throws(StorageError) -> Int {
    // For a single file, reading its metadata is cheaper.
    if let names, let name = names.first, names.count == 1 {
      do throws(StorageError) {
        return try info(folder.blob(name))?.size ?? 0
      } catch {
        guard case .damaged = error.problem else { throw error }
        return 0
      }
    }
    let counted = names.map { Set($0) }
    return try entries(of: folder).reduce(0) { sum, entry in
      let isCounted = entry.modified != nil && counted?.contains(entry.name) ?? true
      return sum + (isCounted ? entry.info?.size ?? 0 : 0)
    }
  }
}
