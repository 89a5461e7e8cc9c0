import Storage
import Threads

/// Makes drawings of recordings that other programs have stored at `users/UID/drawings/ID/recording.pkd`, where they are:
/// an app's bucket, for example. Each gets the pictures that are missing beside it, and a document if that is wanted.
///
/// What is there already stays, so an import that was interrupted is continued by repeating it.
package struct PictureImport: Sendable {
  private let environment: ServiceEnvironment
  private let options: Options

  package struct Options: Hashable, Sendable {
    /// Whether drawings without a document get one.
    package var writesDocuments = false
    /// Whether pictures are drawn again that are there already.
    package var replacesPictures = false
    /// How many drawings are worked on at the same time.
    package var threads = 1

    package init() {}
  }

  package init(_ environment: ServiceEnvironment, _ options: Options) {
    (self.environment, self.options) = (environment, options)
  }

  /// What was found and done.
  package struct Result: Hashable, Sendable {
    /// The recordings that were found.
    package var drawings = 0
    /// The pictures that were drawn.
    package var pictures = 0
    /// The documents that were written.
    package var documents = 0
    /// The drawings that had everything.
    package var complete = 0
    /// The drawings that could not be completed.
    package var failed = 0

    package init() {}
  }

  /// The drawings of one step, so that few are in memory.
  private static let drawingsAtOnce = 256

  /// Imports everything. `failure` hears of each drawing that cannot be imported, by the path of its folder, and `progress` of
  /// the result so far; a true return of it ends the import.
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
          // What ails the store would fail all others, too.
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
        // What lies elsewhere in an app's bucket is none of our business.
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

  /// Completes one drawing and returns how many pictures and documents it lacked.
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
        // A picture that a user has made is not drawn again.
        let document = try environment.documents.document(path)
        let isRendered = document.map { DrawingRecord($0).hasRenderedImage } ?? true
        if !isRendered, files[DrawingFiles.image] != nil {
          lacking.removeAll { $0 == DrawingFiles.image }
        }
      // Its files are what a sweep deletes.
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
    // After the pictures, as whoever writes a document keeps all others from writing theirs.
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

/// A recording lies where those of no drawing lie.
private struct Misplaced: Error, CustomStringConvertible {
  let description = "\(Upkeep.notOfDrawing), which is users/UID/drawings/ID"
}

extension StorageError {
  /// Whether the store as a whole has a problem, not one file in it.
  var isOfStore: Bool {
    switch problem {
    case .full, .readOnly, .unavailable, .locked, .database: true
    default: false
    }
  }
}
