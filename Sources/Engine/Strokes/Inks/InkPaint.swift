public import Graphics

/// What lays a stroke down: a colour, an opacity and a way to mix, for files that hold outlines or lines in place of
/// pixels.
public struct InkPaint: Hashable, Sendable {
  /// How ink meets the ink below it.
  public enum Mix: Hashable, Sendable {
    /// It lies on top.
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

  /// How much the inside of an outline varies.
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
  /// The opacity: of a flat ink, or that at which an even area has as much ink as the texture, once it was measured.
  public var opacity: Double
  /// How it meets the ink below. Inks of which only a part mixes lie on top.
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
