import Glibc
import Graphics
import Strokes

/// Drawings to measure with, the same on every machine.
enum Workloads {
  /// A page like the handwriting of a real one: 835 strokes, 24 points each, pressure and tilt.
  static func handwriting(
    strokeCount: Int = 835, pointCount: Int = 24, ink: PKInkingTool.InkType = .pen
  ) -> PKDrawing {
    PKDrawing(
      strokes: (0..<strokeCount).map { index in
        stroke(
          ink, pointCount: pointCount,
          origin: Point(x: Double(index % 28) * 26, y: Double(index / 28) * 44), seed: index)
      })
  }

  /// A single stroke as long as a real one of the Pencil's.
  static func longStroke(pointCount: Int = 1506) -> PKDrawing {
    PKDrawing(strokes: [stroke(.pen, pointCount: pointCount, origin: .zero, seed: 1)])
  }

  private static func stroke(
    _ ink: PKInkingTool.InkType, pointCount: Int, origin: Point, seed: Int
  ) -> PKStroke {
    let points = (0..<pointCount).map { index in
      let t = Double(index) * 0.35 + Double(seed % 17)
      return PKStrokePoint(
        location: origin + Point(x: 9 * sin(t) + t, y: 14 * cos(1.3 * t)),
        timeOffset: Double(index) / 240, size: Size(width: 3 + sin(t), height: 3 + sin(t)),
        opacity: 1, force: 1 + 0.5 * sin(0.7 * t), azimuth: 0.8 + 0.1 * sin(0.2 * t),
        altitude: 0.9 + 0.05 * cos(0.3 * t))
    }
    return PKStroke(
      ink: PKInk(ink, widthLaw: ink == .pen ? .pencilKit : .plain),
      path: PKStrokePath(
        controlPoints: points,
        creationDate: Timestamp(secondsSinceReferenceDate: 8e8 + Double(seed))),
      randomSeed: UInt32(seed), id: Identifier(high: 1, low: UInt64(seed)))
  }
}
