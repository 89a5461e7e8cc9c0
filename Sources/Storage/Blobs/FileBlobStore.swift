import Glibc

/// Blobs as plain files below a folder, one file each, at the paths that they have.
///
/// A new folder is written under a name that begins with a dot and renamed when all of it is safe, so it
/// is there as a whole or not at all. A blob in a folder that is there is written beside the old one,
/// noted in the folder's ledger, and renamed.
public final class FileBlobStore: BlobStore {
  private let root: Folder
  /// Folders whose names are known to be safe on the disk.
  private let safeFolders = Monitor<Set<String>>([])

  /// Whether what was put is safe when that returns, or only once `synchronize` has.
  private let isDurable: Bool

  /// The store in a folder that is there.
  public init(_ root: String) throws(StorageError) {
    self.root = try Folder(root)
    isDurable = true
  }

  /// The store in a folder whose contents count only when all of it is there: nothing that is put is safe
  /// before `synchronize` has returned.
  package init(filling root: String) throws(StorageError) {
    self.root = try Folder(root)
    isDurable = false
  }

  /// Waits until everything is safe.
  package func synchronize() throws(StorageError) { try root.synchronizeDisk() }

  // MARK: - Finding

  private func open(_ folder: BlobFolder) throws(StorageError) -> Folder? {
    try root.folder(below: folder.names)
  }

  /// What is known of the blobs in a folder, or of one alone.
  private func ledger(
    _ folder: BlobFolder, in place: Folder, only name: String? = nil
  ) throws(StorageError) -> BlobLedger {
    BlobLedger(folder, bytes: try place.read(BlobLedger.name) ?? [], only: name)
  }

  /// As `BlobStore` says.
  public func get(_ path: BlobPath) throws(StorageError) -> Blob? {
    guard let place = try open(path.folder) else { return nil }
    // A blob that is being replaced may be read before its ledger is; then both are read once more,
    // at last while nobody can replace it.
    for attempt in 0..<3 {
      if attempt == 2 { try place.lock() }
      guard let bytes = try place.read(path.name) else { return nil }
      let ledger = try ledger(path.folder, in: place, only: path.name)
      if let info = ledger.info(of: path.name, bytes: bytes) {
        return Blob(info: info, bytes: bytes)
      }
    }
    throw StorageError(.damaged("these are not the bytes that were stored"), path.description)
  }

  /// As `BlobStore` says.
  public func get(
    _ names: [String], in folder: BlobFolder
  ) throws(StorageError) -> [Result<Blob?, StorageError>] {
    guard let place = try open(folder) else { return names.map { _ in .success(nil) } }
    let ledger = try ledger(folder, in: place)
    return names.map { name in
      Result { () throws(StorageError) in
        let bytes = try place.read(name)
        if let bytes, let info = ledger.info(of: name, bytes: bytes) {
          return Blob(info: info, bytes: bytes)
        }
        // It may be being replaced.
        return try bytes == nil ? nil : get(folder.blob(name))
      }
    }
  }

  /// As `BlobStore` says.
  public func uncheckedBytes(_ path: BlobPath) throws(StorageError) -> [UInt8]? {
    try open(path.folder)?.read(path.name)
  }

  /// As `BlobStore` says.
  public func info(_ path: BlobPath) throws(StorageError) -> BlobInfo? {
    guard let place = try open(path.folder), try place.status(path.name)?.isFolder == false else {
      return nil
    }
    let infos = try ledger(path.folder, in: place, only: path.name).infos
    // Only the bytes tell which of two lines is theirs, or whether the blob was just taken away.
    if infos.count == 1 { return infos[0] }
    return try get(path)?.info
  }

  /// As `BlobStore` says.
  public func forEachFolder(
    below folder: BlobFolder, _ body: (BlobFolder, [BlobFile]) throws -> Void
  ) throws {
    guard let place = try open(folder) else { return }
    try visit(place, folder, body)
  }

