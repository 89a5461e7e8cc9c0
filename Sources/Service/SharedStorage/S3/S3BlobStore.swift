import Checksums
public import Storage
import Threads

/// Blobs as objects of a bucket, with the S3 protocol: AWS, Ceph, MinIO, R2 and others.
///
/// Each blob is one object with the blob's path as key, as apps and other programs expect. This
/// program's metadata (hashes, time of storing) is part of the object's metadata, so both change in
/// one step. Objects without it, stored by other programs, count as blobs too.
///
/// A bucket has no folders and no atomic changes of several objects. So a folder exists while it
/// contains objects, and every test-and-change operation holds a lock. A crash in the middle leaves
/// some of the new objects, in the order in which they were given.
public final class S3BlobStore: BlobStore {
  let client: ObjectClient
  private let locks: any NamedLocks

  /// A store in a bucket. All programs that change it must use the same `locks`.
  package init(_ client: ObjectClient, locks: any NamedLocks) {
    (self.client, self.locks) = (client, locks)
  }

  /// The number of parallel requests for one call.
  private static let lanes = 8

  // MARK: - Names

  private func key(_ path: BlobPath) -> String { client.address.prefix + path.description }

  private func prefix(_ folder: BlobFolder) -> String { "\(client.address.prefix)\(folder)/" }

  private func withLock<Result>(
    _ folder: BlobFolder, _ body: () throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    do {
      return try locks.withLock(folder.description, body)
    } catch {
      throw error as? StorageError ?? StorageError(.unavailable("\(error)"), folder.description)
    }
  }

  private func map<Item, Value>(
    _ items: [Item], _ body: (Item) throws(StorageError) -> Value
  ) throws(StorageError) -> [Value] {
    do {
      return try Lanes.map(items, lanes: Self.lanes) { try body($0) }
    } catch {
      throw error as? StorageError
        ?? StorageError(.unavailable("\(error)"), client.address.description)
    }
  }

  // MARK: - Reading

  /// A blob with verified bytes; nil if there is none.
  public func get(_ path: BlobPath) throws(StorageError) -> Blob? {
    guard let (head, bytes) = try client.get(key(path)) else { return nil }
    guard let info = ObjectNote(head.note)?.info(at: path, head.contentType) else {
      return Blob(bytes, at: path, contentType: head.contentType, stored: head.modified)
    }
    guard bytes.count == info.size, Checksum.of(bytes) == info.checksum else {
      throw StorageError(.damaged("its bytes are not those that were stored"), path.description)
    }
    return Blob(info: info, bytes: bytes)
  }

  /// Several blobs of one folder.
  public func get(
    _ names: [String], in folder: BlobFolder
  ) throws(StorageError) -> [Result<Blob?, StorageError>] {
    let paths = try names.map { (name) throws(StorageError) in try folder.blob(name) }
    return try map(paths) { (path) throws(StorageError) in
      do throws(StorageError) {
        return .success(try self.get(path))
      } catch {
        guard case .damaged = error.problem else { throw error }
        return .failure(error)
      }
    }
  }

  /// The bytes of a blob without any check; nil if there is none.
  public func uncheckedBytes(_ path: BlobPath) throws(StorageError) -> [UInt8]? {
    try client.get(key(path))?.bytes
  }

  /// The metadata of a blob; nil if there is none.
  public func info(_ path: BlobPath) throws(StorageError) -> BlobInfo? {
    guard let head = try client.head(key(path)) else { return nil }
    if let info = ObjectNote(head.note)?.info(at: path, head.contentType) {
      guard info.size == head.size else {
        throw StorageError(.damaged("it has another size than was stored"), path.description)
      }
      return info
    }
    // An object of another program has no stored hash, so its bytes are needed.
    return try get(path)?.info
  }

  /// A link by which everybody can read a blob from the store directly, for at least `seconds`, at
  /// most half a week.
  public func link(to path: BlobPath, at moment: Moment, seconds: Int) throws -> String? {
    try client.link(key(path), at: moment, seconds: seconds)
  }

  // MARK: - Storing

  /// Stores blobs in a folder. Replaces blobs with the same names.
  public func put(
    _ contents: [BlobContent], in folder: BlobFolder, at moment: Moment
  ) throws(StorageError) -> [BlobInfo] {
    try BlobContent.check(contents)
    return try withLock(folder) { () throws(StorageError) in
      try self.replace(contents, in: folder, at: moment)
    }
  }

