import Graphics
import Strokes

/// Takes colours as they are stored to those of a picture.
struct ColorMapping {
  let style: RenderOptions.Style
  let space: ColorSpace
  /// Whether ink is mixed as light.
  let mixesLight: Bool
  private let chosen: RenderOptions.Background

  init(_ options: RenderOptions) {
    style = options.style
    space = options.colorSpace
    mixesLight = options.blending == .linear
    chosen = options.background
  }

  /// The colour of ink. What leaves the space is cut off only there, as pixels need it.
  func ink(_ color: Color) -> Color {
    let shown = style == .dark ? PKInkingTool.convertColor(color, from: .light, to: .dark) : color
    return shown.converted(to: space).clamped
  }

  /// What lies below the ink.
  func background(of canvas: Recording.Canvas) -> Color {
    switch chosen {
    case .transparent: Color.clear.converted(to: space)
    // A colour that is asked for is meant as it is.
    case .color(let color): color.converted(to: space).clamped
    case .page: ink(canvas.background ?? .white)
    }
  }
}
