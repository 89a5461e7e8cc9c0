import PKDFormat
import PencilKitArchive
public import InkFiles

extension DrawingFile.Format {
  /// Recognizes a format by the first bytes; nil if it is unknown.
  public init?(recognizing bytes: some Collection<UInt8>) {
    let binary = Self(recognizingBinary: bytes)
    // Archives of 2018 are packed by gzip, as other formats are too.
    if let binary, !bytes.starts(with: [0x1F, 0x8B]) {
      self = binary
      return
    }
    let start = FileStart(Array(bytes))
    let foreign = Self.allCases.first { $0.importer?.recognizes(start) ?? false }
    let found = foreign ?? binary ?? Self(recognizingText: bytes, keys: start.keys)
    guard let found else { return nil }
    self = found
  }

  /// Recognizes ink among files of all kinds. Unlike `init(recognizing:)`, it does not take every
  /// JSON text for a drawing.
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
    default: isOwn
    }
  }

  /// The format to write a file in, by the extension of its name; nil for an unknown extension or
  /// none.
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
