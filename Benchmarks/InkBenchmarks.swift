import Measurement
import Workloads
import Graphics
import Rasterization
import Strokes

/// The time to draw a page of handwriting in each ink, compared with the pen.
enum InkBenchmarks {
  static func figures(_ effort: Effort) -> [Figure] {
    let inks = PKInkingTool.InkType.known
    let renderer = Renderer(
      RenderOptions(region: Rect(x: 0, y: 0, width: 1024, height: 1366)))
    let pages = inks.map { Workload.handwriting(strokeCount: 400, pointCount: 60, ink: $0) }
    let renderings = pages.map { try? renderer.rendering(of: $0) }
    let whole = times(effort, pages.map { page in { consume(try? renderer.picture(of: page)) } })
    let drawing = times(effort, renderings.map { rendering in { consume(rendering?.pixmap) } })
    return inks.indices.flatMap { ink in
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
}
