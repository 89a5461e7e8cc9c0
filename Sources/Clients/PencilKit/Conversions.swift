import Foundation
import Graphics
import Strokes

// Conversions between the types of Foundation and those of the modules below, which do not import
// Foundation.

extension CGPoint {
  init(_ point: Point) { self.init(x: point.x, y: point.y) }
}

extension Point {
  init(_ point: CGPoint) { self.init(x: Double(point.x), y: Double(point.y)) }

  /// The nearest point that can be stored: coordinates beyond the range of 32-bit floats are
  /// clamped, and NaN becomes 0.
  init(storable point: CGPoint) {
    self.init(x: Double(storable: Double(point.x)), y: Double(storable: Double(point.y)))
  }
}

extension Double {
  /// The nearest finite 32-bit float, as archives store it.
  init(storable value: Double) { self = Double(Float(nearestFinite: value)) }
}

extension CGRect {
  /// A rectangle; both kinds have a null rectangle, but its numbers differ.
  init(_ rect: Rect) {
    self =
      rect.isNull
      ? .null : CGRect(x: rect.minX, y: rect.minY, width: rect.width, height: rect.height)
  }
}

extension Rect {
  init(_ rect: CGRect) {
    self =
      rect.isNull
      ? .null
      : Rect(
        x: Double(rect.origin.x), y: Double(rect.origin.y), width: Double(rect.size.width),
        height: Double(rect.size.height))
  }
}

extension UUID {
  init(_ id: Identifier) {
    let b = id.bytes
    self.init(
      uuid: (
        b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13],
        b[14], b[15]
      ))
  }
}

extension Identifier {
  init(_ id: UUID) {
    let u = id.uuid
    func number(_ bytes: [UInt8]) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    self.init(
      high: number([u.0, u.1, u.2, u.3, u.4, u.5, u.6, u.7]),
      low: number([u.8, u.9, u.10, u.11, u.12, u.13, u.14, u.15]))
  }
}

extension Timestamp {
  /// A date; an infinite date or NaN, which no archive can store, becomes the start of 2001.
  init(_ date: Date) {
    let seconds = date.timeIntervalSinceReferenceDate
    self.init(secondsSinceReferenceDate: seconds.isFinite ? seconds : 0)
  }
}

extension Date {
  init(_ moment: Timestamp) {
    self.init(timeIntervalSinceReferenceDate: moment.secondsSinceReferenceDate)
  }
}

extension ClosedRange<Double> {
  /// A range of parameter values. The bounds of an unchecked range may be NaN.
  init(_ range: ClosedRange<CGFloat>) {
    let (low, high) = (Double(range.lowerBound), Double(range.upperBound))
    self = low <= high ? low...high : 0...0
  }
}

extension ClosedRange<CGFloat> {
  init(_ range: ClosedRange<Double>) {
    self = CGFloat(range.lowerBound)...CGFloat(range.upperBound)
  }
}
