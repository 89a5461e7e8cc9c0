import Graphics
import Rasterization
import Strokes
import TestSupport
import Testing

@testable import VectorExport

@Suite struct `The opacity of ink with texture` {
  /// A scribble that fills a square of 100 points with a number of overlapping lines.
  private func scribble(_ count: Int, width: Double, swelling: Double = 0) -> PKStrokePath {
    Samples.path(
      (0..<count).map { index in
        let isLeft = index % 2 == 0
        return (
          isLeft ? 50 : 150, 50 + 100 * Double(index) / Double(count),
          width * (isLeft ? 1 : 1 + swelling)
        )
      })
  }

  private func area(_ strokes: [PKStroke]) throws -> Double {
    let box = strokes.reduce(Rect.null) { $0.union($1.renderBounds) }
    var even = try #require(EvenArea(in: box, strokeCount: strokes.count, maximumVisits: 1e9))
    for stroke in strokes {
      let isAdded = even.add(stroke)
      #expect(isAdded)
    }
    return even.area
  }

  @Test func `measuring ink counts an area that a line covers twice once`() throws {
    let there = Samples.path([(20, 20, 8), (120, 20, 8)])
    // Three points make a corner.
    let back = Samples.path((0..<60).map { ($0 / 3 % 2 == 0 ? 20 : 120, 20, 8) })
    let disc = Samples.path([(20, 20, 8)])
    let line = 100 * 8 + Double.pi * 16
    for (path, expected) in [(there, line), (back, line), (disc, .pi * 16)] {
      let stroke = Samples.stroke(.watercolor, path)
      #expect(abs(try area([stroke]) / expected - 1) < 0.03)
      // A mirrored stroke on top, which runs in the opposite direction.
      let mirror = AffineTransform(a: -1, b: 0, c: 0, d: 1, tx: 140, ty: 0)
      let other = Samples.stroke(.watercolor, path, transform: mirror)
      let sum = path.count == 1 ? 2 * expected : expected
      #expect(abs(try area([stroke, other]) / sum - 1) < 0.03)
    }
  }

  @Test func `measuring ink counts only the visible area of a mask`() throws {
    var stroke = Samples.stroke(.crayon, Samples.path([(20, 20, 8), (120, 20, 8)]))
    stroke.mask = Path(Rect(x: 40, y: 0, width: 50, height: 100))
    #expect(abs(try area([stroke]) - 400) < 12)
    // A hole of 20 by 4 points.
    stroke.mask?.append(Path(Rect(x: 50, y: 18, width: 20, height: 4)))
    stroke.mask?.fillRule = .evenOdd
    #expect(abs(try area([stroke]) - 320) < 12)
    #expect(abs(try area([stroke, stroke]) - 320) < 12)
  }

  @Test(arguments: [PKInk.InkType.watercolor, .crayon, .pencil])
  func `crossings do not change the measured opacity`(type: PKInk.InkType) throws {
    func opacity(_ path: PKStrokePath) throws -> Double {
      let drawing = PKDrawing(strokes: [Samples.stroke(type, path)])
      return try #require(InkPaint.measured(of: drawing).paints.first).opacity
    }
    let once = try opacity(Samples.path([(20, 20, 12), (120, 20, 12), (220, 24, 12)]))
    for count in [24, 96] {
      // The width is constant, or changes, so that the stroke becomes an area.
      for swelling in [0, 0.4] {
        let path = scribble(count, width: 12, swelling: swelling)
        #expect(try opacity(path) > 0.85 * once, "\(count) lines, \(swelling): once \(once)")
      }
    }
  }

  @Test func `visible ink never has zero opacity`() throws {
    // More overlapping pieces than can be united.
    let stroke = Samples.stroke(.watercolor, scribble(600, width: 20, swelling: 0.5))
    var options = VectorOptions()
    options.isFlat = true
    let svg = try SVGExporter(options).svg(of: PKDrawing(strokes: [stroke]))
    #expect(String(decoding: svg, as: UTF8.self).contains("<path"))
  }

  @Test func `opacity is estimated where measuring takes too much work`() throws {
    var options = RenderOptions()
    options.colorSpace = .sRGB
    let small = Samples.stroke(.pencil, Samples.path([(20, 20, 6), (60, 20, 6)]))
    let large = Samples.stroke(.pencil, scribble(400, width: 90))
    let paint = InkPaint(small, options)
    var meter = OpacityMeter(options, maximumVisits: 0x1p20)
    let first = meter.opacity(of: [small], paint)
    #expect(meter.estimatedCount == 0)
    let estimated = meter.opacity(of: [large], paint)
    #expect(abs(estimated - first) < 0.011)
    #expect(meter.estimatedCount == 1)
    // A stroke alone keeps the opacity of its ink.
    var other = OpacityMeter(options, maximumVisits: 0x1p20)
    let alone = other.opacity(of: [large], paint)
    #expect(abs(alone - paint.opacity) < 0.011)
    // Without a limit there is enough work left for thousands of strokes.
    var free = OpacityMeter(options)
    for _ in 0..<20 { _ = free.opacity(of: [small], paint) }
    #expect(free.estimatedCount == 0 && free.visits < OpacityMeter.maximumVisits / 1_000)
  }
}
