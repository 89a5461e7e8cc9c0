import Glibc
import Threads

/// Blobs as plain files below a folder: one file per blob, at its path.
///
/// A new folder is written under a name that begins with a dot, and renamed when all of it is
/// synchronized, so it appears as a whole. A blob in an existing folder is written to a temporary
/// file beside the old one, added to the ledger of the folder, and renamed.
public final class FileBlobStore: BlobStore {
  private let root: Folder
  /// The paths of folders whose names are known to be synchronized.
  private let durableFolders = ConditionMutex<Set<String>>([])

  /// Whether blobs are durable when `put` returns, or only after `synchronize`.
  private let isDurable: Bool
  /// The group commit of all threads that store blobs.
  private let synchronization: SharedSynchronization

  /// The store in an existing folder.
  public convenience init(_ root: String) throws(StorageError) {
    let folder = try Folder(root)
    self.init(folder, isDurable: true, SharedSynchronization(folder))
  }

  /// The store in a folder that is filled as a whole: nothing is durable before `synchronize` has
  /// returned.
  package convenience init(filling root: String) throws(StorageError) {
    let folder = try Folder(root)
    self.init(folder, isDurable: false, SharedSynchronization(folder))
  }

  /// The store in an open folder, with another way of synchronizing files.
  init(_ root: Folder, isDurable: Bool, _ synchronization: SharedSynchronization) {
    (self.root, self.isDurable, self.synchronization) = (root, isDurable, synchronization)
  }

  /// Synchronizes the whole file system.
  package func synchronize() throws(StorageError) { try root.synchronizeDisk() }

  // MARK: - Reading

  private func open(_ folder: BlobFolder) throws(StorageError) -> Folder? {
    try root.folder(below: folder.names)
  }

  /// The ledger of a folder, or only its lines of one blob.
  private func ledger(
    _ folder: BlobFolder, in directory: Folder, only name: String? = nil
  ) throws(StorageError) -> BlobLedger {
    BlobLedger(folder, bytes: try directory.read(BlobLedger.name) ?? [], only: name)
  }

  /// A blob with verified bytes; nil if there is none. Throws if it is damaged.
  public func get(_ path: BlobPath) throws(StorageError) -> Blob? {
    guard let directory = try open(path.folder) else { return nil }
    // Another thread may replace the blob between reading it and reading its ledger. Then both are
    // read again, the last time under the lock of the folder.
    for attempt in 0..<3 {
      if attempt == 2 { try directory.lock() }
      guard let bytes = try directory.read(path.name) else { return nil }
      let ledger = try ledger(path.folder, in: directory, only: path.name)
      if let info = ledger.info(of: path.name, bytes: bytes) {
        return Blob(info: info, bytes: bytes)
      }
    }
    throw StorageError(.damaged("these are not the bytes that were stored"), path.description)
  }

  /// Several blobs of one folder. Reads the ledger only once.
  public func get(
    _ names: [String], in folder: BlobFolder
  ) throws(StorageError) -> [Result<Blob?, StorageError>] {
    guard let directory = try open(folder) else { return names.map { _ in .success(nil) } }
    let ledger = try ledger(folder, in: directory)
    return names.map { name in
      Result { () throws(StorageError) in
        let bytes = try directory.read(name)
        if let bytes, let info = ledger.info(of: name, bytes: bytes) {
          return Blob(info: info, bytes: bytes)
        }
        // Another thread may be replacing it.
        return try bytes == nil ? nil : get(folder.blob(name))
      }
    }
  }

  /// The current bytes without any check; nil if there is no blob.
  public func uncheckedBytes(_ path: BlobPath) throws(StorageError) -> [UInt8]? {
    try open(path.folder)?.read(path.name)
  }

  /// The metadata of a blob; nil if there is none. Reads the bytes only if the ledger has two lines
  /// for them.
  public func info(_ path: BlobPath) throws(StorageError) -> BlobInfo? {
    guard let directory = try open(path.folder), try directory.status(path.name)?.isFolder == false
    else {
      return nil
    }
    let infos = try ledger(path.folder, in: directory, only: path.name).infos
    // Only the bytes show which of two lines is current, or whether the blob was just deleted.
    if infos.count == 1 { return infos[0] }
    return try get(path)?.info
  }

