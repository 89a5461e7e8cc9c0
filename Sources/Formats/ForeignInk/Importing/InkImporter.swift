import InkFiles
public import Strokes

/// Reads one foreign format of ink.
protocol InkImporter {
  /// Whether the first bytes show the format.
  static func recognizes(_ start: FileStart) -> Bool

  /// Reads a file. Damage that leaves other strokes or pages intact is stored in the pages. Throws
  /// only if nothing of the file can be read.
  static func read(_ bytes: [UInt8], _ options: ImportOptions) throws(ImportError) -> ImportedInk
}

/// The options of reading foreign files.
public struct ImportOptions: Sendable {
  /// The precision with which fitted curves pass the pen's points; nil uses the points as control
  /// points.
  public var fit: CurveFit? = CurveFit()
  /// Compressed files may have at most this number of bytes when decompressed; small files fewer.
  public var decompressedBytes = 1 << 28
  /// Whether strokes that the file hides are read: those of hidden layers, for example.
  public var readsHidden = false

  /// Whether lines between few points that are far apart stay straight, as in the file. Otherwise
  /// they become a curve through the points, which looks hand-drawn and has half as many control
  /// points.
  public var keepsCorners = false

  /// Reads other files that belong to the input; nil if there are none available.
  public var companion: (@Sendable (Companion) -> [UInt8]?)?

  /// A file that belongs to another one.
  public enum Companion: Sendable {
    /// The file of the same name with a suffix: `-wal` for the log of a database.
    case named(suffix: String)
    /// A file below the input's folder.
    case beside(String)
  }

  /// The usual options.
  public init() {}

  /// The bytes that a file of a size may have when decompressed. Ink packs to a tenth at best, and
  /// blank pages are small in any case; but a few crafted bytes can hold gigabytes.
  func decompressedLimit(of byteCount: Int) -> Int {
    min(decompressedBytes, (4 << 20) + 64 * byteCount)
  }

  /// The options for positions that were rounded to whole pixels of the given size in points. A
  /// curve that follows such positions more closely than half a pixel reproduces the stairs of the
  /// pixels.
  func fitting(pixelsOf size: Double) -> ImportOptions {
    var copy = self
    copy.fit = fit.map { CurveFit(tolerance: max($0.tolerance, size / 2)) }
    return copy
  }
}
