import Strokes

extension InkStyle {
  /// Wax with pinholes and lengthwise lanes; a second pass fills the holes.
  static let crayon = InkStyle(
    body: .tooth(
      ToothStyle(
        grain: GrainStyle(cells: (fine: 1.2, coarse: 3.3), share: 0.58, contrast: 1.9),
        isPaper: false, depth: 1.05, gain: 1.4, cap: 0.93, flow: 0.85, isRounded: false,
        wander: PKInk.InkType.crayon.nibShape.wander, wanderCell: 1.4, lanes: 1, laneWidth: 1.2,
        laneLength: 24)))
}
