import Glibc
import Graphics
import TestSupport
import Testing

@testable import Strokes

@Suite struct `The bounds of a stroke` {
  @Test func `the bounds of a pen's dot include its soft edge`() {
    let dot = stroke(path([(100, 100)]))
    #expect(dot.renderBounds == Rect(x: 96, y: 96, width: 8, height: 8))
    #expect(dot.inkBounds() == Rect(x: 97, y: 97, width: 6, height: 6))
  }

  @Test func `the bounds of a straight pen line have the width of its law`() {
    let line = stroke(line(length: 100, y: 50))
    #expect(line.inkBounds() == Rect(x: -3, y: 47, width: 106, height: 6))
    #expect(line.renderBounds == Rect(x: -4, y: 46, width: 108, height: 8))
    #expect(line.inkBounds(in: 2...5) == Rect(x: 17, y: 47, width: 36, height: 6))
  }

  @Test func `the bounds of a stroke without visible ink are null`() {
    #expect(stroke(line(size: 2)).renderBounds.isNull)
    #expect(stroke(PKStrokePath()).renderBounds.isNull)
    var masked = stroke(line())
    masked.mask = Path()
    #expect(masked.renderBounds.isNull)
  }

  @Test func `the bounds of a stroke follow its transform`() {
    var turned = stroke(line(length: 100))
    turned.transform = AffineTransform(a: 0, b: 2, c: -1, d: 0, tx: 10, ty: 20)
    #expect(turned.inkBounds() == Rect(x: 7, y: 14, width: 6, height: 212))
  }

  @Test func `the bounds of a stroke are cut to its mask's box`() {
    var masked = stroke(line())
    masked.mask = Path(Rect(x: 20, y: -50, width: 30, height: 52))
    #expect(masked.inkBounds() == Rect(x: 20, y: -3, width: 30, height: 5))
  }

  @Test func `the bounds of a stroke are those of the archive until it changes`() {
    let bounds = Rect(x: 1, y: 2, width: 3, height: 4)
    let changes: [(inout PKStroke) -> Void] = [
      { $0.ink.color = .white }, { $0.path = line() }, { $0.transform = .identity },
      { $0.mask = nil }, { $0.pathRange = 0...1 },
    ]
    for change in changes {
      var archived = stroke(line())
      archived.archivedBounds = bounds
      #expect(archived.renderBounds == bounds)
      #expect(archived.renamed(name(2)).renderBounds == bounds)
      change(&archived)
      #expect(archived.renderBounds != bounds)
    }
  }

  @Test func `the bounds of a stroke include all its ink`() {
    var random = RandomInk(seed: 22)
    for _ in 0..<20 {
      var stroke = random.stroke(pointCount: 1...12)
      stroke.mask = nil
      let outline = stroke.outline().applying(stroke.transform)
      let (ink, box) = (stroke.inkBounds(), stroke.renderBounds)
      guard !ink.isNull else { continue }
      #expect(ink.grown(by: 0.1).contains(outline.bounds))
      #expect(box.contains(ink))
    }
  }

  /// The box of all nibs along a path, including those far inside.
  private func boxOfAllNibs(
    _ stroke: PKStroke, in range: ClosedRange<Double>? = nil, includingBleed: Bool = false
  ) -> Rect {
    var box = ExtentBuilder()
    for sample in stroke.nibChains(in: range).joined() {
      var nib = sample.nib
      if includingBleed { nib = nib.grown(by: stroke.ink.bleed(of: nib)) }
      box.include(
        nib.center.applying(stroke.transform), reach: nib.reach(through: stroke.transform))
    }
    return box.rect
  }

  @Test func `the bounds of a stroke equal those of all its nibs, bit for bit`() {
    var random = RandomInk(seed: 31)
    var drawn = 0
    for round in 0..<400 {
      var stroke = random.stroke(pointCount: 1...(round % 4 == 0 ? 200 : 30))
      stroke.mask = nil
      #expect(stroke.inkBounds() == boxOfAllNibs(stroke))
      let rounded = boxOfAllNibs(stroke, includingBleed: true).grown(by: 1).roundedOutwards
      #expect(stroke.renderBounds == rounded)
      let end = stroke.path.parameterRange.upperBound
      for _ in 0..<3 {
        let (a, b) = (random.number(0...1) * end, random.number(0...1) * end)
        let range = min(a, b)...max(a, b)
        #expect(stroke.inkBounds(in: range) == boxOfAllNibs(stroke, in: range))
      }
      if !stroke.inkBounds().isNull { drawn += 1 }
    }
    #expect(drawn > 200)
  }

