import CMath
import Graphics
package import Strokes

/// Drawings for measurements, the same on every machine.
package enum Workload {
  /// A page like a real one of handwriting: 835 strokes of 24 points each, with pressure and tilt.
  package static func handwriting(
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
  package static func longStroke(pointCount: Int = 1506) -> PKDrawing {
    PKDrawing(strokes: [stroke(.pen, pointCount: pointCount, origin: .zero, seed: 1)])
  }

  /// A page of 1024×1366 points with lines of words in several colours, 24,000 control points; or
  /// fewer words on a narrower page.
  package static func page(words: Int = 400, columns: Int = 14) -> PKDrawing {
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
          let t = k * (0.27 + 0.02 * mathSine(seed))
          let swell = min(1, (k + 1) / 6, (60 - k) / 8)
          let width = 1.5 + 2.5 * swell * (0.5 + 0.5 * mathSine(0.21 * k + seed))
          return PKStrokePoint(
            location: Point(
              x: left + 0.7 * k + 5 * mathCosine(t + seed),
              y: top + 13 * mathSine(t + seed) + mathSine(0.1 * k)),
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

  /// Strokes of 61 control points that wander over a page of 1024×1366 points, or a multiple of it,
  /// each a sixth of a second long, without pauses.
  package static func wanderings(
    _ count: Int = 60, pointCount: Int = 61, scale: Double = 1
  ) -> PKDrawing {
    let ink = PKInk(.pen, color: Color(red: 0.1, green: 0.1, blue: 0.14), widthLaw: .plain)
    return wanderings(count, pointCount: pointCount, scale: scale) { _ in (ink, 1) }
  }

  /// Broad strokes of a marker on a page of 1024×1366 points, in three colours that mix.
  package static func highlights() -> PKDrawing {
    let colors = [
      Color(red: 1, green: 0.85, blue: 0.3), Color(red: 0.5, green: 0.9, blue: 0.5),
      Color(red: 0.4, green: 0.7, blue: 1),
    ]
    return wanderings(40, pointCount: 61) { number in
      (PKInk(.marker, color: colors[number % colors.count], widthLaw: .plain), 5)
    }
  }

  /// A drawing of 28×28 points: one stroke of 30 control points, like a written digit.
  package static func digit() -> PKDrawing {
    let points = (0..<30).map { index in
      let t = Double(index) / 29
      return PKStrokePoint(
        location: Point(x: 14 + 8 * mathSine(5 * t) * (1 - 0.3 * t), y: 4 + 20 * t), timeOffset: t,
        size: Size(width: 2.4, height: 2.4), opacity: 1, force: 1, azimuth: 0, altitude: .pi / 2)
    }
    return PKDrawing(strokes: [
      PKStroke(
        ink: PKInk(.pen, widthLaw: .plain),
        path: PKStrokePath(
          controlPoints: points, creationDate: Timestamp(secondsSinceReferenceDate: 8e8)),
        randomSeed: 1, id: Identifier(high: 6, low: 1))
    ])
  }

  /// One stroke across a page of 8000×8000 points.
  package static func poster() -> PKDrawing {
    let points = (0..<1500).map { index in
      let t = Double(index) / 1499
      return PKStrokePoint(
        location: Point(x: 400 + 7200 * t, y: 4000 + 3000 * mathSine(20 * t)), timeOffset: 6 * t,
        size: Size(width: 12, height: 12), opacity: 1, force: 1, azimuth: 0, altitude: .pi / 2)
    }
    return PKDrawing(strokes: [
      PKStroke(
        ink: PKInk(
          .pen, color: Color(red: 0.1, green: 0.2, blue: 0.6), widthLaw: .plain),
        path: PKStrokePath(
          controlPoints: points, creationDate: Timestamp(secondsSinceReferenceDate: 8e8)),
        randomSeed: 1, id: Identifier(high: 7, low: 1))
    ])
  }

  /// A page of 1024×1366 points with broad and fine strokes in six inks, two thirds of which have a
  /// texture.
  package static func sketch() -> PKDrawing {
    func ink(_ kind: PKInk.InkType, _ red: Double, _ green: Double, _ blue: Double) -> PKInk {
      PKInk(kind, color: Color(red: red, green: green, blue: blue), widthLaw: .plain)
    }
    let tools = [
      (ink(.watercolor, 0.35, 0.6, 0.85), 7.0), (ink(.pencil, 0.25, 0.25, 0.28), 1.2),
      (ink(.crayon, 0.85, 0.45, 0.2), 3), (ink(.pen, 0.1, 0.1, 0.14), 0.6),
      (ink(.pencil, 0.3, 0.3, 0.3), 0.8), (ink(.marker, 1, 0.85, 0.3), 4),
    ]
    return wanderings(90, pointCount: 61) { tools[$0 % tools.count] }
  }

  /// Strokes of all inks with the default widths of new tools, on a page of 1024×1366 points.
  package static func mixedInks(_ count: Int) -> PKDrawing {
    let colors = [
      Color(red: 0.1, green: 0.1, blue: 0.14), Color(red: 0.85, green: 0.45, blue: 0.2),
      Color(red: 0.35, green: 0.6, blue: 0.85),
    ]
    return wanderings(count, pointCount: 61) { number in
      let kind = PKInk.InkType.known[number % PKInk.InkType.known.count]
      let ink = PKInk(kind, color: colors[number % colors.count], widthLaw: .plain)
      return (ink, kind.defaultWidth / 4)
    }
  }

  /// A small drawing of 20 loops in bright colours, as people draw it in a few seconds on a phone.
  package static func doodle() -> PKDrawing {
    let kinds: [PKInk.InkType] = [.monoline, .pen, .marker, .crayon]
    return PKDrawing(
      strokes: (0..<20).map { number in
        let k = Double(number)
        let center = Point(x: 215 + 130 * mathSine(2.4 * k), y: 380 + 240 * mathCosine(1.7 * k))
        let points = (0..<40).map { index in
          let t = Double(index) * 0.22
          let width = number % 4 == 2 ? 14 : 4 + mathSine(t)
          return PKStrokePoint(
            location: center
              + Point(x: (30 + 2 * k) * mathSine(t + k), y: 45 * mathCosine(1.3 * t)),
            timeOffset: Double(index) / 120, size: Size(width: width, height: width), opacity: 1,
            force: 1 + 0.3 * mathSine(t), azimuth: 0.8, altitude: 1)
        }
        let color = Color(
          red: 0.5 + 0.4 * mathSine(k), green: 0.5 + 0.4 * mathSine(k + 2),
          blue: 0.5 + 0.4 * mathSine(k + 4))
        return PKStroke(
          ink: PKInk(kinds[number % kinds.count], color: color, widthLaw: .plain),
          path: PKStrokePath(
            controlPoints: points,
            creationDate: Timestamp(secondsSinceReferenceDate: 8e8 + 0.6 * k)),
          randomSeed: UInt32(number), id: Identifier(high: 5, low: UInt64(number)))
      })
  }

  private static func wanderings(
    _ count: Int, pointCount: Int, scale page: Double = 1,
    tool: (Int) -> (ink: PKInk, width: Double)
  ) -> PKDrawing {
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
        let (ink, scale) = tool(number)
        let points = (0..<pointCount).map { index in
          heading += bend + random(-0.2, 0.2)
          let step = Point(x: 7 * mathCosine(heading), y: 7 * mathSine(heading))
          if !(20..<1004).contains(location.x + step.x)
            || !(20..<1346).contains(location.y + step.y)
          {
            heading += 2.5
          } else {
            location += step
          }
          let width = scale * (5.5 + 2.5 * mathSine(0.15 * Double(index)))
          return PKStrokePoint(
            location: location * page, timeOffset: Double(index) / Double(pointCount - 1) / 6,
            size: Size(width: page * width, height: page * width), opacity: 1, force: 1, azimuth: 0,
            altitude: .pi / 2)
        }
        return PKStroke(
          ink: ink,
          path: PKStrokePath(
            controlPoints: points,
            creationDate: Timestamp(secondsSinceReferenceDate: 8e8 + Double(number) / 6)),
          randomSeed: 1, id: Identifier(high: 4, low: UInt64(number)))
      })
  }

  /// A page of 1024×1366 points full of one pencil's grain.
  package static func shading() -> PKDrawing {
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
        location: origin + Point(x: 9 * mathSine(t) + t, y: 14 * mathCosine(1.3 * t)),
        timeOffset: Double(index) / 240,
        size: Size(width: 3 + mathSine(t), height: 3 + mathSine(t)),
        opacity: 1, force: 1 + 0.5 * mathSine(0.7 * t), azimuth: 0.8 + 0.1 * mathSine(0.2 * t),
        altitude: 0.9 + 0.05 * mathCosine(0.3 * t))
    }
    return PKStroke(
      ink: PKInk(ink, widthLaw: ink == .pen ? .pencilKit : .plain),
      path: PKStrokePath(
        controlPoints: points,
        creationDate: Timestamp(secondsSinceReferenceDate: 8e8 + Double(seed))),
      randomSeed: UInt32(seed), id: Identifier(high: 1, low: UInt64(seed)))
  }
}
