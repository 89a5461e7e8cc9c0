/// Blobs in memory alone: what other stores are measured by, and what tests use.
public final class InMemoryBlobStore: BlobStore {
  private let contents = Monitor(Contents())
  private let uses = Monitor<[BlobFolder: [String: Moment]]>([:])
  private let turn = Monitor(())

  /// A store without blobs.
  public init() {}

  private struct Contents {
    private(set) var blobs: [BlobFolder: [String: Blob]] = [:]
    /// How many folders with blobs lie at a path or below it.
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

    /// Throws where a path would be both a folder and a blob, as no file can be.
    func check(_ names: [String], in folder: BlobFolder) throws(StorageError) {
      for name in names where folderCounts["\(folder)/\(name)", default: 0] > 0 {
        throw StorageError(.alreadyThere, "\(folder)/\(name)")
      }
      for path in folder.paths.dropFirst() {
        if let path = try? BlobPath(path), self[path.folder][path.name] != nil {
          throw StorageError(.alreadyThere, path.description)
        }
      }
    }
  }

  /// As `BlobStore` says.
  public func put(
    _ contents: [BlobContent], in folder: BlobFolder, at moment: Moment
  ) throws(StorageError) -> [BlobInfo] {
    try BlobContent.check(contents)
    return try self.contents.withLock { (stored) throws(StorageError) in
      try stored.check(contents.map(\.name), in: folder)
      return contents.map { content in
        let created = stored[folder][content.name]?.info.created ?? moment
        let info = content.info(in: folder, created: created, updated: moment)
        stored[folder][content.name] = Blob(info: info, bytes: content.bytes)
        return info
      }
    }
  }

  /// As `BlobStore` says.
  public func get(_ path: BlobPath) -> Blob? { contents.withLock { $0[path.folder][path.name] } }

  /// As `BlobStore` says.
  public func get(_ names: [String], in folder: BlobFolder) -> [Result<Blob?, StorageError>] {
    let blobs = contents.withLock { $0[folder] }
    return names.map { .success(blobs[$0]) }
  }

  /// As `BlobStore` says.
  public func uncheckedBytes(_ path: BlobPath) -> [UInt8]? { get(path)?.bytes }

  /// As `BlobStore` says.
  public func info(_ path: BlobPath) -> BlobInfo? { get(path)?.info }

  /// As `BlobStore` says.
  public func delete(_ path: BlobPath) -> Bool {
    uses.withLock { _ = $0[path.folder]?.removeValue(forKey: path.name) }
    return contents.withLock { $0[path.folder].removeValue(forKey: path.name) != nil }
  }

  /// As `BlobStore` says.
  public func delete(_ folder: BlobFolder) -> Bool {
    uses.withLock { $0[folder] = nil }
    return contents.withLock { contents in
      defer { contents[folder] = [:] }
      return !contents[folder].isEmpty
    }
  }

  /// As `BlobStore` says.
  public func move(_ folder: BlobFolder, to other: BlobFolder) throws(StorageError) -> Bool {
    try contents.withLock { (contents) throws(StorageError) in
      let moved = contents[folder]
      guard contents[other].isEmpty else {
        throw StorageError(.alreadyThere, other.description)
      }
      try contents.check(Array(moved.keys), in: other)
      contents[folder] = [:]
      contents[other] = moved
      return !moved.isEmpty
    }
  }

  /// As `BlobStore` says.
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

  /// As `BlobStore` says.
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

  /// As `BlobStore` says.
  public func fileNames(in folder: BlobFolder) -> Set<String> {
    Set(contents.withLock { $0[folder] }.keys)
  }

  /// As `BlobStore` says.
  public func entries(of folder: BlobFolder) -> [BlobEntry] {
    let blobs = contents.withLock { $0[folder] }
    let uses = uses.withLock { $0[folder] ?? [:] }
    return blobs.values.sorted { $0.info.path < $1.info.path }.map {
      BlobEntry(
        name: $0.info.path.name, info: $0.info, modified: $0.info.updated,
        used: max(uses[$0.info.path.name] ?? $0.info.updated, $0.info.updated))
    }
  }

  /// As `BlobStore` says.
  public func noteUse(of path: BlobPath, at moment: Moment) {
    guard info(path) != nil else { return }
    uses.withLock { $0[path.folder, default: [:]][path.name] = moment }
  }

  /// As `BlobStore` says.
  public func alone<Result>(_ body: () throws -> Result) throws -> Result {
    try turn.withLock { _ in try body() }
  }

  /// As `BlobStore` says.
  public func removeLeftovers(below folder: BlobFolder, before moment: Moment) -> Int { 0 }
}

extension BlobFolder {
  /// Its path and those of the folders around it, the outermost first.
  fileprivate var paths: [String] {
    names.indices.map { names[...$0].joined(separator: "/") }
  }
}