  /// Calls a body with every folder with files below a folder, and with these files, in no
  /// particular order.
  public func forEachFolder(
    below folder: BlobFolder, _ body: (BlobFolder, [BlobFile]) throws -> Void
  ) throws {
    guard let directory = try open(folder) else { return }
    try visit(directory, folder, body)
  }

  private func visit(
    _ directory: Folder, _ path: BlobFolder, _ body: (BlobFolder, [BlobFile]) throws -> Void
  ) throws {
    let entries = try directory.entries()
    while let (name, isFolder) = try entries.next() {
      guard isFolder, StorageName.isValid(name), let inner = try directory.folder(name) else {
        continue
      }
      let path = BlobFolder(trusted: "\(path)/\(name)")
      var (files, hasFolders, hasLedger) = ([BlobFile](), false, false)
      let innerEntries = try inner.entries()
      while let (name, isFolder) = try innerEntries.next() {
        if isFolder {
          hasFolders = hasFolders || name.first != "."
        } else if name == BlobLedger.name {
          hasLedger = true
        } else if name.first != ".", let status = try inner.status(name) {
          files.append(BlobFile(name: name, size: status.size, modified: status.modified))
        }
      }
      if hasFolders { try visit(inner, path, body) }
      if !files.isEmpty || hasLedger { try body(path, files) }
    }
  }

  /// The sorted folders with files below a folder: those after `after`, at most `limit`.
  public func folders(
    below folder: BlobFolder, after: BlobFolder?, limit: Int
  ) throws(StorageError) -> [BlobFolder] {
    try Query.check(limit: limit)
    guard let directory = try open(folder) else { return [] }
    // A folder outside of this one comes before or after everything in it.
    if let after, folder < after, !after.names.starts(with: folder.names) { return [] }
    var found: [BlobFolder] = []
    try collect(below: folder, directory, after?.names ?? [], limit, &found)
    return found
  }

  /// Adds the folders with files below a folder. Opens only folders that may come after `after`.
  private func collect(
    below folder: BlobFolder, _ directory: Folder, _ after: [Substring], _ limit: Int,
    _ found: inout [BlobFolder]
  ) throws(StorageError) {
    let depth = folder.names.count
    let isOnPathToStart = after.count > depth && after.starts(with: folder.names)
    for name in try directory.names() where found.count < limit && StorageName.isValid(name) {
      // Earlier names were in a previous page.
      if isOnPathToStart, name.utf8.lexicographicallyPrecedes(after[depth].utf8) { continue }
      guard try directory.status(name)?.isFolder == true, let inner = try directory.folder(name)
      else {
        continue
      }
      let path = BlobFolder(trusted: "\(folder)/\(name)")
      let isAfterStart = !after.starts(with: path.names)
      if isAfterStart, try holdsFiles(inner) { found.append(path) }
      try collect(below: path, inner, after, limit, &found)
    }
  }

  private func holdsFiles(_ directory: Folder) throws(StorageError) -> Bool {
    for name in try directory.names() where name.first != "." || name == BlobLedger.name {
      if try directory.status(name)?.isFolder == false { return true }
    }
    return false
  }

  /// The names of the files in a folder, with or without an entry in its ledger.
  public func fileNames(in folder: BlobFolder) throws(StorageError) -> Set<String> {
    guard let directory = try open(folder) else { return [] }
    var names: Set<String> = []
    let entries = try directory.entries()
    while let (name, isFolder) = try entries.next() {
      if !isFolder, name.first != "." { names.insert(name) }
    }
    return names
  }

  /// The blobs and other files of a folder, sorted by name.
  public func entries(of folder: BlobFolder) throws(StorageError) -> [BlobEntry] {
    guard let directory = try open(folder) else { return [] }
    let ledger = try ledger(folder, in: directory)
    var entries: [BlobEntry] = []
    // Invalid blob names may be equal as texts though they differ in bytes, so a set would lose
    // some.
    let (found, invalid) = try directory.names().reduce(into: (Set<String>(), [String]())) {
      if StorageName.isValid($1) { $0.0.insert($1) } else { $0.1.append($1) }
    }
    let names = found.union(ledger.infos.map(\.path.name)) + invalid
    for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    where name.first != "." {
      let status = try directory.status(name)
      if status?.isFolder == true { continue }
      let infos = StorageName.isValid(name) ? ledger.infos(of: name) : []
      var info = infos.last
      if let status, infos.count > 1 {
        // With two lines, the current one has the size of the file. If both have that size, the
        // bytes are read.
        let fitting = infos.filter { $0.size == status.size }
        info = fitting.count == 1 ? fitting[0] : try? get(folder.blob(name))?.info ?? info
      }
      entries.append(
        BlobEntry(name: name, info: info, modified: status?.modified, used: status?.used))
    }
    return entries
  }

