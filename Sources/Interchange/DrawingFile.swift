public import JSON
public import PKDFormat
public import PencilKitArchive
public import Strokes

/// Ink of any format that is known here, told apart by its first bytes.
///
/// Opening reads what describes the whole. Everything else is decoded when it is asked for, and returned
/// together with all the damage that is known by then.
public struct DrawingFile {
  /// The format of the bytes.
  public let format: Format
  /// The version that the bytes give of themselves.
  public let version: Int
  /// The page that the drawing lies on.
  public let canvas: Recording.Canvas
  /// What only `.pkd` files say of themselves.
  public let recordingFacts: RecordingFacts?
  /// What opening found wrong with bytes that can still be read, at least in part.
  public let damage: [DrawingFileError]
  private let contents: Contents

  private enum Contents {
    /// A format that is decoded as a whole.
    case drawing(PKDrawing)
    /// One that is read as needed.
    case recording(PKDReader)
  }

  /// What only `.pkd` files say of themselves.
  public struct RecordingFacts: Hashable, Sendable {
    /// How exactly points are kept.
    public let profile: PKDProfile
    /// Whether the file was finished; one that was not was cut, or is being written.
    public let isFinished: Bool
    /// Whether more happened than one stroke after the other.
    public let hasEvents: Bool
  }

  /// The formats of ink that can be read and written.
  public enum Format: String, Hashable, Sendable, CaseIterable {
    /// Archives of PencilKit and Notes.
    case pencilKit = "pencilkit"
    /// The JSON of this package.
    case json
    /// The recordings of this package.
    case pkd
  }

  /// Opens bytes; their form is found by content unless it is given.
  public init(
    _ data: some Collection<UInt8>, as given: Format? = nil
  ) throws(DrawingFileError) {
    let bytes = (data as? [UInt8]) ?? Array(data)
    let found = Format(recognizing: bytes)
    // No form that is given makes ink of a picture.
    if found == nil, let picture = PictureFormat(recognizing: bytes) { throw .picture(picture) }
    guard let format = given ?? found else {
      throw .unknownFormat(firstBytes: Array(bytes.prefix(8)))
    }
    self.format = format
    switch format {
    case .pencilKit:
      do throws(PencilKitError) {
        let reader = try PencilKitReader(bytes)
        version = reader.summary.version
        contents = .drawing(reader.drawing)
      } catch {
        throw .pencilKit(error)
      }
    case .json:
      do throws(JSONError) {
        contents = .drawing(try JSONDrawingReader.decode(bytes))
        version = JSONDrawingWriter.version
      } catch {
        throw .json(error)
      }
    case .pkd:
      do throws(PKDError) {
        let reader = try PKDReader(bytes)
        contents = .recording(reader)
        version = reader.version
        canvas = reader.canvas
        damage =
          (reader.damage.map { [.pkd($0)] } ?? []) + (reader.lacksEvents ? [.lostEvents] : [])
        recordingFacts = RecordingFacts(
          profile: reader.profile, isFinished: reader.isFinished, hasEvents: reader.hasEvents)
      } catch {
        throw .pkd(error)
      }
      return
    }
    canvas = Recording.Canvas()
    damage = []
    recordingFacts = nil
  }

  /// The reader of a `.pkd` file; nil for other formats.
  package var reader: PKDReader? {
    guard case .recording(let reader) = contents else { return nil }
    return reader
  }
}

// MARK: - Reading

extension DrawingFile {
  /// All that a file holds.
  public struct Everything: Sendable {
    /// The drawing as it was in the end, with what an archive said beyond it.
    public let drawing: PKDrawing
    /// How it came to be. A format that keeps only drawings gives one stroke after the other.
    public let recording: Recording
    /// What is wrong with the file.
    public let damage: [DrawingFileError]
  }

  /// The drawing as it was in the end. What the archive that it came from said beyond it is not read, where
  /// that lies apart.
  public func drawing() -> (value: PKDrawing, damage: [DrawingFileError]) {
    switch contents {
    case .drawing(let drawing): return (drawing, damage)
    case .recording(let reader):
      guard reader.hasEvents || reader.lacksEvents else {
        let (strokes, found) = reader.readStrokes()
        return (PKDrawing(strokes: strokes), damage(with: found))
      }
      let (recording, damage) = recording(reader)
      return (recording.drawing, damage)
    }
  }

