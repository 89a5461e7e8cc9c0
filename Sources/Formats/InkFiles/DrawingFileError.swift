public import JSON
public import PKDFormat
public import PencilKitArchive

/// Why a file cannot be read as a drawing, or only in part.
public enum DrawingFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The first bytes belong to no known format.
  case unknownFormat(firstBytes: [UInt8])
  /// The file is a picture, not ink.
  case picture(PictureFormat)
  /// A PencilKit archive is damaged.
  case pencilKit(PencilKitError)
  /// The JSON is damaged or not a drawing.
  case json(JSONError)
  /// A `.pkd` recording is damaged.
  case pkd(PKDError)
  /// A line of events is damaged.
  case events(EventStreamError)
  /// The residue of an archive in a recording does not match its strokes.
  case foreignArchive
  /// A foreign file is damaged.
  case imported(DrawingFile.Format, ImportError)
  /// There is no page of this number.
  case noPage(Int, pageCount: Int)
  /// The events of a recording are lost, so only strokes are left.
  case lostEvents

  /// The error as a message.
  public var description: String {
    switch self {
    case .unknownFormat(let bytes):
      bytes.isEmpty
        ? "the file is empty"
        : "not a drawing of a known format (it begins with the bytes "
          + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ") + ")"
    case .picture(let format):
      "a picture (\(format.rawValue)), not ink; ink has the endings .drawing, .pkd, .json, .xopp, .inkml and others"
    case .pencilKit(let error): "damaged PencilKit archive: \(error)"
    case .json(let error): "damaged JSON drawing: \(error)"
    case .pkd(let error): "damaged recording: \(error)"
    case .events(let error): "damaged events: \(error)"
    case .imported(let format, let error): "damaged \(format.title): \(error)"
    case .noPage(let number, let count):
      "there is no page \(number); the file has \(count == 1 ? "one page" : "\(count) pages")"
    case .foreignArchive:
      "damaged recording: its residue of a PencilKit archive does not match its strokes"
    case .lostEvents:
      "damaged recording: its events are lost, so erasing, moving and undoing cannot be restored"
    }
  }
}
