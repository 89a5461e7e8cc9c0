import CMath

/// A colour as it is perceived: lightness and the two opponent axes of the OKLab space.
public struct PerceivedColor: Hashable, Sendable {
  /// The lightness: 0 is black, 1 is white.
  public var lightness: Double
  /// The axis from green (negative) to red (positive).
  public var a: Double
  /// The axis from blue (negative) to yellow (positive).
  public var b: Double

  /// A colour from its three coordinates.
  public init(lightness: Double, a: Double, b: Double) {
    self.lightness = lightness
    self.a = a
    self.b = b
  }

  /// The distance from grey.
  public var chroma: Double { (a * a + b * b).squareRoot() }
}

/// Björn Ottosson's published matrices: linear sRGB to cone responses, their cube roots to OKLab.
private let coneResponses = ColorMatrix(
  SIMD3(0.412_221_470_8, 0.536_332_536_3, 0.051_445_992_9),
  SIMD3(0.211_903_498_2, 0.680_699_545_1, 0.107_396_956_6),
  SIMD3(0.088_302_461_9, 0.281_718_837_6, 0.629_978_700_5))
private let opponentAxes = ColorMatrix(
  SIMD3(0.210_454_255_3, 0.793_617_785_0, -0.004_072_046_8),
  SIMD3(1.977_998_495_1, -2.428_592_205_0, 0.450_593_709_9),
  SIMD3(0.025_904_037_1, 0.782_771_766_2, -0.808_675_766_0))
private let conesFromLight = coneResponses.inverse
private let rootsFromAxes = opponentAxes.inverse

extension Color {
  /// The colour in OKLab, without its opacity.
  public var perceived: PerceivedColor {
    let cones = coneResponses(converted(to: .sRGB).linear.components)
    let axes = opponentAxes(
      SIMD3(mathCubeRoot(cones.x), mathCubeRoot(cones.y), mathCubeRoot(cones.z)))
    return PerceivedColor(lightness: axes.x, a: axes.y, b: axes.z)
  }

  /// The sRGB colour of a perceived one; components leave 0…1 if the colour is outside of sRGB.
  public init(_ perceived: PerceivedColor, alpha: Double = 1) {
    let roots = rootsFromAxes(SIMD3(perceived.lightness, perceived.a, perceived.b))
    let light = conesFromLight(roots * roots * roots)
    self = LinearColor(components: light, alpha: alpha).encoded
  }
}
