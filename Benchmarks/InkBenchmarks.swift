import Graphics
import Measurement
import Rasterization
import Strokes

/// The time to draw a page of handwriting in each ink, compared with the pen, and thumbnails of
/// nibs of any width.
enum InkBenchmarks {
  static func figures(_ effort: Effort) -> [Figure] {
    let inks = PKInkingTool.InkType.known
    let renderer = Renderer(
      RenderOptions(region: Rect(x: 0, y: 0, width: 1024, height: 1366)))
    let pages = inks.map { Workload.handwriting(strokeCount: 400, pointCount: 60, ink: $0) }
    let renderings = pages.map { try? renderer.rendering(of: $0) }
    let whole = times(effort, pages.map { page in { consume(try? renderer.picture(of: page)) } })
    let drawing = times(effort, renderings.map { rendering in { consume(rendering?.pixmap) } })
    return wideNibs(effort)
      + inks.indices.flatMap { ink in
        let name = "ink, page of \(inks[ink].name)"
        return [
          Figure("\(name), from strokes to pixels", "ms", whole[ink].map { $0 * 1e3 }),
          Figure("\(name), drawing alone", "ms", drawing[ink].map { $0 * 1e3 }),
          Figure(
            "\(name), drawing against the pen", "times",
            zip(drawing[ink], drawing[0]).map { $0 / $1 }, goal: .atMost(3)),
        ]
      }
  }

  /// The time to draw thumbnails of 64 pixels of strokes with one point that is far wider than the
  /// others.
  private static func wideNibs(_ effort: Effort) -> [Figure] {
    let options = RenderOptions(extent: .longerSide(64), margin: .ofThumbnails)
    let widths: [Double] = [1, 10, 100, 1_000, 10_000, 100_000, 1e6]
    var cases: [(ink: PKInkingTool.InkType, width: Double, count: Int)] = []
    for ink in PKInkingTool.InkType.known {
      for width in widths { cases += [1, 10].map { (ink, width, $0) } }
    }
    let drawings = cases.map { row in
      PKDrawing(
        strokes: (0..<row.count).map { wideStroke(row.ink, width: row.width, at: 20 * Double($0)) })
    }
    let taken = times(
      effort, drawings.map { drawing in { consume(try? Renderer(options).picture(of: drawing)) } })
    return zip(cases, taken).map { row, seconds in
      let name = "\(row.count) × \(row.ink.name), \(Int(row.width)) points wide"
      let goal = Figure.Goal.atMost(row.count == 1 ? 20 : 100)
      return Figure("ink, thumbnail of \(name)", "ms", seconds.map { $0 * 1e3 }, goal: goal)
    }
  }

  private static func wideStroke(
    _ ink: PKInkingTool.InkType, width: Double, at left: Double
  ) -> PKStroke {
    let points = (0..<12).map { number in
      let side = number == 6 ? width : 3
      return PKStrokePoint(
        location: Point(x: left + 5 * Double(number), y: 7 * Double(number)),
        timeOffset: 0.01 * Double(number), size: Size(width: side, height: side), opacity: 1,
        force: 1, azimuth: 0, altitude: 1)
    }
    return PKStroke(ink: PKInk(ink, color: .black), path: PKStrokePath(controlPoints: points))
  }
}
