import CMath

/// The colour space of red, green and blue components.
public enum ColorSpace: String, Hashable, Sendable, CaseIterable {
  /// sRGB, the usual space of screens and the web.
  case sRGB = "srgb"
  /// Display P3, Apple's wide-gamut space: the primaries of digital cinema with the curve and white
  /// of sRGB.
  case displayP3 = "p3"

  /// Whether both are the same space.
  public static func == (a: Self, b: Self) -> Bool { a.isWide == b.isWide }

  /// Hashes the space.
  public func hash(into hasher: inout Hasher) { hasher.combine(isWide) }

  // The standard library compares and hashes raw values, which are texts.
  private var isWide: Bool {
    switch self {
    case .sRGB: false
    case .displayP3: true
    }
  }
}

extension ColorSpace {
  /// The linear value of an encoded component, by the curve that both spaces share.
  ///
  /// The curve is an odd function: negative values are mirrored.
  public static func decode(_ encoded: Double) -> Double {
    let size = abs(encoded)
    let light = size <= 0.04045 ? size / 12.92 : mathPower((size + 0.055) / 1.055, 2.4)
    return encoded < 0 ? -light : light
  }

  /// The encoded component of a linear value: the inverse of `decode`.
  public static func encode(_ light: Double) -> Double {
    let size = abs(light)
    if size == 1 { return light }  // rounding would miss white
    let encoded = size <= 0.003_130_8 ? size * 12.92 : 1.055 * mathPower(size, 1 / 2.4) - 0.055
    return light < 0 ? -encoded : encoded
  }
}

/// A 3×3 matrix that converts linear components.
struct ColorMatrix {
  let rows: (SIMD3<Double>, SIMD3<Double>, SIMD3<Double>)

  init(_ a: SIMD3<Double>, _ b: SIMD3<Double>, _ c: SIMD3<Double>) { rows = (a, b, c) }

  func callAsFunction(_ v: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3((rows.0 * v).sum(), (rows.1 * v).sum(), (rows.2 * v).sum())
  }

  /// The inverse by cofactors; the matrices here are far from singular.
  var inverse: ColorMatrix {
    func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
      SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
    }
    let (x, y, z) = (cross(rows.1, rows.2), cross(rows.2, rows.0), cross(rows.0, rows.1))
    let determinant = (rows.0 * x).sum()
    return ColorMatrix(
      SIMD3(x.x, y.x, z.x) / determinant, SIMD3(x.y, y.y, z.y) / determinant,
      SIMD3(x.z, y.z, z.z) / determinant)
  }

  func concatenating(_ next: ColorMatrix) -> ColorMatrix {
    let columns = (
      next(SIMD3(rows.0.x, rows.1.x, rows.2.x)), next(SIMD3(rows.0.y, rows.1.y, rows.2.y)),
      next(SIMD3(rows.0.z, rows.1.z, rows.2.z))
    )
    return ColorMatrix(
      SIMD3(columns.0.x, columns.1.x, columns.2.x), SIMD3(columns.0.y, columns.1.y, columns.2.y),
      SIMD3(columns.0.z, columns.1.z, columns.2.z))
  }

  /// The matrix from a space to CIE XYZ, for the chromaticities of its primaries and the white D65.
  /// The primaries are scaled so that equal parts of them make the white.
  init(red: (Double, Double), green: (Double, Double), blue: (Double, Double)) {
    func xyz(_ c: (Double, Double)) -> SIMD3<Double> { SIMD3(c.0 / c.1, 1, (1 - c.0 - c.1) / c.1) }
    let white = xyz((0.3127, 0.3290))  // D65
    let (r, g, b) = (xyz(red), xyz(green), xyz(blue))
    let primaries = ColorMatrix(
      SIMD3(r.x, g.x, b.x), SIMD3(r.y, g.y, b.y), SIMD3(r.z, g.z, b.z))
    let amounts = primaries.inverse(white)
    self.init(primaries.rows.0 * amounts, primaries.rows.1 * amounts, primaries.rows.2 * amounts)
  }
}

extension ColorSpace {
  private static let sRGBToXYZ = ColorMatrix(
    red: (0.640, 0.330), green: (0.300, 0.600), blue: (0.150, 0.060))
  private static let displayP3ToXYZ = ColorMatrix(
    red: (0.680, 0.320), green: (0.265, 0.690), blue: (0.150, 0.060))
  private static let sRGBToDisplayP3 = sRGBToXYZ.concatenating(displayP3ToXYZ.inverse)
  private static let displayP3ToSRGB = displayP3ToXYZ.concatenating(sRGBToXYZ.inverse)

  /// Converts linear components of this space to another.
  func convert(_ light: SIMD3<Double>, to target: ColorSpace) -> SIMD3<Double> {
    switch (self, target) {
    case (.sRGB, .displayP3): Self.sRGBToDisplayP3(light)
    case (.displayP3, .sRGB): Self.displayP3ToSRGB(light)
    case (.sRGB, .sRGB), (.displayP3, .displayP3): light
    }
  }
}
