import Glibc
import Graphics
import Strokes

/// Drawings to measure with, the same on every machine.
enum Workloads {
  /// A page like a real one of handwriting: 835 strokes of 24 points each, with pressure and tilt.
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

  /// A single stroke as long as a real one of an Apple Pencil.
  static func longStroke(pointCount: Int = 1506) -> PKDrawing {
    PKDrawing(strokes: [stroke(.pen, pointCount: pointCount, origin: .zero, seed: 1)])
  }

  /// A page of 1024×1366 points with lines of words in several colours, 24,000 control points; or fewer words
  /// on a narrower page.
  static func page(words: Int = 400, columns: Int = 14) -> PKDrawing {
    let inks = [
      Color(red: 0.08, green: 0.08, blue: 0.1), Color(red: 0.1, green: 0.2, blue: 0.6),
      Color(red: 0.7, green: 0.1, blue: 0.15),
    ]
    return PKDrawing(
      strokes: (0..<words).map { word in
        let (seed, left) = (Double(word), 30 + 64 * Double(word % columns))
        let top = 50 + 43.6 * (Double(word / columns) + 0.5)
        let points = (0..<60).map { index in
          let k = Double(index)
          let t = k * (0.27 + 0.02 * sin(seed))
          let swell = min(1, (k + 1) / 6, (60 - k) / 8)
          let width = 1.5 + 2.5 * swell * (0.5 + 0.5 * sin(0.21 * k + seed))
          return PKStrokePoint(
            location: Point(
              x: left + 0.7 * k + 5 * cos(t + seed), y: top + 13 * sin(t + seed) + sin(0.1 * k)),
            timeOffset: k / 120, size: Size(width: width, height: width), opacity: 1, force: 1,
            azimuth: 0, altitude: .pi / 2)
        }
        return PKStroke(
          ink: PKInk(.pen, color: inks[word % inks.count], widthLaw: .plain),
          path: PKStrokePath(
            controlPoints: points,
            creationDate: Timestamp(secondsSinceReferenceDate: 8e8 + seed)),
          randomSeed: 1, id: Identifier(high: 2, low: UInt64(word)))
      })
  }

  /// Strokes of 61 control points that wander over a page of 1024×1366 points, each a sixth of a second
  /// long, without pauses.
  static func wanderings(_ count: Int = 60, pointCount: Int = 61) -> PKDrawing {
    var state: UInt64 = 21
    func random(_ low: Double, _ high: Double) -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return low + (high - low) * Double(state >> 33) / Double(1 << 31)
    }
    return PKDrawing(
      strokes: (0..<count).map { number in
        var location = Point(x: random(60, 964), y: random(60, 1306))
        var heading = random(0, 6.28)
        let bend = random(-0.12, 0.12)
        let points = (0..<pointCount).map { index in
          heading += bend + random(-0.2, 0.2)
          let step = Point(x: 7 * cos(heading), y: 7 * sin(heading))
          if !(20..<1004).contains(location.x + step.x)
            || !(20..<1346).contains(location.y + step.y)
          {
            heading += 2.5
          } else {
            location += step
          }
          let width = 5.5 + 2.5 * sin(0.15 * Double(index))
          return PKStrokePoint(
            location: location, timeOffset: Double(index) / Double(pointCount - 1) / 6,
            size: Size(width: width, height: width), opacity: 1, force: 1, azimuth: 0,
            altitude: .pi / 2)
        }
        return PKStroke(
          ink: PKInk(.pen, color: Color(red: 0.1, green: 0.1, blue: 0.14), widthLaw: .plain),
          path: PKStrokePath(
            controlPoints: points,
            creationDate: Timestamp(secondsSinceReferenceDate: 8e8 + Double(number) / 6)),
          randomSeed: 1, id: Identifier(high: 4, low: UInt64(number)))
      })
  }

  /// A page of 1024×1366 points full of one pencil's grain.
  static func shading() -> PKDrawing {
    PKDrawing(
      strokes: (0..<44).map { line in
        let points = (0..<64).map { index in
          PKStrokePoint(
            location: Point(x: Double(index) * 16.5, y: Double(line) * 31.5 + 10),
            timeOffset: Double(index) / 120, size: Size(width: 30, height: 30), opacity: 1,
            force: 1,
            azimuth: 0, altitude: .pi / 2)
        }
        return PKStroke(
          ink: PKInk(.pencil, widthLaw: .plain),
          path: PKStrokePath(
            controlPoints: points, creationDate: Timestamp(secondsSinceReferenceDate: 8e8)),
          randomSeed: UInt32(line), id: Identifier(high: 3, low: UInt64(line)))
      })
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
