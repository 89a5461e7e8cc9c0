import Storage

/// Takes over drawings that others have kept as files: `users/UID/drawings/ID/recording.pkd` below some
/// folder, such as a bucket that was downloaded. Each becomes a drawing of the service, with an image and
/// a thumbnail. What is kept already is passed over, so an adoption that was broken off goes on.
public struct Adoption: Sendable {
  private let environment: ServiceEnvironment

  /// An adoption into a service.
  public init(_ environment: ServiceEnvironment) { self.environment = environment }

  /// A drawing that was found.
  public struct Found: Hashable, Sendable {
    /// Whose it is.
    public let uid: String
    /// Its name.
    public let id: String

    /// A drawing that was found.
    public init(uid: String, id: String) {
      self.uid = uid
      self.id = id
    }
  }

  /// What became of a drawing.
  public enum Outcome: Hashable, Sendable {
    case adopted
    case alreadyThere
  }

  /// Takes a drawing over. An image that is no sound PNG or too large is rendered anew, as is one that is
  /// not there. It was drawn when its first stroke was, which some recordings do not tell.
  public func adopt(_ found: Found, recording: [UInt8], image: [UInt8]?) throws -> Outcome {
    let path = try UserPaths(found.uid).drawings.document(found.id)
    if try environment.documents.document(path) != nil { return .alreadyThere }
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
