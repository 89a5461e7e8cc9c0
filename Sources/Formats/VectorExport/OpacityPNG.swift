import Checksums
import Graphics
import PNGFormat

/// Writes pictures of one colour as PNG with a palette of the occurring opacities. A pixel takes a
/// byte. Web pages need far less code for this than for the general encoder.
enum OpacityPNG {
  /// The file of a picture whose pixels have opacities, row by row.
  static func encode(_ alpha: [UInt8], _ color: Color, width: Int, height: Int) -> [UInt8] {
    var isUsed = [Bool](repeating: false, count: 256)
    for value in alpha { isUsed[Int(value)] = true }
    let used = (0..<256).filter { isUsed[$0] }
    var indices = [UInt8](repeating: 0, count: 256)
    for (index, value) in used.enumerated() { indices[value] = UInt8(index) }
    var rows: [UInt8] = []
    rows.reserveCapacity((width + 1) * height)
    for row in 0..<height {
      // No filter: the grain of neighbours differs.
      rows.append(0)
      for value in alpha[row * width..<(row + 1) * width] { rows.append(indices[Int(value)]) }
    }
    let parts = [color.red, color.green, color.blue].map {
      UInt8(clamping: Int(clamping: ($0 * 255).rounded()))
    }
    var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    // Eight bits a pixel, a palette, one method each, no interlacing.
    add("IHDR", word(width) + word(height) + [8, 3, 0, 0, 0], to: &bytes)
    add("PLTE", used.flatMap { _ in parts }, to: &bytes)
    add("tRNS", used.map { UInt8($0) }, to: &bytes)
    add("IDAT", DeflateStream.zlib(rows), to: &bytes)
    add("IEND", [], to: &bytes)
    return bytes
  }

  private static func word(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  private static func add(_ name: StaticString, _ content: [UInt8], to bytes: inout [UInt8]) {
    bytes += word(content.count)
    let start = bytes.count
    name.withUTF8Buffer { bytes += $0 }
    bytes += content
    let checksum = bytes[start...].withUnsafeBufferPointer { CRC32.of($0) }
    bytes += word(Int(truncatingIfNeeded: checksum))
  }
}
