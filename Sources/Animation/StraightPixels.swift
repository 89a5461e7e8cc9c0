import Graphics

extension Pixmap {
  /// Copies pixels of 8 bits a component as four bytes each, colours not multiplied by opacity, to
  /// their places in all of the picture's.
  func copyStraight(_ place: PixelRect, to bytes: inout [UInt8]) {
    for y in place.rows {
      withRow(y) { row in
        for x in place.columns {
          let alpha = row[4 * x + 3]
          for channel in 0..<3 {
            let value = row[4 * x + channel]
            bytes[4 * (y * width + x) + channel] =
              alpha == 255 || alpha == 0
              ? value : UInt8(min((UInt32(value) * 255 + UInt32(alpha) / 2) / UInt32(alpha), 255))
          }
          bytes[4 * (y * width + x) + 3] = alpha
        }
      }
    }
  }
}
