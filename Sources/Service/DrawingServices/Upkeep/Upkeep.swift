import Storage

/// Iteration over all drawings, and helpers for it.
package enum Upkeep {
  /// Folders among those of users and drawings whose names are not valid, so that the service
  /// cannot read them. Only other programs create or copy such folders.
  package static func unreachableFolders(
    in environment: ServiceEnvironment
  ) throws -> [String] {
    try environment.blobs.unreachableFolders(below: FilePlace.drawings.folder)
  }

  /// The problem of a folder that has files and is not `users/UID/drawings/ID`.
  static let notOfDrawing = "not the folder of a drawing"

  /// The problem of an unreachable folder: a user with such a name has another one in this service.
  package static func unreachableProblem(_ path: String) -> String {
    let names = path.split(separator: "/", omittingEmptySubsequences: false)
    let problem = "no user or drawing can have this name"
    guard names.count > 1, names[0] == "users", !StorageName.isValid(names[1]) else {
      return problem
    }
    return "\(problem); that of a user with it is users/\(UserName.of(String(names[1])))"
  }

  /// Calls `body` with every readable drawing, and `unreadable` with path and reason of each other
  /// one. Holds one page of drawings in memory.
  static func forEachDrawing(
    in environment: ServiceEnvironment, _ body: (_ uid: String, DrawingRecord) throws -> Void,
    unreadable: (_ path: String, _ reason: String) throws -> Void
  ) throws {
    let documents = environment.documents
    try UserService.forEachUser(in: documents) { uid in
      let drawings: CollectionPath
      do {
        drawings = try UserPaths(uid).drawings
      } catch {
        return try unreadable("users/\(uid)", reason(error))
      }
      var last: String?
      repeat {
        let after = last
        let page = try documents.read { reader in
          try reader.names(in: drawings, after: after, limit: 200).map { name in
            (name: name, found: Result { try reader.document(drawings.document(name)) })
          }
        }
        for (name, found) in page {
          switch found {
          case .success(let document?): try body(uid, DrawingRecord(document))
          case .success(nil): break
          case .failure(let error): try unreadable("\(drawings)/\(name)", reason(error))
          }
        }
        last = page.last?.name
      } while last != nil
    }
  }

  /// Calls a body with each folder of files that were uploaded without a document, and with its
  /// user.
  static func forEachUpload(
    in environment: ServiceEnvironment, _ body: (_ uid: String, BlobFolder) throws -> Void
  ) throws {
    try UserService.forEachUser(in: environment.documents) { uid in
      guard let paths = try? UserPaths(uid) else { return }
      var folders: Set<BlobFolder> = []
      try environment.documents.read { reader in
        for name in try reader.names(in: paths.secrets, after: nil, limit: .max)
        where name.hasPrefix(UserPaths.metadataPrefix) {
          let document = try reader.readable(paths.secrets.document(name)).document
          guard let file = document?["file"]?.textValue, let path = try? BlobPath(file),
            let drawing = try? DocumentPath(path.folder.description),
            try reader.readable(drawing) == (nil, false)
          else { continue }
          folders.insert(path.folder)
        }
      }
      for folder in folders.sorted() { try body(uid, folder) }
    }
  }

  /// Whether a drawing that was read earlier still exists and is the same one. If not, missing or
  /// different files are no damage: deleting a drawing deletes its document before its files.
  /// `withImage` also compares the image.
  static func isCurrent(
    _ record: DrawingRecord, withImage: Bool = false, in environment: ServiceEnvironment
  ) throws -> Bool {
    let stored = try environment.documents.read { try $0.readable(record.document.path) }
    return stored.isDamaged
      || (withImage
        ? record.isSameWithImage(as: stored.document) : record.isSame(as: stored.document))
  }

  /// The description of an error without its path.
  static func reason(_ error: any Error) -> String {
    (error as? StorageError)?.reason ?? "\(error)"
  }
}

/// The store's record of a drawing that has files.
enum DrawingState {
  /// It has a document.
  case exists
  /// It has none, but its files were uploaded and acknowledged; apps may keep their documents
  /// elsewhere.
  case uploaded
  /// Its files were about to get a document or metadata. Their upload was not acknowledged.
  case begun
  /// It existed and was deleted.
  case deleted
  /// The store has no record of it.
  case unknown
}

extension DocumentReader {
  /// Whether a document was deleted, alone or with all data of its user. In the second case the
  /// only record is that of the erasure, which stays until all files are deleted.
  func wasErased(_ path: DocumentPath) throws -> Bool {
    if try wasDeleted(path) { return true }
    let names = path.description.split(separator: "/")
    guard names.count > 2, names[0] == "users" else { return false }
    return try document(Collections.erasures.document(String(names[1])))
      .map { !UserService.haveFilesGone($0) } ?? false
  }

  /// The record of a drawing; throws if its document is damaged.
  func state(ofDrawing path: DocumentPath) throws -> DrawingState {
    if try document(path) != nil { return .exists }
    let paths = try UserPaths(String(path.folder.names[1]))
    let deletion = try deletion(of: path)
    for file in try paths.metadata(ofFilesIn: path.folder) {
      let stored = try readable(file)
      // Deleting a drawing deletes all of these, unless another program has deleted the document.
      let isLater =
        deletion.map { deletion in stored.document.map { $0.updated > deletion.moment } ?? false }
        ?? (stored.document != nil || stored.isDamaged)
      if isLater { return .uploaded }
    }
    let note = try readable(paths.begun.document(path.id))
    // A note about images dates from a time when there was a document.
    if note.isDamaged || note.document.map({ $0[DrawingService.imagesField] == nil }) ?? false {
      return .begun
    }
    return try wasErased(path) ? .deleted : .unknown
  }
}

extension DocumentStore {
  /// The record of a drawing; throws if its document is damaged.
  func state(ofDrawing path: DocumentPath) throws(StorageError) -> DrawingState {
    do {
      return try read { try $0.state(ofDrawing: path) }
    } catch let error as StorageError {
      throw error
    } catch {
      throw StorageError(.database("\(error)"), path.description)
    }
  }
}
