import Foundation
import Graphics
import PNGFormat
import TestSupport

/// Programs that draw our files.
enum Viewer: String, CaseIterable, CustomStringConvertible {
  case rsvg = "rsvg-convert"
  case poppler = "pdftoppm"
  case mupdf = "mutool"

  var description: String { rawValue }

  static func isInstalled(_ program: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/\(program)")
  }

  /// The programs that are installed on this machine.
  static let installed = allCases.filter { isInstalled($0.rawValue) }
  /// The message of a skipped test.
  static let absence: String =
    "skipped: install librsvg2-bin, poppler-utils, mupdf-tools and qpdf"
  static let areAllInstalled = installed.count == allCases.count && isInstalled("qpdf")

  /// Draws a file in a number of pixels a point; `size` is that of the picture.
  func picture(
    svg: () throws -> [UInt8], pdf: () throws -> [UInt8], scale: Int, size: (Int, Int)
  ) throws -> PNGImage {
    let folder = try TemporaryFolder()
    let script: String
    switch self {
    case .rsvg:
      try Data(svg()).write(to: folder.file("in"))
      script = "rsvg-convert -w \(size.0) -h \(size.1) in -o out.png"
    case .poppler:
      try Data(pdf()).write(to: folder.file("in"))
      script = "pdftoppm -r \(72 * scale) -png -singlefile in out"
    case .mupdf:
      try Data(pdf()).write(to: folder.file("in"))
      script = "mutool draw -q -r \(72 * scale) -o out.png in 2>/dev/null"
    }
    _ = try Program.shell(script, in: folder.url)
    return try PNGDecoder().decode([UInt8](Data(contentsOf: folder.file("out.png"))))
  }
}

/// The difference of two pictures: for each pixel the greatest difference of a component, from 0 to
/// 255.
struct PictureDifference: CustomStringConvertible {
  let mean: Double
  /// The difference that one thousandth of the pixels exceed.
  let large: Int

  var description: String { "mean \(mean), 99.9 % at most \(large)" }

  /// Compares pictures over white, or with their alpha if requested. With a blur, each pixel is the
  /// mean of 5 × 5, so that different grain of equal strength is equal.
  init(_ ours: Pixmap, _ theirs: PNGImage, blur: Bool = false, withAlpha: Bool = false) {
    let (width, height) = (min(ours.width, theirs.width), min(ours.height, theirs.height))
    var differences = [[Int]](repeating: [Int](repeating: 0, count: width * height), count: 4)
    for y in 0..<height {
      for x in 0..<width {
        let (mine, other) = (ours[x, y], theirs[x, y])
        let alphas = (Double(mine.alpha) / 65_535, Double(other.w) / 65_535)
        let (a, b) = (
          [mine.red, mine.green, mine.blue].map { Double($0) / 257 },
          [other.x, other.y, other.z].map { Double($0) / 257 * alphas.1 }
        )
        for part in 0..<3 {
          let paper = withAlpha ? (0, 0) : (255 * (1 - alphas.0), 255 * (1 - alphas.1))
          differences[part][y * width + x] = Int((a[part] + paper.0 - b[part] - paper.1).rounded())
        }
        if withAlpha {
          differences[3][y * width + x] = Int((255 * (alphas.0 - alphas.1)).rounded())
        }
      }
    }
    if blur { differences = differences.map { Self.blurred($0, width, height) } }
    var counts = [Int](repeating: 0, count: 512)
    var sum = 0
    for pixel in 0..<width * height {
      let most = differences.reduce(0) { max($0, abs($1[pixel])) }
      counts[most] += 1
      sum += most
    }
    mean = Double(sum) / Double(max(width * height, 1))
    var (left, limit) = (width * height / 1000, 511)
    while limit > 0, left >= counts[limit] {
      left -= counts[limit]
      limit -= 1
    }
    large = limit
  }

  private static func blurred(_ values: [Int], _ width: Int, _ height: Int) -> [Int] {
    (0..<width * height).map { pixel in
      let (x, y) = (pixel % width, pixel / width)
      var (sum, count) = (0, 0)
      for row in max(y - 2, 0)...min(y + 2, height - 1) {
        for column in max(x - 2, 0)...min(x + 2, width - 1) {
          sum += values[row * width + column]
          count += 1
        }
      }
      return sum / count
    }
  }
}
