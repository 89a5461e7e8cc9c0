import Interchange
import Storage
import Strokes

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
  /// not there.
  /// It was drawn when its first stroke was, which some recordings do not tell.
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
    submission.createdAt = try Self.moment(of: recording)
    submission.isUndated = submission.createdAt == nil
    try DrawingService(environment, as: .operator).submit(submission, of: found.uid)
    return .adopted
  }

  /// When the first stroke was drawn; nil where that is not told, or cannot be.
  private static func moment(of recording: [UInt8]) throws -> Moment? {
    let dates = try PictureMaker.open(recording).drawings[0].strokes.map {
      $0.path.creationDate.secondsSince1970
    }
    // Some programs write the start of 1970 or of 2001 where they know none.
    let known = dates.filter { $0 > 1_000_000_000 && $0 < 32_503_680_000 }
    return known.min().map { Moment(microseconds: Int64(($0 * 1e6).rounded())) }
  }
}
