public import Interchange

/// Why a service cannot do what it was asked, where it is nobody's right and no disk's fault.
public enum ServiceError: Error, Sendable {
  /// The recording is neither an archive of PencilKit's nor a `.pkd` file.
  case notARecording(firstBytes: [UInt8])
  /// The recording is damaged.
  case damagedRecording(DrawingFileError)
  /// The image is no PNG that can be read.
  case notAnImage(String)
  /// There are too many bytes.
  case tooLarge(file: String, limit: Int)
  /// It cannot be rendered.
  case notRenderable(String)
  /// What was asked has no sense.
  case badRequest(String)
  /// The seeds are not what can be sown.
  case badSeed(String)
  /// A zone of time that is not known here.
  case unknownTimeZone(String)
  /// An archive that cannot be restored.
  case badArchive(String)
}

extension ServiceError: CustomStringConvertible {
  /// One sentence for people.
  public var description: String {
    switch self {
    case .notARecording(let bytes):
      PictureFormat(recognizing: bytes).map { "\(DrawingFileError.picture($0))" }
        ?? "the recording is neither a PencilKit archive nor a .pkd file"
        + (bytes.isEmpty ? ": it is empty" : "")
    case .damagedRecording(let error): "the recording cannot be kept: \(error)"
    case .notAnImage(let reason): "the image is no sound PNG: \(reason)"
    case .tooLarge(let file, let limit): "\(file) must have fewer than \(limit) bytes"
    case .notRenderable(let reason): "the drawing cannot be rendered: \(reason)"
    case .badRequest(let reason): reason
    case .badSeed(let reason): "the seeds cannot be used: \(reason)"
    case .unknownTimeZone(let name): "'\(name)' is no time zone that is known here"
    case .badArchive(let reason): "the archive cannot be restored: \(reason)"
    }
  }
}