  /// How the drawing came to be.
  public func recording() -> (value: Recording, damage: [DrawingFileError]) {
    switch contents {
    case .drawing(let drawing): (Recording(drawing, canvas: canvas), damage)
    case .recording(let reader): recording(reader)
    }
  }

  /// The strokes and what happened to them, for a replay. Of a sound recording only the strokes that are drawn
  /// are decoded.
  public func recordingSource() -> (value: any RecordingSource, damage: [DrawingFileError]) {
    if let reader, reader.isFinished, damage.isEmpty, reader.readScript().damage == nil {
      return (reader, [])
    }
    let (recording, damage) = recording()
    return (RecordedStrokes(recording), damage)
  }

  /// Decodes all that there is, to be written in another format.
  public func everything() -> Everything {
    switch contents {
    case .drawing(let drawing):
      return Everything(
        drawing: drawing, recording: Recording(drawing, canvas: canvas), damage: damage)
    case .recording(let reader):
      var (recording, damage) = recording(reader)
      var drawing = recording.drawing
      // Without its events a drawing is not the one that the archive was kept for.
      if !reader.lacksEvents {
        do throws(PKDError) {
          drawing.residue = try reader.readResidue()
        } catch {
          if damage.isEmpty { damage = [.pkd(error)] }
        }
      }
      if !drawing.hasSoundResidue {
        drawing.residue = nil
        damage.append(.foreignArchive)
      }
      return Everything(drawing: drawing, recording: recording, damage: damage)
    }
  }

  private func recording(_ reader: PKDReader) -> (value: Recording, damage: [DrawingFileError]) {
    let (recording, found) =
      reader.lacksEvents ? reader.readRecordingWithoutEvents() : reader.readRecording()
    return (recording, damage(with: found))
  }

  /// The first damage counts: what comes behind it often follows from it.
  private func damage(with found: PKDError?) -> [DrawingFileError] {
    guard let found, reader?.damage == nil else { return damage }
    return [.pkd(found)] + damage
  }
}

// MARK: - Writing

extension DrawingFile {
  /// A drawing as bytes of a form.
  public static func encode(
    _ drawing: PKDrawing, as format: Format
  ) throws(PKDContentError) -> [UInt8] {
    switch format {
    case .pencilKit: drawing.dataRepresentation()
    case .json: JSONDrawingWriter.encode(drawing)
    case .pkd: try PKDWriter.encode(drawing)
    }
  }
}

extension DrawingFile.Everything {
  /// All of it as a `.pkd` file.
  public func encodeRecording(options: PKDWriter.Options) throws(PKDContentError) -> [UInt8] {
    try PKDWriter.encode(recording, residue: drawing.residue, options: options)
  }
}

extension DrawingFile.Format {
  /// The form that bytes begin with; nil for none that is known.
  public init?(recognizing bytes: some Collection<UInt8>) {
    if PKDReader.recognizes(bytes) {
      self = .pkd
      return
    }
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
    case .pkd: ["pkd"]
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

/// Why bytes could not be opened as a drawing, or not as a whole.
public enum DrawingFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The first bytes belong to no form that is known.
  case unknownFormat(firstBytes: [UInt8])
  /// A picture was given as ink.
  case picture(PictureFormat)
  /// An archive of PencilKit's is damaged.
  case pencilKit(PencilKitError)
  /// JSON is damaged or is not a drawing.
  case json(JSONError)
  /// A recording of ours is damaged.
  case pkd(PKDError)
  /// What a recording keeps of an archive does not go with its strokes.
  case foreignArchive
  /// A recording ends before its events: only strokes are left.
  case lostEvents

  /// One sentence for people.
  public var description: String {
    switch self {
    case .unknownFormat(let bytes):
      bytes.isEmpty
        ? "the file is empty"
        : "not a drawing of a known format (it begins with the bytes "
          + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ") + ")"
    case .picture(let format):
      "a picture (\(format.rawValue)), not ink; ink comes as .drawing, .pkd or .json"
    case .pencilKit(let error): "damaged PencilKit archive: \(error)"
    case .json(let error): "damaged JSON drawing: \(error)"
    case .pkd(let error): "damaged recording: \(error)"
    case .foreignArchive:
      "damaged recording: what it keeps of a PencilKit archive does not go with its strokes"
    case .lostEvents:
      "damaged recording: its events are lost, so what was erased, moved or undone is not told"
    }
  }
}
