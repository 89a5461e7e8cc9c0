public import Foundation
import Graphics

/// A colour as an app chooses it: sRGB, with components outside 0…1 for more vivid colours; a
/// dynamic colour has one value for each style.
///
/// Two colours are equal if ink in these colours is equal: to the precision of 32-bit floats, in
/// which archives store them.
open class UIColor: NSObject, NSCopying, NSSecureCoding, _ExpressibleByColorLiteral,
  @unchecked Sendable
{
  // Never changed after initialization, so that threads may share a colour.
  private let source: Source

  private enum Source {
    case fixed(Graphics.Color)
    case dynamic((UITraitCollection) -> UIColor)
  }

  /// A colour of sRGB.
  public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    source = .fixed(
      Graphics.Color(
        red: Double(red), green: Double(green), blue: Double(blue), alpha: Double(alpha)))
  }

  /// A grey: 0 is black, 1 is white.
  public convenience init(white: CGFloat, alpha: CGFloat) {
    self.init(red: white, green: white, blue: white, alpha: alpha)
  }

  /// A colour of Display P3, with sRGB components that may be outside 0…1.
  public convenience init(
    displayP3Red red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat
  ) {
    let wide = Graphics.Color(
      red: Double(red), green: Double(green), blue: Double(blue), alpha: Double(alpha),
      space: .displayP3)
    self.init(wide.converted(to: .sRGB))
  }

  /// A colour by its hue (a full turn is 1), saturation and brightness, which are clamped to 0…1.
  public convenience init(
    hue: CGFloat, saturation: CGFloat, brightness: CGFloat, alpha: CGFloat
  ) {
    let (h, s, v) = (Double(hue).inUnit, Double(saturation).inUnit, Double(brightness).inUnit)
    func part(_ offset: Double) -> CGFloat {
      let k = (offset + h * 6).truncatingRemainder(dividingBy: 6)
      return CGFloat(v - v * s * max(0, min(k, 4 - k, 1)))
    }
    self.init(red: part(5), green: part(3), blue: part(1), alpha: alpha)
  }

  /// The same colour as a `CGColor`.
  public convenience init(cgColor: CGColor) {
    let c = cgColor.components ?? []
    func part(_ index: Int) -> CGFloat { index < c.count ? c[index] : 1 }
    self.init(red: part(0), green: part(1), blue: part(2), alpha: part(3))
  }

  /// A colour of sRGB, for literals that editors show as colours.
  public required convenience init(
    _colorLiteralRed red: Float, green: Float, blue: Float, alpha: Float
  ) {
    self.init(red: CGFloat(red), green: CGFloat(green), blue: CGFloat(blue), alpha: CGFloat(alpha))
  }

  /// A dynamic colour: the closure returns one for each style.
  public init(dynamicProvider: @escaping (UITraitCollection) -> UIColor) {
    source = .dynamic(dynamicProvider)
  }

  /// Reads a colour from an `NSKeyedArchiver` archive, red, green and blue or a grey; nil if it is
  /// damaged.
  public required init?(coder: NSCoder) {
    func part(_ key: String) -> Double? {
      // Some archives also store the same number in 64 bits.
      for key in ["\(key)-Double", key] where coder.containsValue(forKey: key) {
        return coder.decodeDouble(forKey: key)
      }
      return nil
    }
    func color() -> Graphics.Color? {
      guard coder.allowsKeyedCoding, let alpha = part("UIAlpha") else { return nil }
      if let white = part("UIWhite") {
        return Graphics.Color(red: white, green: white, blue: white, alpha: alpha)
      }
      guard let red = part("UIRed"), let green = part("UIGreen"), let blue = part("UIBlue") else {
        return nil
      }
      return Graphics.Color(red: red, green: green, blue: blue, alpha: alpha)
    }
    guard let color = color() else {
      coder.failWithError(CocoaError(.coderReadCorrupt))
      return nil
    }
    source = .fixed(color)
  }

  convenience init(_ color: Graphics.Color) {
    let color = color.converted(to: .sRGB)
    self.init(red: color.red, green: color.green, blue: color.blue, alpha: color.alpha)
  }

  /// Writes the colour of the light style for `NSKeyedArchiver`.
  open func encode(with coder: NSCoder) {
    let color = color(in: .light)
    coder.encode(color.red, forKey: "UIRed")
    coder.encode(color.green, forKey: "UIGreen")
    coder.encode(color.blue, forKey: "UIBlue")
    coder.encode(color.alpha, forKey: "UIAlpha")
  }

  /// Colours can be archived.
  open class var supportsSecureCoding: Bool { true }

  /// The colour itself, as it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Whether ink in both colours is equal, in both styles.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? UIColor else { return false }
    return self === other
      || [.light, .dark].allSatisfy { (style: UIUserInterfaceStyle) in
        color(in: style).stored == other.color(in: style).stored
      }
  }

  /// The hash of the colour in the light style.
  open override var hash: Int { color(in: .light).stored.hashValue }

  /// The components, for people to read.
  open override var description: String {
    let c = color(in: .light)
    return "UIColor(red: \(c.red), green: \(c.green), blue: \(c.blue), alpha: \(c.alpha))"
  }
}

