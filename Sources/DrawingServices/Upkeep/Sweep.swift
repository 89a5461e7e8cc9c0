import Storage

/// Cleans up after crashes that have separated documents and files.
///
/// Deletes the files of deleted drawings. Moves files that never had a document, or were stored after the deletion of
/// theirs, to the trash, where they stay for some days: they may come from an interrupted submission, from a lost
/// database, or from an app that stores files without documents.
public struct Sweep: Sendable {
  private let environment: ServiceEnvironment

  /// A sweep of a service.
  public init(_ environment: ServiceEnvironment) { self.environment = environment }

  /// The options of a sweep.
  public struct Options: Hashable, Sendable {
    /// The minimum age of files to touch, in seconds; nil for the value in the settings.
    public var minimumAge: Int64?
    /// Continues even if far more files have no document than crashes explain.
    public var allowsManyOrphans = false
    /// Only counts, and changes nothing.
    public var isDryRun = false

    /// Options with defaults.
    public init(minimumAge: Int64? = nil, allowsManyOrphans: Bool = false, isDryRun: Bool = false) {
      self.minimumAge = minimumAge
      self.allowsManyOrphans = allowsManyOrphans
      self.isDryRun = isDryRun
    }
  }

  /// The result of a sweep.
  public struct Result: Hashable, Sendable {
    /// The number of folders without a document that were moved to the trash.
    public var orphans = 0
    /// The number of deleted folders of deleted drawings.
    public var deleted = 0
    /// The number of deleted unfinished files and folders.
    public var leftovers = 0
    /// The number of drawings that were deleted from the trash.
    public var emptied = 0
    /// The number of missing thumbnails that were rendered.
    public var thumbnails = 0
    /// The number of interrupted replacements of recordings that were completed or undone.
    public var revisions = 0
    /// Problems that a sweep cannot repair.
    public var problems: [String] = []
  }

  /// The maximum number of orphans in memory.
  private static let pageSize = 10_000

  /// Runs the sweep. A second run finds nothing.
  public func run(_ options: Options = Options()) throws -> Result {
    let age = options.minimumAge ?? environment.settings.orphanAge
    let now = environment.now()
    let time = try environment.blobs.timeOfFiles(now)
    let (limit, lead) = (time - age, time.microseconds - now.microseconds)
    var result = Result()
    let users = try BlobFolder("users")
    if !options.isDryRun {
      try finishErasures()
      result.leftovers = try environment.blobs.removeLeftovers(below: users, before: limit)
      if let cache = environment.cache {
        result.leftovers += try cache.removeLeftovers(
          below: BlobFolder("renditions"), before: environment.now() - age)
      }
    }
    while true {
      let found = try findOrphans(below: users, before: limit)
      try Self.check(found, options)
      result.problems = found.problems
      if options.isDryRun {
        result.orphans = found.unknownCount
        result.deleted = found.deletedCount
        break
      }
      let before = (result.orphans, result.deleted)
      for folder in found.orphans { try remove(folder, before: limit, lead: lead, &result) }
      // Orphans that could not be removed will remain the next time, too.
      guard found.orphans.count >= Self.pageSize, before != (result.orphans, result.deleted) else {
        break
      }
    }
    if options.isDryRun { return result }
    result.emptied = try emptyTrash()
    try completeDrawings(&result)
    return result
  }

  /// Completes the deletion of users that a crash has interrupted.
  private func finishErasures() throws {
    let names = try environment.documents.read {
      try $0.names(in: Collections.erasures, after: nil, limit: .max)
    }
    for uid in names { try UserService.finishErasure(of: uid, in: environment) }
  }

  // MARK: - Orphans

  private struct Found {
    /// The number of folders with files.
    var folders = 0
    /// The first folders without a document, up to `pageSize`.
    var orphans: [BlobFolder] = []
    /// The number of folders that never had a document.
    var unknownCount = 0
    /// The number of folders whose document was deleted.
    var deletedCount = 0
    var problems: [String] = []
  }

  private func findOrphans(below users: BlobFolder, before limit: Moment) throws -> Found {
    var found = Found()
    try environment.blobs.forEachFolder(below: users) { folder, files in
      found.folders += 1
      // Only drawings have files: `users/ann/drawings/d1` is the path of a document, too.
      guard let path = try? DocumentPath(folder.description), path.collection.name == "drawings"
      else {
        found.problems.append("\(folder): not the folder of a drawing")
        return
      }
      do throws(StorageError) {
        let state = try environment.documents.state(of: path)
        // A drawing that is being submitted has young files.
        guard state != .exists, files.allSatisfy({ $0.modified < limit }) else { return }
        if state == .deleted { found.deletedCount += 1 } else { found.unknownCount += 1 }
        if found.orphans.count < Self.pageSize { found.orphans.append(folder) }
      } catch {
        // A drawing with a damaged document keeps its files. Other errors affect all drawings.
        guard case .damaged = error.problem else { throw error }
        found.problems.append("\(error)")
      }
    }
    found.problems.sort()
    return found
  }

  /// Throws if more documents are missing than crashes explain: the database may have lost them.
  private static func check(_ found: Found, _ options: Options) throws(ServiceError) {
    guard !options.allowsManyOrphans, found.unknownCount > max(3, found.folders / 20) else {
      return
    }
    throw .manyOrphans(found.unknownCount, of: found.folders)
  }

