extension InkStyle {
  /// A soft-edged blade, heavier at its own folds and along the blade, that keeps text readable.
  static let marker = InkStyle(
    mix: .darken,
    body: .marker(
      MarkerStyle(
        flow: 1.98, print: 0.65, featherOut: 0.3, featherIn: 0.75, lanes: 0.26, laneWidth: 1.2)))
}
