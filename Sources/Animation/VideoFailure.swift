import CMovingPictures

/// An error of encoding a moving picture, or of its output.
public enum VideoFailure<Output: Error>: Error {
  /// The encoder failed.
  case video(AnimationError)
  /// The bytes could not be written.
  case output(Output)
}

extension AnimationError {
  /// The error for a problem with a library.
  ///
  /// `packages` are the Debian packages that contain it, `limits` is a sentence on what the form
  /// supports.
  init(_ problem: MovingPictureProblem, form: String, packages: String, limits: String) {
    switch problem {
    case MovingPictureNoLibrary:
      self = .missing("\(form) needs libraries that are not installed: apt install \(packages)")
    case MovingPictureOtherLibrary:
      self = .missing(
        "the installed libraries for \(form) have an unsupported version; install those of "
          + packages)
    case MovingPictureUnsupported: self = .unsupported(limits)
    default: self = .failed("there is not enough memory for \(form)")
    }
  }

  static let tooDeep = AnimationError.unsupported(
    "a moving picture of this form has 8 bits per component")
}
