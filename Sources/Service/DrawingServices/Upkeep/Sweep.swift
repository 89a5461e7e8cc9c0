import Storage

/// Cleans up after crashes that have separated documents and files.
///
/// Deletes the files of deleted drawings. Moves files to the trash if their submission was
/// interrupted, or if other programs have stored them after the deletion of their drawing; they
/// stay there for some days. Files without any record in the database stay and are reported: no
/// crash leaves such files, so the database may have lost their documents.
public struct Sweep: Sendable {
  private let environment: ServiceEnvironment

  /// A sweep of a service.
  public init(_ environment: ServiceEnvironment) { self.environment = environment }

  /// The options of a sweep.
  public struct Options: Hashable, Sendable {
    /// The minimum age of files to touch, in seconds; nil for the value in the settings.
    public var minimumAge: Int64?
    /// Moves files without any record in the database to the trash.
    public var takesUnknown = false
    /// Only counts, and changes nothing.
    public var isDryRun = false

    /// Options with defaults.
    public init(minimumAge: Int64? = nil, takesUnknown: Bool = false, isDryRun: Bool = false) {
      self.minimumAge = minimumAge
      self.takesUnknown = takesUnknown
      self.isDryRun = isDryRun
    }
  }

  /// The result of a sweep.
  public struct Result: Hashable, Sendable {
    /// The number of folders without a document that were moved to the trash.
    public var orphans = 0
    /// The number of deleted folders of deleted drawings.
    public var deleted = 0
    /// The number of folders without any record in the database, which stay.
    public var unknown = 0
    /// The number of deleted unfinished files and folders, and of cached pictures without a
    /// drawing.
    public var leftovers = 0
    /// The number of drawings that were deleted from the trash.
    public var emptied = 0
    /// The number of missing thumbnails that were rendered.
    public var thumbnails = 0
    /// The number of interrupted replacements of recordings and images that were completed or
    /// undone.
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
    let users = try FilePlace.drawings.folder
    var erasures: [String] = []
    if !options.isDryRun {
      erasures = try UserService.finishErasures(in: environment)
      result.leftovers = try environment.blobs.removeLeftovers(below: users, before: limit)
      result.leftovers += try removeUnfinished(at: time, before: limit)
    }
    while true {
      let found = try findOrphans(below: users, before: limit, options)
      result.problems = erasures + found.problems
      result.unknown = options.takesUnknown ? 0 : found.unknownCount
      if result.unknown > 0 {
        result.problems.append(Self.unknown(result.unknown, of: found.folders))
      }
      if options.isDryRun {
        result.orphans = found.begunCount + (options.takesUnknown ? found.unknownCount : 0)
        result.deleted = found.deletedCount
        break
      }
      let before = (result.orphans, result.deleted)
      for folder in found.orphans {
        do {
          try remove(folder, before: limit, lead: lead, options, &result)
        } catch let error as StorageError where !error.isOfStore {
          result.problems.append("\(folder): \(error)")
        }
      }
      // Orphans that could not be removed will remain the next time, too.
      guard found.orphans.count >= Self.pageSize, before != (result.orphans, result.deleted) else {
        break
      }
    }
    if options.isDryRun { return result }
    try removeNotes(before: now - age, &result)
    result.emptied = try emptyTrash()
    let recordings = try completeDrawings(&result)
    if let cache = environment.cache {
      result.leftovers += try removeRenditions(in: cache, except: recordings, before: now - age)
    }
    return result
  }

  /// The report about files without any record in the database.
  private static func unknown(_ count: Int, of total: Int) -> String {
    "\(count) of \(total) drawings have files that the database knows nothing of, and no crash leaves such files: it may be"
      + " an older copy, or another program has put them there. 'verify' lists these drawings, 'verify --repair'"
      + " recreates their documents, and 'sweep --yes' moves their files to the trash"
  }

  // MARK: - Orphans

  private struct Found {
    /// The number of folders with files.
    var folders = 0
    /// The first folders to remove, up to `pageSize`.
    var orphans: [BlobFolder] = []
    /// The number of folders without any record in the database.
    var unknownCount = 0
    /// The number of folders whose submission was interrupted.
    var begunCount = 0
    /// The number of folders whose document was deleted.
    var deletedCount = 0
    var problems: [String] = []
  }

