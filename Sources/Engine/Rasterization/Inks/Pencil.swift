extension InkStyle {
  /// A grey mottled line with a ragged rim; the paper's tooth lines up between strokes.
  static let pencil = InkStyle(
    mix: .multiply, mixing: 0.5, flow: FlowLaw(dabs: 8, base: 1.45, rise: 0.5), lean: 0.55,
    growth: 1,
    texture: .tooth(
      ToothStyle(
        grain: GrainStyle(octaves: [(4, 0.3), (1.1, 0.7), (0.5, 0.8)], seed: 11), isOnPaper: true,
        depth: 0.62, gain: 1, cap: 0.88, isRounded: true, wanderCell: 1.4)))
}
