import Checksums
import Storage

/// Verifies every stored byte of a service, and repairs damage where possible.
public struct Verification: Sendable {
  private let environment: ServiceEnvironment

  /// The verification of a service.
  public init(_ environment: ServiceEnvironment) { self.environment = environment }

  /// A problem that was found.
  public struct Finding: Hashable, Sendable {
    /// The path of the damaged document, file or folder.
    public let path: String
    /// The problem, for people.
    public let problem: String
    /// Whether it was repaired.
    public let isRepaired: Bool

    /// A finding from its parts.
    public init(path: String, problem: String, isRepaired: Bool) {
      self.path = path
      self.problem = problem
      self.isRepaired = isRepaired
    }
  }

  /// The result of a verification.
  public struct Result: Hashable, Sendable {
    /// The number of verified drawings.
    public var drawings = 0
    /// The size of their files, in bytes.
    public var bytes = 0
    /// The number of submissions, replacements and deletions that a crash has interrupted. They
    /// were not acknowledged, and the next sweep completes or undoes them, so they are no problem.
    public var interrupted = 0
    /// The problems that were found.
    public var findings: [Finding] = []
    /// Whether all problems were repaired, or there were none.
    public var isIntact: Bool { findings.allSatisfy(\.isRepaired) }

    /// An empty result.
    public init() {}
  }

  /// Verifies documents, indexes and files. With `repairs`, rebuilds indexes, renders damaged or
  /// missing pictures, and recreates damaged or missing documents of drawings from their files.
  /// Recordings have no copy and cannot be repaired.
  ///
  /// Files without a document that are younger than `minimumAge` seconds may belong to a drawing
  /// that is being submitted. They are checked again at the end, after `wait` has let these seconds
  /// pass.
  ///
  /// Files were decoded when they were stored, so comparing their SHA-256 is enough. `isDeep`
  /// decodes all pictures and recordings again, which takes many times as long.
  public func run(
    repairs: Bool = false, isDeep: Bool = false, minimumAge: Int64 = maximumSubmissionSeconds,
    wait: (_ seconds: Int64) -> Void = { _ in }
  ) throws -> Result {
    var result = Result()
    // Files first: a drawing that is being submitted has files before it has a document.
    let young = try findOrphans(
      before: environment.blobs.timeOfFiles(environment.now()) - minimumAge, repairs: repairs,
      &result)
    try Upkeep.forEachDrawing(in: environment) { uid, record in
      try verify(record, of: uid, repairs: repairs, isDeep: isDeep, &result)
      result.drawings += 1
    } unreadable: { path, reason in
      let isRepaired = repairs && recover(path)
      result.findings.append(Finding(path: path, problem: reason, isRepaired: isRepaired))
    }
    try Upkeep.forEachUpload(in: environment) { uid, folder in
      try verifyUpload(folder, of: uid, &result)
    }
    try verifyUnfinished(repairs: repairs, &result)
    result.interrupted += try environment.documents.read {
      try $0.names(in: Collections.erasures, after: nil, limit: .max).count
    }
    try verifyDocuments(repairs: repairs, &result)
    if !young.isEmpty { wait(minimumAge) }
    for path in young { reportOrphan(path, repairs: repairs, &result) }
    return result
  }

  /// The maximum time between storing the files of a drawing and its document, in seconds: a little
  /// more than the timeout of the database.
  public static let maximumSubmissionSeconds: Int64 = 15

  // MARK: - Documents

  private func verifyDocuments(repairs: Bool, _ result: inout Result) throws {
    var problems = try environment.documents.problems()
    var repaired: [StorageError] = []
    if repairs, !problems.isEmpty {
      // Problems that remain, such as an unreadable page of the file, are reported below.
      _ = try? environment.documents.repairIndexes()
      let rest = try environment.documents.problems()
      repaired = problems.filter { !rest.contains($0) }
      problems = rest
    }
    let known = Set(result.findings.map(\.path))
    for (errors, isRepaired) in [(repaired, true), (problems, false)] {
      result.findings += errors.filter { !known.contains($0.subject) }.map {
        Finding(path: $0.subject, problem: $0.reason, isRepaired: isRepaired)
      }
    }
  }

  /// Recreates the document of a drawing from its files; returns whether that was possible.
  private func recover(_ path: String) -> Bool {
    guard let path = try? DocumentPath(path), path.collection.name == "drawings" else {
      return false
    }
    let uid = path.folder.names[1]
    let recovery = DocumentRecovery(environment: environment)
    return (try? recovery.recover(path.id, of: String(uid))) ?? false
  }

