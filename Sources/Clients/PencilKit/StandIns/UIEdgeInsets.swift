public import Foundation

/// The distances by which the sides of a rectangle are moved inwards, in points.
public struct UIEdgeInsets: Equatable, Codable, Sendable {
  /// The distance of the upper side.
  public var top: CGFloat
  /// The distance of the left side.
  public var left: CGFloat
  /// The distance of the lower side.
  public var bottom: CGFloat
  /// The distance of the right side.
  public var right: CGFloat

  /// Insets of zero.
  public init() { self.init(top: 0, left: 0, bottom: 0, right: 0) }

  /// Insets from their four distances.
  public init(top: CGFloat, left: CGFloat, bottom: CGFloat, right: CGFloat) {
    (self.top, self.left, self.bottom, self.right) = (top, left, bottom, right)
  }

  /// Insets of zero.
  public static let zero = UIEdgeInsets()

  /// Reads the list of the four distances.
  public init(from decoder: any Decoder) throws {
    var list = try decoder.unkeyedContainer()
    let (top, left) = (try list.decode(CGFloat.self), try list.decode(CGFloat.self))
    let (bottom, right) = (try list.decode(CGFloat.self), try list.decode(CGFloat.self))
    self.init(top: top, left: left, bottom: bottom, right: right)
  }

  /// Writes the list of the four distances.
  public func encode(to encoder: any Encoder) throws {
    var list = encoder.unkeyedContainer()
    for distance in [top, left, bottom, right] { try list.encode(distance) }
  }
}

extension CGRect {
  /// The rectangle with its sides moved inwards.
  public func inset(by insets: UIEdgeInsets) -> CGRect {
    guard !isNull, !isInfinite else { return self }
    return CGRect(
      x: origin.x + insets.left, y: origin.y + insets.top,
      width: size.width - insets.left - insets.right,
      height: size.height - insets.top - insets.bottom)
  }
}
