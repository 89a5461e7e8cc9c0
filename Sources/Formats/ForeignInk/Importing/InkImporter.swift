import InkFiles
public import Strokes

/// Reads one foreign format of ink.
protocol InkImporter {
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
  /// Compressed files may have at most this number of bytes when decompressed; small files fewer.
  public var decompressedBytes = 1 << 28
  /// Whether strokes that the file hides are read: those of hidden layers, for example.
  public var readsHidden = false

  /// Whether lines between few points that are far apart are straight, as the file has them, in place of a curve through
  /// the points that looks like a hand's and has half as many control points.
  public var keepsCorners = false

  /// Reads other files that belong to the input; nil if there are none at hand.
  public var companion: (@Sendable (Companion) -> [UInt8]?)?

  /// A file that belongs to another one.
  public enum Companion: Sendable {
    /// The file of the same name with more behind it: `-wal` for the log of a database.
    case named(suffix: String)
    /// A file below the input's folder.
    case beside(String)
  }

  /// The usual options.
  public init() {}

  /// The bytes that a file of a size may have when decompressed. Ink packs to a tenth at best, and blank pages are small
  /// in any case; but a few crafted bytes can hold gigabytes.
  func decompressedLimit(of byteCount: Int) -> Int {
    min(decompressedBytes, (4 << 20) + 64 * byteCount)
  }

  /// The options for places that were rounded to whole pixels, whose size in points is given: following such places more
  /// closely than by half a pixel draws the stairs of the pixels.
  func fitting(pixelsOf size: Double) -> ImportOptions {
    var copy = self
    copy.fit = fit.map { CurveFit(tolerance: max($0.tolerance, size / 2)) }
    return copy
  }
}
