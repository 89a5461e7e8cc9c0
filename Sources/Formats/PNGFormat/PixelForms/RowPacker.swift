import CPNGKernels
import Graphics

/// Converts rows of pixels into the bytes of a pixel form.
final class RowPacker {
  private let kernels: UnsafePointer<PNGKernels>
  /// Palette indices of a row, before they are packed into fewer bits.
  private let indices = ByteBuffer()

  init(_ kernels: UnsafePointer<PNGKernels>) { self.kernels = kernels }

  /// Packs a row of 8-bit pixels; returns false if the form cannot hold one. May overwrite up to a
  /// margin of bytes after the row.
  func pack(
    _ pixels: UnsafePointer<UInt8>, _ flags: UnsafePointer<UInt8>, isStraight: Bool,
    _ picture: BandTokenizer.Picture, _ palette: UnsafeMutablePointer<PNGPalette>,
    _ row: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    let (width, background) = (picture.width, picture.background)
    let kernels = kernels.pointee
    switch picture.form {
    case .grey: return kernels.packGreys(pixels, flags, width, background, 0, row) != 0
    case .greyPalette:
      return kernels.packGreys(
        pixels, flags, width, background, UInt8(truncatingIfNeeded: background), row) != 0
    case .opacityPalette:
      return kernels.packOpacities(
        pixels, flags, width, picture.ink, isStraight ? 1 : 0, row) != 0
    case .palette: return kernels.packPaletteIndices(pixels, flags, width, palette, row) != 0
    case .packed(let bits, _):
      let indices = indices.end(with: width + Int(PNGRowMargin))
      guard kernels.packPaletteIndices(pixels, flags, width, palette, indices) != 0 else {
        return false
      }
      let perByte = 8 / bits
      for byte in 0..<(width + perByte - 1) / perByte {
        var packed: UInt8 = 0
        for index in 0..<perByte {
          let x = byte * perByte + index
          let value = x < width ? picture.paletteValues[Int(indices[x])] : 0
          packed = packed << UInt8(bits) | value
        }
        row[byte] = packed
      }
      return true
    case .rgb: return kernels.packRGB(pixels, width, row) != 0
    case .rgba:
      if isStraight {
        row.update(from: pixels, count: 4 * width)
      } else {
        kernels.unpremultiply(pixels, flags, width, row)
      }
      return true
    default: return packGreyAlpha(pixels, isStraight, width, row)
    }
  }

  private func packGreyAlpha(
    _ pixels: UnsafePointer<UInt8>, _ isStraight: Bool, _ width: Int,
    _ row: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    for x in 0..<width {
      let (grey, alpha) = (pixels[4 * x], pixels[4 * x + 3])
      guard grey == pixels[4 * x + 1], grey == pixels[4 * x + 2] else { return false }
      row[2 * x] =
        isStraight || alpha == 255
        ? grey : alpha == 0 ? 0 : Unpremultiplying.straight(grey, alpha)
      row[2 * x + 1] = alpha
    }
    return true
  }

  /// Packs some columns of a row of 16-bit pixels; returns false if the form cannot hold one.
  func packDeep(
    _ source: UnsafeRawPointer, _ columns: Range<Int>, _ form: PixelForm,
    _ row: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    if form != .rgba16 {
      for x in columns {
        let pixel = source.loadUnaligned(fromByteOffset: 8 * x, as: SIMD4<UInt16>.self)
        guard pixel.w == 65_535, form == .rgb16 || pixel.x == pixel.y && pixel.x == pixel.z
        else { return false }
        guard form == .grey16 else { continue }
        row[2 * x] = UInt8(pixel.x >> 8)
        row[2 * x + 1] = UInt8(pixel.x & 255)
      }
      if form == .grey16 { return true }
    }
    let size = form.bytesPerPixel
    Unpremultiplying.row(
      UnsafeRawBufferPointer(start: source + 8 * columns.lowerBound, count: 8 * columns.count),
      depth: .sixteen, isOpaque: form == .rgb16,
      into: UnsafeMutableRawBufferPointer(
        start: row + size * columns.lowerBound, count: size * columns.count))
    return true
  }

  /// Packs a row of 16-bit pixels over another row of the same picture. The rows can differ only in
  /// groups with ink in one of them.
  func packDeep(
    _ source: UnsafeRawPointer, _ width: Int, _ drawn: UnsafePointer<UInt8>,
    over before: UnsafePointer<UInt8>, _ form: PixelForm, _ row: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    let (side, group) = (PixelMemory.tileSide, GroupFlags.groupWidth)
    for tile in 0..<(width + side - 1) / side {
      var left = drawn[tile] | before[tile]
      while left != 0 {
        let start = tile * side + left.trailingZeroBitCount * group
        left &= left - 1
        guard start < width else { break }
        guard packDeep(source, start..<min(start + group, width), form, row) else { return false }
      }
    }
    return true
  }
}
