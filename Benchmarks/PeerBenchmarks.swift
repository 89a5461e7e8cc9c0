import CZlib
import Glibc
import Graphics
import Measurement
import PKDFormat
import PencilKitArchive
import Strokes

/// Sizes of recordings compared with other formats of the same drawings, in one run.
///
/// zlib and xz compress today's PencilKit archive of the drawing. pcodec compresses the points
/// alone, without strokes, inks and names: a column of 32-bit floats for each value of a point that
/// varies in the drawing and does not equal another column. The size of these columns without
/// compression is called raw.
enum PeerBenchmarks {
  /// The sizes of smaller drawings depend more on the file's overhead than on points.
  private static let minimumPoints = 100
  /// The goals apply to drawings of at least this number of points.
  private static let goalPoints = 1000

  static func figures(_ effort: Effort) -> [Figure] {
    let folder = "../shared/corpus/pkdrawing"
    let hasCorpus = !contents(of: folder + "/ORIGIN.md").isEmpty
    var drawings = [
      ("synthetic handwriting", Workload.handwriting()),
      ("synthetic long stroke", Workload.longStroke()),
    ]
    for name in hasCorpus ? names(in: folder) : [] {
      guard let drawing = try? PKDrawing(data: contents(of: folder + "/" + name)) else { continue }
      drawings.append((String(name.dropLast(".drawing".count)), drawing))
    }
    return drawings.flatMap { name, drawing in
      figures(name, drawing, effort, isReal: !name.hasPrefix("synthetic"))
    }
  }

  private static func names(in folder: String) -> [String] {
    output(of: "cd '\(folder)' && ls *.drawing | tr '\\n' ' '").split(separator: " ")
      .map(String.init)
  }

  private static func figures(
    _ name: String, _ drawing: PKDrawing, _ effort: Effort, isReal: Bool
  ) -> [Figure] {
    let columns = columns(of: drawing)
    let points = Double(drawing.strokes.reduce(0) { $0 + $1.path.count })
    let options = PKDWriter.Options(inkOnly: true)
    guard points >= Double(minimumPoints),
      let exact = try? PKDWriter.encode(drawing, options: options)
    else { return [] }
    let archive = PKDrawing(strokes: drawing.strokes).dataRepresentation()
    let packed = deflated(archive)
    let samples = times(
      effort,
      [
        { consume(try? PKDReader(exact).readStrokes().value) },
        { consume(inflated(packed, archive.count)) },
      ])
    let raw = 4 * points * Double(columns.count)
    let size = Double(exact.count)
    let hasGoal = points >= Double(goalPoints)
    func figure(_ label: String, _ unit: String, _ value: Double?, atMost: Double? = nil) -> Figure
    {
      Figure(
        "peers, \(name), \(label)", unit, value.map { [$0] } ?? [],
        goal: atMost.flatMap { hasGoal ? .atMost($0) : nil })
    }
    let bits = pcodec(columns)
    return [
      figure("exact .pkd, ink only, whole file", "bytes/point", size / points),
      figure("raw columns", "bytes/point", raw / points),
      figure("archive, zlib 9", "bytes/point", Double(packed.count) / points),
      figure("archive, xz -9e", "bytes/point", xz(archive).map { $0 / points }),
      figure("points alone, pcodec", "bytes/point", bits.map { $0.size / points }),
      figure("exact, ratio to raw", "×", size / raw, atMost: 1.02),
      // The synthetic drawings have no goal: their values are sines, not measurements.
      figure("exact, ratio to pcodec", "×", bits.map { size / $0.size }, atMost: isReal ? 1 : nil),
      Figure(
        "peers, \(name), exact, decode", "million points/s", samples[0].map { points / $0 / 1e6 }),
      Figure(
        "peers, \(name), zlib, unpack alone", "million points/s",
        samples[1].map { points / $0 / 1e6 }),
      figure(
        "pcodec, decode", "million points/s", bits.map { points / $0.seconds / 1e6 }),
    ]
  }

