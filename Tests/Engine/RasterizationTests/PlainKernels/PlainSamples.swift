import CRasterKernels

@testable import Rasterization

/// The samples of one tile, a bit each, in plain Swift.
///
/// `PlainSamples` is a reference for the kernels in C. It processes one row of samples at a time,
/// with the same operations in the same order, so that results can be compared bit for bit. Only
/// tests use it.
struct PlainSamples {
  /// The number of samples along a pixel's side.
  let perPixel: Int
  private var words: [UInt64]

  init(perPixel: Int) {
    self.perPixel = perPixel
    let side = TileBins.side * perPixel
    words = [UInt64](repeating: 0, count: side * side / 64)
  }

  /// The number of samples along the tile's side.
  var side: Int { TileBins.side * perPixel }

  /// A coordinate relative to the tile's edge, as whole samples and a fraction of one.
  func split(_ coordinate: Int32, edge: Int) -> (whole: Int, fraction: Float) {
    let steps = Int32(1 << RasterPositionBits) / Int32(perPixel)
    let whole = Int(coordinate >> Int32(steps.trailingZeroBitCount))
    return (whole - edge * perPixel, Float(coordinate & (steps - 1)) * (1 / Float(steps)))
  }

  /// Sets the samples of a row whose middles are between two bounds and which are in the pattern.
  /// Bounds are relative to half a sample before a column, and are clamped to the extent of the
  /// shape.
  mutating func set(
    row: Int, from low: Float, to high: Float, column: Int, extent: Int, pattern: [UInt64]?
  ) {
    guard 0..<side ~= row else { return }
    let (first, end) = (
      sample(low, column: column, extent: extent), sample(high, column: column, extent: extent)
    )
    for index in stride(from: first / 64 * 64, to: end, by: 64) {
      let (from, to) = (max(first - index, 0), min(end - index, 64))
      guard from < to else { continue }
      let ones = (UInt64.max >> UInt64(64 - (to - from))) << UInt64(from)
      words[(row * side + index) / 64] |= ones & (pattern?[row % perPixel] ?? .max)
    }
  }

  /// The first sample whose middle is at or after a bound.
  private func sample(_ bound: Float, column: Int, extent: Int) -> Int {
    min(max(Int(min(max(bound, 0), Float(extent))) + column, 0), side)
  }

  /// Returns the coverages of all pixels, from 0 to 255, and clears the samples.
  mutating func resolve() -> [UInt8] {
    let (side, perRow) = (TileBins.side, self.side / 64)
    var counts = [Int](repeating: 0, count: side * side)
    for (index, word) in words.enumerated() where word != 0 {
      let (row, column) = (index / perRow / perPixel, index % perRow * 64 / perPixel)
      for pixel in 0..<64 / perPixel {
        let samples = word >> UInt64(pixel * perPixel) & (1 << UInt64(perPixel) - 1)
        counts[row * side + column + pixel] += samples.nonzeroBitCount
      }
      words[index] = 0
    }
    // All samples of a pixel give 255, in even steps.
    return counts.map {
      UInt8(perPixel == 8 ? 4 * $0 - ($0 >= 32 ? 1 : 0) : $0 - ($0 + 127) >> 8)
    }
  }

  /// The samples that a hairline keeps in each row of a pixel, repeated through 64 columns; nil if
  /// it keeps all.
  func pattern(weight: Float) -> [UInt64]? {
    let all = perPixel * perPixel
    let level = Int(weight * Float(all) + 0.5)
    guard level < all else { return nil }
    return (0..<perPixel).map { row in
      (0..<64).reduce(0) { word, column in
        rank(row, column) < level ? word | 1 << UInt64(column) : word
      }
    }
  }

  /// The rank of a sample in an order that fills every row and every column of a pixel evenly.
  private func rank(_ row: Int, _ column: Int) -> Int {
    let bits = perPixel.trailingZeroBitCount
    let reversed = (0..<bits).reduce(0) { $0 | (row >> $1 & 1) << (bits - 1 - $1) }
    return perPixel * ((5 * column + 7 * row) % perPixel) + reversed
  }
}
