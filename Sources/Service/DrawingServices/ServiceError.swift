public import InkFiles

/// A request that the service cannot fulfil, for other reasons than access rules and storage.
public enum ServiceError: Error, Sendable {
  /// The recording is neither a PencilKit archive nor a `.pkd` file.
  case notARecording(firstBytes: [UInt8])
  /// The recording is damaged.
  case damagedRecording(DrawingFileError)
  /// The image is not a readable PNG, with the reason.
  case notAnImage(String)
  /// A file has too many bytes.
  case tooLarge(file: String, limit: Int)
  /// The drawing cannot be rendered, with the reason.
  case notRenderable(String)
  /// The request is invalid, with the reason.
  case badRequest(String)
  /// The document or file is not the version that the caller has read.
  case changedSince
  /// A file that must be new exists already.
  case existsAlready
  /// No open invitation has this code.
  case noInvitation
  /// The owner of a drawing tries to join it.
  case ownDrawing
  /// The JSON of fields cannot be read, with the reason.
  case badFields(String)
  /// The JSON of seeds cannot be read, with the reason.
  case badSeed(String)
  /// The system has no time zone of this name.
  case unknownTimeZone(String)
  /// A backup that cannot be restored, with the reason.
  case badArchive(String)
  /// A folder holds no service.
  case noService(root: String)
  /// A folder holds drawings, but not their database.
  case lostDatabase(root: String, reason: String)
  /// The settings file of a service cannot be read, with the reason.
  case badSettings(String)
}

extension ServiceError: CustomStringConvertible {
  /// The problem and its remedy, for people.
  public var description: String {
    switch self {
    case .notARecording(let bytes):
      PictureFormat(recognizing: bytes).map { "\(DrawingFileError.picture($0))" }
        ?? "the recording is neither a PencilKit archive nor a .pkd file"
        + (bytes.isEmpty ? ": it is empty" : "")
    case .damagedRecording(let error): "the recording cannot be stored: \(error)"
    case .notAnImage(let reason): "the image is not a valid PNG: \(reason)"
    case .tooLarge(let file, let limit): "\(file) must have fewer than \(limit) bytes"
    case .notRenderable(let reason): "the drawing cannot be rendered: \(reason)"
    case .badRequest(let reason): reason
    case .changedSince: "it was changed since it was read"
    case .existsAlready: "it exists already"
    case .noInvitation: "the invitation is not valid, or not any more"
    case .ownDrawing: "the drawing is the caller's own"
    case .badFields(let reason): "the fields cannot be read: \(reason)"
    case .badSeed(let reason): "the seeds cannot be used: \(reason)"
    case .unknownTimeZone(let name): "unknown time zone '\(name)'"
    case .badArchive(let reason): "the archive cannot be restored: \(reason)"
    case .noService(let root):
      "there is no service in '\(root)'; 'pkd store init --root \(root)' creates one"
    case .lostDatabase(let root, let reason):
      "'\(root)' holds drawings, but not their database: \(reason). Put the database back, restore a"
        + " backup elsewhere, or recreate the documents of the drawings from their files with 'pkd store"
        + " verify --repair --root \(root)'"
    case .badSettings(let reason): "the settings cannot be read: \(reason)"
    }
  }
}
