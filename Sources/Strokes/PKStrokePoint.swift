public import Graphics

/// One control point of a stroke's path, or a point interpolated between them.
///
/// Values are kept in a compressed form inside a path: sizes and times as 32-bit floats, the others
/// in 16 bits. A value read back from a path can therefore differ by half a step of that form.
public struct PKStrokePoint: Hashable, Sendable {
  /// Where the point lies, in points, before the stroke's transform.
  public var location: Point
  /// Seconds since the path's `creationDate`.
  public var timeOffset: Double
  /// The extent of the nib, in points; the ink's width law tells what is drawn.
  public var size: Size
  /// How much ink is laid down: 0 is none, 1 is the ink's full strength; at most 2.
  public var opacity: Double
  /// How hard the pen pressed; 1 is an average touch.
  public var force: Double
  /// The direction in which the pen leans, in radians from the x axis towards the y axis.
  public var azimuth: Double
  /// How far the pen is from lying on the page, in radians: π/2 is upright.
  public var altitude: Double
  /// A factor for the ink's secondary effects.
  public var secondaryScale: Double
  /// Pixels whose coverage is not above this are not drawn; 0 has no effect, 1 draws nothing.
  public var threshold: Double
  /// A factor for the sideways jitter of an ink's particles; 1 leaves the ink its own.
  public var lateralJitter: Double
  /// Softness of the edge in points, as archives hold it; no interface of PencilKit shows it.
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