  /// Stores blobs in a new folder; nil if there are blobs in it already.
  public func create(
    _ contents: [BlobContent], in folder: BlobFolder, at moment: Moment
  ) throws(StorageError) -> [BlobInfo]? {
    try BlobContent.check(contents)
    return try withLock(folder) { () throws(StorageError) in
      guard try self.client.list(self.prefix(folder), limit: 1).objects.isEmpty else { return nil }
      return try self.map(contents) { (content) throws(StorageError) in
        try self.store(content, in: folder, created: moment, at: moment)
      }
    }
  }

  /// Adds blobs beside another one, if it still has these bytes and none has their names.
  public func add(
    _ contents: [BlobContent], beside info: BlobInfo, at moment: Moment
  ) throws(StorageError) -> [BlobInfo]? {
    try BlobContent.check(contents)
    let folder = info.path.folder
    return try withLock(folder) { () throws(StorageError) in
      guard try self.info(info.path)?.digest == info.digest else { return nil }
      let names = try self.fileNames(in: folder)
      guard contents.allSatisfy({ !names.contains($0.name) }) else { return nil }
      return try self.map(contents) { (content) throws(StorageError) in
        try self.store(content, in: folder, created: moment, at: moment)
      }
    }
  }

  /// Stores blobs beside another one and deletes others, if that blob is still exactly this one.
  public func put(
    _ contents: [BlobContent], deleting names: [String], beside info: BlobInfo, at moment: Moment
  ) throws(StorageError) -> [BlobInfo]? {
    try BlobContent.check(contents)
    let folder = info.path.folder
    return try withLock(folder) { () throws(StorageError) in
      guard try self.info(info.path) == info else { return nil }
      // One after the other: a crash leaves some of them in this order.
      var infos: [BlobInfo] = []
      for content in contents {
        infos.append(try self.replace(content, in: folder, at: moment))
      }
      try self.client.delete(
        try names.map { (name) throws(StorageError) in
          self.key(try folder.blob(name))
        })
      return infos
    }
  }

  private func replace(
    _ contents: [BlobContent], in folder: BlobFolder, at moment: Moment
  ) throws(StorageError) -> [BlobInfo] {
    try map(contents) { (content) throws(StorageError) in
      try self.replace(content, in: folder, at: moment)
    }
  }

  private func replace(
    _ content: BlobContent, in folder: BlobFolder, at moment: Moment
  ) throws(StorageError) -> BlobInfo {
    let head = try client.head(key(try folder.blob(content.name)))
    let created = head.map { ObjectNote($0.note)?.created ?? $0.modified }
    return try store(content, in: folder, created: created ?? moment, at: moment)
  }

  private func store(
    _ content: BlobContent, in folder: BlobFolder, created: Moment, at moment: Moment
  ) throws(StorageError) -> BlobInfo {
    let info = content.info(in: folder, created: created, updated: moment)
    try client.put(
      key(info.path), content.bytes, contentType: content.contentType,
      note: ObjectNote(info).description)
    return info
  }

  // MARK: - Deleting and moving

  /// Deletes a blob and returns whether it existed.
  public func delete(_ path: BlobPath) throws(StorageError) -> Bool {
    try withLock(path.folder) { () throws(StorageError) in
      guard try self.client.head(self.key(path)) != nil else { return false }
      try self.client.delete(self.key(path))
      return true
    }
  }

  /// Deletes all blobs of a folder and returns whether there were any.
  public func delete(_ folder: BlobFolder) throws(StorageError) -> Bool {
    try withLock(folder) { () throws(StorageError) in
      let files = try self.files(in: folder)
      if files.isEmpty { return false }
      try self.client.delete(files.map(\.key))
      return true
    }
  }

  /// Deletes all objects below a folder, and returns the number of distinct prefixes of their keys
  /// up to the last slash.
  public func deleteTree(
    _ folder: BlobFolder, except keeps: (BlobFolder) throws -> Bool
  ) throws -> Int {
    var (isKept, gone) = ([String: Bool](), [String]())
    for object in try client.all(prefix(folder)) {
      let key = object.key.dropFirst(client.address.prefix.count)
      guard let slash = key.utf8.lastIndex(of: UInt8(ascii: "/")) else { continue }
      let name = String(key[..<slash])
      let keepsIt = try isKept[name] ?? (try? BlobFolder(name)).map(keeps) ?? false
      isKept[name] = keepsIt
      if !keepsIt { gone.append(object.key) }
    }
    try client.delete(gone)
    return isKept.count { !$0.value }
  }

