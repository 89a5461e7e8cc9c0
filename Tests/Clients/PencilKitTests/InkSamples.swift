import Foundation
import PencilKit

// Ink that several tests draw.

/// A point of an upright pen.
func penPoint(_ x: Double, _ y: Double, at time: Double = 0, width: Double = 5) -> PKStrokePoint {
  PKStrokePoint(
    location: CGPoint(x: x, y: y), timeOffset: time, size: CGSize(width: width, height: width),
    opacity: 1, force: 1, azimuth: 0, altitude: .pi / 2)
}

/// A straight line of ten points, 90 points long.
func line(
  from start: CGPoint = CGPoint(x: 10, y: 20), ink: PKInk = PKInk(.pen, color: .black),
  at date: Date = Date(timeIntervalSinceReferenceDate: 1000), seed: UInt32 = 1
) -> PKStroke {
  let points = (0..<10).map { index in
    penPoint(start.x + 10 * Double(index), start.y, at: Double(index) / 10)
  }
  return PKStroke(
    ink: ink, path: PKStrokePath(controlPoints: points, creationDate: date),
    transform: .identity, mask: nil, randomSeed: seed)
}

/// A closed curve of 41 points.
func circle(center: CGPoint, radius: Double) -> PKStroke {
  let points = (0...40).map { index -> PKStrokePoint in
    let angle = Double(index) / 40 * 2 * .pi
    return penPoint(
      center.x + radius * cos(angle), center.y + radius * sin(angle), at: Double(index) * 0.01)
  }
  return PKStroke(
    ink: PKInk(.pen, color: .red), path: PKStrokePath(controlPoints: points, creationDate: Date()))
}

/// A wave in which every value changes.
func wave(_ ink: PKInk = PKInk(.pencil, color: .blue)) -> PKStroke {
  let points = (0..<24).map { index in
    let part = Double(index) / 23
    return PKStrokePoint(
      location: CGPoint(x: 30 + 200 * part, y: 80 + 30 * sin(9 * part)), timeOffset: part * 1.5,
      size: CGSize(width: 4 + 4 * part, height: 5 + part), opacity: 0.3 + 0.7 * part,
      force: 0.2 + 3 * part, azimuth: 6 * part, altitude: 0.4 + part, secondaryScale: 0.5 + part,
      threshold: 0.1 * part, lateralJitter: 1 + part)
  }
  return PKStroke(
    ink: ink,
    path: PKStrokePath(
      controlPoints: points, creationDate: Date(timeIntervalSinceReferenceDate: 700_000_000.125)))
}

/// The width, height and colour type in the header of a PNG.
func pngHeader(_ data: Data) -> (width: Int, height: Int)? {
  guard data.count > 24, data.prefix(4) == Data([0x89, 0x50, 0x4E, 0x47]) else { return nil }
  func number(_ start: Int) -> Int { data[start..<start + 4].reduce(0) { $0 << 8 | Int($1) } }
  return (number(16), number(20))
}

func isClose(_ a: CGFloat, _ b: CGFloat, _ tolerance: CGFloat = 1e-3) -> Bool {
  abs(a - b) <= tolerance
}

func isClose(_ a: CGPoint, _ b: CGPoint, _ tolerance: CGFloat = 1e-3) -> Bool {
  isClose(a.x, b.x, tolerance) && isClose(a.y, b.y, tolerance)
}
