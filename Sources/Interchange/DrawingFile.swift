public import PencilKitArchive
public import Strokes

/// Opens ink of any form that is known here, told apart by its first bytes.
public struct DrawingFile: Sendable {
  /// The form of the bytes.
  public let format: Format
  /// The version that the bytes give of themselves.
  public let version: Int
  /// The drawings inside; most forms hold one.
  public let drawings: [PKDrawing]

  /// The forms of ink that can be read and written.
  public enum Format: String, Hashable, Sendable, CaseIterable {
    /// Archives of PencilKit and Notes.
    case pencilKit = "pencilkit"
    /// The JSON of this package.
    case json
  }

  /// Opens bytes; their form is found by content unless it is given.
  public init(
    _ data: some Collection<UInt8>, as given: Format? = nil
  ) throws(DrawingFileError) {
    let bytes = (data as? [UInt8]) ?? Array(data)
    guard let format = given ?? Format(recognizing: bytes) else {
      throw .unknownFormat(firstBytes: Array(bytes.prefix(8)))
    }
    self.format = format
    switch format {
    case .pencilKit:
      do throws(PencilKitError) {
        let reader = try PencilKitReader(bytes)
        version = reader.summary.version
        drawings = [reader.drawing]
      } catch {
        throw .pencilKit(error)
      }
    case .json:
      do throws(JSONError) {
        drawings = [try JSONDrawingReader.decode(bytes)]
        version = JSONDrawingWriter.version
      } catch {
        throw .json(error)
      }
    }
  }

  /// A drawing as bytes of a form.
  public static func encode(_ drawing: PKDrawing, as format: Format) -> [UInt8] {
    switch format {
    case .pencilKit: drawing.dataRepresentation()
    case .json: JSONDrawingWriter.encode(drawing)
    }
  }
}

extension DrawingFile.Format {
  /// The form that bytes begin with; nil for none that is known.
  public init?(recognizing bytes: some Collection<UInt8>) {
    if PencilKitReader.recognizes(bytes) {
      self = .pencilKit
      return
    }
    let text = bytes.prefix(64).drop { [0xEF, 0xBB, 0xBF, 0x20, 0x0A, 0x0D, 0x09].contains($0) }
    guard text.first == UInt8(ascii: "{") else { return nil }
    self = .json
  }

  /// The endings of file names, the usual one first.
  public var fileExtensions: [String] {
    switch self {
    case .pencilKit: ["drawing", "pkdrawing"]
    case .json: ["json"]
    }
  }

  /// The form of a file's name by its ending; nil for an ending of none.
  public init?(fileName: String) {
    guard let dot = fileName.lastIndex(of: "."), !fileName[dot...].contains("/") else { return nil }
    let ending = fileName[dot...].dropFirst().lowercased()
    guard let format = Self.allCases.first(where: { $0.fileExtensions.contains(ending) }) else {
      return nil
    }
    self = format
  }
}

/// Why bytes could not be opened as a drawing.
public enum DrawingFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The first bytes belong to no form that is known.
  case unknownFormat(firstBytes: [UInt8])
  /// An archive of PencilKit's is damaged.
  case pencilKit(PencilKitError)
  /// JSON is damaged or is not a drawing.
  case json(JSONError)

  /// One sentence for people.
  public var description: String {
    switch self {
    case .unknownFormat(let bytes):
      bytes.isEmpty
        ? "the file is empty"
        : "not a drawing of a known format (it begins with the bytes "
          + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ") + ")"
    case .pencilKit(let error): "damaged PencilKit archive: \(error)"
    case .json(let error): "damaged JSON drawing: \(error)"
    }
  }
}
