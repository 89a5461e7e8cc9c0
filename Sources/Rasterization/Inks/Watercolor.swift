extension InkStyle {
  /// A pale cloudy body with a thin dark rim and a wavering outline.
  static let watercolor = InkStyle(
    mix: .multiply,
    body: .wash(
      WashStyle(
        swayA: 2.4, swayB: 0.96, wobbleCell: (least: 8, part: 0.25), edgeOut: 0.8, edgeIn: 0.5,
        clouds: GrainStyle(cells: (fine: 5.6, coarse: 15), share: 0.38, contrast: 1),
        pigmentCell: 1.1, rim: 2.4, pool: 6.6, referenceWidth: 19, flow: 1,
        strengthInTheDark: 1.45)))
}
