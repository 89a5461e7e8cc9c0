import CPNGKernels
import Graphics

/// Turns rows of pixels into the bytes that stand in a file.
final class RowPacker {
  private let kernels: UnsafePointer<PNGKernels>
  /// Places of a palette.
  private let places = ByteRoom()

  init(_ kernels: UnsafePointer<PNGKernels>) { self.kernels = kernels }

  /// Packs a row of 8 bits a component; behind it up to a margin may be spoiled.
  func pack(
    _ pixels: UnsafePointer<UInt8>, _ flags: UnsafePointer<UInt8>, isStraight: Bool,
    _ picture: BandTeller.Picture, _ palette: UnsafeMutablePointer<PNGPalette>,
    _ row: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    let (width, background) = (picture.width, picture.background)
    let kernels = kernels.pointee
    switch picture.form {
    case .greys: return kernels.packGreys(pixels, flags, width, background, 0, row) != 0
    case .turnedGreys:
      return kernels.packGreys(
        pixels, flags, width, background, UInt8(truncatingIfNeeded: background), row) != 0
    case .opacities:
      return kernels.packOpacities(
        pixels, flags, width, picture.ink, isStraight ? 1 : 0, row) != 0
    case .places: return kernels.packPlaces(pixels, flags, width, palette, row) != 0
    case .few(let bits, _):
      let places = places.end(with: width + Int(PNGRowMargin))
      guard kernels.packPlaces(pixels, flags, width, palette, places) != 0 else { return false }
      let perByte = 8 / bits
      for byte in 0..<(width + perByte - 1) / perByte {
        var packed: UInt8 = 0
        for place in 0..<perByte {
          let x = byte * perByte + place
          let value = x < width ? picture.valueOfPlace[Int(places[x])] : 0
          packed = packed << UInt8(bits) | value
        }
        row[byte] = packed
      }
      return true
    case .solids: return kernels.packSolids(pixels, width, row) != 0
    case .pixels:
      if isStraight {
        row.update(from: pixels, count: 4 * width)
      } else {
        kernels.straighten(pixels, flags, width, row)
      }
      return true
    default: return packGreysAndOpacities(pixels, isStraight, width, row)
    }
  }

  private func packGreysAndOpacities(
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

  /// Packs a row of 16 bits a component.
  func packDeep(
    _ source: UnsafeRawPointer, _ width: Int, _ form: PixelForm,
    _ row: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    if form != .deepPixels {
      for x in 0..<width {
        let pixel = source.loadUnaligned(fromByteOffset: 8 * x, as: SIMD4<UInt16>.self)
        guard pixel.w == 65_535, form == .deepSolids || pixel.x == pixel.y && pixel.x == pixel.z
        else { return false }
        row[2 * x] = UInt8(pixel.x >> 8)
        row[2 * x + 1] = UInt8(pixel.x & 255)
      }
      if form == .deepGreys { return true }
    }
    Unpremultiplying.row(
      UnsafeRawBufferPointer(start: source, count: 8 * width), depth: .sixteen,
      isOpaque: form == .deepSolids,
      into: UnsafeMutableRawBufferPointer(start: row, count: form.bytesPerPixel * width))
    return true
  }
}
