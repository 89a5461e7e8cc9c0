public import Strokes

/// Reads one foreign format of ink.
protocol InkImporter {
  /// The name of the format, for people.
  static var title: String { get }

  /// The extensions of file names, the usual one first.
  static var fileExtensions: [String] { get }

  /// Whether the first bytes show the format.
  static func recognizes(_ start: FileStart) -> Bool

  /// Reads a file. Damage that leaves other strokes or pages intact belongs to the pages; only a file of which
  /// nothing can be read is an error.
  static func read(_ bytes: [UInt8], _ options: ImportOptions) throws(ImportError) -> ImportedInk
}

/// How foreign files are read.
public struct ImportOptions: Sendable {
  /// How near curves must pass the points of a pen; nil takes the points for control points.
  public var fit: CurveFit? = CurveFit()
  /// Compressed files may have at most this number of bytes when decompressed.
  public var decompressedBytes = 1 << 28
  /// Whether strokes that the file hides are read: those of hidden layers, for example.
  public var readsHidden = false

  /// The usual options.
  public init() {}
}

extension DrawingFile.Format {
  /// The importer of a foreign format; nil for our own formats.
  var importer: (any InkImporter.Type)? {
    switch self {
    case .pencilKit, .json, .pkd: nil
    case .myPaint: MyPaintImporter.self
    case .rnote: RnoteImporter.self
    case .excalidraw: ExcalidrawImporter.self
    case .tldraw: TldrawImporter.self
    case .freehand: FreehandImporter.self
    case .hwrt: HWRTImporter.self
    }
  }
}
