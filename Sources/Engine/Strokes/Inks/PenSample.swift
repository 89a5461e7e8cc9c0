public import Graphics

/// The state of a pen, a finger or a mouse at a moment.
public struct PenSample: Hashable, Sendable {
  /// The location on the page, in points.
  public var location: Point
  /// Seconds since the stroke began.
  public var time: Double
  /// The pressure; 1 is an average touch, and the value of devices without pressure.
  public var force: Double
  /// The direction in which the pen leans, in radians from the x axis towards the y axis.
  public var azimuth: Double
  /// The angle between the pen and the page, in radians: π/2 is upright.
  public var altitude: Double

  /// A sample; by default of an upright pen with an average touch.
  public init(
    location: Point, time: Double, force: Double = 1, azimuth: Double = 0,
    altitude: Double = .pi / 2
  ) {
    self.location = location
    self.time = time
    self.force = force
    self.azimuth = azimuth
    self.altitude = altitude
  }

  /// Whether all values are finite numbers.
  package var isFinite: Bool {
    location.isFinite && time.isFinite && force.isFinite && azimuth.isFinite && altitude.isFinite
  }
}

extension PKInkingTool {
  /// The point of a stroke that the tool draws at a sample.
  ///
  /// An average touch of an upright pen leaves a mark of the tool's width. The effects of pressure
  /// and tilt are our own choice: PencilKit's are unknown.
  public func point(at sample: PenSample) -> PKStrokePoint {
    // 0 for no pressure, 1 for an average touch, 1.58 for three times as much.
    let touch = 2 * sample.force.clamped(to: 0...5) / (sample.force.clamped(to: 0...5) + 1)
    // 0 for a pen that is held as if to write, 1 for one that nearly lies on the page.
    let tilt = ((.pi / 4 - sample.altitude) / (.pi / 6)).clamped(to: 0...1)
    var (breadth, opacity) = (1.0, 1.0)
    switch inkType {
    case .pen, .fountainPen, .other: breadth = 0.4 + 0.6 * touch
    case .reed:
      breadth = 0.7 + 0.3 * touch
      opacity = 0.6 + 0.4 * touch
    case .pencil:
      breadth = (0.85 + 0.15 * touch) * (1 + 3 * tilt)
      opacity = (0.2 + 0.6 * touch) * (1 - 0.4 * tilt)
    case .crayon:
      breadth = (0.9 + 0.1 * touch) * (1 + 0.6 * tilt)
      opacity = 0.35 + 0.55 * touch
    case .watercolor:
      breadth = 0.6 + 0.4 * touch
      opacity = 0.5 + 0.5 * touch
    case .marker, .monoline: break
    }
    let shape = inkType.nibShape
    let mark = Size(width: width * breadth, height: width * breadth * shape.squareRatio)
    // A marker's blade is as wide as the tool, and about a third as tall.
    let drawn = inkType == .marker ? Size(width: width, height: 0.36 * width) : mark
    return PKStrokePoint(
      location: sample.location, timeOffset: sample.time, size: ink.pencilKitSize(drawing: drawn),
      opacity: min(opacity, 2), force: sample.force.clamped(to: 0...100),
      azimuth: sample.azimuth, altitude: sample.altitude)
  }
}

extension Double {
  fileprivate func clamped(to range: ClosedRange<Double>) -> Double {
    min(max(self, range.lowerBound), range.upperBound)
  }
}
