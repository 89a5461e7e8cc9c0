import Storage

/// Imports drawings from files at `users/UID/drawings/ID/recording.pkd` below a folder, such as a
/// downloaded bucket. Each becomes a drawing of the service with image and thumbnail. Skips
/// drawings that are already stored, so an interrupted import can be continued.
public struct Adoption: Sendable {
  private let environment: ServiceEnvironment

  /// An import into a service.
  public init(_ environment: ServiceEnvironment) { self.environment = environment }

  /// A drawing to import.
  public struct Found: Hashable, Sendable {
    /// The id of its owner.
    public let uid: String
    /// The id of the drawing.
    public let id: String

    /// A drawing by owner and id.
    public init(uid: String, id: String) {
      self.uid = uid
      self.id = id
    }
  }

  /// The result for one drawing.
  public enum Outcome: Hashable, Sendable {
    case adopted
    case alreadyExists
  }

  /// Imports a drawing. Renders the image if it is missing, too large or not a valid PNG. The
  /// drawing gets the date of its first stroke, or none if the recording has no dates.
  public func adopt(_ found: Found, recording: [UInt8], image: [UInt8]?) throws -> Outcome {
    let path = try UserPaths(found.uid).drawings.document(found.id)
    if try environment.documents.document(path) != nil { return .alreadyExists }
    var submission = DrawingService.Submission(recording: recording)
    submission.id = found.id
    if let image, image.count < DrawingFiles.sizeLimit,
      (try? PictureMaker.check(image: image)) != nil
    {
      submission.image = image
    }
    submission.date = .ofFirstStroke
    try DrawingService(environment, as: .operator).submit(submission, of: found.uid)
    return .adopted
  }
}
