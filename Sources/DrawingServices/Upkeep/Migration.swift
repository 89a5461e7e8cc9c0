package import Storage
import Threads

/// Copies everything of one service to the stores of another one: files first, so that no document comes before its own.
///
/// What is there already, byte for byte, is left as it is. So a migration that was interrupted goes on, and one that is
/// repeated copies what has changed since: a first time while the service runs, a second time while it stands still.
/// Nothing is deleted in the old place.
package struct Migration {
  private let source: ServiceEnvironment
  private let target: ServiceEnvironment
  private let threads: Int

  package init(from source: ServiceEnvironment, to target: ServiceEnvironment, threads: Int = 8) {
    (self.source, self.target, self.threads) = (source, target, threads)
  }

  /// What was done.
  package struct Result: Hashable, Sendable {
    package var files = 0
    package var bytes = 0
    package var documents = 0
    package var deletions = 0
    /// Files, documents and deletions that were there already.
    package var known = 0
    /// What cannot be read in the old place, and what the new one does not take.
    package var problems: [StorageError] = []

    package init() {}
  }

  private static let foldersAtOnce = 256
  private static let documentsAtOnce = 500

  /// Copies everything. `report` hears of the result so far.
  package func run(_ report: (Result) -> Void = { _ in }) throws -> Result {
    var result = Result()
    try copyFiles(&result, report)
    try copyDocuments(&result, report)
    return result
  }

  // MARK: - Files

  private func copyFiles(_ result: inout Result, _ report: (Result) -> Void) throws {
    var waiting: [(folder: BlobFolder, names: [String])] = []
    func copyAll() throws {
      let copied = try Lanes.map(waiting, lanes: threads) { try copy($0.folder, $0.names) }
      for one in copied { result.add(one) }
      waiting = []
      report(result)
    }
    try source.blobs.forEachFolder(below: BlobFolder("users")) { folder, files in
      waiting.append((folder, files.map(\.name).sorted()))
      if waiting.count == Self.foldersAtOnce { try copyAll() }
    }
    try copyAll()
  }

  private func copy(_ folder: BlobFolder, _ names: [String]) throws -> Result {
    var result = Result()
    let there = try target.blobs.entries(of: folder)
    let wanted = try source.blobs.entries(of: folder).compactMap(\.info)
    let missing = wanted.filter { info in
      !there.contains {
        $0.info?.path == info.path && $0.info?.digest == info.digest
          && $0.info?.contentType == info.contentType
      }
    }
    result.known += wanted.count - missing.count
    // A file without an entry cannot be verified; it is told, as nobody would miss it otherwise.
    for name in Set(names).subtracting(wanted.map(\.path.name)).sorted() {
      result.problems.append(StorageError(.damaged("it has no hash"), "\(folder)/\(name)"))
    }
    // Files that were stored together stay together.
    let groups = Dictionary(grouping: missing, by: \.updated).sorted { $0.key < $1.key }
    for (moment, infos) in groups {
      var contents: [BlobContent] = []
      for (info, found) in zip(infos, try source.blobs.get(infos.map(\.path.name), in: folder)) {
        switch found {
        case .success(let blob?):
          contents.append(
            BlobContent(info.path.name, contentType: blob.info.contentType, blob.bytes))
        case .success(nil): continue  // it was deleted meanwhile
        case .failure(let error): result.problems.append(error)
        }
      }
      guard !contents.isEmpty else { continue }
      for info in try target.blobs.put(contents, in: folder, at: moment) {
        result.files += 1
        result.bytes += info.size
      }
    }
    return result
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
    guard let document = change.document else {
      if try transaction.deletion(of: change.path)?.moment == change.moment {
        result.known += 1
      } else {
        try transaction.noteDeletion(of: change.path, at: change.moment)
        result.deletions += 1
      }
      return
    }
    // One that is damaged there is replaced.
    let there = try? transaction.document(change.path)
    if let there, there.updated > document.updated {
      result.problems.append(
        StorageError(.badValue("it was changed later in the new place"), change.path.description))
      return
    }
    if let there, there.fields == document.fields, there.created == document.created,
      there.updated == document.updated
    {
      result.known += 1
      return
    }
    try transaction.copy(document)
    result.documents += 1
  }
}

extension Migration.Result {
  fileprivate mutating func add(_ other: Self) {
    files += other.files
    bytes += other.bytes
    documents += other.documents
    deletions += other.deletions
    known += other.known
    problems += other.problems
  }
}
