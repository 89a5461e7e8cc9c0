import Storage

/// Iteration over all drawings, and helpers for it.
package enum Upkeep {
  /// Folders of users and drawings whose names are not valid, so that the service cannot read them. Only other
  /// programs create or copy such folders.
  package static func unreachableFolders(
    in environment: ServiceEnvironment
  ) throws -> [String] {
    try environment.blobs.unreachableFolders(below: BlobFolder("users"), depth: 3)
  }

  /// Calls `body` with every readable drawing, and `unreadable` with path and reason of each other one. Holds one
  /// page of drawings in memory.
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

  /// Whether a drawing that was read earlier still exists and is the same one. If not, missing or different
  /// files are no damage: deleting a drawing deletes its document before its files.
  static func isCurrent(
    _ record: DrawingRecord, in environment: ServiceEnvironment
  ) throws -> Bool {
    let stored = try environment.documents.read { try $0.readable(record.document.path) }
    return stored.isDamaged || record.isSame(as: stored.document)
  }

  /// The description of an error without its subject.
  static func reason(_ error: any Error) -> String {
    (error as? StorageError)?.reason ?? "\(error)"
  }
}

/// Whether a document exists, was deleted or has never existed.
enum DocumentState {
  case exists
  /// It existed and was deleted.
  case deleted
  /// The store has no record of it.
  case unknown
}

extension DocumentReader {
  /// Whether a document was deleted, alone or with all data of its user. In the second case the only record is
  /// that of the erasure, which stays until all files are deleted.
  func wasErased(_ path: DocumentPath) throws -> Bool {
    if try wasDeleted(path) { return true }
    let names = path.description.split(separator: "/")
    guard names.count > 2, names[0] == "users" else { return false }
    return try document(Collections.erasures.document(String(names[1]))) != nil
  }
}

extension DocumentStore {
  /// The state of a document; throws if it is damaged.
  func state(of path: DocumentPath) throws(StorageError) -> DocumentState {
    do {
      return try read { reader in
        if try reader.document(path) != nil { return .exists }
        return try reader.wasErased(path) ? .deleted : .unknown
      }
    } catch let error as StorageError {
      throw error
    } catch {
      throw StorageError(.database("\(error)"), path.description)
    }
  }
}
