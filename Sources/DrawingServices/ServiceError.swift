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
  /// The fields are not what a document can have.
  case badFields(String)
  /// The seeds are not what can be sown.
  case badSeed(String)
  /// A zone of time that is not known here.
  case unknownTimeZone(String)
  /// An archive that cannot be restored.
  case badArchive(String)
  /// There is no service in a folder.
  case noService(root: String)
  /// A folder holds drawings and not the database that belongs to them.
  case lostDatabase(root: String, reason: String)
  /// More files without documents than crashes leave: the database may be an older one.
  case manyOrphans(Int, of: Int)
  /// The settings that are kept in a service's folder cannot be read.
  case badSettings(String)
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
    case .badFields(let reason): "the fields cannot be read: \(reason)"
    case .badSeed(let reason): "the seeds cannot be used: \(reason)"
    case .unknownTimeZone(let name): "'\(name)' is no time zone that is known here"
    case .badArchive(let reason): "the archive cannot be restored: \(reason)"
    case .noService(let root):
      "there is no service in '\(root)'; 'pkd store init --root \(root)' makes one"
    case .lostDatabase(let root, let reason):
      "'\(root)' holds drawings, but not their database: \(reason). Put the database back, restore a"
        + " backup elsewhere, or let 'pkd store verify --repair --root \(root)' make the drawings'"
        + " documents again from their files"
    case .manyOrphans(let count, let total):
      "\(count) of \(total) drawings have files and no document; a crash leaves few. Is the database an"
        + " older one? 'verify' lists them, 'verify --repair' makes their documents again, and"
        + " 'sweep --yes' moves them to the trash all the same"
    case .badSettings(let reason): "the settings cannot be read: \(reason)"
    }
  }
}
