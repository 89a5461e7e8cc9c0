import Glibc
import Graphics
import Measurement
import PNGFormat
import System

/// Encodes the frames of a harness as APNG, and prints a line of JSON:
///
///     Benchmarks apng [--unknown] [--source] [--any] FRAMES.rgb RECTS.txt W H N OUT.png [RUNS]
///
/// Frames are raw rows of three bytes per pixel, rectangles lines of `x0 y0 x1 y1`. Copying a frame
/// onto the canvas is not timed. With `--unknown` the encoder has to find the rectangles, with
/// `--source` all of their pixels are stored, with `--any` pixels may be transparent.
enum APNGContender {
  static func run(_ arguments: [String]) -> Int32 {
    var words = arguments
    let options = Set(words.filter { $0.hasPrefix("--") })
    words.removeAll { $0.hasPrefix("--") }
    guard
      6...7 ~= words.count, let width = Int(words[2]), let height = Int(words[3]),
      let count = Int(words[4]), let frames = fopen(words[0], "r")
    else {
      print("{\"unsupported\": \"usage: apng [OPTION…] FRAMES.rgb RECTS.txt W H N OUT [RUNS]\"}")
      return 2
    }
    defer { fclose(frames) }
    let rectangles = rectangles(in: words[1])
    guard rectangles.count >= count else { return 1 }
    let replay = Replay(frames, width, height, rectangles)
    var (times, bytes): ([Double], [UInt8]) = ([], [])
    for _ in 0..<(words.count > 6 ? Int(words[6]) ?? 1 : 1) {
      guard let (time, file) = try? replay.encode(count, options) else { return 1 }
      times.append(time * 1e3)
      bytes = file
    }
    times.sort()
    let time = times[times.count / 2]
    if let file = fopen(words[5], "w") {
      fwrite(bytes, 1, bytes.count, file)
      fclose(file)
    }
    print(
      """
      {"name": "\((["pentimento"] + options.sorted()).joined(separator: ":"))", "ms": \(time), \
      "ms_per_frame": \(time / Double(count)), "ms_min": \(times[0]), "size": \(bytes.count)}
      """)
    return 0
  }

  private static func rectangles(in path: String) -> [PixelRect] {
    String(decoding: contents(of: path), as: UTF8.self).split(separator: "\n").compactMap { line in
      let sides = line.split(separator: " ").compactMap { Int($0) }
      guard sides.count == 4, sides[0] <= sides[2], sides[1] <= sides[3] else { return nil }
      return PixelRect(columns: sides[0]..<sides[2], rows: sides[1]..<sides[3])
    }
  }

}

/// The frames in a file, and a canvas that shows them in order.
private struct Replay {
  private let file: UnsafeMutablePointer<FILE>
  private let canvas: Pixmap
  private let rectangles: [PixelRect]

  init(
    _ file: UnsafeMutablePointer<FILE>, _ width: Int, _ height: Int, _ rectangles: [PixelRect]
  ) {
    (self.file, self.rectangles) = (file, rectangles)
    canvas = Pixmap(width: width, height: height)
  }

  /// Copies the pixels of a frame in a rectangle onto the canvas.
  private func show(_ frame: Int, _ rectangle: PixelRect) {
    var row = [UInt8](repeating: 0, count: 3 * rectangle.width)
    for y in rectangle.rows {
      let pixel = (frame * canvas.height + y) * canvas.width + rectangle.columns.lowerBound
      fseek(file, 3 * pixel, SEEK_SET)
      fread(&row, 1, row.count, file)
      let pixels = canvas.memory.base + y * canvas.memory.bytesPerRow
      for (index, x) in rectangle.columns.enumerated() {
        let color = (0..<3).reduce(UInt32(0xFF00_0000)) {
          $0 | UInt32(row[3 * index + $1]) << UInt32(8 * $1)
        }
        pixels.storeBytes(of: color.littleEndian, toByteOffset: 4 * x, as: UInt32.self)
      }
    }
  }

  /// Encodes all frames, and returns the seconds and the file. The colours are taken from the last
  /// frame.
  func encode(_ count: Int, _ options: Set<String>) throws -> (Double, [UInt8]) {
    let whole = PixelRect(width: canvas.width, height: canvas.height)
    show(count - 1, whole)
    var bytes: [UInt8] = []
    var start = MonotonicTime.now
    let colors: FrameColors =
      options.contains("--any")
      ? .any : options.contains("--source") ? .opaque(unused: nil) : FrameColors(of: canvas)
    let encoder = try APNGEncoder(
      PNGProperties(width: canvas.width, height: canvas.height, isOpaque: true),
      frameCount: count, colors: colors)
    var time = MonotonicTime.now - start
    for frame in 0..<count {
      show(frame, frame == 0 ? whole : rectangles[frame])
      start = MonotonicTime.now
      try encoder.add(
        canvas, changed: options.contains("--unknown") ? nil : [rectangles[frame]],
        lasting: FrameDuration(1, over: 30))
      bytes += encoder.takeBytes()
      time += MonotonicTime.now - start
    }
    try encoder.finish()
    return (time, bytes + encoder.takeBytes())
  }
}
