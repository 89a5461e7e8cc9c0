/// How much of a drawing a file may ask for by its size, so that a few crafted bytes cannot take
/// gigabytes or minutes.
///
/// A stroke takes a few hundred bytes in memory whatever little its file says of it, and the pieces
/// of a stroke share its path in the file but are each drawn. No drawing made by a hand comes near.
package struct ReadingAllowance: Sendable {
  /// How many strokes the file may hold.
  package let strokeLimit: Int
  /// How many points all strokes may have together, those of a shared path once for each.
  package let pointLimit: Int
  private var strokeCount = 0
  private var pointCount = 0

  package init(byteCount: Int) {
    strokeLimit = 1_000 + byteCount / 20
    pointLimit = 10_000_000 + 10 * byteCount
  }

  /// Allows one more stroke, or refuses it.
  package mutating func allows(strokeOf points: Int) -> Bool {
    strokeCount += 1
    pointCount += points
    return strokeCount <= strokeLimit && pointCount <= pointLimit
  }
}
