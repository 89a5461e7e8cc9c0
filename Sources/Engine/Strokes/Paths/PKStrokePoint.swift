public import Graphics

/// One control point of a stroke's path, or a point interpolated between them.
///
/// A path stores values in a compressed form: locations, sizes and times as 32-bit floats, most
/// others in 16 bits. So a value read back from a path can differ by half a step of that form.
public struct PKStrokePoint: Hashable, Sendable {
  /// The location in points, before the stroke's transform.
  public var location: Point
  /// Seconds since the path's `creationDate`.
  public var timeOffset: Double
  /// The extent of the nib, in points; the ink's width law gives the drawn extent.
  public var size: Size
  /// The amount of ink that is laid down: 0 is none, 1 is the ink's full strength; at most 2.
  public var opacity: Double
  /// The pressure of the pen; 1 is an average touch.
  public var force: Double
  /// The direction in which the pen leans, in radians from the x axis towards the y axis.
  public var azimuth: Double
  /// The angle between the pen and the page, in radians: π/2 is upright.
  public var altitude: Double
  /// A factor for the ink's secondary effects.
  public var secondaryScale: Double
  /// Pixels with a coverage up to this are not drawn; 0 has no effect, and with 1 nothing is drawn.
  public var threshold: Double
  /// A factor for the sideways jitter of an ink's particles; 1 is the ink's own jitter.
  public var lateralJitter: Double
  /// The softness of the edge in points, as archives store it. PencilKit has no interface for it.
  @usableFromInline package var edgeWidth: Double = 0

  /// A point from all its values.
  @inlinable
  public init(
    location: Point, timeOffset: Double, size: Size, opacity: Double, force: Double,
    azimuth: Double, altitude: Double, secondaryScale: Double = 1, threshold: Double = 0,
    lateralJitter: Double = 1
  ) {
    self.location = location
    self.timeOffset = timeOffset
    self.size = size
    self.opacity = opacity
    self.force = force
    self.azimuth = azimuth
    self.altitude = altitude
    self.secondaryScale = secondaryScale
    self.threshold = threshold
    self.lateralJitter = lateralJitter
  }
}
