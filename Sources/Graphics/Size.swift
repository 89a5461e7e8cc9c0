/// An extent in points.
public struct Size: Hashable, Sendable {
  /// The horizontal extent.
  public var width: Double
  /// The vertical extent.
  public var height: Double

  /// A size of the given extents.
  @inlinable
  public init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  /// No extent at all.
  public static let zero = Size(width: 0, height: 0)

  /// A size with both extents multiplied.
  @inlinable
  public static func * (size: Size, factor: Double) -> Size {
    Size(width: size.width * factor, height: size.height * factor)
  }

  /// Width times height.
  public var area: Double { width * height }

  /// Whether the size is finite and both extents are positive.
  public var isPositive: Bool {
    width > 0 && height > 0 && width.isFinite && height.isFinite
  }

  /// The largest size of the same proportions that fits into `frame`; zero for an empty size.
  public func fitted(into frame: Size) -> Size {
    guard width > 0, height > 0 else { return .zero }
    return self * min(frame.width / width, frame.height / height)
  }
}
