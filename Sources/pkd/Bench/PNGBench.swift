import Graphics
import Interchange
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
    let libpng = try LibPNGEncoder.encode(picture, isOpaque: isOpaque)
    var rows: [(name: String, body: () -> Void)] = [
      ("write fast, 1 thread", { consume(try? encoded(.fast)) })
    ]
    if plan.threads > 1 {
      rows.append(
        (
          "write fast, \(plan.threads) threads",
          { consume(try? encoded(.fast, threads: plan.threads)) }
        ))
    }
    rows += [
      ("write small, 1 thread", { consume(try? encoded(.small)) }),
      (
        "write by libpng",
        { consume(try? LibPNGEncoder.encode(picture, isOpaque: isOpaque)) }
      ),
      ("read the fast one", { consume(try? PNGDecoder().decode(fast)) }),
      ("read libpng's", { consume(try? PNGDecoder().decode(libpng)) }),
    ]
    let pixelBytes = Double(4 * picture.width * picture.height)
    return zip(rows, times(plan.effort, rows.map(\.body))).map { row, samples in
      Figure.milliseconds(row.name, samples) { seconds in
        // Of pixels with four bytes, in any form of the file.
        [Figure.Detail(pixelBytes / seconds, "bytes/s")]
      }
    } + [
      Figure("size, fast", "bytes", [Double(fast.count)]),
      Figure("size, small", "bytes", [Double(small.count)]),
      Figure("size, libpng", "bytes", [Double(libpng.count)]),
    ]
  }
}
