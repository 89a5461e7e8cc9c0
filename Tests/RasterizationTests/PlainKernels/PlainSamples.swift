import CRasterKernels

@testable import Rasterization

/// The samples of one tile, a bit each, in plain Swift.
///
/// `PlainSamples` says what the kernels in C do, one row of samples at a time and with the same
/// operations in the same order, so that they can be held to it bit for bit. Nothing is drawn with
/// it.
struct PlainSamples {
  /// How many samples a pixel has on each side.
  let perPixel: Int
  private var words: [UInt64]

  init(perPixel: Int) {
    self.perPixel = perPixel
    let side = TileBins.side * perPixel
    words = [UInt64](repeating: 0, count: side * side / 64)
  }

  /// How many samples the tile has on each side.
  var side: Int { TileBins.side * perPixel }

  /// Where a coordinate lies, in whole samples from the tile's edge and what is left of one.
  func split(_ coordinate: Int32, edge: Int) -> (whole: Int, fraction: Float) {
    let steps = Int32(1 << RasterPositionBits) / Int32(perPixel)
    let whole = Int(coordinate >> Int32(steps.trailingZeroBitCount))
    return (whole - edge * perPixel, Float(coordinate & (steps - 1)) * (1 / Float(steps)))
  }

  /// Sets the samples of a row whose middles lie from one bound to another, as far as a pattern has
  /// them. The bounds are counted from half a sample before a column and lie in the extent of a shape.
  mutating func set(
    row: Int, from low: Float, to high: Float, column: Int, extent: Int, pattern: [UInt64]?
  ) {
    guard 0..<side ~= row else { return }
    let (first, end) = (
      sample(low, column: column, extent: extent), sample(high, column: column, extent: extent)
    )
    for place in stride(from: first / 64 * 64, to: end, by: 64) {
      let (from, to) = (max(first - place, 0), min(end - place, 64))
      guard from < to else { continue }
      let ones = (UInt64.max >> UInt64(64 - (to - from))) << UInt64(from)
      words[(row * side + place) / 64] |= ones & (pattern?[row % perPixel] ?? .max)
    }
  }

  /// The first sample whose middle lies at or behind a bound.
  private func sample(_ bound: Float, column: Int, extent: Int) -> Int {
    min(max(Int(min(max(bound, 0), Float(extent))) + column, 0), side)
  }

  /// The coverages of all pixels from 0 to 255; forgets the samples.
  mutating func resolve() -> [UInt8] {
    let (side, perRow) = (TileBins.side, self.side / 64)
    var counts = [Int](repeating: 0, count: side * side)
    for (place, word) in words.enumerated() where word != 0 {
      let (row, column) = (place / perRow / perPixel, place % perRow * 64 / perPixel)
      for pixel in 0..<64 / perPixel {
        let samples = word >> UInt64(pixel * perPixel) & (1 << UInt64(perPixel) - 1)
        counts[row * side + column + pixel] += samples.nonzeroBitCount
      }
      words[place] = 0
    }
    // All samples are 255, and steps are even.
    return counts.map {
      UInt8(perPixel == 8 ? 4 * $0 - ($0 >= 32 ? 1 : 0) : $0 - ($0 + 127) >> 8)
    }
  }

  /// For each row of a pixel, repeated through 64 columns, the samples that a hairline keeps; nil
  /// where it keeps all.
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

  /// Samples of a pixel in an order in which every row and every column fills up evenly.
  private func rank(_ row: Int, _ column: Int) -> Int {
    let bits = perPixel.trailingZeroBitCount
    let reversed = (0..<bits).reduce(0) { $0 | (row >> $1 & 1) << (bits - 1 - $1) }
    return perPixel * ((5 * column + 7 * row) % perPixel) + reversed
  }
}
