package import CRasterKernels

/// What the kernels do to pixels, in plain Swift, to hold them to it.
package enum PlainBlend {
  /// Blends paint into rows of premultiplied pixels, through a coverage a pixel.
  package static func blend(
    _ paint: RasterPaint, through coverage: [UInt8], into pixels: inout [UInt8]
  ) {
    let ink = [Int(paint.red), Int(paint.green), Int(paint.blue), 255]
    for (place, covered) in coverage.enumerated() where covered > 0 {
      let amount = scaled(Int(covered), Int(paint.alpha))
      let alpha = Int(pixels[4 * place + 3])
      for channel in 0..<4 {
        let below = Int(pixels[4 * place + channel])
        let top = mixed(below, ink[channel], alpha: alpha, paint)
        pixels[4 * place + channel] = UInt8(divided(below * (255 - amount) + top * amount))
      }
    }
  }

  /// Lays a tile's rows of premultiplied pixels over others, in the groups that are marked with a
  /// bit, and makes them blank there.
  package static func layTile(
    _ tile: inout [UInt8], over below: inout [UInt8], groups: [UInt8]
  ) {
    for pixel in 0..<tile.count / 4 {
      let (row, group) = (pixel / TileBins.side, pixel % TileBins.side / Int(RasterGroupWidth))
      guard groups[row] >> UInt8(group) & 1 == 1 else { continue }
      let rest = 255 - Int(tile[4 * pixel + 3])
      for place in 4 * pixel..<4 * pixel + 4 {
        below[place] = UInt8(Int(tile[place]) + scaled(Int(below[place]), rest))
        tile[place] = 0
      }
    }
  }

  /// What ink of full strength makes of one channel.
  private static func mixed(_ below: Int, _ ink: Int, alpha: Int, _ paint: RasterPaint) -> Int {
    let top = scaled(ink, alpha)
    var blended =
      switch UInt32(paint.mix) {
      case RasterMixDarken.rawValue: min(below, top)
      case RasterMixLighten.rawValue: max(below, top)
      case RasterMixMultiply.rawValue: scaled(below, ink)
      case RasterMixScreen.rawValue: below + top - scaled(below, ink)
      default: top
      }
    if UInt32(paint.mix) != RasterMixOver.rawValue, paint.mixing < 255 {
      blended = divided(blended * Int(paint.mixing) + top * (255 - Int(paint.mixing)))
    }
    // Where no ink lies below, the ink lies on top.
    return min(blended + ink - top, 255)
  }

  /// A product of two bytes divided by 255, rounded to the nearest.
  private static func divided(_ product: Int) -> Int {
    (product + 128 + (product + 128) >> 8) >> 8
  }

  private static func scaled(_ a: Int, _ b: Int) -> Int { divided(a * b) }
}