  private func visit(
    _ place: Folder, _ path: BlobFolder, _ body: (BlobFolder, [BlobFile]) throws -> Void
  ) throws {
    let entries = try place.entries()
    while let (name, isFolder) = try entries.next() {
      guard isFolder, StorageName.isValid(name), let inner = try place.folder(name) else {
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

  /// As `BlobStore` says.
  public func folders(
    below folder: BlobFolder, after: BlobFolder?, limit: Int
  ) throws(StorageError) -> [BlobFolder] {
    try Query.check(limit: limit)
    guard let place = try open(folder) else { return [] }
    // Outside of the folder lies all before it or all behind it.
    if let after, folder < after, !after.names.starts(with: folder.names) { return [] }
    var found: [BlobFolder] = []
    try collect(below: folder, place, after?.names ?? [], limit, &found)
    return found
  }

  /// Adds the folders below one that hold files. Only what may lie behind `after` is opened.
  private func collect(
    below folder: BlobFolder, _ place: Folder, _ after: [Substring], _ limit: Int,
    _ found: inout [BlobFolder]
  ) throws(StorageError) {
    let depth = folder.names.count
    let isOnTheWay = after.count > depth && after.starts(with: folder.names)
    for name in try place.names() where found.count < limit && StorageName.isValid(name) {
      // Before the one that is gone behind, everything was given already.
      if isOnTheWay, name.utf8.lexicographicallyPrecedes(after[depth].utf8) { continue }
      guard try place.status(name)?.isFolder == true, let inner = try place.folder(name) else {
        continue
      }
      let path = BlobFolder(trusted: "\(folder)/\(name)")
      let isBehind = !after.starts(with: path.names)
      if isBehind, try holdsFiles(inner) { found.append(path) }
      try collect(below: path, inner, after, limit, &found)
    }
  }

  private func holdsFiles(_ place: Folder) throws(StorageError) -> Bool {
    for name in try place.names() where name.first != "." || name == BlobLedger.name {
      if try place.status(name)?.isFolder == false { return true }
    }
    return false
  }

  /// As `BlobStore` says.
  public func fileNames(in folder: BlobFolder) throws(StorageError) -> Set<String> {
    guard let place = try open(folder) else { return [] }
    var names: Set<String> = []
    let entries = try place.entries()
    while let (name, isFolder) = try entries.next() {
      if !isFolder, name.first != "." { names.insert(name) }
    }
    return names
  }

  /// As `BlobStore` says.
  public func entries(of folder: BlobFolder) throws(StorageError) -> [BlobEntry] {
    guard let place = try open(folder) else { return [] }
    let ledger = try ledger(folder, in: place)
    var entries: [BlobEntry] = []
    // Names that no blob can have may be equal to others as text.
    let (found, strange) = try place.names().reduce(into: (Set<String>(), [String]())) {
      if StorageName.isValid($1) { $0.0.insert($1) } else { $0.1.append($1) }
    }
    let names = found.union(ledger.infos.map(\.path.name)) + strange
    for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    where name.first != "." {
      let status = try place.status(name)
      if status?.isFolder == true { continue }
      let infos = StorageName.isValid(name) ? ledger.infos(of: name) : []
      var info = infos.last
      if let status, infos.count > 1 {
        // Of two lines that of the bytes, which are read where their number does not tell.
        let fitting = infos.filter { $0.size == status.size }
        info = fitting.count == 1 ? fitting[0] : try? get(folder.blob(name))?.info ?? info
      }
      entries.append(
        BlobEntry(name: name, info: info, modified: status?.modified, used: status?.used))
    }
    return entries
  }

  /// As `BlobStore` says.
  public func noteUse(of path: BlobPath, at moment: Moment) throws(StorageError) {
    try open(path.folder)?.noteUse(of: path.name, at: moment)
  }

  /// As `BlobStore` says.
  public func alone<Result>(_ body: () throws -> Result) throws -> Result {
    // Opened again, so that the lock keeps out other threads, too, and ends with this call.
    let place = try Folder(root.path)
    try place.lock()
    defer { withExtendedLifetime(place) {} }
    return try body()
  }

  // MARK: - Storing

  /// As `BlobStore` says.
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
        // Somebody may take away the folders above as soon as they are there; not for ever, though.
        attempts += 1
        guard error.problem == .notFound, attempts < 100 else { throw error }
      }
    }
  }

  /// Puts blobs into a folder that is there or a new one; nil where that has changed meanwhile.
  private func attempt(
    _ contents: [BlobContent], in folder: BlobFolder, at moment: Moment
  ) throws(StorageError) -> [BlobInfo]? {
    let parent = try ensureFolder(folder.names.dropLast())
    let name = folder.names.last.map(String.init) ?? ""
    guard let place = try parent.folder(name) else {
      // A file stays; a folder that has just come is for the next attempt.
      if try parent.status(name)?.isFile == true {
        throw StorageError(.alreadyThere, folder.description)
      }
      return try make(contents, in: folder, parent, name, at: moment)
    }
    try place.lock()
    // Somebody may have taken it away before the lock was ours.
    guard place.isNamed(name, in: parent) else { return nil }
    // Whoever made it may not have come to make its name safe.
    try ensureSafe("/\(folder)", in: parent)
    return try replace(contents, in: folder, place, at: moment)
  }

