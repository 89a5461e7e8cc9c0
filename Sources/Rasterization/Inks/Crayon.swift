extension InkStyle {
  /// Wax with pinholes and lengthwise lanes. A second pass fills the holes.
  static let crayon = InkStyle(
    flow: 0.85, growth: 1,
    texture: .tooth(
      ToothStyle(
        grain: GrainStyle(cells: (fine: 1.2, coarse: 3.3), share: 0.58, contrast: 1.9),
        isOnPaper: false, depth: 1.05, gain: 1.4, cap: 0.93, isRounded: false, wanderCell: 1.4,
        lanes: 1, laneWidth: 1.2, laneLength: 24)))
}
