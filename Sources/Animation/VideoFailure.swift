import CMovingPictures

/// Why a moving picture cannot be made.
public enum VideoFailure<Output: Error>: Error {
  /// It cannot be like that, or what is needed for it is missing.
  case video(AnimationError)
  /// Whoever takes the bytes does not.
  case output(Output)
}

extension AnimationError {
  /// Why a library does not help. `packages` would install it.
  init(_ problem: MovingPictureProblem, form: String, packages: String, unfit: String) {
    switch problem {
    case MovingPictureNoLibrary:
      self = .missing("\(form) needs libraries that are not installed: apt install \(packages)")
    case MovingPictureOtherLibrary:
      self = .missing(
        "the installed libraries for \(form) are not those that are known; needed are those of "
          + packages)
    case MovingPictureUnfit: self = .unfit(unfit)
    default: self = .failed("there is not enough memory for \(form)")
    }
  }

  static let tooDeep = AnimationError.unfit("a moving picture of this form has 8 bits a component")
}