  /// Records that a blob was used at a moment in the access time of its file, if it exists.
  public func noteUse(of path: BlobPath, at moment: Moment) throws(StorageError) {
    try open(path.folder)?.noteUse(of: path.name, at: moment)
  }

  /// The locks of folders in this process.
  private static let locks = ProcessLocks()

  /// Calls a body under the lock of a folder, or of the root folder. If the folder is missing, the
  /// lock excludes only this process.
  public func withExclusiveAccess<Result>(
    to folder: BlobFolder?, _ body: () throws -> Result
  ) throws -> Result {
    try Self.locks.withLock("\(root.path)/\(folder?.description ?? "")") {
      try withFolderLocked(folder, body)
    }
  }

  private func withFolderLocked<Result>(
    _ folder: BlobFolder?, _ body: () throws -> Result
  ) throws -> Result {
    while true {
      // Opened again, so that the lock is released at the end of this call.
      guard let directory = try folder.map(open) ?? Folder(root.path) else { return try body() }
      try directory.lock()
      defer { withExtendedLifetime(directory) {} }
      // Another program may have deleted it before the lock was taken, and made another one.
      if let folder {
        guard let parent = try parent(of: folder),
          directory.isNamed(folder.names.last ?? "", in: parent)
        else { continue }
      }
      return try body()
    }
  }

  // MARK: - Writing

  /// Stores blobs in a folder, durably unless the store is being filled. Replaces blobs with the
  /// same names.
  public func put(
    _ contents: [BlobContent], in folder: BlobFolder, at moment: Moment
  ) throws(StorageError) -> [BlobInfo] {
    try BlobContent.check(contents)
    if contents.isEmpty { return [] }
    var attempts = 0
    while true {
      do throws(StorageError) {
        if let infos = try attempt(contents, in: folder, at: moment) { return infos }
      } catch {
        // Another program may delete the parent folders as soon as they exist, but not forever.
        attempts += 1
        guard error.problem == .notFound, attempts < 100 else { throw error }
      }
    }
  }

  /// Stores blobs in a new folder, durably unless the store is being filled; nil if the folder
  /// exists already.
  public func create(
    _ contents: [BlobContent], in folder: BlobFolder, at moment: Moment
  ) throws(StorageError) -> [BlobInfo]? {
    try BlobContent.check(contents)
    var attempts = 0
    while true {
      do throws(StorageError) {
        var names = FolderNames()
        let parent = try ensureFolder(folder.names.dropLast(), &names)
        let name = folder.names.last.map(String.init) ?? ""
        if let status = try parent.status(name) {
          if status.isFile { throw StorageError(.alreadyExists, folder.description) }
          return nil
        }
        return try create(contents, in: folder, parent, name, at: moment, names)
      } catch {
        attempts += 1
        guard error.problem == .notFound, attempts < 100 else { throw error }
      }
    }
  }

  /// Adds blobs beside another one, durably unless the store is being filled; nil if that blob is
  /// missing or has other bytes, or a file has one of the names.
  public func add(
    _ contents: [BlobContent], beside info: BlobInfo, at moment: Moment
  ) throws(StorageError) -> [BlobInfo]? {
    try BlobContent.check(contents)
    let folder = info.path.folder
    guard let directory = try open(folder) else { return nil }
    // A deletion of the folder has either finished before this lock, or deletes these blobs, too.
    try directory.lock()
    guard let parent = try parent(of: folder),
      directory.isNamed(folder.names.last ?? "", in: parent)
    else { return nil }
    guard try current(info.path, in: directory)?.digest == info.digest,
      try Set(directory.names()).isDisjoint(with: contents.map(\.name))
    else { return nil }
    return try replace(contents, in: folder, directory, at: moment)
  }

