import Checksums
import Storage

/// Looks at every byte that a service keeps, and mends what can be mended.
public struct Verification: Sendable {
  private let environment: ServiceEnvironment

  /// A look at all that a service keeps.
  public init(_ environment: ServiceEnvironment) { self.environment = environment }

  /// Something that is wrong.
  public struct Finding: Hashable, Sendable {
    /// What it is about.
    public let path: String
    /// What is wrong.
    public let problem: String
    /// Whether it is mended now.
    public let isRepaired: Bool

    /// Something that is wrong.
    public init(path: String, problem: String, isRepaired: Bool) {
      self.path = path
      self.problem = problem
      self.isRepaired = isRepaired
    }
  }

  /// What was seen.
  public struct Result: Hashable, Sendable {
    /// Drawings that were looked at.
    public var drawings = 0
    /// Bytes of their files.
    public var bytes = 0
    /// What is wrong.
    public var findings: [Finding] = []
    /// Whether nothing is wrong that was not mended.
    public var isSound: Bool { findings.allSatisfy(\.isRepaired) }

    /// Nothing so far.
    public init() {}
  }

  /// Checks documents, indexes and files. With `repairs`, indexes are made again, pictures that are damaged
  /// or missing are rendered again, and documents of drawings that are damaged or missing are made again
  /// from the files; a recording has no copy.
  ///
  /// Files without a document that are younger than some seconds may be those of a drawing that is being
  /// submitted. They are looked at once more at the end, when `wait` has let these seconds pass.
  ///
  /// Bytes whose SHA-256 is that of the bytes that were stored were looked at then; `isDeep` decodes all
  /// pictures and opens all recordings once more, which takes many times as long.
  public func run(
    repairs: Bool = false, isDeep: Bool = false, minimumAge: Int64 = longestSubmission,
    wait: (_ seconds: Int64) -> Void = { _ in }
  ) throws -> Result {
    var result = Result()
    // Files first: a drawing that is submitted meanwhile has files before its document.
    let young = try lookForOrphans(
      before: environment.now() - minimumAge, repairs: repairs, &result)
    try Upkeep.forEachDrawing(in: environment) { uid, record in
      try look(at: record, of: uid, repairs: repairs, isDeep: isDeep, &result)
      result.drawings += 1
    } unreadable: { path, reason in
      let isRepaired = repairs && recover(path)
      result.findings.append(Finding(path: path, problem: reason, isRepaired: isRepaired))
    }
    try lookAtDocuments(repairs: repairs, &result)
    if !young.isEmpty { wait(minimumAge) }
    for path in young { look(atOrphan: path, repairs: repairs, &result) }
    return result
  }

  /// Between a drawing's files and its document lies no more than the time, in seconds, that a database is
  /// waited for.
  public static let longestSubmission: Int64 = 15

  // MARK: - Documents

