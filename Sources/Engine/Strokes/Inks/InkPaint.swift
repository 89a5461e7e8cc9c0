public import Graphics

/// The paint of a stroke: a colour, an opacity and a blend mode, for files of outlines or lines
/// instead of pixels.
public struct InkPaint: Hashable, Sendable {
  /// The blend mode towards the ink below.
  public enum Mix: Hashable, Sendable {
    /// The ink covers the ink below.
    case over
    /// The darker of both.
    case darken
    /// The lighter of both, as highlighters mix in the dark.
    case lighten
    /// The product, as of light through two filters.
    case multiply
    /// The sum of two lights, as watercolor mixes in the dark.
    case screen
  }

  /// The amount of variation inside an outline.
  public enum Texture: Hashable, Sendable {
    /// Not at all.
    case flat
    /// A soft edge and faint streaks.
    case faint
    /// Grain, fibres or a rim, or an opacity that changes along the stroke.
    case strong
  }

  /// The colour, opaque.
  public var color: Color
  /// The opacity: of a flat ink, or that at which an even area has as much ink as the texture, once
  /// it was measured.
  public var opacity: Double
  /// The blend mode towards the ink below. Inks that only mix in part use `over`.
  public var mix: Mix
  /// Whether colour or opacity vary inside of the outline.
  public var texture: Texture

  /// A paint.
  public init(color: Color, opacity: Double, mix: Mix = .over, texture: Texture = .flat) {
    self.color = color
    self.opacity = opacity
    self.mix = mix
    self.texture = texture
  }
}
