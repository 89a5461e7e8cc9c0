public import JSON
public import PKDFormat
public import PencilKitArchive
public import Strokes

/// A file of ink in any known format, detected by its first bytes.
///
/// Opening a `.pkd` file reads its tables and the heads of its strokes; the other formats are
/// decoded as a whole. The methods below decode the rest on each call, and return all known damage
/// with it.
public struct DrawingFile {
  /// The format of the bytes.
  public let format: Format
  /// The version of the format, as stored in the file.
  public let version: Int
  /// The page that the drawing lies on.
  public let canvas: Recording.Canvas
  /// Properties that only `.pkd` files have; nil for other formats.
  public let recordingFacts: RecordingFacts?
  /// The damage that opening found in a file that can be read at least in part.
  public let damage: [DrawingFileError]
  /// The pages of a foreign file; nil for our own formats, whose files have one page.
  public let imported: ImportedInk?
  /// The page that the methods below read; nil for our own formats.
  public let page: ImportedPage?
  private let contents: Contents

  private enum Contents {
    /// A format that is decoded as a whole.
    case drawing(PKDrawing)
    /// A page of a foreign file.
    case page(ImportedPage)
    /// Events that are decoded as a whole.
    case events(Recording)
    /// A format that is read as needed.
    case recording(PKDReader)
  }

  /// Properties that only `.pkd` files have.
  public struct RecordingFacts: Hashable, Sendable {
    /// How exactly points are stored.
    public let profile: PKDProfile
    /// Whether the file was finished. An unfinished file was cut, or is being written.
    public let isFinished: Bool
    /// Whether the file stores events, or only strokes one after the other.
    public let hasEvents: Bool
  }

  /// The formats of ink that can be read.
  public enum Format: String, Hashable, Sendable, CaseIterable {
    /// Archives of PencilKit and Notes.
    case pencilKit = "pencilkit"
    /// The JSON of this package.
    case json
    /// The recordings of this package.
    case pkd
    /// The database of Apple's Notes.
    case appleNotes = "notes"
    /// The lines of events of this package.
    case events
    /// MyPaint's logs of pen events.
    case myPaint = "mypaint"
    /// Quick, Draw!'s lines of JSON, raw and simplified.
    case quickDraw = "quickdraw"
    /// Quick, Draw!'s binary form.
    case quickDrawBinary = "quickdrawbin"
    /// The strokes of Omniglot's characters.
    case omniglot
    /// Microsoft's Ink Serialized Format, also in a GIF or in base64.
    case isf
    /// Pages and notebooks of reMarkable tablets.
    case remarkable
    /// Notebooks of Supernote tablets.
    case supernote
    /// Wacom's Universal Ink Model.
    case universalInk = "uim"
    /// Wacom's ink before that: WILL 2.
    case will
    /// InkML, of the web's consortium.
    case inkML = "inkml"
    /// Documents of Xournal and Xournal++.
    case xournal
    /// Ink of the IAM On-Line Handwriting Database.
    case iamOnDB = "iamondb"
    /// Rnote's documents.
    case rnote
    /// Documents and libraries of Excalidraw.
    case excalidraw
    /// Documents of tldraw.
    case tldraw
    /// Lists of points for perfect-freehand.
    case freehand
    /// Symbols of write-math.
    case hwrt
  }

  /// Opens a file. Its format is found by its content unless it is given. Of a foreign file with several pages,
  /// one is read; others are read by `page(_:)`.
  public init(
    _ data: some Collection<UInt8>, as given: Format? = nil, page index: Int = 0,
    options: ImportOptions = ImportOptions()
  ) throws(DrawingFileError) {
    let bytes = (data as? [UInt8]) ?? Array(data)
    let found = Format(recognizing: bytes)
    // A picture is not ink, whatever format is given.
    if found == nil, let picture = PictureFormat(recognizing: bytes) { throw .picture(picture) }
    guard let format = given ?? found else {
      throw .unknownFormat(firstBytes: Array(bytes.prefix(8)))
    }
    if let importer = format.importer {
      let imported: ImportedInk
      do throws(ImportError) {
        imported = try importer.read(bytes, options)
      } catch {
        throw .imported(format, error)
      }
      self = try DrawingFile(imported, format, page: index)
      return
    }
    self.format = format
    (imported, page) = (nil, nil)
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
    case .events:
      do throws(EventStreamError) {
        let (recording, errors) = try EventStreamReader.readAll(bytes)
        contents = .events(recording)
        version = EventStreamWriter.version
        canvas = recording.canvas
        damage = errors.map { .events($0) }
        recordingFacts = nil
      } catch {
        throw .events(error)
      }
      return
    default: preconditionFailure("other formats have importers")
    }
    canvas = Recording.Canvas()
    damage = []
    recordingFacts = nil
  }

  private init(
    _ imported: ImportedInk, _ format: Format, page index: Int
  ) throws(DrawingFileError) {
    guard (0..<imported.pageCount).contains(index) else {
      throw .noPage(index + 1, pageCount: imported.pageCount)
    }
    let page: ImportedPage
    do throws(ImportError) {
      page = try imported.page(index)
    } catch {
      throw .imported(format, error)
    }
    self.format = format
    version = imported.version
    canvas = page.canvas
    recordingFacts = nil
    damage = page.damage.map { .imported(format, $0) }
    (self.imported, self.page) = (imported, page)
    contents = .page(page)
  }

  /// The number of pages.
  public var pageCount: Int { imported?.pageCount ?? 1 }

  /// The file with another page.
  public func page(_ index: Int) throws(DrawingFileError) -> DrawingFile {
    guard let imported else {
      guard index == 0 else { throw .noPage(index + 1, pageCount: 1) }
      return self
    }
    return try DrawingFile(imported, format, page: index)
  }

  /// The reader of a `.pkd` file; nil for other formats.
  package var reader: PKDReader? {
    guard case .recording(let reader) = contents else { return nil }
    return reader
  }
}

