import Storage
import Threads

/// Imports recordings that other programs have stored at
/// `users/UID/drawings/ID/recording.pkd`, in an app's bucket for example. Adds missing pictures,
/// and documents if requested.
///
/// Existing files and documents stay, so repeating an interrupted import continues it.
package struct PictureImport: Sendable {
  private let environment: ServiceEnvironment
  private let options: Options

  package struct Options: Hashable, Sendable {
    /// Whether drawings without a document get one.
    package var writesDocuments = false
    /// Whether existing pictures are rendered again.
    package var replacesPictures = false
    /// The number of drawings that are processed in parallel.
    package var threads = 1

    package init() {}
  }

  package init(_ environment: ServiceEnvironment, _ options: Options) {
    (self.environment, self.options) = (environment, options)
  }

  /// The result of an import.
  package struct Result: Hashable, Sendable {
    /// The recordings that were found.
    package var drawings = 0
    /// The pictures that were drawn.
    package var pictures = 0
    /// The documents that were written.
    package var documents = 0
    /// The drawings that lacked nothing.
    package var complete = 0
    /// The drawings that could not be completed.
    package var failed = 0

    package init() {}
  }

  /// The number of drawings in one step, which bounds memory.
  private static let drawingsAtOnce = 256

  /// Imports everything. `failure` is called for each drawing that cannot be imported, with its
  /// folder's path; `progress` with the result so far. If `progress` returns true, the import ends.
  package func run(
    failure: (_ path: String, any Error) -> Void, progress: (Result) -> Bool
  ) throws -> Result {
    struct Ended: Error {}
    var result = Result()
    var waiting: [(folder: BlobFolder, files: [String: Int])] = []
    func importWaiting() throws {
      let outcomes = try Lanes.map(waiting, lanes: options.threads) { found in
        Swift.Result { try complete(found.folder, found.files) }
      }
      for (found, outcome) in zip(waiting, outcomes) {
        result.drawings += 1
        switch outcome {
        case .success((0, 0)): result.complete += 1
        case .success(let (pictures, documents)):
          result.pictures += pictures
          result.documents += documents
        case .failure(let error):
          // A problem of the store itself would affect all others, too.
          if (error as? StorageError)?.isOfStore == true { throw error }
          result.failed += 1
          failure("\(found.folder)", error)
        }
      }
      waiting = []
      if progress(result) { throw Ended() }
    }
    do {
      try environment.blobs.forEachFolder(below: FilePlace.drawings.folder) { folder, files in
        let sizes = Dictionary(files.map { ($0.name, $0.size) }) { first, _ in first }
        // Other files in an app's bucket are ignored.
        guard sizes[DrawingFiles.recording] != nil, folder.names.dropFirst(2).first == "drawings"
        else { return }
        guard DocumentPath(ofDrawingIn: folder) != nil else {
          result.drawings += 1
          result.failed += 1
          return failure("\(folder)", Misplaced())
        }
        waiting.append((folder, sizes))
        if waiting.count == Self.drawingsAtOnce { try importWaiting() }
      }
      try importWaiting()
    } catch is Ended {}
    return result
  }

  /// Completes one drawing and returns the number of pictures and documents that it lacked.
  private func complete(
    _ folder: BlobFolder, _ files: [String: Int]
  ) throws -> (pictures: Int, documents: Int) {
    var lacking = [DrawingFiles.image, DrawingFiles.thumbnail].filter {
      options.replacesPictures || files[$0] == nil
    }
    var isDocumentLacking = false
    if options.writesDocuments {
      let path = try DocumentPath(folder.description)
      switch try environment.documents.state(ofDrawing: path) {
      case .exists:
        // A picture that a user has made is not rendered again.
        let document = try environment.documents.document(path)
        let isRendered = document.map { DrawingRecord($0).hasRenderedImage } ?? true
        if !isRendered, files[DrawingFiles.image] != nil {
          lacking.removeAll { $0 == DrawingFiles.image }
        }
      // A sweep will delete its files.
      case .deleted: return (0, 0)
      case .unknown, .uploaded, .begun: isDocumentLacking = true
      }
    }
    guard !lacking.isEmpty || isDocumentLacking else { return (0, 0) }
    guard files[DrawingFiles.recording] ?? 0 < DrawingFiles.sizeLimit else {
      throw ServiceError.tooLarge(file: DrawingFiles.recording, limit: DrawingFiles.sizeLimit)
    }
    let path = try folder.blob(DrawingFiles.recording)
    guard let recording = try environment.blobs.uncheckedBytes(path) else { return (0, 0) }
    guard recording.count < DrawingFiles.sizeLimit else {
      throw ServiceError.tooLarge(file: DrawingFiles.recording, limit: DrawingFiles.sizeLimit)
    }
    let drawn = try PictureMaker.open(recording)
    let maker = PictureMaker(settings: environment.settings)
    let contents = try lacking.map { name in
      BlobContent(
        name, contentType: "image/png",
        name == DrawingFiles.image ? try maker.image(of: drawn) : try maker.thumbnail(of: drawn))
    }
    if !contents.isEmpty {
      try environment.blobs.put(contents, in: folder, at: environment.now())
    }
    guard isDocumentLacking else { return (contents.count, 0) }
    // Documents are written after the pictures, since a document's writer blocks all other writers.
    let (uid, id) = (String(folder.names[1]), String(folder.names[3]))
    guard try DocumentRecovery(environment: environment).recover(id, of: uid) else {
      // Another import may have been faster.
      let stored = try environment.documents.document(DocumentPath(folder.description))
      guard stored != nil else { throw ServiceError.changedSince }
      return (contents.count, 0)
    }
    return (contents.count, 1)
  }
}

/// A recording outside the folders of drawings.
private struct Misplaced: Error, CustomStringConvertible {
  let description = "\(Upkeep.notOfDrawing), which is users/UID/drawings/ID"
}

extension StorageError {
  /// Whether the problem is one of the whole store, as opposed to one file in it.
  var isOfStore: Bool {
    switch problem {
    case .full, .readOnly, .unavailable, .locked, .database: true
    default: false
    }
  }
}