/// The type of colours in source code.
public typealias _ColorLiteralType = UIColor

extension UIColor {
  /// The colour in a style. Providers that return dynamic colours endlessly give black.
  func color(in style: UIUserInterfaceStyle) -> Graphics.Color {
    let traits = UITraitCollection(userInterfaceStyle: style)
    var color = self
    for _ in 0..<16 {
      switch color.source {
      case .fixed(let fixed): return fixed
      case .dynamic(let provider): color = provider(traits)
      }
    }
    return .black
  }

  private var current: Graphics.Color { color(in: UITraitCollection.current.userInterfaceStyle) }

  /// The colour for given traits.
  public func resolvedColor(with traitCollection: UITraitCollection) -> UIColor {
    UIColor(color(in: traitCollection.userInterfaceStyle))
  }

  /// The same colour with another opacity.
  public func withAlphaComponent(_ alpha: CGFloat) -> UIColor {
    switch source {
    case .fixed(let color): UIColor(color.withAlpha(Double(alpha)))
    case .dynamic(let provider):
      UIColor { traits in provider(traits).withAlphaComponent(alpha) }
    }
  }

  /// The components in sRGB.
  public var cgColor: CGColor {
    let color = current
    return CGColor(srgbRed: color.red, green: color.green, blue: color.blue, alpha: color.alpha)
  }

  /// Stores the sRGB components, which are outside 0…1 for vivid colours. Always possible.
  @discardableResult
  public func getRed(
    _ red: UnsafeMutablePointer<CGFloat>?, green: UnsafeMutablePointer<CGFloat>?,
    blue: UnsafeMutablePointer<CGFloat>?, alpha: UnsafeMutablePointer<CGFloat>?
  ) -> Bool {
    let color = current
    red?.pointee = CGFloat(color.red)
    green?.pointee = CGFloat(color.green)
    blue?.pointee = CGFloat(color.blue)
    alpha?.pointee = CGFloat(color.alpha)
    return true
  }

  /// Stores the grey of the same brightness. Always possible.
  @discardableResult
  public func getWhite(
    _ white: UnsafeMutablePointer<CGFloat>?, alpha: UnsafeMutablePointer<CGFloat>?
  ) -> Bool {
    let color = current
    let isGrey = color.red == color.green && color.green == color.blue
    // The weights of sRGB's primaries in its luminance.
    let light = color.linear.components * SIMD3(0.2126, 0.7152, 0.0722)
    white?.pointee = CGFloat(isGrey ? color.red : ColorSpace.encode(light.sum()))
    alpha?.pointee = CGFloat(color.alpha)
    return true
  }

  /// Stores hue, saturation and brightness, from 0 to 1. Always possible.
  @discardableResult
  public func getHue(
    _ hue: UnsafeMutablePointer<CGFloat>?, saturation: UnsafeMutablePointer<CGFloat>?,
    brightness: UnsafeMutablePointer<CGFloat>?, alpha: UnsafeMutablePointer<CGFloat>?
  ) -> Bool {
    let color = current
    let (r, g, b) = (color.red, color.green, color.blue)
    let (high, low) = (max(r, g, b), min(r, g, b))
    let range = high - low
    var turn = 0.0
    if range > 0 {
      if high == r {
        turn = ((g - b) / range).truncatingRemainder(dividingBy: 6)
      } else {
        turn = high == g ? (b - r) / range + 2 : (r - g) / range + 4
      }
      if turn < 0 { turn += 6 }
    }
    hue?.pointee = CGFloat(turn / 6)
    saturation?.pointee = CGFloat(high > 0 ? range / high : 0)
    brightness?.pointee = CGFloat(high)
    alpha?.pointee = CGFloat(color.alpha)
    return true
  }
}

extension Graphics.Color {
  /// The components as archives store them: finite 32-bit floats.
  var stored: Graphics.Color {
    Graphics.Color(
      red: Double(storable: red), green: Double(storable: green), blue: Double(storable: blue),
      alpha: Double(storable: alpha), space: space)
  }
}

extension Double {
  /// The number clamped to 0…1; 0 for NaN.
  fileprivate var inUnit: Double { min(max(0, self), 1) }
}
