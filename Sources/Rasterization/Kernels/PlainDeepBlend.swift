package import CRasterKernels

/// What the kernels do to deep pixels, in plain Swift.
package enum PlainDeepBlend {
  /// Blends paint into rows of premultiplied pixels, through a coverage a pixel.
  package static func blend(
    _ paint: RasterDeepPaint, through coverage: [UInt8], into pixels: inout [UInt16]
  ) {
    let ink = [Int(paint.red), Int(paint.green), Int(paint.blue), 65535]
    for (place, covered) in coverage.enumerated() where covered > 0 {
      let amount = scaled(Int(covered) * 257, Int(paint.alpha))
      let alpha = Int(pixels[4 * place + 3])
      for channel in 0..<4 {
        let below = Int(pixels[4 * place + channel])
        let top = mixed(below, ink[channel], alpha: alpha, paint)
        pixels[4 * place + channel] = UInt16(divided(below * (65535 - amount) + top * amount))
      }
    }
  }

  /// Lays a tile's rows of premultiplied pixels over others, in the groups that are marked with a
  /// bit, and makes them blank there.
  package static func layTile(
    _ tile: inout [UInt16], over below: inout [UInt16], groups: [UInt8]
  ) {
    for pixel in 0..<tile.count / 4 {
      let (row, group) = (pixel / TileBins.side, pixel % TileBins.side / Int(RasterGroupWidth))
      guard groups[row] >> UInt8(group) & 1 == 1 else { continue }
      let rest = 65535 - Int(tile[4 * pixel + 3])
      for place in 4 * pixel..<4 * pixel + 4 {
        below[place] = UInt16(Int(tile[place]) + scaled(Int(below[place]), rest))
        tile[place] = 0
      }
    }
  }

  /// What ink of full strength makes of one channel.
  private static func mixed(_ below: Int, _ ink: Int, alpha: Int, _ paint: RasterDeepPaint) -> Int {
    let top = scaled(ink, alpha)
    var blended =
      switch UInt32(paint.mix) {
      case RasterMixOver.rawValue: top
      case RasterMixDarken.rawValue: min(below, top)
      case RasterMixLighten.rawValue: max(below, top)
      case RasterMixMultiply.rawValue: scaled(below, ink)
      default: below + top - scaled(below, ink)
      }
    if UInt32(paint.mix) != RasterMixOver.rawValue, paint.mixing < 65535 {
      blended = divided(blended * Int(paint.mixing) + top * (65535 - Int(paint.mixing)))
    }
    // Where no ink lies below, the ink lies on top.
    return min(blended + ink - top, 65535)
  }

  /// A product of two words divided by 65,535, rounded to the nearest.
  private static func divided(_ product: Int) -> Int {
    (product + 32768 + (product + 32768) >> 16) >> 16
  }

  private static func scaled(_ a: Int, _ b: Int) -> Int { divided(a * b) }
}