  /// The values of all points: a column for each value that varies and does not equal another
  /// column.
  private static func columns(of drawing: PKDrawing) -> [[Float]] {
    let points = drawing.strokes.flatMap { Array($0.path) }
    let values: [(PKStrokePoint) -> Double] = [
      { $0.location.x }, { $0.location.y }, { $0.timeOffset }, { $0.force }, { $0.size.width },
      { $0.size.height }, { $0.opacity }, { $0.azimuth }, { $0.altitude },
    ]
    var columns: [[Float]] = []
    for value in values {
      let column = points.map { Float(value($0)) }
      // Most nibs are as high as they are wide.
      if column.contains(where: { $0 != column[0] }), !columns.contains(column) {
        columns.append(column)
      }
    }
    return columns
  }
}

// MARK: - zlib and xz

private func deflated(_ bytes: [UInt8]) -> [UInt8] {
  var count = compressBound(uLong(bytes.count))
  var packed = [UInt8](repeating: 0, count: Int(count))
  guard compress2(&packed, &count, bytes, uLong(bytes.count), 9) == Z_OK else { return [] }
  return Array(packed[..<Int(count)])
}

private func inflated(_ packed: [UInt8], _ count: Int) -> [UInt8] {
  var bytes = [UInt8](repeating: 0, count: count)
  var length = uLong(count)
  return uncompress(&bytes, &length, packed, uLong(packed.count)) == Z_OK ? bytes : []
}

/// The size in bytes after compression by xz; nil if it is not installed.
private func xz(_ bytes: [UInt8]) -> Double? {
  withFile(bytes) { Double(output(of: "xz -9e -c '\($0)' 2>/dev/null | wc -c")) }
    .flatMap { $0 > 0 ? $0 : nil }
}

private func withFile<Result>(_ bytes: [UInt8], _ body: (String) -> Result?) -> Result? {
  let path = "/tmp/pentimento-peer-\(getpid())"
  guard let file = fopen(path, "w") else { return nil }
  fwrite(bytes, 1, bytes.count, file)
  fclose(file)
  defer { unlink(path) }
  return body(path)
}

// MARK: - pcodec

/// The size of columns compressed by pcodec, and the seconds to decompress them; nil if Python
/// cannot import it. `TEST_PYTHON` is the path of the interpreter, by default `python3`.
private func pcodec(_ columns: [[Float]]) -> (size: Double, seconds: Double)? {
  guard let count = columns.first?.count else { return nil }
  var bytes: [UInt8] = []
  for value in columns.joined() {
    let bits = value.bitPattern
    for shift in stride(from: UInt32(0), to: 32, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: bits >> shift))
    }
  }
  let python = getenv("TEST_PYTHON").map { String(cString: $0) } ?? "python3"
  return withFile(bytes) { path in
    let words = output(of: "'\(python)' -c '\(script)' '\(path)' \(count) 2>/dev/null")
      .split(separator: " ").compactMap { Double($0) }
    return words.count == 2 ? (words[0], words[1]) : nil
  }
}

/// The smallest of three kinds of differences, at the highest level, for each column separately.
private let script = """
  from sys import argv
  from time import perf_counter
  from numpy import fromfile
  from pcodec import standalone, ChunkConfig, DeltaSpec
  columns = fromfile(argv[1], dtype="<f4").reshape(-1, int(argv[2]))
  ways = (DeltaSpec.auto(), DeltaSpec.try_consecutive(1), DeltaSpec.try_consecutive(2))
  def smallest(column):
      configs = [ChunkConfig(compression_level=12, delta_spec=way) for way in ways]
      return min((standalone.simple_compress(column, c) for c in configs), key=len)
  parts = [smallest(column) for column in columns]
  for part, column in zip(parts, columns):
      assert (standalone.simple_decompress(part).view("<u4") == column.view("<u4")).all()
  seconds = []
  for _ in range(21):
      start = perf_counter()
      for part in parts:
          standalone.simple_decompress(part)
      seconds.append(perf_counter() - start)
  print(sum(map(len, parts)), sorted(seconds)[10])
  """
