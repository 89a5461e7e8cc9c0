import CRasterKernels
import Glibc
import Graphics
import Measurement
import Rasterization
import System
import Threads

/// Draws the workloads of a harness that compares rasterizers, and prints a line of JSON for each
/// frame:
///
///     Benchmarks raster WORKLOAD.bin RUNS [--dump FILE] [--fine] [--threads N]
enum RasterContender {
  static func run(_ arguments: [String]) -> Int32 {
    var words = arguments
    let isFine = words.contains("--fine")
    words.removeAll { $0 == "--fine" }
    var dump: String?
    if let index = words.firstIndex(of: "--dump"), index + 1 < words.count {
      dump = words[index + 1]
      words.removeSubrange(index...index + 1)
    }
    var threads = 1
    if let index = words.firstIndex(of: "--threads"), index + 1 < words.count {
      threads = max(Int(words[index + 1]) ?? 1, 1)
      words.removeSubrange(index...index + 1)
    }
    guard words.count == 2, let runs = Int(words[1]), let work = Workload(path: words[0]) else {
      print(
        "{\"unsupported\": \"usage: raster WORKLOAD.bin RUNS [--dump FILE] [--fine] [--threads N]\"}"
      )
      return 2
    }
    guard work.kind == 0 else {
      print("{\"unsupported\": \"strokes only\"}")
      return 0
    }
    print("{\"info\": \"Pentimento, \(isFine ? "16×16" : "8×8") samples\"}")
    let canvas = Pixmap(width: work.width, height: work.height)
    let painters = (0..<threads).map { _ in TilePainter(samples: isFine ? 16 : 8) }
    var scenes = painters.map { _ in
      Scene(width: work.width, height: work.height, background: .white)
    }
    for frame in 0...runs {
      let start = MonotonicTime.now
      for drawing in work.drawings { draw(drawing, of: work, &scenes, painters, canvas) }
      let end = MonotonicTime.now
      if frame > 0 { print("{\"ms\": \((end - start) * 1e3)}") }
    }
    if let dump { write(canvas, to: dump) }
    return 0
  }

  private static func draw(
    _ items: Range<Int>, of work: Workload, _ scenes: inout [Scene], _ painters: [TilePainter],
    _ canvas: Pixmap
  ) {
    if scenes.count == 1 {
      work.add(items, to: &scenes[0])
    } else {
      scenes.add(work, items)
    }
    canvas.fill(scenes[0].background)
    scenes.paint(painters, into: canvas)
  }

  private static func write(_ canvas: Pixmap, to path: String) {
    guard let file = fopen(path, "w") else { return }
    defer { fclose(file) }
    for y in 0..<canvas.height {
      canvas.withRow(y) { _ = fwrite($0.baseAddress, 1, $0.count, file) }
    }
  }
}

/// A file of strokes to draw.
private struct Workload {
  struct Item {
    let first: Int
    let count: Int
    let width: Float
    let color: Pixel8
  }

  struct Point {
    let x: Float
    let y: Float
    let width: Float
  }

  let kind: UInt32
  let width: Int
  let height: Int
  let scale: Float
  let hasWidths: Bool
  let items: [Item]
  let points: [Point]
  let drawings: [Range<Int>]

  init?(path: String) {
    let bytes = contents(of: path)
    func word(_ offset: Int) -> UInt32 {
      (0..<4).reduce(0) { $0 | UInt32(bytes[offset + $1]) << UInt32(8 * $1) }
    }
    func float(_ offset: Int) -> Float { Float(bitPattern: word(offset)) }
    guard bytes.count >= 64, Array(bytes[..<4]) == Array("INKW".utf8) else { return nil }
    kind = word(8)
    (width, height) = (Int(word(12)), Int(word(16)))
    scale = float(20)
    let counts = (items: Int(word(24)), points: Int(word(28)), drawings: Int(word(32)))
    hasWidths = word(36) != 0
    let pointBytes = kind == 2 ? 16 : 12
    guard
      bytes.count >= 64 + 16 * counts.items + pointBytes * counts.points + 8 * counts.drawings
    else { return nil }
    items = (0..<counts.items).map { number in
      let offset = 64 + 16 * number
      return Item(
        first: Int(word(offset)), count: Int(word(offset + 4)), width: float(offset + 8),
        color: Pixel8(
          red: bytes[offset + 12], green: bytes[offset + 13], blue: bytes[offset + 14],
          alpha: bytes[offset + 15]))
    }
    let firstPoint = 64 + 16 * counts.items
    points =
      kind == 2
      ? []
      : (0..<counts.points).map { number in
        let offset = firstPoint + 12 * number
        return Point(x: float(offset), y: float(offset + 4), width: float(offset + 8))
      }
    let firstDrawing = firstPoint + pointBytes * counts.points
    drawings = (0..<counts.drawings).map { number in
      let offset = firstDrawing + 8 * number
      let first = Int(word(offset))
      return first..<first + Int(word(offset + 4))
    }
  }

  /// Replaces the content of a scene by some items.
  func add(_ range: Range<Int>, to scene: inout Scene) {
    scene.removeAll()
    for item in items[range] {
      let paint = RasterPaint(
        red: item.color.red, green: item.color.green, blue: item.color.blue,
        alpha: item.color.alpha, mixing: 255, mix: 0)
      scene.add(paint) { paths in
        paths.addPolyline(count: item.count) { index in
          let point = points[item.first + index]
          let width = hasWidths ? point.width : item.width
          return (point.x * scale, point.y * scale, width * 0.5 * scale)
        }
      }
    }
  }
}

extension [Scene] {
  /// Distributes items over consecutive scenes, each on a thread of its own.
  fileprivate mutating func add(_ work: Workload, _ items: Range<Int>) {
    let parts = count
    withUnsafeMutableBufferPointer { scenes in
      nonisolated(unsafe) let scenes = scenes
      Lanes.run(parts) { lane in
        let first = items.lowerBound + items.count * lane / parts
        let end = items.lowerBound + items.count * (lane + 1) / parts
        work.add(first..<end, to: &scenes[lane])
      }
    }
  }
}
