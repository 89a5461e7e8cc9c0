import PKDFormat
import PencilKitArchive

extension DrawingFile {
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
    /// UNIPEN's text, of many handwriting databases.
    case unipen
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

  /// The format of ink among files of all kinds: unlike `init(recognizing:)`, not every JSON is taken for a drawing.
  public init?(ofInk bytes: [UInt8]) {
    guard let format = Self(recognizing: bytes) else { return nil }
    if format == .json, FileStart(bytes).keys["format"] != JSONDrawingReader.formatName {
      return nil
    }
    self = format
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

  /// The endings of names that only ink has.
  public var ownFileExtensions: [String] {
    let shared = ["json", "jsonl", "xml", "txt", "dat", "bin", "sqlite", "note", "mark", "ndjson"]
    return fileExtensions.filter { !shared.contains($0) }
  }

  /// The format to write a file of a name in, by its extension; nil for an unknown extension or none.
  public init?(fileName: String) {
    guard let dot = fileName.lastIndex(of: "."), !fileName[dot...].contains("/") else { return nil }
    let suffix = fileName[dot...].dropFirst().lowercased()
    let format = Self.allCases.first { $0.isWritten && $0.fileExtensions.contains(suffix) }
    guard let format else { return nil }
    self = format
  }

  /// The importer of a foreign format; nil for our own formats.
  var importer: (any InkImporter.Type)? {
    switch self {
    case .appleNotes: AppleNotesImporter.self
    case .pencilKit, .json, .pkd, .events: nil
    case .myPaint: MyPaintImporter.self
    case .quickDraw: QuickDrawImporter.self
    case .quickDrawBinary: QuickDrawBinaryImporter.self
    case .omniglot: OmniglotImporter.self
    case .isf: ISFImporter.self
    case .remarkable: RemarkableImporter.self
    case .supernote: SupernoteImporter.self
    case .universalInk: UniversalInkImporter.self
    case .will: WILLImporter.self
    case .inkML: InkMLImporter.self
    case .xournal: XournalImporter.self
    case .iamOnDB: IAMOnDBImporter.self
    case .rnote: RnoteImporter.self
    case .excalidraw: ExcalidrawImporter.self
    case .tldraw: TldrawImporter.self
    case .freehand: FreehandImporter.self
    case .hwrt: HWRTImporter.self
    case .unipen: UNIPENImporter.self
    }
  }
}
