public import Foundation

/// A colour in sRGB, for code that reads its components.
public final class CGColor: Hashable, Sendable {
  /// Red, green, blue and opacity.
  public let components: [CGFloat]?

  /// A colour of sRGB.
  public init(srgbRed red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    components = [red, green, blue, alpha]
  }

  /// A colour of sRGB.
  public convenience init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    self.init(srgbRed: red, green: green, blue: blue, alpha: alpha)
  }

  /// A grey.
  public convenience init(gray: CGFloat, alpha: CGFloat) {
    self.init(srgbRed: gray, green: gray, blue: gray, alpha: alpha)
  }

  /// The number of components, with the opacity.
  public var numberOfComponents: Int { components?.count ?? 0 }
  /// The opacity.
  public var alpha: CGFloat { components?.last ?? 1 }

  /// The colour with another opacity.
  public func copy(alpha: CGFloat) -> CGColor? {
    guard let components else { return nil }
    return CGColor(
      srgbRed: components[0], green: components[1], blue: components[2], alpha: alpha)
  }

  /// Whether all components are equal.
  public static func == (a: CGColor, b: CGColor) -> Bool { a.components == b.components }

  /// Hashes the components.
  public func hash(into hasher: inout Hasher) { hasher.combine(components) }
}
