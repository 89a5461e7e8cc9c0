import InkFiles
import Graphics
import ForeignInk
import Measurement
import PNGFormat
import Rasterization

/// Pixels to PNG, and back.
enum PNGBench {
  static func figures(_ input: BenchInput, _ plan: BenchPlan) throws -> [Figure] {
    let rendering = try Renderer().rendering(of: input.strokes, on: input.file.canvas)
    let (picture, isOpaque) = (rendering.pixmap, rendering.background.alpha == 1)
    func encoded(_ effort: PNGEncoder.Effort, threads: Int = 1) throws(PNGError) -> [UInt8] {
      try PNGEncoder(effort: effort, threads: threads).encode(picture, isOpaque: isOpaque)
    }
    let (fast, small) = (try encoded(.fast), try encoded(.small))
    var rows = [("write fast, 1 thread", Work { consume(try? encoded(.fast)) })]
    if plan.threads > 1 {
      let work = Work(threads: plan.threads) {
        consume(try? encoded(.fast, threads: plan.threads))
      }
      rows.append(("write fast, \(plan.threads) threads", work))
    }
    rows += [
      ("write small, 1 thread", Work { consume(try? encoded(.small)) }),
      ("read the fast one", Work { consume(try? PNGDecoder().decode(fast)) }),
    ]
    let pixelBytes = Double(4 * picture.width * picture.height)
    return try zip(rows, samples(plan.effort, rows.map(\.1))).map { row, samples in
      Figure.milliseconds(row.0, samples) { seconds in
        // The rate refers to pixels of four bytes, for any pixel form of the file.
        [Figure.Detail(pixelBytes / seconds, "bytes/s")]
      }
    } + [
      Figure("size, fast", "bytes", [Double(fast.count)]),
      Figure("size, small", "bytes", [Double(small.count)]),
    ]
  }
}