  /// Moves all blobs of a folder to a new folder and returns whether there were any. A crash in the
  /// middle leaves copies of some of them in the new folder, and all of them in the old one.
  public func move(_ folder: BlobFolder, to other: BlobFolder) throws(StorageError) -> Bool {
    let (first, second) = folder < other ? (folder, other) : (other, folder)
    return try withLock(first) { () throws(StorageError) in
      try self.withLock(second) { () throws(StorageError) in
        guard try self.files(in: other).isEmpty else {
          throw StorageError(.alreadyExists, other.description)
        }
        let files = try self.files(in: folder)
        _ = try self.map(files) { (file) throws(StorageError) in
          let name = file.key.dropFirst(self.prefix(folder).count)
          try self.client.copy(file.key, to: self.prefix(other) + name)
        }
        try self.client.delete(files.map(\.key))
        return !files.isEmpty
      }
    }
  }

  // MARK: - Folders

  /// The objects directly in a folder.
  private func files(in folder: BlobFolder) throws(StorageError) -> [ListedObject] {
    let prefix = prefix(folder)
    return try client.all(prefix).filter { !$0.key.dropFirst(prefix.count).contains("/") }
  }

  /// Calls a body with every folder with files below a folder, and with these files.
  public func forEachFolder(
    below folder: BlobFolder, _ body: (BlobFolder, [BlobFile]) throws -> Void
  ) throws {
    try forEachListed(below: folder) { name, objects in
      // Keys of other programs may be invalid as paths.
      guard let found = try? BlobFolder(name), found != folder else { return }
      let prefix = prefix(found)
      try body(
        found,
        objects.map {
          BlobFile(
            name: String($0.key.dropFirst(prefix.count)), size: $0.size, modified: $0.modified)
        })
    }
  }

  /// The sorted prefixes of keys below a folder that are invalid as paths.
  public func unreachableFolders(below folder: BlobFolder) throws(StorageError) -> [String] {
    var found: Set<String> = []
    let start = folder.names.count
    do {
      try forEachListed(below: folder) { name, _ in
        let names = name.split(separator: "/", omittingEmptySubsequences: false)
        let end = names.dropFirst(start).firstIndex { !StorageName.isValid($0) }
        if let end { found.insert(names[...end].joined(separator: "/")) }
      }
    } catch {
      throw error as? StorageError ?? StorageError(.unavailable("\(error)"), folder.description)
    }
    return found.sorted()
  }

  /// The sorted folders with blobs below a folder: those after `after`, at most `limit`.
  public func folders(
    below folder: BlobFolder, after: BlobFolder?, limit: Int
  ) throws(StorageError) -> [BlobFolder] {
    try Query.check(limit: limit)
    if limit == 0 { return [] }
    var found: [BlobFolder] = []
    do {
      try forEach(below: folder, after: after) { folder, _ in
        found.append(folder)
        return found.count < limit
      }
    } catch {
      throw error as? StorageError ?? StorageError(.unavailable("\(error)"), folder.description)
    }
    return found
  }

  /// The names of the files in a folder.
  public func fileNames(in folder: BlobFolder) throws(StorageError) -> Set<String> {
    let prefix = prefix(folder)
    return Set(try files(in: folder).map { String($0.key.dropFirst(prefix.count)) })
  }

  /// The blobs of a folder, sorted by name.
  public func entries(of folder: BlobFolder) throws(StorageError) -> [BlobEntry] {
    let prefix = prefix(folder)
    return try map(files(in: folder)) { (file) throws(StorageError) -> BlobEntry? in
      let name = String(file.key.dropFirst(prefix.count))
      guard let path = try? folder.blob(name) else { return nil }
      return BlobEntry(
        name: name, info: try self.info(path), modified: file.modified, used: file.modified)
    }.compactMap { $0 }
  }

  /// Whether a folder holds all of these blobs. Requests them in parallel and lists nothing: other
  /// submits wait for the result, and listing is the slowest request of a bucket.
  public func holds(_ infos: [BlobInfo], in folder: BlobFolder) throws(StorageError) -> Bool {
    let found = try map(infos) { (info) throws(StorageError) in
      guard info.path.folder == folder else { return false }
      return try self.info(info.path)?.digest == info.digest
    }
    return found.allSatisfy(\.self)
  }

  // MARK: - Upkeep

  /// The time of the bucket's clock, which differs from those of all our machines.
  public func timeOfFiles(_ now: Moment) throws(StorageError) -> Moment {
    try client.storeTime()
  }

