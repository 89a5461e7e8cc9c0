/// A colour as it is stored and chosen: encoded components with straight alpha.
///
/// Components lie in 0…1 for colours inside the space. Wide-gamut ink may leave that range; its
/// components are not clamped before pixels are made.
public struct Color: Hashable, Sendable {
  /// The encoded red component.
  public var red: Double
  /// The encoded green component.
  public var green: Double
  /// The encoded blue component.
  public var blue: Double
  /// The opacity: 0 is transparent, 1 is opaque.
  public var alpha: Double
  /// The colour space of the components.
  public var space: ColorSpace

  /// A colour from encoded components with straight alpha.
  public init(
    red: Double, green: Double, blue: Double, alpha: Double = 1, space: ColorSpace = .sRGB
  ) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
    self.space = space
  }

  /// A grey: 0 is black, 1 is white.
  public init(white: Double, alpha: Double = 1) {
    self.init(red: white, green: white, blue: white, alpha: alpha)
  }

  /// Opaque black.
  public static let black = Color(white: 0)
  /// Opaque white.
  public static let white = Color(white: 1)
  /// Transparent black.
  public static let clear = Color(white: 0, alpha: 0)

  /// Whether no component is infinite or NaN.
  public var isFinite: Bool {
    red.isFinite && green.isFinite && blue.isFinite && alpha.isFinite
  }

  /// The colour with another opacity.
  public func withAlpha(_ alpha: Double) -> Color {
    var color = self
    color.alpha = alpha
    return color
  }

  /// The colour with every component clamped to 0…1; NaN becomes 0.
  public var clamped: Color {
    // With this order of arguments, a NaN loses every comparison.
    func clamp(_ value: Double) -> Double { min(max(0, value), 1) }
    return Color(
      red: clamp(red), green: clamp(green), blue: clamp(blue), alpha: clamp(alpha), space: space)
  }
}

extension Color {
  /// A colour from `#RGB`, `#RGBA`, `#RRGGBB` or `#RRGGBBAA`; nil for anything else.
  public init?(hex text: some StringProtocol) {
    guard text.hasPrefix("#") else { return nil }
    let digits = text.utf8.dropFirst().map { digit -> Int? in
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(digit) - 48
      case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(digit) - 87
      case UInt8(ascii: "A")...UInt8(ascii: "F"): Int(digit) - 55
      default: nil
      }
    }
    let values = digits.compactMap { $0 }
    guard values.count == digits.count else { return nil }
    let bytes: [Int]
    switch values.count {
    case 3, 4: bytes = values.map { $0 * 17 }
    case 6, 8:
      bytes = stride(from: 0, to: values.count, by: 2).map { values[$0] * 16 + values[$0 + 1] }
    default: return nil
    }
    func part(_ index: Int) -> Double { index < bytes.count ? Double(bytes[index]) / 255 : 1 }
    self.init(red: part(0), green: part(1), blue: part(2), alpha: part(3))
  }

  /// `#RRGGBB`, or `#RRGGBBAA` if the colour is not opaque, in the colour's own space.
  public var hex: String {
    let color = clamped
    let parts = [color.red, color.green, color.blue] + (color.alpha < 1 ? [color.alpha] : [])
    return parts.reduce(into: "#") { text, part in
      let byte = Int(clamping: (part * 255).rounded())
      text += (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
  }
}

/// A colour as light: components proportional to energy, with straight alpha.
public struct LinearColor: Hashable, Sendable {
  /// The linear red, green and blue components.
  public var components: SIMD3<Double>
  /// The opacity.
  public var alpha: Double
  /// The colour space of the components.
  public var space: ColorSpace

  /// A colour from its linear components.
  public init(components: SIMD3<Double>, alpha: Double = 1, space: ColorSpace = .sRGB) {
    self.components = components
    self.alpha = alpha
    self.space = space
  }

  /// The colour with encoded components.
  public var encoded: Color {
    Color(
      red: ColorSpace.encode(components.x), green: ColorSpace.encode(components.y),
      blue: ColorSpace.encode(components.z), alpha: alpha, space: space)
  }
}

/// A colour for compositing: encoded components, multiplied by the opacity.
public struct PremultipliedColor: Hashable, Sendable {
  /// Red, green, blue, each times alpha, and alpha.
  public var components: SIMD4<Double>
  /// The colour space of the components.
  public var space: ColorSpace

  /// A colour from its premultiplied components, alpha last.
  public init(components: SIMD4<Double>, space: ColorSpace = .sRGB) {
    self.components = components
    self.space = space
  }

  /// The colour with straight alpha; transparent black if the opacity is 0, as the hue is lost.
  public var straight: Color {
    let alpha = components.w
    guard alpha != 0 else { return Color(red: 0, green: 0, blue: 0, alpha: 0, space: space) }
    return Color(
      red: components.x / alpha, green: components.y / alpha, blue: components.z / alpha,
      alpha: alpha, space: space)
  }

  /// This colour composited over another one of the same space.
  public func over(_ backdrop: PremultipliedColor) -> PremultipliedColor {
    PremultipliedColor(
      components: components + backdrop.components * (1 - components.w), space: space)
  }
}

extension Color {
  /// The colour with linear components.
  public var linear: LinearColor {
    LinearColor(
      components: SIMD3(
        ColorSpace.decode(red), ColorSpace.decode(green), ColorSpace.decode(blue)),
      alpha: alpha, space: space)
  }

  /// The colour with its components multiplied by its opacity.
  public var premultiplied: PremultipliedColor {
    PremultipliedColor(
      components: SIMD4(red * alpha, green * alpha, blue * alpha, alpha), space: space)
  }

  /// The same colour in another space; components leave 0…1 if the colour is outside of it.
  public func converted(to target: ColorSpace) -> Color {
    guard space != target else { return self }
    if red == green, green == blue {
      // Both spaces have the same white and the same curve, so greys have the same components.
      return Color(red: red, green: green, blue: blue, alpha: alpha, space: target)
    }
    return LinearColor(
      components: space.convert(linear.components, to: target), alpha: alpha, space: target
    ).encoded
  }
}
