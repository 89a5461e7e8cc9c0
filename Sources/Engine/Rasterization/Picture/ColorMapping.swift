import Graphics
import Strokes

/// Converts stored colours to the colours of a picture.
struct ColorMapping {
  let style: RenderOptions.Style
  let space: ColorSpace
  /// Whether ink is mixed in linear light.
  let mixesLight: Bool
  private let chosen: RenderOptions.Background

  init(_ options: RenderOptions) {
    style = options.style
    space = options.colorSpace
    mixesLight = options.blending == .linear
    chosen = options.background
  }

  /// The colour of ink. Components are clamped only after all conversions, because pixels need it.
  func ink(_ color: Color) -> Color {
    let shown = style == .dark ? PKInkingTool.convertColor(color, from: .light, to: .dark) : color
    return shown.converted(to: space).clamped
  }

  /// The background below the ink.
  func background(of canvas: Recording.Canvas) -> Color {
    switch chosen {
    case .transparent: Color.clear.converted(to: space)
    // A colour given in the options is used as it is, in the dark style too.
    case .color(let color), .sheet(let color): color.converted(to: space).clamped
    // `adapted` replaces the automatic one where there is ink.
    case .page, .automatic: ink(canvas.background ?? .white)
    }
  }

  /// The colour of earlier strokes.
  func earlier(_ look: RenderOptions.Earlier) -> Color {
    switch look {
    case .color(let color): color
    case .sienna:
      (style == .dark
        ? Color(red: 0.922, green: 0.643, blue: 0.486, alpha: RenderOptions.Earlier.opacity)
        : Color(red: 0.627, green: 0.263, blue: 0.122, alpha: RenderOptions.Earlier.opacity))
    }
  }
}
