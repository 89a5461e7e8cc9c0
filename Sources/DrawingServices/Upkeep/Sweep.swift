import Storage

/// Brings documents and files together again where crashes have parted them.
public struct Sweep: Sendable {
  private let environment: ServiceEnvironment

  /// A sweep through all that a service keeps.
  public init(_ environment: ServiceEnvironment) { self.environment = environment }

  /// What a sweep has done.
  public struct Result: Hashable, Sendable {
    /// Folders of files without a document that were taken away.
    public var orphans = 0
    /// Half written files and folders that were taken away.
    public var leftovers = 0
    /// Thumbnails that were missing and were rendered.
    public var thumbnails = 0
    /// What is wrong and cannot be mended here.
    public var problems: [String] = []
  }

  /// Takes away what crashes have left and is older than some seconds, and makes thumbnails that are
  /// missing. Sweeping twice finds nothing the second time.
  public func run(olderThan seconds: Int64? = nil) throws -> Result {
    let limit = environment.now() - (seconds ?? environment.settings.orphanAge)
    var result = Result()
    let users = try BlobFolder("users")
    result.leftovers = try environment.blobs.removeLeftovers(below: users, before: limit)
    var last: BlobFolder?
    while true {
      let folders = try environment.blobs.folders(below: users, after: last, limit: 200)
      guard let end = folders.last else { break }
      for folder in folders {
        do {
          try look(at: folder, before: limit, &result)
        } catch let error as StorageError {
          // What is damaged keeps its files; anything else holds for all that follows.
          guard case .damaged = error.problem else { throw error }
          result.problems.append("\(error)")
        }
      }
      last = end
    }
    if let cache = environment.cache {
      result.leftovers += try cache.removeLeftovers(below: BlobFolder("renditions"), before: limit)
    }
    try makeThumbnails(&result)
    return result
  }

  private func look(
    at folder: BlobFolder, before limit: Moment, _ result: inout Result
  ) throws {
    // Only drawings have files: `users/ann/drawings/d1` is the path of a document, too.
    guard let path = try? DocumentPath(folder.description), path.collection.name == "drawings"
    else {
      result.problems.append("\(folder): nothing is kept there")
      return
    }
    if try environment.documents.document(path) != nil { return }
    // One that is being submitted is young.
    func isOld() throws -> Bool {
      try environment.blobs.entries(of: folder).allSatisfy {
        $0.modified.map { $0 < limit } ?? true
      }
    }
    guard try isOld() else { return }
    // With the documents held still, none can appear between the question and what follows; until then
    // somebody may have begun to submit it.
    try environment.documents.change(at: environment.now()) { transaction in
      guard try transaction.document(path) == nil, try isOld() else { return }
      // Pictures of it may be left, too, if a deletion was broken off; of what is damaged nobody knows.
      let recording = try? environment.blobs.info(folder.blob(DrawingFiles.recording))
      if let recording {
        try DrawingService.forgetRenditions(ofRecording: recording.sha256, in: environment.cache)
      }
      if try environment.blobs.delete(folder) { result.orphans += 1 }
    }
  }

  private func makeThumbnails(_ result: inout Result) throws {
    let service = DrawingService(environment, as: .operator)
    try Upkeep.forEachDrawing(in: environment) { uid, record in
      let folder = try UserPaths(uid).folder(ofDrawing: record.id)
      let names = try environment.blobs.entries(of: folder).filter { $0.modified != nil }.map(
        \.name)
      for name in DrawingFiles.names.dropLast() where !names.contains(name) {
        result.problems.append("\(folder)/\(name): it is missing")
      }
      guard names.contains(DrawingFiles.recording),
        !names.contains(DrawingFiles.thumbnail)
          || record.document["thumbnailURL"]?.textValue == nil
      else { return }
      do {
        try service.rerender(record.id, of: uid)
        result.thumbnails += 1
      } catch {
        result.problems.append("\(folder): \(error)")
      }
    } unreadable: { path, reason in
      result.problems.append("\(path): \(reason)")
    }
  }
}

/// Ways through all that is kept.
enum Upkeep {
  /// Calls a body with every drawing, and another one with why one cannot be read. Few are in memory at once.
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
        let place = last
        let page = try documents.read { reader in
          try reader.names(in: drawings, after: place, limit: 200).map { name in
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

  /// What is wrong, for those who know what it is about.
  static func reason(_ error: any Error) -> String {
    (error as? StorageError)?.reason ?? "\(error)"
  }
}