  /// Reports files without a document, and returns the paths of those that are too young. Ignores
  /// the files of deleted drawings, which the next sweep deletes.
  private func findOrphans(
    before limit: Moment, repairs: Bool, _ result: inout Result
  ) throws -> [DocumentPath] {
    var young: [DocumentPath] = []
    try environment.blobs.forEachFolder(below: FilePlace.drawings.folder) { folder, files in
      guard let path = DocumentPath(ofDrawingIn: folder) else {
        result.findings.append(
          Finding(path: "\(folder)", problem: Upkeep.notOfDrawing, isRepaired: false))
        return
      }
      // A damaged document is reported elsewhere.
      switch try? environment.documents.state(ofDrawing: path) {
      case .begun where files.allSatisfy({ $0.modified < limit }): result.interrupted += 1
      case .unknown:
        if files.allSatisfy({ $0.modified < limit }) {
          reportOrphan(path, repairs: repairs, &result)
        } else if young.count < 10_000 {
          young.append(path)
        }
      default: break
      }
    }
    return young
  }

  private func reportOrphan(_ path: DocumentPath, repairs: Bool, _ result: inout Result) {
    guard (try? environment.documents.state(ofDrawing: path)) == .unknown,
      // Files that were deleted in the meantime need no document.
      (try? environment.blobs.fileNames(in: path.folder))?.isEmpty == false
    else { return }
    let isRepaired = repairs && recover(path.description)
    result.findings.append(
      Finding(path: "\(path)", problem: "its document is missing", isRepaired: isRepaired))
  }

  // MARK: - Files

  private func verify(
    _ record: DrawingRecord, of uid: String, repairs: Bool, isDeep: Bool,
    _ result: inout Result
  ) throws {
    let folder = try UserPaths(uid).folder(ofDrawing: record.id)
    let service = DrawingService(environment, as: .operator)
    var (bytes, problems) = try problems(of: record, in: folder, isDeep: isDeep)
    // Another program may have replaced a picture or deleted the drawing in the meantime, so check
    // again.
    if !problems.isEmpty {
      guard try Upkeep.isCurrent(record, in: environment) else { return }
      (bytes, problems) = try self.problems(of: record, in: folder, isDeep: isDeep)
      if let index = problems.firstIndex(where: { $0.problem == Self.otherImage }),
        try isUploadInterrupted(of: record, of: uid, in: folder)
      {
        problems.remove(at: index)
        let isFinished =
          repairs && (try? service.acceptImage(ofDrawing: record.id, of: uid)) == true
        if !isFinished { result.interrupted += 1 }
      }
      if !problems.isEmpty, try !Upkeep.isCurrent(record, withImage: true, in: environment) {
        return
      }
    }
    result.bytes += bytes
    if !problems.isEmpty {
      let isRepaired = repairs && repair(record, of: uid, problems)
      for (name, problem) in problems {
        result.findings.append(
          Finding(path: "\(folder)/\(name)", problem: problem, isRepaired: isRepaired))
      }
    }
    if try service.isRevisionInterrupted(record, of: uid) {
      let isFinished =
        repairs && (try? service.finishRevision(ofDrawing: record.id, of: uid)) == true
      if !isFinished { result.interrupted += 1 }
    }
  }

  /// Whether an image whose hash is not in the document was announced by an upload that is not
  /// complete.
  private func isUploadInterrupted(
    of record: DrawingRecord, of uid: String, in folder: BlobFolder
  ) throws -> Bool {
    guard let info = try? environment.blobs.info(folder.blob(DrawingFiles.image)) else {
      return false
    }
    return try DrawingService(environment, as: .operator)
      .announcedImages(ofDrawing: record.id, of: uid).contains(info.sha256)
  }

  // MARK: - Uploads

  /// Verifies files that were uploaded without a document.
  private func verifyUpload(
    _ folder: BlobFolder, of uid: String, _ result: inout Result
  ) throws {
    let found = try environment.blobs.get(DrawingFiles.names, in: folder)
    for (name, file) in zip(DrawingFiles.names, found) {
      do {
        let path = try folder.blob(name)
        guard let blob = try file.get() else {
          let secret = try UserPaths(uid).metadata(of: path)
          let isDescribed = try environment.documents.read {
            try $0.readable(secret).document != nil
          }
          // Meanwhile it may have been deleted, or have got a document.
          let isUploaded = try environment.documents.state(ofDrawing: DocumentPath("\(folder)"))
          if isDescribed, isUploaded == .uploaded, try environment.blobs.info(path) == nil {
            result.findings.append(
              Finding(path: "\(path)", problem: "it is missing", isRepaired: false))
          }
          continue
        }
        result.bytes += blob.bytes.count
        guard SHA256.of(blob.bytes) == blob.info.digest else {
          throw StorageError(.damaged("these are not the bytes that were stored"), "\(path)")
        }
      } catch {
        result.findings.append(
          Finding(path: "\(folder)/\(name)", problem: Upkeep.reason(error), isRepaired: false))
      }
    }
  }