  /// Stores blobs beside another one and deletes others, durably unless the store is being filled;
  /// nil if that blob is missing or a different one.
  public func put(
    _ contents: [BlobContent], deleting names: [String], beside info: BlobInfo, at moment: Moment
  ) throws(StorageError) -> [BlobInfo]? {
    try BlobContent.check(contents)
    let folder = info.path.folder
    guard let directory = try open(folder) else { return nil }
    try directory.lock()
    guard let parent = try parent(of: folder),
      directory.isNamed(folder.names.last ?? "", in: parent),
      try current(info.path, in: directory) == info
    else { return nil }
    let infos = try replace(contents, in: folder, directory, at: moment)
    var isDeleted = false
    // The ledger keeps the lines until the next write, as in other deletions.
    for name in names where try directory.remove(name) { isDeleted = true }
    if isDeleted { try synchronize([directory.entry]) }
    return infos
  }

  /// The ledger's entry for the current bytes of a blob in a locked folder; nil if they are missing
  /// or damaged. Reads the bytes only if the ledger has two lines for them.
  private func current(_ path: BlobPath, in directory: Folder) throws(StorageError) -> BlobInfo? {
    let ledger = try ledger(path.folder, in: directory, only: path.name)
    // An interrupted deletion leaves lines in the ledger without their files.
    guard ledger.infos.count > 1 else {
      return try directory.status(path.name)?.isFile == true ? ledger.infos.first : nil
    }
    return try directory.read(path.name).flatMap { ledger.info(of: path.name, bytes: $0) }
  }

  /// Stores blobs in an existing folder or a new one; nil if another program has created or deleted
  /// it in the meantime.
  private func attempt(
    _ contents: [BlobContent], in folder: BlobFolder, at moment: Moment
  ) throws(StorageError) -> [BlobInfo]? {
    var names = FolderNames()
    let parent = try ensureFolder(folder.names.dropLast(), &names)
    let name = folder.names.last.map(String.init) ?? ""
    guard let directory = try parent.folder(name) else {
      // A file is an error. A folder that was just created is handled by the next attempt.
      if try parent.status(name)?.isFile == true {
        throw StorageError(.alreadyExists, folder.description)
      }
      return try create(contents, in: folder, parent, name, at: moment, names)
    }
    try directory.lock()
    // Another program may have deleted it before the lock was taken.
    guard directory.isNamed(name, in: parent) else { return nil }
    // The program that created it may have crashed before it synchronized the name.
    note("/\(folder)", in: parent, &names)
    try synchronize(names)
    return try replace(contents, in: folder, directory, at: moment)
  }

  /// Folders with names that must be synchronized before a blob in them is durable, and the paths
  /// of these names.
  private struct FolderNames {
    var folders: [Folder] = []
    var paths: [String] = []
  }

  /// Adds the name of a folder in its parent, unless it is known to be durable. The name of a new
  /// folder is always added, since the record may be that of an earlier folder with the same name.
  private func note(
    _ path: String, in parent: Folder, isNew: Bool = false, _ names: inout FolderNames
  ) {
    guard isDurable else { return }
    if !isNew, durableFolders.withLock({ $0.contains(path) }) { return }
    names.folders.append(parent)
    names.paths.append(path)
  }

  /// Synchronizes open files and folders, together with those of other threads.
  private func synchronize(_ entries: [OpenEntry]) throws(StorageError) {
    if isDurable { try synchronization.wait(for: entries) }
  }

  /// Synchronizes names of folders, all at the same time.
  private func synchronize(_ names: FolderNames) throws(StorageError) {
    // Keeps the folders open.
    defer { withExtendedLifetime(names) {} }
    try synchronize(names.folders.map(\.entry))
    durableFolders.withLock { paths in
      if paths.count >= 10_000 { paths = [] }
      paths.formUnion(names.paths)
    }
  }

  private func forgetDurable(_ path: String) {
    durableFolders.withLock { paths in _ = paths.remove(path) }
  }

  /// Opens a folder and creates it and its parents if missing. Adds the names that may not be
  /// durable yet.
  private func ensureFolder(
    _ folder: some Sequence<Substring>, _ names: inout FolderNames
  ) throws(StorageError) -> Folder {
    var (directory, path) = (root, "")
    for name in folder {
      path += "/" + name
      var (next, isNew) = (try directory.folder(name), false)
      if next == nil {
        isNew = try directory.makeFolder(name)
        if isNew { forgetDurable(path) }
        next = try directory.folder(name)
      }
      // A folder that another program has just created may not be durable yet.
      note(path, in: directory, isNew: isNew, &names)
      guard let next else {
        let isFile = try directory.status(name)?.isFile == true
        throw StorageError(isFile ? .alreadyExists : .notFound, "\(directory.path)/\(name)")
      }
      directory = next
    }
    return directory
  }

