import Rasterization

/// The reason why a call failed, as the negative number that the page gets.
package enum EngineError: Int32, Error {
  /// No document or view has this handle.
  case unknownHandle = -1
  /// The bytes are neither a recording nor an archive.
  case notARecording = -2
  /// The scale is not positive, or the picture has no content.
  case noPicture = -3
  /// The document or the picture is too large for a page, or drawing it takes too long.
  case tooLarge = -4
  /// An address, a count or a value is invalid.
  case invalidArgument = -5
  /// A stroke cannot be read, or there are too many changes.
  case unreadable = -6
  /// The document contains a value that files cannot store.
  case notWritable = -7
  /// The call needs a pen, which was not taken, or a view of another kind.
  case wrongKind = -8

  init(_ error: RenderError) {
    self =
      switch error.problem {
      case .notANumber, .empty, .noPage: .noPicture
      case .tooLarge, .tooMuchWork: .tooLarge
      case .unreadable: .unreadable
      }
  }
}