  /// Waits until a folder's name in another one is safe, which is so for long once it was. Whoever has made
  /// the folder knows that it cannot be yet, whatever is said of one that had its name before.
  private func ensureSafe(
    _ path: String, in parent: Folder, isNew: Bool = false
  ) throws(StorageError) {
    guard isDurable else { return }
    if !isNew, safeFolders.withLock({ $0.contains(path) }) { return }
    try parent.synchronize()
    safeFolders.withLock { safe in
      if safe.count >= 10_000 { safe = [] }
      safe.insert(path)
    }
  }

  private func forgetSafe(_ path: String) {
    safeFolders.withLock { safe in _ = safe.remove(path) }
  }

  /// Opens a folder, making those that are not there, whose names are safe when this returns.
  private func ensureFolder(_ names: some Sequence<Substring>) throws(StorageError) -> Folder {
    var (place, path) = (root, "")
    for name in names {
      path += "/" + name
      var (next, isNew) = (try place.folder(name), false)
      if next == nil {
        isNew = try place.makeFolder(name)
        if isNew { forgetSafe(path) }
        next = try place.folder(name)
      }
      // One that somebody else has just made may not be safe yet.
      try ensureSafe(path, in: place, isNew: isNew)
      guard let next else {
        let isFile = try place.status(name)?.isFile == true
        throw StorageError(isFile ? .alreadyThere : .notFound, "\(place.path)/\(name)")
      }
      place = next
    }
    return place
  }

  private static let temporaryPrefix = ".new-"

  private static func temporaryName(_ name: String) -> String {
    "\(temporaryPrefix)\(String(UInt64.random(in: 0...UInt64.max), radix: 36))-\(name.prefix(80))"
  }

  /// Makes a folder with all that it holds; nil where somebody else was first.
  private func make(
    _ contents: [BlobContent], in folder: BlobFolder, _ parent: Folder, _ name: String,
    at moment: Moment
  ) throws(StorageError) -> [BlobInfo]? {
    let temporary = Self.temporaryName(name)
    guard try parent.makeFolder(temporary), let place = try parent.folder(temporary) else {
      throw StorageError(.alreadyThere, "\(parent.path)/\(temporary)")
    }
    do throws(StorageError) {
      var ledger = BlobLedger(folder)
      for content in contents {
        try place.write(content.bytes, as: content.name, isDurable: isDurable)
        ledger.add(content.info(in: folder, created: moment, updated: moment))
      }
      try place.write(ledger.bytes, as: BlobLedger.name, isDurable: isDurable)
      if isDurable { try place.synchronize() }
      guard try parent.status(name) == nil, try parent.rename(temporary, to: name) else {
        discard(temporary, in: parent)
        return nil
      }
      forgetSafe("/\(folder)")
      if isDurable { try parent.synchronize() }
      return ledger.infos
    } catch {
      discard(temporary, in: parent)
      throw error
    }
  }

  /// Takes away what was not finished, as far as that is possible.
  private func discard(_ temporary: String, in parent: Folder) {
    guard let place = try? parent.folder(temporary) else { return }
    for name in (try? place.names()) ?? [] { _ = try? place.remove(name) }
    _ = try? parent.removeFolder(temporary)
  }

  /// Puts blobs into a folder that is locked.
  private func replace(
    _ contents: [BlobContent], in folder: BlobFolder, _ place: Folder, at moment: Moment
  ) throws(StorageError) -> [BlobInfo] {
    var ledger = try ledger(folder, in: place)
    var infos: [BlobInfo] = []
    var temporaries: [(String, String)] = []
    do throws(StorageError) {
      ledger.keep(Set(try place.names()))
      for content in contents {
        guard try place.status(content.name)?.isFolder != true else {
          throw StorageError(.alreadyThere, "\(folder)/\(content.name)")
        }
        // Of two lines one is old; what the file holds tells which.
        let bytes = try place.read(content.name)
        let before = bytes.flatMap { ledger.info(of: content.name, bytes: $0) }
        ledger.remove(content.name, except: before)
        let info = content.info(
          in: folder, created: before?.created ?? moment, updated: moment)
        ledger.add(info)
        infos.append(info)
        let temporary = Self.temporaryName(content.name)
        try place.write(content.bytes, as: temporary, isDurable: isDurable)
        temporaries.append((temporary, content.name))
      }
      try write(ledger, in: place)
      for (temporary, name) in temporaries { try place.rename(temporary, to: name) }
      if isDurable { try place.synchronize() }
    } catch {
      for (temporary, _) in temporaries { _ = try? place.remove(temporary) }
      throw error
    }
    return infos
  }

