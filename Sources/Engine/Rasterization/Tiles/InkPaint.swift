package import Graphics
package import Strokes

extension InkPaint {
  /// The paint of a stroke in pictures with some options.
  package init(_ stroke: PKStroke, _ options: RenderOptions) {
    let colors = ColorMapping(options)
    let ink = colors.ink(stroke.ink.color)
    let style = InkStyle.of(stroke)
    let isDark = options.style == .dark
    let varies = stroke.path.hasSeveralOpacities
    var opacity = (0..<style.opacityPower).reduce(style.pass) { alpha, _ in alpha * ink.alpha }
    if !varies { opacity *= min(max(stroke.path.first?.opacity ?? 1, 0), 1) }
    let mix: Mix =
      switch style.mix {
      case .over: .over
      case .darken: isDark ? .lighten : .darken
      case .multiply: style.mixing < 1 ? .over : isDark ? .screen : .multiply
      }
    let texture: Texture =
      switch style.texture {
      case nil: varies ? .strong : .flat
      case .marker: .faint
      case .tooth, .reed, .wash: .strong
      }
    self.init(color: ink.withAlpha(1), opacity: opacity, mix: mix, texture: texture)
  }
}

/// The content of a picture besides the ink: its part of the canvas, its background, and the lines
/// of its paper.
package struct PictureGround {
  /// The part of the canvas, in points.
  package let visible: Rect
  /// The size of the picture for one pixel a point, times the scale of the options.
  package let size: Size
  /// The colour below everything.
  package let background: Color
  /// The lines and dots of the paper, from back to front.
  package let layers: [PaperLines]

  /// Lines of one colour and width.
  package struct PaperLines {
    /// The colour, which may be translucent.
    package let color: Color
    /// The width of lines, or the diameter of dots, in points.
    package let width: Double
    /// Lines as their corners; a dot has one.
    package let lines: [[Point]]
  }

  /// The ground of pictures with some options. `content` gives the box of the strokes; it is called
  /// only if the frame depends on it.
  package init(
    _ options: RenderOptions, on canvas: Recording.Canvas, content: () -> Rect
  ) throws(RenderError) {
    var shown = try Framing.shown(options: options, page: canvas.size, content: content)
    guard shown.width.isFinite, shown.height.isFinite else {
      throw RenderError(.notANumber("margin"))
    }
    let scale: Double
    switch options.extent {
    case .scale(let factor): scale = factor
    case .longerSide(let side): scale = Double(side) / max(shown.width, shown.height)
    case .pixels(let width, let height):
      scale = min(Double(width) / shown.width, Double(height) / shown.height)
      // The content is centred.
      let (width, height) = (Double(width) / scale, Double(height) / scale)
      shown = Rect(
        x: shown.center.x - width / 2, y: shown.center.y - height / 2, width: width, height: height)
    }
    guard scale.isFinite, scale > 0 else { throw RenderError(.notANumber("scale")) }
    visible = shown
    size = shown.size * scale
    let colors = ColorMapping(options)
    background = colors.background(of: canvas)
    let page = canvas.size.flatMap { $0.isPositive ? Rect(origin: .zero, size: $0) : nil }
    layers =
      options.showsPattern
      ? PaperPattern(options.paper ?? canvas.paper, page: page).lines(in: shown, as: colors) : []
  }
}

extension PaperPattern {
  /// The lines in a part of the canvas.
  fileprivate func lines(in visible: Rect, as colors: ColorMapping) -> [PictureGround.PaperLines] {
    let part = page.map { visible.intersection($0) } ?? visible
    guard !part.isEmpty else { return [] }
    return layers.compactMap { layer in
      // A million dots cannot be seen apart, and each takes memory.
      guard part.width * part.height / (layer.pitch * layer.pitch) < 1e6 else { return nil }
      let lines = layer.marks(part, part)
      return PictureGround.PaperLines(
        color: layer.strength.color.converted(to: colors.space), width: 2 * layer.reach,
        lines: lines)
    }
  }
}
