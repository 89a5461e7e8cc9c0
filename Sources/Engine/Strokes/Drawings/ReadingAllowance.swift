/// The maximum numbers of strokes and points that a file may have, by its size, so that a few
/// crafted bytes cannot take gigabytes or minutes.
///
/// A stroke takes a few hundred bytes in memory, even if it takes only a few in its file. The
/// pieces of a stroke share its path in the file, but are drawn one by one. No drawing made by hand
/// comes near the limits.
package struct ReadingAllowance: Sendable {
  /// The maximum number of strokes.
  package let strokeLimit: Int
  /// The maximum number of points of all strokes together; those of a shared path count for each
  /// stroke.
  package let pointLimit: Int
  private var strokeCount = 0
  private var pointCount = 0

  /// The limits for a file of a size in bytes.
  package init(byteCount: Int) {
    strokeLimit = 1_000 + byteCount / 20
    pointLimit = 10_000_000 + 10 * byteCount
  }

  /// The limits for a file of another program, of a size in bytes as it is stored. Such a file is
  /// read as a whole, with some hundred bytes of memory for each point. Real points take two bytes
  /// or more in it, real strokes eight or more.
  package init(foreignBytes byteCount: Int) {
    strokeLimit = 10_000 + byteCount / 8
    pointLimit = 250_000 + byteCount
  }

  /// Whether there are more strokes than allowed.
  package var hasTooManyStrokes: Bool { strokeCount > strokeLimit }

  /// Counts one more stroke; false if that exceeds a limit.
  package mutating func allows(strokeOf points: Int) -> Bool {
    strokeCount += 1
    pointCount += points
    return strokeCount <= strokeLimit && pointCount <= pointLimit
  }
}