  /// Puts a ledger in place of the folder's, and waits until it is safe.
  private func write(_ ledger: BlobLedger, in place: Folder) throws(StorageError) {
    let temporary = Self.temporaryName("blobs")
    try place.write(ledger.bytes, as: temporary, isDurable: isDurable)
    do throws(StorageError) {
      try place.rename(temporary, to: BlobLedger.name)
    } catch {
      _ = try? place.remove(temporary)
      throw error
    }
    if isDurable { try place.synchronize() }
  }

  // MARK: - Taking away

  /// As `BlobStore` says.
  public func delete(_ path: BlobPath) throws(StorageError) -> Bool {
    guard let place = try open(path.folder) else { return false }
    try place.lock()
    // The line stays until the folder is written to again: a line without bytes says nothing.
    let wasThere = try place.remove(path.name)
    if wasThere { try place.synchronize() }
    if try place.names().allSatisfy({ $0 == BlobLedger.name }) {
      _ = try delete(path.folder, place)
    }
    return wasThere
  }

  /// As `BlobStore` says.
  public func delete(_ folder: BlobFolder) throws(StorageError) -> Bool {
    guard let place = try open(folder) else { return false }
    try place.lock()
    return try delete(folder, place)
  }

  /// Takes a folder away that is locked.
  private func delete(_ folder: BlobFolder, _ place: Folder) throws(StorageError) -> Bool {
    let name = folder.names.last ?? ""
    guard let parent = try parent(of: folder), place.isNamed(name, in: parent) else {
      return false
    }
    // Names that begin with a dot are nobody's: what was half done, and at last the ledger.
    let names = try place.names().sorted { $0 != BlobLedger.name && $1 == BlobLedger.name }
    var wasThere = false
    for name in names where try place.status(name)?.isFolder == false {
      if try place.remove(name), name.first != "." { wasThere = true }
    }
    if try parent.removeFolder(name) { try parent.synchronize() } else { try place.synchronize() }
    return wasThere
  }

  /// As `BlobStore` says.
  public func move(_ folder: BlobFolder, to other: BlobFolder) throws(StorageError) -> Bool {
    guard let place = try open(folder) else { return false }
    // Whoever writes to it has come before, or finds it gone.
    try place.lock()
    let (name, newName) = (folder.names.last ?? "", other.names.last ?? "")
    guard let parent = try parent(of: folder), place.isNamed(name, in: parent) else { return false }
    let target = try ensureFolder(other.names.dropLast())
    guard try target.status(newName) == nil else {
      throw StorageError(.alreadyThere, other.description)
    }
    guard try parent.move(name, to: target, as: newName) else { return false }
    forgetSafe("/\(folder)")
    // Where it is now first: it may be at both places after a power cut, but not at none.
    try target.synchronize()
    try parent.synchronize()
    return true
  }

  private func parent(of folder: BlobFolder) throws(StorageError) -> Folder? {
    let names = folder.names.dropLast().joined(separator: "/")
    return names.isEmpty ? root : try open(BlobFolder(trusted: names))
  }

  /// Takes a folder away with all that lies below it, and says how many folders with files there were.
  package func deleteTree(_ folder: BlobFolder) throws(StorageError) -> Int {
    guard let place = try open(folder), let parent = try parent(of: folder) else { return 0 }
    let count = try deleteTree(in: place)
    _ = try parent.removeFolder(folder.names.last ?? "")
    try parent.synchronize()
    return count
  }

  private func deleteTree(in place: Folder) throws(StorageError) -> Int {
    var (count, hasFiles) = (0, false)
    for name in try place.names() {
      if let inner = try place.status(name)?.isFolder == true ? place.folder(name) : nil {
        count += try deleteTree(in: inner)
        _ = try place.removeFolder(name)
      } else {
        hasFiles = try place.remove(name) || hasFiles
      }
    }
    return count + (hasFiles ? 1 : 0)
  }