  private static let temporaryPrefix = ".new-"

  private static func temporaryName(_ name: String) -> String {
    "\(temporaryPrefix)\(String(UInt64.random(in: 0...UInt64.max), radix: 36))-\(name.prefix(80))"
  }

  /// Creates a folder with its blobs; nil if another program was first.
  private func create(
    _ contents: [BlobContent], in folder: BlobFolder, _ parent: Folder, _ name: String,
    at moment: Moment, _ names: FolderNames
  ) throws(StorageError) -> [BlobInfo]? {
    let temporary = Self.temporaryName(name)
    guard try parent.makeFolder(temporary), let directory = try parent.folder(temporary) else {
      throw StorageError(.alreadyExists, "\(parent.path)/\(temporary)")
    }
    // Prevents `removeLeftovers` from deleting it, however long this program is stopped.
    try directory.lock()
    do throws(StorageError) {
      var ledger = BlobLedger(folder)
      for content in contents {
        ledger.add(content.info(in: folder, created: moment, updated: moment))
      }
      try directory.write(
        contents.map { ($0.name, $0.bytes) } + [(BlobLedger.name, ledger.bytes)]
      ) { (written) throws(StorageError) in try synchronize(written + [directory.entry]) }
      guard try parent.status(name) == nil, try parent.rename(temporary, to: name) else {
        discard(temporary, in: parent)
        return nil
      }
      var names = names
      note("/\(folder)", in: parent, isNew: true, &names)
      try synchronize(names)
      return ledger.infos
    } catch {
      discard(temporary, in: parent)
      throw error
    }
  }

  /// Whether the program that was filling an unfinished folder is gone. A complete folder has its
  /// final name.
  private func isUnused(_ temporary: String, in parent: Folder) -> Bool {
    guard let directory = try? parent.folder(temporary) else { return true }
    return directory.tryLock() && directory.isNamed(temporary, in: parent)
  }

  /// Deletes an unfinished folder, as far as possible.
  private func discard(_ temporary: String, in parent: Folder) {
    guard let directory = try? parent.folder(temporary) else { return }
    for name in (try? directory.names()) ?? [] { _ = try? directory.remove(name) }
    _ = try? parent.removeFolder(temporary)
  }

  /// Stores blobs in a locked folder.
  private func replace(
    _ contents: [BlobContent], in folder: BlobFolder, _ directory: Folder, at moment: Moment
  ) throws(StorageError) -> [BlobInfo] {
    var ledger = try ledger(folder, in: directory)
    var infos: [BlobInfo] = []
    var files: [(name: String, bytes: [UInt8])] = []
    ledger.keep(Set(try directory.names()))
    for content in contents {
      guard try directory.status(content.name)?.isFolder != true else {
        throw StorageError(.alreadyExists, "\(folder)/\(content.name)")
      }
      // Of two lines one is outdated; the bytes show which.
      let bytes = try directory.read(content.name)
      let before = bytes.flatMap { ledger.info(of: content.name, bytes: $0) }
      ledger.remove(content.name, except: before)
      let info = content.info(in: folder, created: before?.created ?? moment, updated: moment)
      ledger.add(info)
      infos.append(info)
      files.append((Self.temporaryName(content.name), content.bytes))
    }
    files.append((Self.temporaryName("blobs"), ledger.bytes))
    try directory.write(files) { (written) throws(StorageError) in try synchronize(written) }
    do throws(StorageError) {
      // The ledger first: its lines for the old and the new blobs are valid in every state that a
      // crash leaves.
      try directory.rename(files[contents.count].name, to: BlobLedger.name)
      try synchronize([directory.entry])
      for (file, content) in zip(files, contents) {
        try directory.rename(file.name, to: content.name)
      }
      try synchronize([directory.entry])
    } catch {
      for file in files { _ = try? directory.remove(file.name) }
      throw error
    }
    return infos
  }

  // MARK: - Deleting

  /// Deletes a blob and returns whether it existed. Deletes the folder, too, if it was the last
  /// one.
  public func delete(_ path: BlobPath) throws(StorageError) -> Bool {
    guard let directory = try open(path.folder) else { return false }
    try directory.lock()
    // The ledger keeps the line until the next write: a line without a file has no effect.
    let existed = try directory.remove(path.name)
    if existed { try directory.synchronize() }
    if try directory.names().allSatisfy({ $0 == BlobLedger.name }) {
      _ = try delete(path.folder, directory)
    }
    return existed
  }

