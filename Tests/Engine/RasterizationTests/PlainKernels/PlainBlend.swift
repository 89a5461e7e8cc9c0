import CRasterKernels

@testable import Rasterization

/// Blending of pixels of 8 and of 16 bits in plain Swift, as a reference for the kernels.
enum PlainBlend {
  /// Blends paint into rows of premultiplied pixels, through one coverage for each pixel.
  static func blend(
    _ paint: RasterPaint, through coverage: [UInt8], into pixels: inout [UInt8]
  ) {
    blend(Paint(paint), through: coverage, into: &pixels)
  }

  /// `blend` for pixels of 16 bits.
  static func blend(
    _ paint: RasterDeepPaint, through coverage: [UInt8], into pixels: inout [UInt16]
  ) {
    blend(Paint(paint), through: coverage, into: &pixels)
  }

  /// Composites a tile's rows of premultiplied pixels over others, in the groups whose bit is set,
  /// and clears the tile there.
  static func compositeTile<Word: FixedWidthInteger & UnsignedInteger>(
    _ tile: inout [Word], over below: inout [Word], groups: [UInt8]
  ) {
    for pixel in 0..<tile.count / 4 {
      let (row, group) = (pixel / TileBins.side, pixel % TileBins.side / Int(RasterGroupWidth))
      guard groups[row] >> UInt8(group) & 1 == 1 else { continue }
      let rest = Word.max - tile[4 * pixel + 3]
      for index in 4 * pixel..<4 * pixel + 4 {
        below[index] = tile[index] + Word(Word.scaled(Int(below[index]), Int(rest)))
        tile[index] = 0
      }
    }
  }

  /// Averages squares of pixels of a tile that meet a group whose bit is set, and adds their groups
  /// in the picture's tile. `pixels` are the pixels of the part of the picture that the tile
  /// becomes.
  static func average<Word: FixedWidthInteger & UnsignedInteger>(
    _ tile: [Word], drawn: [UInt8], shift: Int, to pixels: inout [Word], groups: inout [UInt8],
    firstGroup: Int
  ) {
    let (factor, side) = (1 << shift, TileBins.side >> shift)
    let width = Int(RasterGroupWidth)
    for y in 0..<side {
      let rows = y * factor..<(y + 1) * factor
      let flags = rows.reduce(UInt8(0)) { $0 | drawn[$1] }
      for x in 0..<side {
        // Averages the pixels whose group, or one of whose groups, was drawn in.
        let columns = x * factor..<(x + 1) * factor
        let met = columns.lowerBound / width...(columns.upperBound - 1) / width
        guard met.contains(where: { flags >> UInt8($0) & 1 == 1 }) else { continue }
        for part in 0..<4 {
          let sum = rows.reduce(0) { sum, row in
            columns.reduce(sum) { $0 + Int(tile[4 * (row * TileBins.side + $1) + part]) }
          }
          pixels[4 * (y * side + x) + part] = Word((sum + factor * factor / 2) >> (2 * shift))
        }
        groups[y] |= 1 << UInt8((firstGroup + met.lowerBound) >> shift)
      }
    }
  }

  private static func blend<Word: FixedWidthInteger & UnsignedInteger>(
    _ paint: Paint, through coverage: [UInt8], into pixels: inout [Word]
  ) {
    let whole = Int(Word.max)
    let ink = paint.color + [whole]
    for (index, covered) in coverage.enumerated() where covered > 0 {
      let amount = Word.scaled(Int(covered) * (whole / 255), paint.alpha)
      let alpha = Int(pixels[4 * index + 3])
      let tops = ink.map { Word.scaled($0, alpha) }
      let isLighter =
        brightness((0..<3).map { Int(pixels[4 * index + $0]) }) > brightness(tops)
      for channel in 0..<4 {
        let below = Int(pixels[4 * index + channel])
        let top = paint.mixed(
          below, ink[channel], alpha: alpha, isLighter: isLighter, as: Word.self)
        pixels[4 * index + channel] = Word(Word.divided(below * (whole - amount) + top * amount))
      }
    }
  }
}

/// The brightness of premultiplied components.
private func brightness(_ components: [Int]) -> Int {
  (components[0] * 54 + components[1] * 183 + components[2] * 19) >> 8
}

/// A paint of either depth.
private struct Paint {
  let color: [Int]
  let alpha: Int
  let mixing: Int
  let mix: UInt32

  init(_ paint: RasterPaint) {
    color = [Int(paint.red), Int(paint.green), Int(paint.blue)]
    (alpha, mixing, mix) = (Int(paint.alpha), Int(paint.mixing), UInt32(paint.mix))
  }

  init(_ paint: RasterDeepPaint) {
    color = [Int(paint.red), Int(paint.green), Int(paint.blue)]
    (alpha, mixing, mix) = (Int(paint.alpha), Int(paint.mixing), UInt32(paint.mix))
  }

  /// A channel after ink of full coverage is mixed with it.
  func mixed<Word: FixedWidthInteger & UnsignedInteger>(
    _ below: Int, _ ink: Int, alpha: Int, isLighter: Bool, as: Word.Type
  ) -> Int {
    let top = Word.scaled(ink, alpha)
    var blended =
      switch mix {
      case RasterMixDarken.rawValue: min(below, top)
      case RasterMixLighten.rawValue: isLighter ? below : top
      case RasterMixMultiply.rawValue: Word.scaled(below, ink)
      case RasterMixScreen.rawValue: below + top - Word.scaled(below, ink)
      default: top
      }
    let whole = Int(Word.max)
    if mix != RasterMixOver.rawValue, mixing < whole {
      blended = Word.divided(blended * mixing + top * (whole - mixing))
    }
    // To the extent that the pixel below is transparent, the ink is not mixed.
    return min(blended + ink - top, whole)
  }
}

extension FixedWidthInteger where Self: UnsignedInteger {
  /// A product of two words divided by the maximum word, rounded to nearest.
  fileprivate static func divided(_ product: Int) -> Int {
    let sum = product + 1 << (bitWidth - 1)
    return (sum + sum >> bitWidth) >> bitWidth
  }

  fileprivate static func scaled(_ a: Int, _ b: Int) -> Int { divided(a * b) }
}