  /// Folders in a folder, sorted, with or without files.
  package func subfolders(of folder: BlobFolder) throws(StorageError) -> [BlobFolder] {
    guard let place = try open(folder) else { return [] }
    var found: [BlobFolder] = []
    for name in try place.names() where StorageName.isValid(name) {
      if try place.status(name)?.isFolder == true {
        found.append(BlobFolder(trusted: "\(folder)/\(name)"))
      }
    }
    return found
  }

  /// Folders whose names no blob's path can have, in a folder and so many levels below. Those that are being
  /// made are none.
  package func unreachableFolders(
    below folder: BlobFolder, depth: Int
  ) throws(StorageError) -> [String] {
    guard let place = try open(folder) else { return [] }
    var found: [String] = []
    let entries = try place.entries()
    while let (name, isFolder) = try entries.next() {
      guard isFolder, !name.hasPrefix(Self.temporaryPrefix) else { continue }
      if !StorageName.isValid(name) {
        found.append("\(folder)/\(name)")
      } else if depth > 1 {
        found += try unreachableFolders(
          below: BlobFolder(trusted: "\(folder)/\(name)"), depth: depth - 1)
      }
    }
    return found.sorted()
  }

  /// Takes the rights of everybody but the owner from all that is kept, and says how many files and folders
  /// had some. Only counts if `changes` is false.
  package func makePrivate(changes: Bool) throws(StorageError) -> Int {
    try root.makePrivate(changes: changes)
  }

  /// As `BlobStore` says.
  public func removeLeftovers(
    below folder: BlobFolder, before moment: Moment
  ) throws(StorageError) -> Int {
    guard let place = try open(folder) else { return 0 }
    return try removeLeftovers(in: place, before: moment).count
  }

  /// Takes away files in the root itself that others keep there for a while and are older than a moment, by
  /// how their names begin, and says how many there were.
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
    in place: Folder, before moment: Moment
  ) throws(StorageError) -> (count: Int, isEmpty: Bool) {
    var (count, isEmpty) = (0, true)
    // Most names are those of files that are well, of which nothing more is asked.
    let entries = try place.entries()
    while let (name, isFolder) = try entries.next() {
      var stays = true
      if name.hasPrefix(Self.temporaryPrefix) {
        if let status = try place.status(name), status.modified < moment {
          if isFolder { discard(name, in: place) } else { try place.remove(name) }
          count += 1
          stays = false
        }
      } else if isFolder, name.first != ".", let inner = try place.folder(name) {
        let (found, isEmpty) = try removeLeftovers(in: inner, before: moment)
        count += found
        // A folder that nothing is left in does no harm, and is no sign of any.
        if isEmpty, let status = try place.status(name), status.modified < moment {
          stays = try !place.removeFolder(name)
        }
      }
      if stays { isEmpty = false }
    }
    if count > 0 { try place.synchronize() }
    return (count, isEmpty)
  }
}

extension FileBlobStore {
  /// The bytes of a file that lies in a store's folder itself and is no blob; nil where there is none.
  package static func bytes(
    ofFile name: String, in root: String
  ) throws(StorageError) -> [UInt8]? {
    guard access(root, F_OK) == 0 else { return nil }
    let folder = try Folder(root)
    let bytes = try folder.read(name)
    // What is meant to be a file, and is a folder, is no reason to go on without it.
    if bytes == nil, try folder.status(name) != nil {
      throw StorageError(.damaged("not what should be there"), "\(root)/\(name)")
    }
    return bytes
  }

  /// Deletes a file that lies in a store's folder itself, where there is one.
  package static func removeFile(_ name: String, in root: String) throws(StorageError) {
    let folder = try Folder(root)
    if try folder.remove(name) { try folder.synchronize() }
  }

  /// Puts a file into a store's folder itself, in place of one that is there, and waits until it is safe.
  package static func replaceFile(
    _ name: String, in root: String, _ bytes: [UInt8]
  ) throws(StorageError) {
    let folder = try Folder(root)
    let temporary = temporaryName(name)
    try folder.write(bytes, as: temporary)
    do throws(StorageError) {
      try folder.rename(temporary, to: name)
      try folder.synchronize()
    } catch {
      _ = try? folder.remove(temporary)
      throw error
    }
  }
}
