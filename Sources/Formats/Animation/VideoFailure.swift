import CMovingPictures

/// An error of encoding a moving picture, or of its output.
public enum VideoFailure<Output: Error>: Error {
  /// The encoder failed.
  case video(AnimationError)
  /// The bytes could not be written.
  case output(Output)
}

extension AnimationError {
  /// The error for a problem with a library. `limits` is a sentence about the supported values.
  init(_ problem: MovingPictureProblem, form: String, limits: String) {
    switch problem {
    case MovingPictureUnsupported: self = .unsupported(limits)
    default: self = .failed("there is not enough memory for \(form)")
    }
  }

  static let tooDeep = AnimationError.unsupported(
    "a moving picture of this form has 8 bits per component")
}
