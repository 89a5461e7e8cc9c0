extension InkStyle {
  /// Wax with pinholes and lengthwise lanes. A second pass fills the holes. A thin tip presses the
  /// wax into them.
  static let crayon = InkStyle(
    flow: FlowLaw(dabs: 9, base: 0.66, rise: 0.4, thinBoost: (nib: 8, part: 1)), growth: 1,
    texture: .tooth(
      ToothStyle(
        grain: GrainStyle(octaves: [(4.2, 0.62), (1.9, 0.85), (0.85, 0.55)], seed: 211),
        isOnPaper: false, depth: 1.05, gain: 1.4, cap: 0.95, isRounded: false, wanderCell: 2,
        lanes: 1, laneWidth: 1.2, laneLength: 12, laneNib: 8)))
}
