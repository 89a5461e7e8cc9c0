public import Graphics

/// The surroundings that a drawing is shown in.
public enum InterfaceStyle: String, Hashable, Sendable, CaseIterable {
  /// Dark ink on a light page: the style in which colours are stored.
  case light
  /// Light ink on a dark page.
  case dark
}

extension PKInkingTool {
  /// A colour chosen in one style as it appears in the other.
  ///
  /// PencilKit does not publish its formula; this is ours, in the OKLab space, where L is lightness.
  /// Hue, chroma and opacity stay. Greys (below chroma 0.03) are turned over, `L' = 1 − L²` towards
  /// dark and its inverse back, so black becomes white and mid greys stay readable. Colours (above
  /// chroma 0.12) only rise to at least 0.66 on a dark page and stay as they are on a light one.
  /// Between the two the results are blended smoothly. Both directions end inside sRGB,
  /// where a deep blue cannot be quite as light as that.
  public static func convertColor(
    _ color: Color, from source: InterfaceStyle, to target: InterfaceStyle
  ) -> Color {
    guard source != target else { return color }
    var seen = color.perceived
    let lightness = min(max(seen.lightness, 0), 1)
    let colorfulness = smoothstep(0.03, 0.12, seen.chroma)
    let turned = target == .dark ? 1 - lightness * lightness : (1 - lightness).squareRoot()
    let kept = target == .dark ? max(lightness, 0.66) : lightness
    seen.lightness = turned + (kept - turned) * colorfulness
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
