import Interchange
import PNGFormat
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
  }

  /// Checks documents, indexes and files. Pictures that are damaged or missing are rendered again if
  /// `repairs`; a recording has no copy.
  public func run(repairs: Bool = false) throws -> Result {
    var result = Result()
    result.findings += try environment.documents.problems().map {
      Finding(path: $0.subject, problem: $0.reason, isRepaired: false)
    }
    try Upkeep.forEachDrawing(in: environment) { uid, record in
      try look(at: record, of: uid, repairs: repairs, &result)
      result.drawings += 1
    } unreadable: { path, reason in
      guard !result.findings.contains(where: { $0.path == path }) else { return }
      result.findings.append(Finding(path: path, problem: reason, isRepaired: false))
    }
    return result
  }

  private func look(
    at record: DrawingRecord, of uid: String, repairs: Bool, _ result: inout Result
  ) throws {
    let folder = try UserPaths(uid).folder(ofDrawing: record.id)
    var problems: [(name: String, problem: String)] = []
    for name in DrawingFiles.names {
      do {
        guard let blob = try environment.blobs.get(try folder.blob(name)) else {
          // A thumbnail may come later.
          if name != DrawingFiles.thumbnail || record.document["thumbnailURL"] != nil {
            problems.append((name, "it is missing"))
          }
          continue
        }
        result.bytes += blob.bytes.count
        // Reading has compared a checksum, which is enough against rot.
        guard ContentHash.of(blob.bytes) == blob.info.sha256 else {
          throw StorageError(
            .damaged("these are not the bytes that were stored"), "\(folder)/\(name)")
        }
        if name == DrawingFiles.recording {
          _ = try PictureMaker.open(blob.bytes)
          // Whole and well, but not what the document was written for.
          if let wanted = record.document["recordingSHA256"]?.textValue, wanted != blob.info.sha256
          {
            problems.append((name, "it is another recording than the drawing's"))
          }
        } else {
          try PictureMaker.check(image: blob.bytes)
        }
      } catch {
        problems.append((name, Upkeep.reason(error)))
      }
    }
    guard !problems.isEmpty else { return }
    let isRepaired = repairs && repair(record, of: uid, problems.map(\.name))
    for (name, problem) in problems {
      result.findings.append(
        Finding(path: "\(folder)/\(name)", problem: problem, isRepaired: isRepaired))
    }
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