  private func lookAtDocuments(repairs: Bool, _ result: inout Result) throws {
    var problems = try environment.documents.problems()
    var repaired: [StorageError] = []
    if repairs, !problems.isEmpty {
      // What it cannot mend, such as a page of the file that cannot be read, is told below.
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

  /// Whether a drawing has a sound document again, which is made from its files.
  private func recover(_ path: String) -> Bool {
    guard let path = try? DocumentPath(path), path.collection.name == "drawings" else {
      return false
    }
    let uid = path.folder.names[1]
    let recovery = DocumentRecovery(environment: environment)
    return (try? recovery.recover(path.id, of: String(uid))) ?? false
  }

  /// Finds files that no document knows, and returns those that are too young to say. Those of deleted
  /// drawings are for the next sweep.
  private func lookForOrphans(
    before limit: Moment, repairs: Bool, _ result: inout Result
  ) throws -> [DocumentPath] {
    var young: [DocumentPath] = []
    try environment.blobs.forEachFolder(below: BlobFolder("users")) { folder, files in
      guard let path = try? DocumentPath(folder.description), path.collection.name == "drawings",
        path.folder.names.count == 4
      else {
        result.findings.append(
          Finding(path: "\(folder)", problem: "nothing is kept there", isRepaired: false))
        return
      }
      if files.allSatisfy({ $0.modified < limit }) {
        look(atOrphan: path, repairs: repairs, &result)
      } else if isOrphan(path), young.count < 10_000 {
        young.append(path)
      }
    }
    return young
  }

  /// Whether nobody has heard of a document. A damaged one is one, too, and found where documents are read.
  private func isOrphan(_ path: DocumentPath) -> Bool {
    (try? environment.documents.state(of: path)) == .unknown
  }

  private func look(atOrphan path: DocumentPath, repairs: Bool, _ result: inout Result) {
    guard isOrphan(path),
      // Files that are gone meanwhile need no document.
      (try? environment.blobs.fileNames(in: path.folder))?.isEmpty == false
    else { return }
    let isRepaired = repairs && recover(path.description)
    result.findings.append(
      Finding(path: "\(path)", problem: "its document is missing", isRepaired: isRepaired))
  }

  // MARK: - Files

  private func look(
    at record: DrawingRecord, of uid: String, repairs: Bool, isDeep: Bool,
    _ result: inout Result
  ) throws {
    let folder = try UserPaths(uid).folder(ofDrawing: record.id)
    var (bytes, problems) = try problems(of: record, in: folder, isDeep: isDeep)
    // Somebody may have replaced a picture, or have deleted the drawing, between two of these looks.
    if !problems.isEmpty {
      guard try Upkeep.isCurrent(record, in: environment) else { return }
      (bytes, problems) = try self.problems(of: record, in: folder, isDeep: isDeep)
      if !problems.isEmpty, try !Upkeep.isCurrent(record, in: environment) { return }
    }
    result.bytes += bytes
    guard !problems.isEmpty else { return }
    let isRepaired = repairs && repair(record, of: uid, problems.map(\.name))
    for (name, problem) in problems {
      result.findings.append(
        Finding(path: "\(folder)/\(name)", problem: problem, isRepaired: isRepaired))
    }
  }

  /// What is wrong with a drawing's files, and how many bytes they have.
  private func problems(
    of record: DrawingRecord, in folder: BlobFolder, isDeep: Bool
  ) throws -> (bytes: Int, problems: [(name: String, problem: String)]) {
    var (bytes, problems) = (0, [(name: String, problem: String)]())
    let found = try environment.blobs.get(DrawingFiles.names, in: folder)
    for (name, result) in zip(DrawingFiles.names, found) {
      do {
        guard let blob = try result.get() else {
          // A thumbnail may come later.
          if name != DrawingFiles.thumbnail || record.document["thumbnailURL"] != nil {
            problems.append((name, "it is missing"))
          }
          continue
        }
        bytes += blob.bytes.count
        // Reading has compared a checksum, which is enough against rot.
        guard SHA256.of(blob.bytes) == blob.info.digest else {
          throw StorageError(
            .damaged("these are not the bytes that were stored"), "\(folder)/\(name)")
        }
        if name == DrawingFiles.recording {
          if isDeep { _ = try PictureMaker.open(blob.bytes) }
          // Whole and well, but not what the document was written for.
          if let wanted = record.document["recordingSHA256"]?.textValue, wanted != blob.info.sha256
          {
            problems.append((name, "it is another recording than the drawing's"))
          }
        } else if isDeep {
          try PictureMaker.check(image: blob.bytes)
        }
      } catch {
        problems.append((name, Upkeep.reason(error)))
      }
    }
    return (bytes, problems)
  }

  /// Whether all is there again: files that only the ledger has forgotten, and pictures.
  private func repair(_ record: DrawingRecord, of uid: String, _ names: [String]) -> Bool {
    do {
      let folder = try UserPaths(uid).folder(ofDrawing: record.id)
      /// Puts a file that is as the document says back into the ledger; false for any other.
      func restore(_ name: String, _ type: String, knownBy field: String) throws -> Bool {
        let path = try folder.blob(name)
        return try environment.documents.change(at: environment.now()) { transaction in
          // Another drawing may have got its name meanwhile.
          guard try record.isSame(as: transaction.document(record.document.path)),
            let bytes = try environment.blobs.uncheckedBytes(path),
            record.document[field]?.textValue == ContentHash.of(bytes)
          else { return false }
          try environment.blobs.put(path, contentType: type, bytes, at: transaction.moment)
          return true
        }
      }
      if names.contains(DrawingFiles.recording) {
        let isRestored = try restore(
          DrawingFiles.recording, "application/octet-stream", knownBy: "recordingSHA256")
        guard isRestored else { return false }
      }
      var drawsImage = names.contains(DrawingFiles.image)
      if drawsImage, try restore(DrawingFiles.image, "image/png", knownBy: "imageSHA256") {
        drawsImage = false
      }
      try DrawingService(environment, as: .operator).rerender(
        record.id, of: uid, replacesImage: drawsImage)
      return true
    } catch {
      return false
    }
  }
}
