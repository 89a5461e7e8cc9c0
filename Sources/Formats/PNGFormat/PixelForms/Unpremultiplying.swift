package import Graphics

/// Converts premultiplied components to straight ones, as PNG stores them.
///
/// A straight component is p · m / a, rounded to nearest, where m is the maximum. The rounding
/// error is at most 1/2; multiplied by a / m it is below 1/2 wherever a < m, so rounding gives p
/// back and nothing is lost. Where a is 0, all components are 0.
package enum Unpremultiplying {
  /// `p · 255 / a`, rounded to nearest; `p` is no larger than `a`, which is not 0.
  @inline(__always)
  static func straight(_ p: UInt8, _ a: UInt8) -> UInt8 {
    UInt8(truncatingIfNeeded: min((UInt32(p) * 255 + UInt32(a) / 2) / UInt32(a), 255))
  }

  /// `p · 65,535 / a`, rounded to nearest; `p` is no larger than `a`, which is not 0.
  @inline(__always)
  static func straight(_ p: UInt16, _ a: UInt16) -> UInt16 {
    // 65,535² + 32,767 is below 2³².
    UInt16(truncatingIfNeeded: min((UInt32(p) * 65_535 + UInt32(a) / 2) / UInt32(a), 65_535))
  }

  /// Converts a row to PNG's bytes: straight, 16-bit components big-endian, and without alpha if
  /// the picture is opaque.
  package static func row(
    _ pixels: UnsafeRawBufferPointer, depth: Pixmap.Depth, isOpaque: Bool,
    into row: UnsafeMutableRawBufferPointer
  ) {
    let count = pixels.count / depth.bytesPerPixel
    switch (depth, isOpaque) {
    case (.eight, true):
      precondition(row.count == 3 * count, "the row needs three bytes per pixel")
      for x in 0..<count {
        for part in 0..<3 { row[3 * x + part] = pixels[4 * x + part] }
      }
    case (.eight, false):
      precondition(row.count == 4 * count, "the row needs four bytes per pixel")
      for x in stride(from: 0, to: 4 * count, by: 4) {
        let alpha = pixels[x + 3]
        for part in x..<x + 3 {
          let value = pixels[part]
          row[part] = alpha == 255 ? value : alpha == 0 ? 0 : straight(value, alpha)
        }
        row[x + 3] = alpha
      }
    case (.sixteen, _):
      let parts = isOpaque ? 3 : 4
      precondition(row.count == 2 * parts * count, "the row needs two bytes per component")
      for x in 0..<count {
        func component(_ part: Int) -> UInt16 {
          pixels.loadUnaligned(fromByteOffset: 8 * x + 2 * part, as: UInt16.self)
        }
        let alpha = component(3)
        for part in 0..<parts {
          let value = component(part)
          let shown =
            isOpaque || part == 3 || alpha == 65_535
            ? value : alpha == 0 ? 0 : straight(value, alpha)
          row.storeBytes(
            of: shown.bigEndian, toByteOffset: 2 * (parts * x + part), as: UInt16.self)
        }
      }
    }
  }
}