  /// Whether files were stored after a deletion of their drawing, by an app that knows nothing of it: they are in no
  /// other place. `lead` is by how much their clock is ahead.
  private static func areLater(
    _ files: [BlobEntry], than deletion: DocumentDeletion?, lead: Int64
  ) -> Bool {
    guard let deletion else { return false }
    // What was deleted a moment after it was stored was stored before.
    let limit =
      Moment(microseconds: deletion.moment.microseconds + lead)
      + Verification.maximumSubmissionSeconds
    return files.contains { ($0.modified ?? limit) > limit }
  }

  /// Removes the files of a drawing without a document.
  private func remove(
    _ folder: BlobFolder, before limit: Moment, lead: Int64, _ result: inout Result
  ) throws {
    let path = try DocumentPath(folder.description)
    // Within the transaction no document can appear. Before it, another program may have begun to submit the
    // drawing.
    try environment.documents.changeWithFiles(at: environment.now()) { transaction in
      guard try transaction.document(path) == nil else { return }
      let files = try environment.blobs.entries(of: folder)
      guard files.allSatisfy({ $0.modified.map { $0 < limit } ?? true }) else { return }
      // An interrupted deletion may have left cached pictures, too. Without an intact ledger their path is
      // unknown.
      if let recording = try? environment.blobs.info(folder.blob(DrawingFiles.recording)) {
        try DrawingService.deleteRenditions(ofRecording: recording.sha256, in: environment.cache)
      }
      let uid = path.description.split(separator: "/")[1]
      try transaction.eraseExisting(UserPaths(String(uid)).metadata(ofFilesIn: folder))
      if try transaction.wasErased(path),
        try !Self.areLater(files, than: transaction.deletion(of: path), lead: lead)
      {
        if try environment.blobs.delete(folder) { result.deleted += 1 }
      } else if try moveToTrash(folder) {
        result.orphans += 1
      }
    }
  }

  // MARK: - Trash

  private static let trash = "trash"

  private var today: LocalDay { ZoneRules.utc.day(of: environment.now()) }

  /// Moves a folder to today's trash. Keeps an earlier one with the same path.
  private func moveToTrash(_ folder: BlobFolder) throws -> Bool {
    for number in 1... {
      let day = number == 1 ? "\(today)" : "\(today).\(number)"
      do throws(StorageError) {
        return try environment.blobs.move(
          folder, to: BlobFolder("\(Self.trash)/\(day)/\(folder)"))
      } catch {
        guard error.problem == .alreadyExists else { throw error }
      }
    }
    return false
  }

  /// Deletes everything that is in the trash for more days than the settings allow, and returns the number of
  /// drawings.
  private func emptyTrash() throws -> Int {
    func isDue(_ name: Substring?) -> Bool {
      // A folder whose name is not a day does not belong to the service.
      guard let name, let day = LocalDay(String(name.prefix { $0 != "." })) else { return false }
      return day + environment.settings.trashDays < today
    }
    let trash = try BlobFolder(Self.trash)
    if let store = environment.blobs as? FileBlobStore {
      // With the folders of the days and users.
      return try store.subfolders(of: trash).filter { isDue($0.names.last) }
        .reduce(0) { try $0 + store.deleteTree($1) }
    }
    var (count, last) = (0, BlobFolder?.none)
    repeat {
      let folders = try environment.blobs.folders(
        below: trash, after: last, limit: Self.pageSize)
      for folder in folders where isDue(folder.names.dropFirst().first) {
        if try environment.blobs.delete(folder) { count += 1 }
      }
      last = folders.last
    } while last != nil
    return count
  }

  // MARK: - Revisions and thumbnails

  /// Does something for a drawing, unless another sweep is at it: then returns nil.
  private func claim<Result>(_ folder: BlobFolder, _ body: () throws -> Result) throws -> Result? {
    try environment.claims.withLockIfFree("sweep/\(folder)", body)
  }

  private func completeDrawings(_ result: inout Result) throws {
    let service = DrawingService(environment, as: .operator)
    try Upkeep.forEachDrawing(in: environment) { uid, record in
      let folder = try UserPaths(uid).folder(ofDrawing: record.id)
      if record.nextRecordingSHA256 != nil {
        do {
          let isFinished = try claim(folder) {
            try service.finishRevision(ofDrawing: record.id, of: uid)
          }
          if isFinished == true { result.revisions += 1 }
        } catch {
          result.problems.append("\(folder): \(error)")
        }
      }
      let names = try environment.blobs.fileNames(in: folder)
      let missing = record.requiredFiles.filter {
        $0 != DrawingFiles.thumbnail && !names.contains($0)
      }
      // Another program may have deleted the drawing in the meantime.
      if !missing.isEmpty, try !Upkeep.isCurrent(record, in: environment) { return }
      for name in missing { result.problems.append("\(folder)/\(name): it is missing") }
      func lacksThumbnail(_ document: Document?, _ names: Set<String>) -> Bool {
        guard let document, names.contains(DrawingFiles.recording) else { return false }
        return !names.contains(DrawingFiles.thumbnail) || document["thumbnailURL"]?.textValue == nil
      }
      guard lacksThumbnail(record.document, names) else { return }
      do {
        let isDrawn = try claim(folder) {
          // Another sweep may have drawn it since the names were read.
          guard
            lacksThumbnail(
              try environment.documents.document(record.document.path),
              try environment.blobs.fileNames(in: folder))
          else { return false }
          try service.rerender(record.id, of: uid)
          return true
        }
        if isDrawn == true { result.thumbnails += 1 }
      } catch {
        guard try Upkeep.isCurrent(record, in: environment) else { return }
        result.problems.append("\(folder): \(error)")
      }
    } unreadable: { path, reason in
      let problem = "\(path): \(reason)"
      if !result.problems.contains(problem) { result.problems.append(problem) }
    }
  }
}
