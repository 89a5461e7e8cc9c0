public import PKDFormat
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
  /// The pages that the drawings lie on.
  public let canvases: [Recording.Canvas]
  /// How a drawing came to be, where more is known than its strokes.
  private let recording: Recording?
  /// What was found wrong with bytes that could still be read, at least in part.
  public let damage: [DrawingFileError]
  /// What only `.pkd` files say of themselves.
  public let recordingFacts: RecordingFacts?

  /// What only `.pkd` files say of themselves.
  public struct RecordingFacts: Hashable, Sendable {
    /// How exactly points are kept.
    public let profile: PKDProfile
    /// Whether the file was finished; one that was not was cut, or is being written.
    public let isFinished: Bool
    /// Whether more happened than one stroke after the other.
    public let hasEvents: Bool
  }

  /// The forms of ink that can be read and written.
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
    case .pkd:
      do throws(PKDError) {
        let reader = try PKDReader(bytes)
        let contents = Self.contents(of: reader)
        version = reader.version
        drawings = [contents.drawing]
        canvases = [reader.canvas]
        recording = contents.recording
        damage = contents.damage
        recordingFacts = RecordingFacts(
          profile: reader.profile, isFinished: reader.isFinished, hasEvents: reader.hasEvents)
      } catch {
        throw .pkd(error)
      }
      return
    }
    canvases = drawings.map { _ in Recording.Canvas() }
    recording = nil
    damage = []
    recordingFacts = nil
  }

  /// The drawings as they came to be. A form that keeps only drawings gives one stroke after the other,
  /// which is put together anew each time.
  public var recordings: [Recording] {
    recording.map { [$0] }
      ?? zip(drawings, canvases).map { drawing, canvas in Recording(drawing, canvas: canvas) }
  }

  private static func contents(
    of reader: PKDReader
  ) -> (drawing: PKDrawing, recording: Recording?, damage: [DrawingFileError]) {
    guard !reader.lacksEvents else {
      let recording = reader.recordingWithoutEvents
      let damage = reader.damage.map { DrawingFileError.pkd($0) }
      return (recording.drawing, recording, (damage.map { [$0] } ?? []) + [.lostEvents])
    }
    // Strokes of which no event is told were drawn one after the other.
    let recording = reader.hasEvents ? reader.recording : nil
    var drawing = recording?.drawing ?? PKDrawing(strokes: reader.strokes)
    drawing.residue = reader.residue
    var damage = reader.damage.map { [DrawingFileError.pkd($0)] } ?? []
    if !drawing.hasSoundResidue {
      drawing.residue = nil
      damage.append(.foreignArchive)
    }
    return (drawing, recording, damage)
  }

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

  /// One of the drawings as a `.pkd` file, with all that happened.
  public func encodeRecording(
    _ index: Int = 0, options: PKDWriter.Options
  ) throws(PKDContentError) -> [UInt8] {
    try PKDWriter.encode(recordings[index], residue: drawings[index].residue, options: options)
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
