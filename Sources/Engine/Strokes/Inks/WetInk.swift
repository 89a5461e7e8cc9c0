extension StrokeSource {
  /// Whether a stroke is drawn as one with the stroke right below it, as if both were wet: they
  /// have one render group and one ink, and no eraser has cut them.
  package func isWet(_ upper: Int, on lower: Int) -> Bool {
    guard let group = renderGroupID(ofStroke: upper) else { return false }
    return group == renderGroupID(ofStroke: lower) && ink(ofStroke: upper) == ink(ofStroke: lower)
      && !isMasked(stroke: upper) && !isMasked(stroke: lower)
  }
}
