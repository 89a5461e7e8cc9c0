import Glibc
import Graphics
import Measurement
import PKDFormat
import PNGFormat
import Rasterization
import Strokes
import System
import Threads

/// All stages from the bytes of a recording to those of a picture.
enum PictureBenchmarks {
  /// The word on the command line of a process that renders one picture.
  static let childWord = "way-of"
  private static let page = Rect(x: 0, y: 0, width: 1024, height: 1366)

  static func figures(_ effort: Effort) -> [Figure] {
    let bytes = (try? PKDWriter.encode(Workload.page())) ?? []
    return stages(bytes, effort) + grain(effort) + [thumbnails(bytes, effort)]
  }

  /// A recording as PNG; nil if the bytes are not a recording.
  private static func picture(_ bytes: [UInt8], _ options: RenderOptions) -> [UInt8]? {
    guard let reader = try? PKDReader(bytes),
      let rendering = try? Renderer(options).rendering(of: reader)
    else { return nil }
    return try? PNGEncoder().encode(rendering, isOpaque: true, scale: rendering.scale)
  }

  /// Renders a picture in a fresh process, and prints the milliseconds that it took.
  static func printTime(of path: String) {
    let bytes = contents(of: path)
    let start = MonotonicTime.now
    let picture = picture(bytes, RenderOptions(region: page))
    print((MonotonicTime.now - start) * 1e3)
    consume(picture)
  }

  private static func stages(_ bytes: [UInt8], _ effort: Effort) -> [Figure] {
    let options = RenderOptions(region: page)
    guard let reader = try? PKDReader(bytes),
      let rendering = try? Renderer(options).rendering(of: reader)
    else { return [] }
    let cold = withTemporaryFile(bytes) { path in
      (0..<effort.samples).compactMap { _ in
        Double(output(of: "'\(CommandLine.arguments[0])' \(childWord) '\(path)'"))
      }
    }
    let warm = times(
      effort,
      [
        { consume(picture(bytes, options)) },
        { consume(try? PKDReader(bytes).readStrokes().value) },
        { consume(try? Renderer(options).rendering(of: reader)) },
        { rendering.forEachBand { consume($0) } },
        { consume(try? PNGEncoder().encode(rendering, isOpaque: true)) },
      ])
    func figure(_ name: String, _ samples: [Double], goal: Figure.Goal? = nil) -> Figure {
      Figure("picture, page of 24,000 points, \(name)", "ms", samples, goal: goal)
    }
    return [
      figure("from .pkd to PNG, in a fresh process", cold, goal: .atMost(4.5)),
      figure("from .pkd to PNG", warm[0].map { $0 * 1e3 }),
      figure("reading alone", warm[1].map { $0 * 1e3 }),
      figure("reading and preparing", warm[2].map { $0 * 1e3 }),
      figure("drawing alone", warm[3].map { $0 * 1e3 }),
      figure("drawing and writing", warm[4].map { $0 * 1e3 }),
    ]
  }

  /// Encoding a page full of pencil grain, without drawing it.
  private static func grain(_ effort: Effort) -> [Figure] {
    let options = RenderOptions(region: page)
    guard let rendering = try? Renderer(options).rendering(of: Workload.shading()) else {
      return []
    }
    let picture = rendering.pixmap
    let size = (try? PNGEncoder().encode(picture, isOpaque: true).count) ?? 0
    let samples = times(effort, [{ consume(try? PNGEncoder().encode(picture, isOpaque: true)) }])
    return [
      Figure(
        "picture, page of grain, writing alone", "ms", samples[0].map { $0 * 1e3 },
        goal: .atMost(3.5)),
      Figure("picture, page of grain, size", "kB", [Double(size) / 1e3], goal: .atMost(1400)),
    ]
  }

  /// Thumbnails of pages, two threads in one process.
  private static func thumbnails(_ bytes: [UInt8], _ effort: Effort) -> Figure {
    let options = RenderOptions(extent: .longerSide(256), region: page)
    let count = effort.samples < Effort.full.samples ? 2 : 32
    let samples = times(
      effort,
      [
        {
          Lanes.run(2) { lane in
            for _ in stride(from: lane, to: count, by: 2) { consume(picture(bytes, options)) }
          }
        }
      ])
    return Figure(
      "picture, thumbnails of a page on two threads", "1/s",
      samples[0].map { Double(count) / $0 }, goal: .atLeast(1000))
  }
}