  private func findOrphans(
    below users: BlobFolder, before limit: Moment, _ options: Options
  ) throws -> Found {
    var found = Found()
    try environment.blobs.forEachFolder(below: users) { folder, files in
      found.folders += 1
      guard let path = DocumentPath(ofDrawingIn: folder) else {
        found.problems.append("\(folder): \(Upkeep.notOfDrawing)")
        return
      }
      do throws(StorageError) {
        let state = try environment.documents.state(ofDrawing: path)
        // A drawing that is being submitted has young files.
        guard files.allSatisfy({ $0.modified < limit }) else { return }
        switch state {
        case .exists, .uploaded: return
        case .begun: found.begunCount += 1
        case .deleted: found.deletedCount += 1
        case .unknown:
          found.unknownCount += 1
          guard options.takesUnknown else { return }
        }
        if found.orphans.count < Self.pageSize { found.orphans.append(folder) }
      } catch {
        // A drawing with a damaged document keeps its files. Other errors affect all drawings.
        guard case .damaged = error.problem else { throw error }
        found.problems.append("\(error)")
      }
    }
    found.problems += try Upkeep.unreachableFolders(in: environment).map {
      "\($0): \(Upkeep.unreachableProblem($0))"
    }
    found.problems.sort()
    return found
  }

  /// Whether files were stored after a deletion of their drawing, by an app that does not know of
  /// it: no other copy exists. `lead` is how far their clock is ahead.
  private static func areLater(
    _ files: [BlobEntry], than deletion: DocumentDeletion?, lead: Int64
  ) -> Bool {
    guard let deletion else { return false }
    // Files that were stored within this time after the deletion count as earlier ones.
    let limit =
      Moment(microseconds: deletion.moment.microseconds + lead)
      + Verification.maximumSubmissionSeconds
    return files.contains { ($0.modified ?? limit) > limit }
  }

  /// Removes the files of a drawing without a document.
  private func remove(
    _ folder: BlobFolder, before limit: Moment, lead: Int64, _ options: Options,
    _ result: inout Result
  ) throws {
    let path = try DocumentPath(folder.description)
    let paths = try UserPaths(String(folder.names[1]))
    // Within the transaction no document can appear. Before it, another program may have begun to
    // submit the drawing.
    try environment.documents.change(at: environment.now(), isBarrier: true) { transaction in
      let state = try transaction.state(ofDrawing: path)
      switch state {
      case .exists, .uploaded: return
      case .unknown where !options.takesUnknown: return
      case .begun, .deleted, .unknown: break
      }
      let files = try environment.blobs.entries(of: folder)
      guard files.allSatisfy({ $0.modified.map { $0 < limit } ?? true }) else { return }
      // An interrupted deletion may have left cached pictures, too. Without an intact ledger their
      // path is unknown.
      if let recording = try? environment.blobs.info(folder.blob(DrawingFiles.recording)) {
        try DrawingService.deleteRenditions(ofRecording: recording.sha256, in: environment.cache)
      }
      try transaction.erase(paths.begun.document(path.id))
      try transaction.eraseExisting(paths.metadata(ofFilesIn: folder))
      if state == .deleted,
        try !Self.areLater(files, than: transaction.deletion(of: path), lead: lead)
      {
        if try environment.blobs.delete(folder) { result.deleted += 1 }
      } else if try moveToTrash(folder) {
        result.orphans += 1
      }
    }
  }

  /// Removes notes about submissions that have left no files or whose drawing has a document, and
  /// ended shares, invitations, memberships and sign-ins. Completes interrupted replacements of images.
  private func removeNotes(before limit: Moment, _ result: inout Result) throws {
    let service = DrawingService(environment, as: .operator)
    try UserService.forEachUser(in: environment.documents) { uid in
      let paths = try UserPaths(uid)
      let names = try environment.documents.read {
        try $0.names(in: paths.begun, after: nil, limit: .max)
      }
      for name in names {
        let note = try paths.begun.document(name)
        let path = try paths.drawings.document(name)
        let found = try environment.documents.read { try $0.readable(note).document }
        guard let found, found.updated < limit else { continue }
        let images = DrawingService.images(in: found)
        if !images.isEmpty, try service.acceptImage(ofDrawing: name, of: uid, among: images) {
          result.revisions += 1
        }
        try environment.documents.change(at: environment.now(), isBarrier: true) { transaction in
          guard let stored = try transaction.readable(note).document, stored.updated < limit
          else { return }
          if try transaction.state(ofDrawing: path) == .begun,
            try !environment.blobs.fileNames(in: path.folder).isEmpty
          {
            return
          }
          try transaction.erase(note)
        }
      }
    }
    var last: String?
    repeat {
      let after = last
      let names = try environment.documents.read {
        try $0.names(in: Collections.shares, after: after, limit: 500)
      }
      let owners = try environment.documents.read { reader in
        Set(
          try names.compactMap {
            try reader.readable(Collections.shares.document($0)).document?["uid"]?.textValue
          })
      }
      for uid in owners {
        _ = try environment.documents.change(at: environment.now()) {
          try ShareService.eraseEnded(of: uid, in: $0, environment)
        }
      }
      last = names.last
    } while last != nil
    try MemberService.eraseEnded(in: environment)
    try SignInService.eraseExpired(in: environment)
  }

