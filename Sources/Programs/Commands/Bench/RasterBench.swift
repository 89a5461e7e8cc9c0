import InkFiles
import Graphics
import ForeignInk
import Measurement
import Rasterization

/// Strokes to pixels.
enum RasterBench {
  static func figures(_ input: BenchInput, _ plan: BenchPlan) throws -> [Figure] {
    let options = RenderOptions()
    var wide = options
    wide.threads = plan.threads
    var small = options
    (small.extent, small.margin) = (.longerSide(256), .ofThumbnails)
    let page = try Renderer(options).rendering(of: input.strokes, on: input.file.canvas)
    let thumbnail = try Renderer(small).rendering(of: input.strokes, on: input.file.canvas)
    var rows: [(name: String, options: RenderOptions, size: Rendering)] = [
      ("\(page.width)×\(page.height), 1 thread", options, page)
    ]
    if plan.threads > 1 { rows.append(("the same, \(plan.threads) threads", wide, page)) }
    rows.append(("thumbnail, \(thumbnail.width)×\(thumbnail.height)", small, thumbnail))
    let samples = try samples(
      plan.effort,
      rows.map { row in
        Work(threads: row.options.threads) {
          consume(try? Renderer(row.options).picture(of: input.strokes, on: input.file.canvas))
        }
      })
    return zip(rows, samples).map { row, samples in
      Figure.milliseconds(row.name, samples) { seconds in
        let pixels = Double(row.size.width * row.size.height)
        let points = Double(input.pointCount)
        return (points > 0 ? [Figure.Detail(points / seconds, "points/s")] : [])
          + [Figure.Detail(pixels / seconds, "px/s")]
      }
    }
  }
}
