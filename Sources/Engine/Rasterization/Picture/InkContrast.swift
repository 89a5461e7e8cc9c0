package import Graphics
package import Strokes

extension RenderOptions {
  /// These options with a definite background and detail, which depend on all strokes' inks.
  ///
  /// Each stroke counts once. Lengths would be sums of fractions, which depend on their order and
  /// on how exactly a source stores boxes, and still pictures and replays must choose alike.
  package func adapted(
    to inks: some Sequence<PKInk>, on canvas: Recording.Canvas
  ) -> RenderOptions {
    let colors = ColorMapping(self)
    var chosen = self
    chosen.hasFineInk = earlier != nil || inks.contains { InkStyle.isFine($0.inkType) }
    switch background {
    case .page, .transparent, .color: return chosen
    case .sheet(let sheet):
      chosen.background = .color(sheet.sheet(for: inks.map(colors.drawn)))
      return chosen
    case .automatic: break
    }
    let page = colors.background(of: canvas)
    // Ink that is transparent on any background does not count.
    let drawn = inks.map(colors.drawn).filter { $0.alpha >= Color.leastDifference }
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
  /// The sheets of our web pages.
  package static let lightSheet = Color(red: 1, green: 253.0 / 255, blue: 248.0 / 255)
  package static let darkSheet = Color(red: 37.0 / 255, green: 33.0 / 255, blue: 28.0 / 255)

  /// The least change of a channel that can be seen: 8 of 255.
  fileprivate static let leastDifference = 8.0 / 255
  /// PencilKit's paper in the dark.
  fileprivate static let darkPaper = Color(
    red: 28.0 / 255, green: 28.0 / 255, blue: 30.0 / 255)
  /// This sheet, or the one of the other lightness, for ink of these colours.
  fileprivate func sheet(for inks: [Color]) -> Color {
    let seen = inks.count { $0.isSeen(on: self) }
    guard 2 * seen < inks.count else { return self }
    let other = perceived.lightness > 0.5 ? Self.darkSheet : Self.lightSheet
    return inks.count { $0.isSeen(on: other) } > seen ? other : self
  }

  /// Whether lines of this colour are visible on a sheet, by their lightness (the contrast ratio of
  /// web accessibility) or by their hue. Nearly black lines on the dark sheet (1.3) are invisible,
  /// as are those of `#DDDDDD` on the light one; yellow ones are visible.
  private func isSeen(on sheet: Color) -> Bool {
    let mixed = premultiplied.over(sheet.premultiplied).straight
    let lights = [mixed.luminance + 0.05, sheet.luminance + 0.05]
    if max(lights[0], lights[1]) / min(lights[0], lights[1]) >= 1.35 { return true }
    let (own, ground) = (mixed.perceived, sheet.perceived)
    let (a, b) = (own.a - ground.a, own.b - ground.b)
    return (a * a + b * b).squareRoot() >= 0.025
  }

  /// The share of white's light, from 0 to 1.
  private var luminance: Double {
    let light = linear.components * SIMD3(0.2126, 0.7152, 0.0722)
    return light.x + light.y + light.z
  }

  /// Whether ink of this colour changes a channel of a background visibly. The content below a
  /// translucent background is unknown, so all ink counts as visible on it.
  fileprivate func shows(on background: Color) -> Bool {
    guard background.alpha == 1 else { return true }
    let differences = [red - background.red, green - background.green, blue - background.blue]
    return differences.contains { alpha * abs($0) >= Self.leastDifference }
  }

  /// The difference in lightness between ink of this colour and its ground, in thousandths of the
  /// range from black to white. A whole number, so that sums do not depend on the order.
  fileprivate func contrast(withLightness lightness: Double) -> Int {
    Int(clamping: (1000 * alpha * abs(perceived.lightness - lightness)).rounded())
  }
}
