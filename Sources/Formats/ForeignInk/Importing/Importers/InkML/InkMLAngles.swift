import CMath
import Strokes

/// The direction of the pen, from the angles that a file has.
struct InkMLAngles {
  private let azimuth, elevation, tiltX, tiltY: (channel: Int, unit: Double)?

  init(_ setup: InkMLSetup) {
    func angle(_ name: String) -> (channel: Int, unit: Double)? {
      setup.channels[name].map { ($0, setup.angleUnits[name] ?? 1) }
    }
    (azimuth, elevation) = (angle("OA"), angle("OE"))
    (tiltX, tiltY) = (angle("OTx"), angle("OTy"))
  }

  var exist: Bool { azimuth != nil || elevation != nil || tiltX != nil || tiltY != nil }

  /// Gives a point the direction of the pen.
  func set(_ point: inout PKStrokePoint, _ values: [Double], _ row: Int) {
    func value(_ angle: (channel: Int, unit: Double)?) -> Double? {
      guard let angle else { return nil }
      let value = values[row + angle.channel] * angle.unit
      return value.isFinite ? value : nil
    }
    if tiltX != nil || tiltY != nil {
      let limit = 1.57
      func slope(_ angle: Double?) -> Double {
        let angle = min(max(angle ?? 0, -limit), limit)
        return mathSine(angle) / mathCosine(angle)
      }
      let (x, y) = (slope(value(tiltX)), slope(value(tiltY)))
      let lean = (x * x + y * y).squareRoot()
      point.altitude = mathArcTangent(1, lean)
      if lean > 0 { point.azimuth = mathArcTangent(y, x) }
    }
    if let angle = value(azimuth) { point.azimuth = mathRemainder(angle, 2 * .pi) }
    if let angle = value(elevation) { point.altitude = min(max(angle, 0), .pi / 2) }
  }
}
