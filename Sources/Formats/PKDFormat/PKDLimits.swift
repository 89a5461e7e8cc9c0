/// The largest counts that a reader accepts. Every count in a file is compared with these before
/// memory is reserved for it.
public struct PKDLimits: Hashable, Sendable {
  /// Points of all strokes together.
  public var points = 1 << 24
  /// Strokes, with those that were erased.
  public var strokes = 1 << 20
  /// Events.
  public var events = 1 << 22
  /// Bytes of one chunk.
  public var chunkBytes = 1 << 26
  /// Points for each byte that codes them: with the statistics of the first version, a line at rest
  /// has ten.
  public var pointsPerByte = 64
  /// Recognized words.
  public var words = 1 << 18
  /// Rows of each table.
  public var tableRows = 1 << 16
  /// Bytes of one text.
  public var textBytes = 1 << 16
  /// Elements of one mask.
  public var pathElements = 1 << 20
  /// Bytes of an archive's residue: its content beyond the drawing.
  public var archiveBytes = 1 << 26
  /// The longer side of a canvas, in points.
  public var canvasSide = 1e6

  /// The default limits.
  public init() {}
}
