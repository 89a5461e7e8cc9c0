public import Rasterization

/// An error of drawing a vector file, or of the sink that takes its bytes.
public enum VectorFailure<Sink: Error>: Error {
  /// Drawing failed.
  case drawing(RenderError)
  /// The caller's `sink` threw an error.
  case sink(Sink)
}

extension VectorFailure<Never> {
  /// The error of drawing.
  var drawing: RenderError {
    switch self {
    case .drawing(let error): error
    }
  }
}
