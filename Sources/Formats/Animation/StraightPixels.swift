import Graphics

extension Pixmap {
  /// Copies the pixels of a rectangle into a buffer of the whole picture, as RGBA with straight
  /// alpha. The picture must have 8 bits per component.
  func copyStraight(_ rect: PixelRect, to bytes: inout [UInt8]) {
    for y in rect.rows {
      withRow(y) { row in
        for x in rect.columns {
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
