import Glibc
import ForeignInk
import PNGFormat
import Rasterization

/// Draws drawings as square pictures of one size.
final class ThumbnailPainter {
  private let size: Int
  private let painter: LinePainter
  private let encoder: GreyEncoder
  /// The width of the pen in pixels: the importer's width for pictures of 256 pixels, scaled, with
  /// a minimum below which lines would fade.
  private let pen: Double
  /// The fraction of the side that the drawing fills, as in other thumbnails.
  private static let inkShare = 1 / 1.12

  init(size: Int) {
    self.size = size
    pen = max(Double(size) / 64, 1.25)
    painter = LinePainter(width: size, height: size)
    encoder = GreyEncoder(width: size, height: size, levels: LinePainter.levels)
    // All pictures use the Huffman codes of this sample: rings as large as drawings, whose edges
    // have all slopes.
    let side = Double(size)
    encoder.clear()
    painter.paint(
      ends: [32, 64], radius: Float(pen / 2), into: encoder.pixels, pitch: encoder.pitch
    ) { index in
      let angle = Double(index) * (2 * .pi / 31)
      let radius = side * (index < 32 ? 0.4 : 0.2)
      return (Float(side / 2 + radius * cos(angle)), Float(side / 2 + radius * sin(angle)))
    }
    encoder.fit()
  }

  /// A drawing as a PNG file; the bytes are valid until the next call.
  func picture(of record: QuickDrawRecord) -> UnsafeRawBufferPointer {
    encoder.clear()
    record.xs.withUnsafeBufferPointer { xs in
      record.ys.withUnsafeBufferPointer { ys in
        let (x, y) = (Self.range(of: xs), Self.range(of: ys))
        let longer = max(x.high - x.low, y.high - y.low)
        let scale = longer > 0 ? (Double(size) * Self.inkShare - pen) / longer : 1
        let (centerX, centerY) = ((x.low + x.high) / 2, (y.low + y.high) / 2)
        let middle = Double(size) / 2
        painter.paint(
          ends: record.strokeEnds, radius: Float(pen / 2), into: encoder.pixels,
          pitch: encoder.pitch
        ) { index in
          (
            Float((xs[index] - centerX) * scale + middle),
            Float((ys[index] - centerY) * scale + middle)
          )
        }
      }
    }
    return encoder.encoded()
  }

  private static func range(of values: UnsafeBufferPointer<Double>) -> (low: Double, high: Double) {
    guard var low = values.first else { return (0, 0) }
    var high = low
    for value in values {
      low = min(low, value)
      high = max(high, value)
    }
    return (low, high)
  }
}