  /// Deletes all blobs of a folder and returns whether there were any.
  public func delete(_ folder: BlobFolder) throws(StorageError) -> Bool {
    guard let directory = try open(folder) else { return false }
    try directory.lock()
    return try delete(folder, directory)
  }

  /// Deletes a locked folder.
  private func delete(_ folder: BlobFolder, _ directory: Folder) throws(StorageError) -> Bool {
    let name = folder.names.last ?? ""
    guard let parent = try parent(of: folder), directory.isNamed(name, in: parent) else {
      return false
    }
    // Names that begin with a dot are unfinished files, and the ledger, which is deleted last.
    let names = try directory.names().sorted { $0 != BlobLedger.name && $1 == BlobLedger.name }
    var existed = false
    for name in names where try directory.status(name)?.isFolder == false {
      if try directory.remove(name), name.first != "." { existed = true }
    }
    if try parent.removeFolder(name) {
      try parent.synchronize()
    } else {
      try directory.synchronize()
    }
    return existed
  }

  /// Moves all blobs of a folder to a new folder, atomically, and returns whether there were any.
  public func move(_ folder: BlobFolder, to other: BlobFolder) throws(StorageError) -> Bool {
    guard let directory = try open(folder) else { return false }
    // A concurrent writer has either finished before, or will find the folder missing.
    try directory.lock()
    let (name, newName) = (folder.names.last ?? "", other.names.last ?? "")
    guard let parent = try parent(of: folder), directory.isNamed(name, in: parent) else {
      return false
    }
    var names = FolderNames()
    let target = try ensureFolder(other.names.dropLast(), &names)
    try synchronize(names)
    guard try target.status(newName) == nil else {
      throw StorageError(.alreadyExists, other.description)
    }
    guard try parent.move(name, to: target, as: newName) else { return false }
    forgetDurable("/\(folder)")
    // The new parent first: after a power cut the folder may have both paths, but never none.
    try target.synchronize()
    try parent.synchronize()
    return true
  }

  private func parent(of folder: BlobFolder) throws(StorageError) -> Folder? {
    let names = folder.names.dropLast().joined(separator: "/")
    return names.isEmpty ? root : try open(BlobFolder(trusted: names))
  }

  /// Deletes a folder and everything below it under any name, and returns the number of folders
  /// that had files.
  public func deleteTree(
    _ folder: BlobFolder, except keeps: (BlobFolder) throws -> Bool
  ) throws -> Int {
    guard let directory = try open(folder), let parent = try parent(of: folder) else { return 0 }
    let count = try deleteTree(in: directory, folder, except: keeps)
    if try parent.removeFolder(folder.names.last ?? "") { try parent.synchronize() }
    return count
  }

  /// Deletes everything in a folder; `path` is nil if a name in it is invalid.
  private func deleteTree(
    in directory: Folder, _ path: BlobFolder?, except keeps: (BlobFolder) throws -> Bool
  ) throws -> Int {
    try directory.renameUnreadable { Self.temporaryName("unreadable") }
    var (count, files) = (0, [String]())
    for name in try directory.names() {
      guard let inner = try directory.status(name)?.isFolder == true ? directory.folder(name) : nil
      else {
        files.append(name)
        continue
      }
      // The writer of an unfinished folder gives it its final name later, or deletes it.
      if name.hasPrefix(Self.temporaryPrefix), !isUnused(name, in: directory) { continue }
      let innerPath =
        StorageName.isValid(name) ? path.map { BlobFolder(trusted: "\($0)/\(name)") } : nil
      count += try deleteTree(in: inner, innerPath, except: keeps)
      _ = try directory.removeFolder(name)
    }
    if try path.map(keeps) ?? false { return count }
    var hasFiles = false
    for name in files where try directory.remove(name) { hasFiles = true }
    // The folder itself may stay.
    try directory.synchronize()
    return count + (hasFiles ? 1 : 0)
  }

  /// The sorted subfolders of a folder, with or without files.
  package func subfolders(of folder: BlobFolder) throws(StorageError) -> [BlobFolder] {
    guard let directory = try open(folder) else { return [] }
    var found: [BlobFolder] = []
    for name in try directory.names() where StorageName.isValid(name) {
      if try directory.status(name)?.isFolder == true {
        found.append(BlobFolder(trusted: "\(folder)/\(name)"))
      }
    }
    return found
  }