  // MARK: - Unfinished files and cached pictures

  /// The maximum age of incomplete uploads, in seconds.
  private static let unfinishedSeconds: Int64 = 7 * 86_400

  /// Deletes incomplete uploads that have received nothing for a week, also those at the locations
  /// of older programs.
  private func removeUnfinished(at time: Moment, before limit: Moment) throws -> Int {
    var count = 0
    let root = try FilePlace.unfinished.folder
    count += try environment.blobs.removeLeftovers(below: root, before: limit)
    try environment.blobs.forEachFolder(below: root) { folder, files in
      let isDue = files.allSatisfy { $0.modified < time - Self.unfinishedSeconds }
      if isDue, try environment.blobs.delete(folder) { count += 1 }
    }
    guard let cache = environment.cache else { return count }
    try cache.forEachFolder(below: BlobFolder("staged")) { folder, files in
      let isDue = files.allSatisfy { $0.modified < limit }
      if isDue, try cache.delete(folder) { count += 1 }
    }
    return count
  }

  /// Deletes cached pictures of recordings that no drawing has. Each server of a shared store has
  /// its own cache, and a server that deletes a drawing cannot reach the other caches.
  private func removeRenditions(
    in cache: any BlobStore, except recordings: Set<UInt64>, before limit: Moment
  ) throws -> Int {
    let root = try BlobFolder("renditions")
    var count = try cache.removeLeftovers(below: root, before: limit)
    var gone: [BlobFolder] = []
    try cache.forEachFolder(below: root) { folder, files in
      guard let name = folder.names.last, name.utf8.count == 64,
        files.allSatisfy({ $0.modified < limit }), !recordings.contains(Self.key(name))
      else { return }
      gone.append(folder)
    }
    for folder in gone {
      try RenditionCache(store: cache, limit: 0).delete(folder)
      count += 1
    }
    return count
  }

  /// The first quarter of a hash, 64 bits: enough to distinguish recordings, in little memory.
  private static func key(_ sha256: some StringProtocol) -> UInt64 {
    UInt64(sha256.prefix(16), radix: 16) ?? 0
  }

  // MARK: - Trash

  private var today: LocalDay { ZoneRules.utc.day(of: environment.now()) }

  /// Moves a folder to today's trash. Keeps an earlier one with the same path.
  private func moveToTrash(_ folder: BlobFolder) throws -> Bool {
    for number in 1... {
      let day = number == 1 ? "\(today)" : "\(today).\(number)"
      do throws(StorageError) {
        return try environment.blobs.move(
          folder, to: BlobFolder("\(FilePlace.trash.rawValue)/\(day)/\(folder)"))
      } catch {
        guard error.problem == .alreadyExists else { throw error }
      }
    }
    return false
  }

  /// Deletes drawings that are in the trash for more days than the settings allow, and returns
  /// their number.
  private func emptyTrash() throws -> Int {
    func isDue(_ name: Substring?) -> Bool {
      // A folder whose name is not a day does not belong to the service.
      guard let name, let day = LocalDay(String(name.prefix { $0 != "." })) else { return false }
      return day + environment.settings.trashDays < today
    }
    let trash = try FilePlace.trash.folder
    if let store = environment.blobs as? FileBlobStore {
      // Including the folders of days and users.
      return try store.subfolders(of: trash).filter { isDue($0.names.last) }
        .reduce(0) { try $0 + store.deleteTree($1) { _ in false } }
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

  /// Calls a body for a drawing; returns nil if another sweep works on the drawing.
  private func claim<Result>(_ folder: BlobFolder, _ body: () throws -> Result) throws -> Result? {
    try environment.claims.withLockIfFree("sweep/\(folder)", body)
  }

  /// Completes interrupted revisions and missing thumbnails, and returns the keys of all
  /// recordings.
  private func completeDrawings(_ result: inout Result) throws -> Set<UInt64> {
    let service = DrawingService(environment, as: .operator)
    var recordings: Set<UInt64> = []
    try Upkeep.forEachDrawing(in: environment) { uid, record in
      recordings.formUnion(record.recordings.map { Self.key($0) })
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
          // Another sweep may have rendered it since the names were read.
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
    return recordings
  }
}