  /// Aborts uploads that crashes have left, if they were begun before a moment, and returns their
  /// number.
  public func removeLeftovers(
    below folder: BlobFolder, before moment: Moment
  ) throws(StorageError) -> Int {
    let uploads = try client.unfinishedUploads(prefix(folder), before: moment)
    for upload in uploads { try client.abort(upload.upload, of: upload.key) }
    return uploads.count
  }

  /// Does nothing: a request for each use would cost more than the record is worth. Caches are kept
  /// on disks.
  public func noteUse(of path: BlobPath, at moment: Moment) {}

  /// Calls a body under the lock of a folder, or of the store.
  public func withExclusiveAccess<Result>(
    to folder: BlobFolder?, _ body: () throws -> Result
  ) throws -> Result {
    try locks.withLock("\(folder?.description ?? "")/", body)
  }
}

// MARK: - Walking

extension S3BlobStore {
  /// Calls a body with each prefix of keys below a folder, up to the last slash, and its objects.
  /// In a listing the keys of one prefix are adjacent, except for keys of deeper levels in between.
  private func forEachListed(
    below folder: BlobFolder, _ body: (String, [ListedObject]) throws -> Void
  ) throws {
    /// Each name is a prefix of the next one.
    var open: [(name: Substring, objects: [ListedObject])] = []
    func close(_ isOver: (Substring) -> Bool) throws {
      while let last = open.last, isOver(last.name) {
        open.removeLast()
        try body(String(last.name), last.objects)
      }
    }
    var last: String?
    while true {
      let page = try client.list(prefix(folder), after: last)
      for object in page.objects {
        let key = object.key.dropFirst(client.address.prefix.count)
        // Some programs create a key with a final slash for a folder.
        guard let slash = key.utf8.lastIndex(of: UInt8(ascii: "/")),
          key.utf8.index(after: slash) != key.endIndex
        else { continue }
        let name = key[..<slash]
        try close {
          !key.utf8.starts(with: $0.utf8) || key.utf8.dropFirst($0.utf8.count).first != 47
        }
        if open.last?.name == name {
          open[open.count - 1].objects.append(object)
        } else {
          open.append((name, [object]))
        }
      }
      guard page.hasMore, let next = page.objects.last?.key else { break }
      last = next
    }
    try close { _ in true }
  }

  /// The maximum number of objects that are sorted in memory.
  private static let sortedAtOnce = 5000

  /// Calls a body with the folders below a folder that have objects, in the order of folders, until
  /// it returns false.
  ///
  /// A bucket lists keys in byte order, in which `a-b/c` precedes `a/c`, as '-' precedes '/'. So a
  /// few thousand keys are sorted here; larger numbers are listed level by level.
  private func forEach(
    below folder: BlobFolder, after: BlobFolder? = nil,
    _ body: (BlobFolder, [ListedObject]) throws -> Bool
  ) throws {
    _ = try walk(folder, isInside: false, after, body)
  }

  /// Returns false if the walk has ended.
  private func walk(
    _ folder: BlobFolder, isInside: Bool, _ after: BlobFolder?,
    _ body: (BlobFolder, [ListedObject]) throws -> Bool
  ) throws -> Bool {
    func visit(_ folder: BlobFolder, _ objects: [ListedObject]) throws -> Bool {
      guard after.map({ $0 < folder }) ?? true else { return true }
      return try body(folder, objects)
    }
    if let all = try client.all(prefix(folder), limit: Self.sortedAtOnce) {
      var folders: [BlobFolder: [ListedObject]] = [:]
      for object in all {
        let key = object.key.dropFirst(client.address.prefix.count)
        // Keys of other programs may be invalid as paths.
        guard !key.hasSuffix("/"), let end = key.lastIndex(of: "/"),
          let found = try? BlobFolder(String(key[..<end])), isInside || found != folder
        else { continue }
        folders[found, default: []].append(object)
      }
      for (found, objects) in folders.sorted(by: { $0.key < $1.key }) {
        guard try visit(found, objects) else { return false }
      }
      return true
    }
    let level = try client.level(prefix(folder))
    if isInside, !level.objects.isEmpty, try !visit(folder, level.objects) { return false }
    for name in level.names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
      guard let inner = try? BlobFolder("\(folder)/\(name)") else { continue }
      // Levels before the start of the walk are not requested.
      if let after, inner < after, !after.names.starts(with: inner.names) { continue }
      guard try walk(inner, isInside: true, after, body) else { return false }
    }
    return true
  }
}
