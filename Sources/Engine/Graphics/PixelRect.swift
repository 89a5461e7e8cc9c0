/// A rectangle of pixels: a range of columns and a range of rows.
public struct PixelRect: Hashable, Sendable {
  /// The columns, from the left.
  public var columns: Range<Int>
  /// The rows, from the top.
  public var rows: Range<Int>

  /// The pixels that are in both these columns and these rows.
  public init(columns: Range<Int>, rows: Range<Int>) {
    self.columns = columns
    self.rows = rows
  }

  /// All pixels of a picture.
  public init(width: Int, height: Int) { self.init(columns: 0..<width, rows: 0..<height) }

  /// The width in pixels.
  public var width: Int { columns.count }
  /// The height in pixels.
  public var height: Int { rows.count }
  /// Whether there are no pixels.
  public var isEmpty: Bool { columns.isEmpty || rows.isEmpty }

  /// The smallest rectangle that contains this one and another; empty ones are ignored.
  public func union(_ other: PixelRect) -> PixelRect {
    if isEmpty { return other }
    if other.isEmpty { return self }
    return PixelRect(
      columns: min(
        columns.lowerBound, other.columns.lowerBound)..<max(
          columns.upperBound, other.columns.upperBound),
      rows: min(
        rows.lowerBound, other.rows.lowerBound)..<max(rows.upperBound, other.rows.upperBound))
  }

  /// The pixels that are in both rectangles.
  public func intersection(_ other: PixelRect) -> PixelRect {
    PixelRect(columns: columns.clamped(to: other.columns), rows: rows.clamped(to: other.rows))
  }
}
