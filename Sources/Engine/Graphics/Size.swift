/// A width and a height, in points.
public struct Size: Hashable, Sendable {
  /// The horizontal extent.
  public var width: Double
  /// The vertical extent.
  public var height: Double

  /// A size from its width and height.
  @inlinable
  public init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  /// The size without extent.
  public static let zero = Size(width: 0, height: 0)

  /// A size with width and height multiplied by a factor.
  @inlinable
  public static func * (size: Size, factor: Double) -> Size {
    Size(width: size.width * factor, height: size.height * factor)
  }

  /// The width times the height.
  public var area: Double { width * height }

  /// Whether width and height are positive and finite.
  public var isPositive: Bool {
    width > 0 && height > 0 && width.isFinite && height.isFinite
  }

  /// The largest size with the same aspect ratio that fits into `frame`; zero for an empty size.
  public func fitted(into frame: Size) -> Size {
    guard width > 0, height > 0 else { return .zero }
    return self * min(frame.width / width, frame.height / height)
  }
}
