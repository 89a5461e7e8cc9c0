public import Foundation
import Graphics
import Strokes

/// A control point of a path, or a point between two of them.
///
/// Paths store points with less precision, so a point that is read from a path may differ slightly
/// from the original.
public struct PKStrokePoint: Sendable {
  /// The location, before the stroke's transform.
  public let location: CGPoint
  /// Seconds from the path's date.
  public let timeOffset: TimeInterval
  /// The extent of the nib. The width of the line also depends on the ink.
  public let size: CGSize
  /// The amount of ink, from 0 to 2.
  public let opacity: CGFloat
  /// The pressure; 1 for an average touch.
  public let force: CGFloat
  /// The direction in which the pen leans, in radians from 0 to 2π.
  public let azimuth: CGFloat
  /// The angle between the pen and the page, in radians; π/2 is upright.
  public let altitude: CGFloat
  /// A factor for secondary effects of the ink.
  public let secondaryScale: CGFloat
  /// The coverage below which nothing is drawn.
  public let threshold: CGFloat
  /// A factor for the sideways spread of the ink.
  public let lateralJitter: CGFloat

  /// A point from its values.
  public init(
    location: CGPoint, timeOffset: TimeInterval, size: CGSize, opacity: CGFloat, force: CGFloat,
    azimuth: CGFloat, altitude: CGFloat, secondaryScale: CGFloat = 1, threshold: CGFloat = 0,
    lateralJitter: CGFloat = 1
  ) {
    self.location = location
    self.timeOffset = timeOffset
    self.size = size
    self.opacity = opacity
    self.force = force
    self.azimuth = azimuth.inFullTurn
    self.altitude = altitude
    self.secondaryScale = secondaryScale
    self.threshold = threshold
    self.lateralJitter = lateralJitter
  }

  /// A point from the values of the first version of the interface. Apps also reference this
  /// initializer by name, and protocols require it.
  public init(
    location: CGPoint, timeOffset: TimeInterval, size: CGSize, opacity: CGFloat, force: CGFloat,
    azimuth: CGFloat, altitude: CGFloat
  ) {
    self.init(
      location: location, timeOffset: timeOffset, size: size, opacity: opacity, force: force,
      azimuth: azimuth, altitude: altitude, secondaryScale: 1, threshold: 0, lateralJitter: 1)
  }

  /// A point with a secondary scale, as the one above.
  public init(
    location: CGPoint, timeOffset: TimeInterval, size: CGSize, opacity: CGFloat, force: CGFloat,
    azimuth: CGFloat, altitude: CGFloat, secondaryScale: CGFloat
  ) {
    self.init(
      location: location, timeOffset: timeOffset, size: size, opacity: opacity, force: force,
      azimuth: azimuth, altitude: altitude, secondaryScale: secondaryScale, threshold: 0,
      lateralJitter: 1)
  }

  /// A point with a secondary scale and a threshold, as the one above.
  public init(
    location: CGPoint, timeOffset: TimeInterval, size: CGSize, opacity: CGFloat, force: CGFloat,
    azimuth: CGFloat, altitude: CGFloat, secondaryScale: CGFloat, threshold: CGFloat
  ) {
    self.init(
      location: location, timeOffset: timeOffset, size: size, opacity: opacity, force: force,
      azimuth: azimuth, altitude: altitude, secondaryScale: secondaryScale, threshold: threshold,
      lateralJitter: 1)
  }
}

extension CGFloat {
  /// The same direction from 0 to 2π; 0 for NaN and infinite values.
  fileprivate var inFullTurn: CGFloat {
    let turn = 2 * CGFloat.pi
    if self >= 0, self <= turn { return self }
    guard isFinite else { return 0 }
    let rest = truncatingRemainder(dividingBy: turn)
    return rest < 0 ? rest + turn : rest
  }
}

extension PKStrokePoint {
  init(_ point: Strokes.PKStrokePoint) {
    self.init(
      location: CGPoint(point.location), timeOffset: point.timeOffset,
      size: CGSize(width: point.size.width, height: point.size.height),
      opacity: CGFloat(point.opacity), force: CGFloat(point.force),
      azimuth: CGFloat(point.azimuth), altitude: CGFloat(point.altitude),
      secondaryScale: CGFloat(point.secondaryScale), threshold: CGFloat(point.threshold),
      lateralJitter: CGFloat(point.lateralJitter))
  }

  /// The point for a path: locations and times are made finite here; the path itself bounds all
  /// other values.
  var model: Strokes.PKStrokePoint {
    Strokes.PKStrokePoint(
      location: Point(storable: location), timeOffset: Double(storable: timeOffset),
      size: Size(width: Double(size.width), height: Double(size.height)),
      opacity: Double(opacity), force: Double(force), azimuth: Double(azimuth),
      altitude: Double(altitude), secondaryScale: Double(secondaryScale),
      threshold: Double(threshold), lateralJitter: Double(lateralJitter))
  }
}