  /// Verifies incomplete uploads. A repair deletes a damaged one, so that it is sent again.
  private func verifyUnfinished(repairs: Bool, _ result: inout Result) throws {
    let root = try FilePlace.unfinished.folder
    try environment.blobs.forEachFolder(below: root) { folder, files in
      let names = files.map(\.name).filter(StorageName.isValid)
      for (name, found) in zip(names, try environment.blobs.get(names, in: folder)) {
        guard case .failure(let error) = found, case .damaged = error.problem else { continue }
        let isRepaired = repairs && (try? environment.blobs.delete(folder)) == true
        result.findings.append(
          Finding(path: "\(folder)/\(name)", problem: error.reason, isRepaired: isRepaired))
        break
      }
    }
  }

  private static let otherImage = "it is not the image that its document names"

  /// The problems of the files of a drawing, and their total size in bytes.
  private func problems(
    of record: DrawingRecord, in folder: BlobFolder, isDeep: Bool
  ) throws -> (bytes: Int, problems: [(name: String, problem: String)]) {
    var (bytes, problems) = (0, [(name: String, problem: String)]())
    let found = try environment.blobs.get(DrawingFiles.names, in: folder)
    for (name, result) in zip(DrawingFiles.names, found) {
      do {
        guard let blob = try result.get() else {
          // A drawing without a link to a thumbnail has none yet.
          if record.requiredFiles.contains(name),
            name != DrawingFiles.thumbnail || record.document["thumbnailURL"] != nil
          {
            problems.append((name, "it is missing"))
          }
          continue
        }
        bytes += blob.bytes.count
        // Reading has checked the CRC-32C, which detects accidental changes; the SHA-256 detects
        // all.
        guard SHA256.of(blob.bytes) == blob.info.digest else {
          throw StorageError(
            .damaged("these are not the bytes that were stored"), "\(folder)/\(name)")
        }
        if name == DrawingFiles.recording {
          if isDeep { _ = try PictureMaker.open(blob.bytes) }
          // Intact, but the document has the hash of another recording.
          if record.recordingSHA256 != nil, !record.recordings.contains(blob.info.sha256) {
            problems.append((name, "it is not the recording of this drawing"))
          }
        } else if name == DrawingFiles.image, let uploaded = record.uploadedImage,
          uploaded != blob.info.sha256
        {
          problems.append((name, Self.otherImage))
        } else if isDeep {
          try PictureMaker.check(image: blob.bytes)
        }
      } catch {
        problems.append((name, Upkeep.reason(error)))
      }
    }
    return (bytes, problems)
  }

  /// Restores ledger entries of intact files, stores an image's hash in the document, and renders
  /// pictures. Returns whether everything is repaired.
  private func repair(
    _ record: DrawingRecord, of uid: String, _ problems: [(name: String, problem: String)]
  ) -> Bool {
    let names = problems.map(\.name)
    do {
      let folder = try UserPaths(uid).folder(ofDrawing: record.id)
      /// Restores the ledger entry of a file whose hash is in the document; false for any other
      /// file.
      func restore(_ name: String, _ type: String, hashes: [String]) throws -> Bool {
        let path = try folder.blob(name)
        return try environment.documents.change(at: environment.now(), isBarrier: true) {
          transaction in
          // In the meantime the drawing may have been replaced by another one with the same name.
          guard try record.isSame(as: transaction.document(record.document.path)),
            let bytes = try environment.blobs.uncheckedBytes(path),
            hashes.contains(ContentHash.of(bytes))
          else { return false }
          try environment.blobs.put(path, contentType: type, bytes, at: transaction.moment)
          return true
        }
      }
      if names.contains(DrawingFiles.recording) {
        let isRestored = try restore(
          DrawingFiles.recording, "application/octet-stream", hashes: record.recordings)
        guard isRestored else { return false }
      }
      var rendersImage = names.contains(DrawingFiles.image)
      if problems.contains(where: { $0.problem == Self.otherImage }) {
        // Intact, and the one that people see: an app has stored it. It cannot be rendered again,
        // so the document is adapted to it.
        try DrawingService(environment, as: .operator).acceptImage(ofDrawing: record.id, of: uid)
        rendersImage = false
      }
      if rendersImage,
        try restore(
          DrawingFiles.image, "image/png", hashes: record.uploadedImage.map { [$0] } ?? [])
      {
        rendersImage = false
      }
      try DrawingService(environment, as: .operator).rerender(
        record.id, of: uid, replacesImage: rendersImage)
      return true
    } catch {
      return false
    }
  }
}
