package import Storage
import Threads

/// Copies all data of a service to the stores of another one: files first, so that no document is
/// stored before its files.
///
/// Skips data that the target already has, byte for byte, and data that was changed or deleted
/// there later. So an interrupted migration continues, and a repeated one copies later changes: run
/// it once while the service runs, and again while it is stopped. The source keeps all its data.
package struct Migration {
  private let source: ServiceEnvironment
  private let target: ServiceEnvironment
  private let threads: Int

  package init(from source: ServiceEnvironment, to target: ServiceEnvironment, threads: Int = 24) {
    (self.source, self.target, self.threads) = (source, target, threads)
  }

  /// The result of a migration.
  package struct Result: Hashable, Sendable {
    package var files = 0
    package var bytes = 0
    package var documents = 0
    package var deletions = 0
    /// Files, documents and deletions that the target already had.
    package var known = 0
    /// Unreadable data of the source, and data that the target has refused.
    package var problems: [StorageError] = []

    package init() {}
  }

  private static let foldersAtOnce = 256
  private static let documentsAtOnce = 500

  /// Copies everything. `report` is called with the result so far.
  package func run(_ report: (Result) -> Void = { _ in }) throws -> Result {
    var result = Result()
    try copyFiles(&result, report)
    try copyDocuments(&result, report)
    return result
  }

  // MARK: - Files

  /// A folder to copy, and whether the target has no such folder.
  private struct Work {
    let folder: BlobFolder
    let names: [String]
    let isNew: Bool
  }

  private func copyFiles(_ result: inout Result, _ report: (Result) -> Void) throws {
    var waiting: [Work] = []
    func copyAll() throws {
      let copied = try Lanes.map(wanted(waiting), lanes: threads) { try copy($0) }
      for one in copied { result.add(one) }
      waiting = []
      report(result)
    }
    var there = FoldersThere(of: target.blobs)
    try source.blobs.forEachFolder(below: FilePlace.drawings.folder) { folder, files in
      waiting.append(
        Work(
          folder: folder, names: files.map(\.name).sorted(), isNew: try !there.contains(folder)))
      if waiting.count == Self.foldersAtOnce { try copyAll() }
    }
    try copyAll()
  }

  /// The folders of the target. Sibling folders are listed together: separate listings would cost a
  /// bucket one request each.
  private struct FoldersThere {
    private let blobs: any BlobStore
    private var above: Substring?
    private var found: Set<BlobFolder> = []

    init(of blobs: any BlobStore) { self.blobs = blobs }

    /// Whether the folder existed when its siblings were listed. One that another program creates
    /// later is noticed when its files are stored.
    mutating func contains(_ folder: BlobFolder) throws -> Bool {
      let name = folder.description
      let parent = name[..<(name.lastIndex(of: "/") ?? name.startIndex)]
      if parent != above {
        found = parent.isEmpty ? [] : try folders(in: BlobFolder(String(parent)))
        above = parent
      }
      return found.contains(folder)
    }

    private func folders(in above: BlobFolder) throws -> Set<BlobFolder> {
      var all: Set<BlobFolder> = []
      try blobs.forEachFolder(below: above) { folder, _ in all.insert(folder) }
      return all
    }
  }

  private func copy(_ work: Work) throws -> Result {
    if work.isNew { return try copyNew(work) }
    let folder = work.folder
    var result = Result()
    let there = try target.blobs.entries(of: folder)
    let entries = try source.blobs.entries(of: folder)
    let wanted = entries.compactMap(\.info)
    let missing = wanted.filter { info in
      !there.contains {
        $0.info?.path == info.path && $0.info?.digest == info.digest
          && $0.info?.contentType == info.contentType
      }
    }
    result.known += wanted.count - missing.count
    // A file without an entry cannot be verified. It is reported, since nobody would miss it
    // otherwise.
    for entry in entries where entry.info == nil {
      result.problems.append(StorageError(.damaged("it has no hash"), "\(folder)/\(entry.name)"))
    }
    let groups = try read(missing.map(\.path.name), in: folder, &result)
    for group in groups {
      result.add(try target.blobs.put(group.contents, in: folder, at: group.moment))
    }
    return result
  }

  /// Copies a folder that the target does not have. Does not request the metadata of its files
  /// first, since reading them returns it.
  private func copyNew(_ work: Work) throws -> Result {
    var result = Result()
    for (number, group) in try read(work.names, in: work.folder, &result).enumerated() {
      let infos =
        try number == 0
        ? target.blobs.create(group.contents, in: work.folder, at: group.moment)
        : target.blobs.put(group.contents, in: work.folder, at: group.moment)
      // Another program has stored files here since.
      guard let infos else {
        return try copy(Work(folder: work.folder, names: work.names, isNew: false))
      }
      result.add(infos)
    }
    return result
  }

  /// The files of a folder, grouped by the moment at which they were stored together. Reports
  /// damaged files.
  private func read(
    _ names: [String], in folder: BlobFolder, _ result: inout Result
  ) throws -> [(moment: Moment, contents: [BlobContent])] {
    guard !names.isEmpty else { return [] }
    var groups: [Moment: [BlobContent]] = [:]
    for found in try source.blobs.get(names, in: folder) {
      switch found {
      case .success(let blob?):
        groups[blob.info.updated, default: []].append(
          BlobContent(blob.info.path.name, contentType: blob.info.contentType, blob.bytes))
      case .success(nil): continue  // it was deleted meanwhile
      case .failure(let error): result.problems.append(error)
      }
    }
    return groups.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  // MARK: - Documents

  private func copyDocuments(_ result: inout Result, _ report: (Result) -> Void) throws {
    var cursor: Int64 = 0
    while true {
      let changes = try source.documents.read {
        try $0.changes(after: cursor, in: nil, limit: Self.documentsAtOnce)
      }
      guard let last = changes.last else { return }
      cursor = last.sequence
      let copied = try target.documents.change(at: target.now()) { transaction in
        var copied = Result()
        for change in changes { try copy(change, &copied, in: transaction) }
        return copied
      }
      result.add(copied)
      report(result)
    }
  }

  private func copy(
    _ change: DocumentChange, _ result: inout Result, in transaction: any DocumentTransaction
  ) throws {
    if change.isDamaged {
      result.problems.append(
        StorageError(.damaged("the document cannot be read"), change.path.description))
      return
    }
    let moment = change.document?.updated ?? change.moment
    if let there = try lastChange(of: change.path, in: transaction), moment < there {
      result.problems.append(
        StorageError(.badValue("it was changed later in the new place"), change.path.description))
      return
    }
    guard let document = change.document else {
      if try transaction.deletion(of: change.path)?.moment == change.moment {
        result.known += 1
      } else {
        try transaction.noteDeletion(of: change.path, at: change.moment)
        result.deletions += 1
      }
      return
    }
    // A damaged document in the target is replaced.
    let there = try? transaction.document(change.path)
    if let there, there.fields == document.fields, there.created == document.created,
      there.updated == document.updated
    {
      result.known += 1
      return
    }
    try transaction.copy(document)
    result.documents += 1
  }

  // MARK: - What is newer there

  /// When a document was last changed or deleted; nil if it never existed. A damaged document
  /// counts as missing.
  private func lastChange(
    of path: DocumentPath, in reader: any DocumentReader
  ) throws -> Moment? {
    let document = try? reader.document(path)
    return try document?.updated ?? reader.deletion(of: path)?.moment
  }

  /// The folders whose files are to be copied. Skips drawings that were changed in the target,
  /// since files belong to their document.
  private func wanted(_ all: [Work]) throws -> [Work] {
    let paths = all.map { try? DocumentPath($0.folder.description) }
    func changes(in environment: ServiceEnvironment) throws -> [Moment?] {
      try environment.documents.read { reader in
        try paths.map { path in try path.flatMap { try lastChange(of: $0, in: reader) } }
      }
    }
    let isEmpty = try target.documents.read { try $0.changes(after: 0, in: nil, limit: 1).isEmpty }
    if isEmpty { return all }
    return try zip(all, zip(changes(in: source), changes(in: target))).filter { _, moments in
      guard let there = moments.1 else { return true }
      return moments.0.map { $0 >= there } ?? false
    }.map(\.0)
  }
}

extension Migration.Result {
  fileprivate mutating func add(_ infos: [BlobInfo]) {
    files += infos.count
    bytes += infos.reduce(0) { $0 + $1.size }
  }

  fileprivate mutating func add(_ other: Self) {
    files += other.files
    bytes += other.bytes
    documents += other.documents
    deletions += other.deletions
    known += other.known
    problems += other.problems
  }
}