  /// The folders below a folder whose names are not valid in paths of blobs. Ignores unfinished
  /// folders.
  public func unreachableFolders(below folder: BlobFolder) throws(StorageError) -> [String] {
    guard let directory = try open(folder) else { return [] }
    var found: [String] = []
    let entries = try directory.entries()
    while let (name, isFolder) = try entries.next() {
      guard isFolder, !name.hasPrefix(Self.temporaryPrefix) else { continue }
      if !StorageName.isValid(name) {
        found.append("\(folder)/\(name)")
      } else {
        found += try unreachableFolders(below: BlobFolder(trusted: "\(folder)/\(name)"))
      }
    }
    return found.sorted()
  }

  /// Removes all permissions of group and others below the root, and returns how many files and
  /// folders had some. Only counts if `changes` is false.
  package func makePrivate(changes: Bool) throws(StorageError) -> Int {
    try root.makePrivate(changes: changes)
  }

  /// Deletes unfinished and empty folders and unfinished files that are older than a moment, and
  /// returns the number of unfinished ones.
  public func removeLeftovers(
    below folder: BlobFolder, before moment: Moment
  ) throws(StorageError) -> Int {
    guard let directory = try open(folder) else { return 0 }
    return try removeLeftovers(in: directory, before: moment).count
  }

  /// Deletes temporary files directly in the root that are older than a moment, by the prefixes of
  /// their names, and returns their number.
  package func removeFiles(
    beginningWith prefixes: [String], before moment: Moment
  ) throws(StorageError) -> Int {
    var count = 0
    for name in try root.names() where prefixes.contains(where: { name.hasPrefix($0) }) {
      guard let status = try root.status(name), status.isFile, status.modified < moment else {
        continue
      }
      if try root.remove(name) { count += 1 }
    }
    if count > 0 { try root.synchronize() }
    return count
  }

  private func removeLeftovers(
    in directory: Folder, before moment: Moment
  ) throws(StorageError) -> (count: Int, isEmpty: Bool) {
    var (count, isEmpty) = (0, true)
    // Most names belong to complete files, whose status is not read.
    let entries = try directory.entries()
    while let (name, isFolder) = try entries.next() {
      var remains = true
      if name.hasPrefix(Self.temporaryPrefix) {
        if let status = try directory.status(name), status.modified < moment {
          if isFolder, !isUnused(name, in: directory) {
            isEmpty = false
            continue
          }
          if isFolder { discard(name, in: directory) } else { try directory.remove(name) }
          count += 1
          remains = false
        }
      } else if isFolder, name.first != ".", let inner = try directory.folder(name) {
        let (found, isEmpty) = try removeLeftovers(in: inner, before: moment)
        count += found
        // An empty folder is harmless and does not count.
        if isEmpty, let status = try directory.status(name), status.modified < moment {
          remains = try !directory.removeFolder(name)
        }
      }
      if remains { isEmpty = false }
    }
    if count > 0 { try directory.synchronize() }
    return (count, isEmpty)
  }
}

extension FileBlobStore {
  /// The bytes of a file directly in the root of a store that is not a blob; nil if it is missing.
  package static func bytes(
    ofFile name: String, in root: String
  ) throws(StorageError) -> [UInt8]? {
    guard access(root, F_OK) == 0 else { return nil }
    let folder = try Folder(root)
    let bytes = try folder.read(name)
    // A folder with this name is an error, not a missing file.
    if bytes == nil, try folder.status(name) != nil {
      throw StorageError(.damaged("a file of the wrong type"), "\(root)/\(name)")
    }
    return bytes
  }

  /// Deletes a file directly in the root of a store, if it exists.
  package static func removeFile(_ name: String, in root: String) throws(StorageError) {
    let folder = try Folder(root)
    if try folder.remove(name) { try folder.synchronize() }
  }

  /// Writes a file directly in the root of a store, replaces an existing one, and synchronizes it.
  package static func replaceFile(
    _ name: String, in root: String, _ bytes: [UInt8]
  ) throws(StorageError) {
    let folder = try Folder(root)
    let temporary = temporaryName(name)
    try folder.write([(temporary, bytes)]) { (written) throws(StorageError) in
      for entry in written { try entry.synchronize() }
    }
    do throws(StorageError) {
      try folder.rename(temporary, to: name)
      try folder.synchronize()
    } catch {
      _ = try? folder.remove(temporary)
      throw error
    }
  }
}
