import Rasterization

extension RenderError {
  /// The exit code: wrong options or bad input.
  func exitCode(setsExtent: Bool) -> ExitCode {
    switch problem {
    case .unreadable, .tooMuchWork: .badData
    // Without options for the size, the file itself defines a picture that is too large.
    case .tooLarge where !setsExtent: .badData
    case .notANumber, .empty, .tooLarge, .noPage: .usage
    }
  }
}

/// The description of an error, with the option that raises the limit if there is one.
func advice(on error: any Error) -> String {
  guard let error = error as? RenderError,
    case .tooLarge(let width, let height, let maximum) = error.problem,
    width * height > Double(maximum), max(width, height) <= Double(RenderError.maximumSide)
  else { return "\(error)" }
  return "\(error); --max-pixels N allows more"
}
