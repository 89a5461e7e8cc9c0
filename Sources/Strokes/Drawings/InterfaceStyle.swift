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
  /// PencilKit's formula is not published; this is ours, in the OKLab space, where L is lightness.
  /// Hue, chroma and opacity do not change. Greys (below chroma 0.03) are inverted, with `L' = 1 −
  /// L²` towards dark and its inverse back, so black becomes white and mid greys stay readable.
  /// Colours (above chroma 0.12) are only raised to a lightness of at least 0.66 on a dark page,
  /// and do not change on a light one. Between the two, the results are blended smoothly. The
  /// result of both directions is clamped to sRGB, where a deep blue cannot be quite as light as
  /// 0.66.
  public static func convertColor(
    _ color: Color, from source: InterfaceStyle, to target: InterfaceStyle
  ) -> Color {
    guard source != target else { return color }
    var seen = color.perceived
    let lightness = min(max(seen.lightness, 0), 1)
    let colorfulness = smoothstep(0.03, 0.12, seen.chroma)
    let ofGrey = target == .dark ? 1 - lightness * lightness : (1 - lightness).squareRoot()
    let ofColor = target == .dark ? max(lightness, 0.66) : lightness
    seen.lightness = ofGrey + (ofColor - ofGrey) * colorfulness
    return Color(seen, alpha: color.alpha).clamped.converted(to: color.space)
  }

  /// The colour as it appears in the opposite style.
  public static func invertColor(_ color: Color, from style: InterfaceStyle = .light) -> Color {
    convertColor(color, from: style, to: style == .light ? .dark : .light)
  }

  private static func smoothstep(_ low: Double, _ high: Double, _ value: Double) -> Double {
    let t = min(max((value - low) / (high - low), 0), 1)
    return t * t * (3 - 2 * t)
  }
}
