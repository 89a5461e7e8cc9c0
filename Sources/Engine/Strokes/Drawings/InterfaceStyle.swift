public import Graphics

/// The style in which a drawing is shown: for a light or a dark background.
public enum InterfaceStyle: String, Hashable, Sendable, CaseIterable {
  /// Dark ink on a light page: the style in which colours are stored.
  case light
  /// Light ink on a dark page.
  case dark
}

extension PKInkingTool {
  /// Converts a colour that was chosen in one style to its appearance in the other.
  ///
  /// Inverts the lightness of HSL in sRGB and keeps hue, saturation and opacity, as PencilKit does:
  /// black becomes white, a light green a deep one, and pure hues stay. Both directions are the
  /// same function, and there and back gives the same colour. Components in 0…1 stay there.
  public static func convertColor(
    _ color: Color, from source: InterfaceStyle, to target: InterfaceStyle
  ) -> Color {
    guard source != target else { return color }
    let stored = (color.isFinite ? color : color.clamped).converted(to: .sRGB)
    let (red, green, blue) = (stored.red, stored.green, stored.blue)
    let shift = 1 - max(red, green, blue) - min(red, green, blue)
    return Color(red: red + shift, green: green + shift, blue: blue + shift, alpha: stored.alpha)
      .converted(to: color.space)
  }

  /// The colour as it appears in the opposite style.
  public static func invertColor(_ color: Color, from style: InterfaceStyle = .light) -> Color {
    convertColor(color, from: style, to: style == .light ? .dark : .light)
  }
}
