import Glibc
import Graphics
import Measurement
import PNGFormat
import System

/// Encodes the pictures of a harness that compares PNG encoders:
/// `Benchmarks png [--runs] [--effort E] [--threads N] FILE.rgba W H RUNS OUT.png` prints a line of
/// JSON. With `--runs` the encoder knows the groups of pixels with ink, as from a rasterizer.
enum PNGContender {
  static func run(_ arguments: [String]) -> Int32 {
    var words = arguments
    func take(_ name: String) -> String? {
      guard let index = words.firstIndex(of: name), index + 1 < words.count else { return nil }
      defer { words.removeSubrange(index...index + 1) }
      return words[index + 1]
    }
    let effort = take("--effort") ?? "fast"
    let threads = take("--threads").flatMap { Int($0) } ?? 1
    let level = take("--level").flatMap { Int32($0) } ?? .max
    let knowsRuns = words.contains("--runs")
    words.removeAll { $0 == "--runs" }
    guard
      words.count == 5, let width = Int(words[1]), let height = Int(words[2]),
      let runs = Int(words[3]), let chosen = PNGEncoder.Effort(rawValue: effort)
    else {
      print(
        "{\"unsupported\": \"usage: png [--runs] [--effort E] [--threads N] FILE.rgba W H RUNS OUT\"}"
      )
      return 2
    }
    let pixels = StraightPixels(
      contents(of: words[0]), width: width, height: height, knowsRuns: knowsRuns)
    var encoder = PNGEncoder(effort: chosen, threads: threads)
    encoder.level = level
    let properties = PNGProperties(width: width, height: height, isOpaque: pixels.isOpaque)
    var bytes: [UInt8] = []
    var times: [Double] = []
    var form = ""
    let start = MonotonicTime.now
    while times.count < max(runs, 1) {
      bytes.removeAll(keepingCapacity: true)
      let begin = MonotonicTime.now
      guard let summary = try? encoder.encode(pixels, properties, to: { bytes += $0 }) else {
        return 1
      }
      times.append(MonotonicTime.now - begin)
      form = summary.form
      if MonotonicTime.now - start > 0.3, times.count > 2 { break }
    }
    times.sort()
    write(bytes, to: words[4])
    let name = "pentimento" + (knowsRuns ? ":runs" : "") + (effort == "fast" ? "" : ":\(effort)")
    print(
      """
      {"name": "\(name)", "ms": \(times[times.count / 2] * 1e3), "ms_min": \(times[0] * 1e3), \
      "size": \(bytes.count), "runs": \(times.count), "format": "\(form)"}
      """)
    return 0
  }

  static func write(_ bytes: [UInt8], to path: String) {
    guard let file = fopen(path, "w") else { return }
    defer { fclose(file) }
    fwrite(bytes, 1, bytes.count, file)
  }
}

/// The harness's straight pixels of four bytes, in the memory layout of `Pixmap`.
private final class StraightPixels: BandSource {
  let width: Int
  let height: Int
  let depth = Pixmap.Depth.eight
  let colorSpace = ColorSpace.sRGB
  let isOpaque: Bool
  let backgroundPixel: Pixmap.Pixel?
  private let memory: PixelMemory
  private var groups: GroupFlags?

  init(_ contents: [UInt8], width: Int, height: Int, knowsRuns: Bool) {
    (self.width, self.height) = (width, height)
    let memory = PixelMemory(width: width, height: height, bytesPerPixel: 4)
    self.memory = memory
    var isOpaque = true
    contents.withUnsafeBytes { contents in
      for y in 0..<height where 4 * width * (y + 1) <= contents.count {
        let row = UnsafeRawBufferPointer(rebasing: contents[(4 * width * y)...].prefix(4 * width))
        UnsafeMutableRawBufferPointer(start: memory.base + y * memory.bytesPerRow, count: 4 * width)
          .copyMemory(from: row)
        for x in 0..<width where row[4 * x + 3] != 255 { isOpaque = false }
      }
    }
    self.isOpaque = isOpaque
    func part(_ channel: Int) -> UInt16 { UInt16(contents[channel]) * 257 }
    backgroundPixel = Pixmap.Pixel(red: part(0), green: part(1), blue: part(2), alpha: part(3))
    if knowsRuns { groups = flags() }
  }

  private func flags() -> GroupFlags {
    let side = PixelMemory.tileSide
    let columns = (width + side - 1) / side
    let found = GroupFlags(columns: columns, rows: (height + side - 1) / side * side)
    func pixel(_ x: Int, _ y: Int) -> UInt32 {
      memory.base.load(fromByteOffset: y * memory.bytesPerRow + 4 * x, as: UInt32.self)
    }
    for row in stride(from: 0, to: height, by: side) {
      for column in 0..<columns {
        let tile: [UInt8] = (row..<row + side).map { y in
          (0..<8).reduce(0) { flags, group in
            let first = column * side + group * GroupFlags.groupWidth
            let columns = first..<max(min(first + GroupFlags.groupWidth, width), first)
            let isDrawn = y < height && columns.contains { pixel($0, y) != pixel(0, 0) }
            return flags | (isDrawn ? 1 << UInt8(group) : 0)
          }
        }
        found.set(tile, column: column, row: row / side)
      }
    }
    return found
  }

  func forEachBands<Failure: Error>(_ body: ([Band]) throws(Failure) -> Void) throws(Failure) {
    try body(
      stride(from: 0, to: height, by: Band.height).map { first in
        Band(
          firstRow: first, rowCount: min(Band.height, height - first), width: width, depth: depth,
          isStraight: true, pixels: memory.base + first * memory.bytesPerRow,
          bytesPerRow: memory.bytesPerRow, owner: memory, groups: groups, firstGroupRow: first)
      })
  }
}
