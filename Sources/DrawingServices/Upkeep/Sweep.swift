import Storage

/// Brings documents and files together again where crashes have parted them.
///
/// Files of drawings that were deleted go, as somebody asked for that. Files without a document of which
/// nothing is known are moved to the trash and stay there for some days: they may be what a broken
/// submission has left, or what is left of a database that was lost.
public struct Sweep: Sendable {
  private let environment: ServiceEnvironment

  /// A sweep through all that a service keeps.
  public init(_ environment: ServiceEnvironment) { self.environment = environment }

  /// What is wanted.
  public struct Options: Hashable, Sendable {
    /// What is younger, in seconds, is left alone; nil for what the settings say.
    public var minimumAge: Int64?
    /// Goes on where far more files have no document than crashes leave.
    public var takesMany = false
    /// Only counts.
    public var isDry = false

    /// What is right for most, unless more is said.
    public init(minimumAge: Int64? = nil, takesMany: Bool = false, isDry: Bool = false) {
      self.minimumAge = minimumAge
      self.takesMany = takesMany
      self.isDry = isDry
    }
  }

  /// What a sweep has done.
  public struct Result: Hashable, Sendable {
    /// Folders of files without a document that were moved to the trash.
    public var orphans = 0
    /// Folders of files of deleted drawings, and of users who were forgotten, that were deleted.
    public var deleted = 0
    /// Half written files and folders that were deleted.
    public var leftovers = 0
    /// Drawings in the trash that were deleted as they had been there for long enough.
    public var emptied = 0
    /// Thumbnails that were missing and were rendered.
    public var thumbnails = 0
    /// What is wrong and cannot be mended here.
    public var problems: [String] = []
  }

  /// No more orphans than these are taken at once, and are in memory.
  private static let pageSize = 10_000

  /// Sweeps. Doing it twice finds nothing the second time.
  public func run(_ options: Options = Options()) throws -> Result {
    let limit = environment.now() - (options.minimumAge ?? environment.settings.orphanAge)
    var result = Result()
    let users = try BlobFolder("users")
    if !options.isDry {
      try finishErasures()
      result.leftovers = try environment.blobs.removeLeftovers(below: users, before: limit)
      if let cache = environment.cache {
        result.leftovers += try cache.removeLeftovers(
          below: BlobFolder("renditions"), before: limit)
      }
    }
    while true {
      let found = try findOrphans(below: users, before: limit)
      try Self.check(found, options)
      result.problems = found.problems
      if options.isDry {
        result.orphans = found.unknownCount
        result.deleted = found.deletedCount
        break
      }
      let before = (result.orphans, result.deleted)
      for folder in found.orphans { try take(folder, before: limit, &result) }
      // Those that could not be taken will not go the next time either.
      guard found.orphans.count >= Self.pageSize, before != (result.orphans, result.deleted) else {
        break
      }
    }
    if options.isDry { return result }
    result.emptied = try emptyTrash()
    try makeThumbnails(&result)
    return result
  }

  /// Users who were being forgotten when the program died.
  private func finishErasures() throws {
    let names = try environment.documents.read {
      try $0.names(in: Collections.erasures, after: nil, limit: .max)
    }
    for uid in names { try UserService.finishErasure(of: uid, in: environment) }
  }

  // MARK: - Orphans

  private struct Found {
    /// Folders with files.
    var folders = 0
    /// The first of those without a document.
    var orphans: [BlobFolder] = []
    /// How many have none, and were not deleted, as far as anybody knows.
    var unknownCount = 0
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
        found.problems.append("\(folder): nothing is kept there")
        return
      }
      do throws(StorageError) {
        let state = try environment.documents.state(of: path)
        // One that is being submitted is young.
        guard state != .there, files.allSatisfy({ $0.modified < limit }) else { return }
        if state == .deleted { found.deletedCount += 1 } else { found.unknownCount += 1 }
        if found.orphans.count < Self.pageSize { found.orphans.append(folder) }
      } catch {
        // What is damaged keeps its files; anything else holds for all that follows.
        guard case .damaged = error.problem else { throw error }
        found.problems.append("\(error)")
      }
    }
    found.problems.sort()
    return found
  }

  /// Throws where more documents are missing than crashes explain: the database may have lost them.
  private static func check(_ found: Found, _ options: Options) throws(ServiceError) {
    guard !options.takesMany, found.unknownCount > max(3, found.folders / 20) else { return }
    throw .manyOrphans(found.unknownCount, of: found.folders)
  }

  /// Takes the files of a drawing away that has no document.
  private func take(
    _ folder: BlobFolder, before limit: Moment, _ result: inout Result
  ) throws {
    let path = try DocumentPath(folder.description)
    // With the documents held still, none can appear between the question and what follows; until then
    // somebody may have begun to submit it.
    try environment.documents.change(at: environment.now()) { transaction in
      guard try transaction.document(path) == nil,
        try environment.blobs.entries(of: folder).allSatisfy({
          $0.modified.map { $0 < limit } ?? true
        })
      else { return }
      // Pictures of it may be left, too, if a deletion was broken off; of what is damaged nobody knows.
      if let recording = try? environment.blobs.info(folder.blob(DrawingFiles.recording)) {
        try DrawingService.forgetRenditions(ofRecording: recording.sha256, in: environment.cache)
      }
      if try transaction.wasDeleted(path) {
        if try environment.blobs.delete(folder) { result.deleted += 1 }
      } else if try moveToTrash(folder) {
        result.orphans += 1
      }
    }
  }

  // MARK: - Trash

  private static let trash = "trash"

  private var today: LocalDay { ZoneRules.utc.day(of: environment.now()) }

  /// Moves a folder below the trash of today. One of the same name that lies there already stays.
  private func moveToTrash(_ folder: BlobFolder) throws -> Bool {
    for number in 1... {
      let day = number == 1 ? "\(today)" : "\(today).\(number)"
      do throws(StorageError) {
        return try environment.blobs.move(
          folder, to: BlobFolder("\(Self.trash)/\(day)/\(folder)"))
      } catch {
        guard error.problem == .alreadyThere else { throw error }
      }
    }
    return false
  }

  /// Deletes what has lain in the trash for as many days as the settings say, and returns how many drawings
  /// that were.
  private func emptyTrash() throws -> Int {
    guard let store = environment.blobs as? FileBlobStore else { return 0 }
    var count = 0
    for folder in try store.subfolders(of: BlobFolder(Self.trash)) {
      // A folder that is no day is somebody else's.
      guard let name = folder.names.last,
        let day = LocalDay(String(name.prefix { $0 != "." })),
        day + environment.settings.trashDays < today
      else { continue }
      count += try store.deleteTree(folder)
    }
    return count
  }

  // MARK: - Thumbnails

  private func makeThumbnails(_ result: inout Result) throws {
    let service = DrawingService(environment, as: .operator)
    try Upkeep.forEachDrawing(in: environment) { uid, record in
      let folder = try UserPaths(uid).folder(ofDrawing: record.id)
      let names = try environment.blobs.fileNames(in: folder)
      let missing = DrawingFiles.names.dropLast().filter { !names.contains($0) }
      // Somebody may have deleted it meanwhile.
      if !missing.isEmpty, try !Upkeep.isCurrent(record, in: environment) { return }
      for name in missing { result.problems.append("\(folder)/\(name): it is missing") }
      guard names.contains(DrawingFiles.recording),
        !names.contains(DrawingFiles.thumbnail)
          || record.document["thumbnailURL"]?.textValue == nil
      else { return }
      do {
        try service.rerender(record.id, of: uid)
        result.thumbnails += 1
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