// MARK: - Reading

extension DrawingFile {
  /// The whole content of a file.
  public struct Everything: Sendable {
    /// The drawing after the last event, with the residue of an archive.
    public let drawing: PKDrawing
    /// The events. A format without events gives one stroke after the other.
    public let recording: Recording
    /// The damage of the file.
    public let damage: [DrawingFileError]
  }

  /// The drawing after the last event. The residue of an archive is not decoded if the file stores
  /// it separately.
  public func drawing() -> (value: PKDrawing, damage: [DrawingFileError]) {
    switch contents {
    case .drawing(let drawing): return (drawing, damage)
    case .page(let page): return (page.drawing, damage)
    case .events(let recording): return (recording.drawing, damage)
    case .recording: break
    }
    let (strokes, damage) = strokes()
    return (PKDrawing(strokes: strokes.strokes), damage)
  }

  /// The strokes of the drawing, for a picture: with the boxes that an intact `.pkd` file stores.
  public func strokes() -> (value: DrawnStrokes, damage: [DrawingFileError]) {
    switch contents {
    case .drawing(let drawing): return (DrawnStrokes(drawing.strokes), damage)
    case .page(let page): return (DrawnStrokes(page.drawing.strokes), damage)
    case .events(let recording): return (DrawnStrokes(recording.drawing.strokes), damage)
    case .recording(let reader):
      if reader.isFinished, damage.isEmpty, !reader.lacksEvents,
        let strokes = DrawnStrokes(of: reader)
      {
        return (strokes, [])
      }
      guard reader.hasEvents || reader.lacksEvents else {
        let (strokes, found) = reader.readStrokes()
        return (DrawnStrokes(strokes), damage(with: found))
      }
      let (recording, damage) = recording(reader)
      return (DrawnStrokes(recording.drawing.strokes), damage)
    }
  }

  /// The events that made the drawing.
  public func recording() -> (value: Recording, damage: [DrawingFileError]) {
    switch contents {
    case .drawing(let drawing): (Recording(drawing, canvas: canvas), damage)
    case .page(let page): (page.recording, damage)
    case .events(let recording): (recording, damage)
    case .recording(let reader): recording(reader)
    }
  }

  /// The strokes and events, for a replay. Of an intact recording, only strokes that are drawn are
  /// decoded.
  public func recordingSource() -> (value: any RecordingSource, damage: [DrawingFileError]) {
    if let reader, reader.isFinished, damage.isEmpty, reader.readScript().damage == nil {
      return (reader, [])
    }
    let (recording, damage) = recording()
    return (RecordedStrokes(recording), damage)
  }

