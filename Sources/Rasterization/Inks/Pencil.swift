extension InkStyle {
  /// A grey mottled line with a ragged rim; the paper's tooth lines up between strokes.
  static let pencil = InkStyle(
    mix: .multiply, mixing: 0.5, flow: 1.25, lean: 0.55, growth: 1,
    texture: .tooth(
      ToothStyle(
        grain: GrainStyle(cells: (fine: 0.8, coarse: 2.1), share: 0.62, contrast: 1.35),
        isOnPaper: true, depth: 0.62, gain: 1, cap: 0.88, isRounded: true, wanderCell: 1.4)))
}
