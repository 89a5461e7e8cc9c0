/// The unit of files that do not state it.
enum LikelyUnit {
  /// The points in a unit, for a page whose longer side has a number of units: pixels of 1/96 inch,
  /// unless the page would be tiny or huge.
  static func points(forSide side: Double) -> Double {
    guard side > 0, side.isFinite, !(50...4_000).contains(side) else { return 0.75 }
    return min(max(400 / side, 1e-6), 1e6)
  }
}
