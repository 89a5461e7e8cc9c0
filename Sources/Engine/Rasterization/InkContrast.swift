import Graphics
package import Strokes

extension RenderOptions {
  /// These options with a definite background: the automatic one depends on all strokes' inks.
  ///
  /// Each stroke counts once. Lengths would be sums of fractions, which depend on their order and
  /// on how exactly a source stores boxes, and still pictures and replays must choose alike.
  package func choosingBackground(
    on canvas: Recording.Canvas, inks: () -> [PKInk]
  ) -> RenderOptions {
    guard background == .automatic else { return self }
    let colors = ColorMapping(self)
    let page = colors.background(of: canvas)
    // Ink that is transparent on any background has no say.
    let drawn = inks().map(colors.drawn).filter { $0.alpha >= Color.leastDifference }
    var chosen = self
    guard 2 * drawn.count(where: { $0.shows(on: page) }) < drawn.count else {
      chosen.background = .page
      return chosen
    }
    func contrast(with ground: Color) -> Int {
      let lightness = ground.perceived.lightness
      return drawn.reduce(0) { $0 + $1.contrast(withLightness: lightness) }
    }
    chosen.background = .color(
      contrast(with: .white) >= contrast(with: .darkPaper) ? .white : .darkPaper)
    return chosen
  }
}

extension ColorMapping {
  /// The colour that a stroke of an ink has where it covers a pixel completely.
  func drawn(_ ink: PKInk) -> Color {
    let color = self.ink(ink.color)
    let power = InkStyle.of(ink.inkType).opacityPower
    return color.withAlpha((0..<power).reduce(1) { alpha, _ in alpha * color.alpha })
  }

  /// The colour of the first ink that another background could show, if none shows on this one.
  func hiddenInk(of inks: some Sequence<PKInk>, on background: Color) -> Color? {
    var first: Color?
    for ink in inks {
      let color = drawn(ink)
      guard color.alpha >= Color.leastDifference else { continue }
      if color.shows(on: background) { return nil }
      first = first ?? color
    }
    return first
  }
}

extension Color {
  /// The least change of a channel that can be seen: 8 of 255.
  fileprivate static let leastDifference = 8.0 / 255
  /// PencilKit's paper in the dark.
  fileprivate static let darkPaper = Color(
    red: 28.0 / 255, green: 28.0 / 255, blue: 30.0 / 255)

  /// Whether ink of this colour changes a channel of a background visibly. What lies below a
  /// translucent background is unknown, so all ink shows on it.
  fileprivate func shows(on background: Color) -> Bool {
    guard background.alpha == 1 else { return true }
    let differences = [red - background.red, green - background.green, blue - background.blue]
    return differences.contains { alpha * abs($0) >= Self.leastDifference }
  }

  /// How much lighter or darker ink of this colour is than its ground, in thousandths of the way
  /// from black to white. Whole numbers, whose sum does not depend on their order.
  fileprivate func contrast(withLightness lightness: Double) -> Int {
    Int(clamping: (1000 * alpha * abs(perceived.lightness - lightness)).rounded())
  }
}