  /// Decodes the whole content, to be written in another format.
  public func everything() -> Everything {
    switch contents {
    case .drawing(let drawing):
      return Everything(
        drawing: drawing, recording: Recording(drawing, canvas: canvas), damage: damage)
    case .page(let page):
      return Everything(
        drawing: page.drawing, recording: page.recording, damage: damage)
    case .events(let recording):
      return Everything(drawing: recording.drawing, recording: recording, damage: damage)
    case .recording(let reader):
      var (recording, damage) = recording(reader)
      var drawing = recording.drawing
      // A residue matches the drawing that all events make, so without events it is left out.
      if !reader.lacksEvents {
        do throws(PKDError) {
          drawing.residue = try reader.readResidue()
        } catch {
          if damage.isEmpty { damage = [.pkd(error)] }
        }
      }
      if !drawing.hasIntactResidue {
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

  /// All known damage. Damage that decoding found is added only if opening found none in the bytes,
  /// since it often follows from the first.
  private func damage(with found: PKDError?) -> [DrawingFileError] {
    guard let found, reader?.damage == nil else { return damage }
    return [.pkd(found)] + damage
  }
}

// MARK: - Writing

extension DrawingFile {
  /// Encodes a drawing in a format.
  public static func encode(
    _ drawing: PKDrawing, as format: Format
  ) throws(PKDContentError) -> [UInt8] {
    try encode([ExportedPage(drawing: drawing, recording: Recording(drawing))], as: format)
  }

  /// Encodes pages in a format. Of several pages, the format must hold several.
  public static func encode(
    _ pages: [ExportedPage], as format: Format
  ) throws(PKDContentError) -> [UInt8] {
    precondition(pages.count == 1 || format.holdsPages, "the format holds one page")
    let page = pages[0]
    switch format {
    case .pencilKit: return page.drawing.dataRepresentation()
    case .json: return JSONDrawingWriter.encode(page.drawing)
    case .pkd:
      return try PKDWriter.encode(
        page.recording, residue: page.drawing.residue, options: PKDWriter.Options())
    case .events: return EventStreamWriter.encode(page.recording)
    case .quickDraw:
      return pages.flatMap { QuickDrawWriter.line($0.drawing, on: $0.canvas) }
    case .xournal: return XournalExporter.encode(pages)
    case .excalidraw: return ExcalidrawExporter.encode(page)
    case .inkML: return InkMLExporter.encode(page)
    default: preconditionFailure("this format is only read")
    }
  }
}

extension DrawingFile.Everything {
  /// Encodes the content as a `.pkd` file.
  public func encodeRecording(options: PKDWriter.Options) throws(PKDContentError) -> [UInt8] {
    try PKDWriter.encode(recording, residue: drawing.residue, options: options)
  }

  /// The content as a page to write.
  public func page(named name: String = "") -> ExportedPage {
    ExportedPage(name: name, drawing: drawing, recording: recording)
  }
}

extension DrawingFile.Format {
  /// The format that the first bytes show; nil if it is unknown.
  public init?(recognizing bytes: some Collection<UInt8>) {
    if PKDReader.recognizes(bytes) {
      self = .pkd
      return
    }
    let isArchive = PencilKitReader.recognizes(bytes)
    // Archives of 2018 are packed by gzip, as other formats are too.
    if isArchive, !bytes.starts(with: [0x1F, 0x8B]) {
      self = .pencilKit
      return
    }
    let start = FileStart(Array(bytes))
    let foreign = Self.allCases.first { $0.importer?.recognizes(start) ?? false }
    if let found = foreign ?? (isArchive ? .pencilKit : nil) {
      self = found
      return
    }
    if start.keys["format"] == EventStreamWriter.formatName {
      self = .events
      return
    }
    let text = bytes.prefix(64).drop { [0xEF, 0xBB, 0xBF, 0x20, 0x0A, 0x0D, 0x09].contains($0) }
    guard text.first == UInt8(ascii: "{") else { return nil }
    self = .json
  }

  /// Whether files of this format can be written.
  public var isWritten: Bool {
    switch self {
    case .quickDraw, .xournal, .excalidraw, .inkML: true
    default: importer == nil
    }
  }

  /// Whether files of this format can hold several pages.
  public var holdsPages: Bool { self == .quickDraw || self == .xournal }

  /// The name of the format, for people.
  public var title: String {
    switch self {
    case .pencilKit: "PencilKit archive"
    case .json: "JSON drawing"
    case .pkd: "recording"
    case .events: "events"
    default: importer?.title ?? ""
    }
  }

  /// The extensions of file names, the usual one first.
  public var fileExtensions: [String] {
    switch self {
    case .pencilKit: ["drawing", "pkdrawing"]
    case .json: ["json"]
    case .pkd: ["pkd"]
    case .events: ["jsonl"]
    default: importer?.fileExtensions ?? []
    }
  }

  /// The format to write a file of a name in, by its extension; nil for an unknown extension or none.
  public init?(fileName: String) {
    guard let dot = fileName.lastIndex(of: "."), !fileName[dot...].contains("/") else { return nil }
    let suffix = fileName[dot...].dropFirst().lowercased()
    let format = Self.allCases.first { $0.isWritten && $0.fileExtensions.contains(suffix) }
    guard let format else { return nil }
    self = format
  }
}

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
      "a picture (\(format.rawValue)), not ink; ink comes as .drawing, .pkd or .json"
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