  @Test func `the bounds of smooth strokes equal those of all nibs, bit for bit`() {
    for (number, type) in PKInkingTool.InkType.known.enumerated() {
      for law in [PKInk.WidthLaw.pencilKit, .plain] {
        let points = (0..<300).map { index in
          let angle = Double(index) / 23 + Double(number)
          return PKStrokePoint(
            location: Point(x: Double(index) + 40 * cos(angle), y: 60 * sin(angle * 1.7)),
            timeOffset: Double(index) / 100,
            size: Size(width: 4 + 3 * sin(angle / 3), height: 4 + 2 * cos(angle / 2)), opacity: 1,
            force: 1, azimuth: angle, altitude: 1)
        }
        for transform in [AffineTransform.identity, AffineTransform(rotation: 0.3)] {
          let stroke = PKStroke(
            ink: PKInk(type, widthLaw: law), path: PKStrokePath(controlPoints: points),
            transform: transform)
          #expect(stroke.inkBounds() == boxOfAllNibs(stroke))
          #expect(!stroke.inkBounds().isNull)
        }
      }
    }
  }

  @Test func `the bounds of a turning nib include more than both ends`() {
    let turning = PKStrokePath(
      controlPoints: [touch(0, 0, size: 7, azimuth: 0), touch(10, 0, size: 7, azimuth: 3)])
    let bounds = stroke(turning, .fountainPen).inkBounds()
    #expect(bounds.height > 9.9)
  }
}

@Suite struct `The nibs of a stroke` {
  @Test func `nibs get thinner where a pen lifts, until nothing is drawn`() throws {
    let lifting = PKStrokePath(controlPoints: [touch(0, 0, size: 6), touch(100, 0, size: 1)])
    // The size falls to 2, where the pen stops drawing, at x = 80.
    #expect(stroke(lifting).inkBounds().minX == -4)
    expectClose(stroke(lifting).inkBounds().maxX, 80, within: 0.1)
  }

  @Test func `nibs form several chains where the pen draws nothing in between`() {
    let sizes = [5.0, 5, 1, 1, 5, 5, 1, 5]
    let broken = PKStrokePath(
      controlPoints: sizes.enumerated().map { touch(Double($0) * 10, 0, size: $1) })
    let chains = stroke(broken).nibChains()
    #expect(chains.count == 3)
    #expect(chains.allSatisfy { !$0.isEmpty })
    #expect(stroke(broken, law: .plain).nibChains().count == 1)
    #expect(stroke(PKStrokePath()).nibChains().isEmpty)
    #expect(stroke(path([(1, 2)])).nibChains().map(\.count) == [1])
  }

  @Test(arguments: [1, 0.1, 0.01])
  func `nibs are so close that lines between them follow the curve`(tolerance: Double) {
    for chain in stroke(wandering).nibChains(tolerance: tolerance) {
      for (a, b) in zip(chain, chain.dropFirst()) {
        for step in 1..<8 {
          let u = Double(step) / 8
          let location = wandering.interpolatedLocation(
            at: a.parameter + (b.parameter - a.parameter) * u)
          #expect(
            location.distance(to: a.nib.center.interpolated(to: b.nib.center, at: u)) <= tolerance)
        }
      }
    }
  }
}

@Suite struct `The ink laid down between two moments` {
  private let drawn = line().withCreationDate(.referenceDate + 1000)

  private func bounds(_ from: Double, _ to: Double) -> Rect {
    stroke(drawn).inkBounds(from: .referenceDate + 1000 + from, to: .referenceDate + 1000 + to)
  }

  @Test func `the box of ink between two moments grows with time`() {
    // A hundredth of a second for every ten points.
    let half = bounds(0, 0.05)
    expectClose(half.maxX, 53, within: 1e-3)
    #expect(half.minX == -3)
    let middle = bounds(0.025, 0.055)
    expectClose(middle.minX, 22, within: 1e-3)
    expectClose(middle.maxX, 58, within: 1e-3)
    #expect(bounds(-5, 5) == stroke(drawn).inkBounds())
  }

  @Test func `no ink is laid down before and after the stroke`() {
    #expect(bounds(-5, -1).isNull)
    #expect(bounds(1, 5).isNull)
    #expect(bounds(0.05, 0.04).isNull)
    #expect(stroke(PKStrokePath()).inkBounds(from: .referenceDate, to: .referenceDate).isNull)
    let drawing = PKDrawing(strokes: [stroke(drawn)])
    #expect(drawing.inkBounds(from: .referenceDate, to: .referenceDate + 1).isNull)
    #expect(
      drawing.inkBounds(from: .referenceDate, to: .referenceDate + 1e4)
        == stroke(drawn).inkBounds())
  }

  @Test func `the ink of a single moment is only the nib`() {
    var random = RandomInk(seed: 23)
    for _ in 0..<200 {
      let moment = random.number(0...0.0999)
      let box = bounds(moment, moment)
      #expect(abs(box.width - 6) < 0.01, "at \(moment)")
    }
  }

  @Test func `a path has a range even if its clock stands still or runs back`() {
    for times in [[0, 0, 0], [0, 2, 1, 3], [3, 2, 1]] as [[Double]] {
      let path = PKStrokePath(
        controlPoints: times.enumerated().map { touch(Double($0) * 10, 0, time: $1) })
      let range = path.parameters(from: .referenceDate, to: .referenceDate + 9)
      #expect(range == path.parameterRange)
    }
  }
}
