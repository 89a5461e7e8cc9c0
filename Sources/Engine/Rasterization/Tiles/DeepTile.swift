import CRasterKernels
import Graphics

/// A premultiplied pixel of 16 bits a component, in the byte order of memory.
struct Pixel16: Hashable, BitwiseCopyable {
  var red: UInt16
  var green: UInt16
  var blue: UInt16
  var alpha: UInt16
}

extension Pixel16 {
  /// A colour of the picture's space, as encoded values or as linear light.
  init(_ color: Color, isLight: Bool) {
    let color = color.clamped
    func word(_ part: Double) -> UInt16 {
      UInt16(
        clamping: ((isLight ? ColorSpace.decode(part) : part) * color.alpha * 65535).rounded())
    }
    self.init(
      red: word(color.red), green: word(color.green), blue: word(color.blue),
      alpha: UInt16(clamping: (color.alpha * 65535).rounded()))
  }

  /// The pixel with its linear light encoded; `table` holds the encoded value of each amount of
  /// light.
  @inline(__always)
  fileprivate func encoded(_ table: [UInt16]) -> Pixel16 {
    guard alpha > 0 else { return self }
    let whole = UInt32(alpha)
    func part(_ light: UInt16) -> UInt16 {
      // Unpremultiply, encode, and premultiply again.
      let straight = min((UInt32(light) * 65535 + whole / 2) / whole, 65535)
      return UInt16((UInt32(table[Int(straight)]) * whole + 32767) / 65535)
    }
    return Pixel16(red: part(red), green: part(green), blue: part(blue), alpha: alpha)
  }

  /// The nearest pixel of 8 bits.
  @inline(__always)
  fileprivate var rounded: Pixel8 {
    func byte(_ word: UInt16) -> UInt8 { UInt8((UInt32(word) * 255 + 32767) / 65535) }
    return Pixel8(red: byte(red), green: byte(green), blue: byte(blue), alpha: byte(alpha))
  }
}

extension Pixmap.Pixel {
  /// The value that a picture of a depth holds for a pixel.
  init(_ pixel: Pixel16, depth: Pixmap.Depth) {
    func part(_ word: UInt16) -> UInt16 {
      depth == .sixteen ? word : UInt16((UInt32(word) * 255 + 32767) / 65535) * 257
    }
    self.init(
      red: part(pixel.red), green: part(pixel.green), blue: part(pixel.blue),
      alpha: part(pixel.alpha))
  }
}

/// A tile of 16-bit pixels that is drawn before it is written to a picture.
final class DeepTile {
  let words = Column<UInt16>(repeating: 0, count: 4 * TileBins.side * TileBins.side)
  private let isLight: Bool
  private let depth: Pixmap.Depth

  init(isLight: Bool, depth: Pixmap.Depth) {
    self.isLight = isLight
    self.depth = depth
  }

  /// The encoded value of each amount of light, both in 65,535ths.
  private static let encoding: [UInt16] = (0...65535).map { light in
    UInt16(clamping: (ColorSpace.encode(Double(light) / 65535) * 65535).rounded())
  }

  private var pixels: UnsafeMutablePointer<Pixel16> {
    UnsafeMutableRawPointer(words.base).assumingMemoryBound(to: Pixel16.self)
  }

  /// Writes the groups of pixels that were drawn in to a picture.
  func write(
    _ groups: UnsafePointer<UInt8>, to picture: UnsafeMutablePointer<UInt8>, pitch: Int
  ) {
    let width = Int(RasterGroupWidth)
    let table = isLight ? Self.encoding : []
    for row in 0..<TileBins.side {
      for group in 0..<Int(RasterGroupsPerRow) where groups[row] >> UInt8(group) & 1 == 1 {
        let from = pixels + row * TileBins.side + group * width
        let to =
          UnsafeMutableRawPointer(picture) + row * pitch
          + group * width * depth.bytesPerPixel
        for x in 0..<width {
          let pixel = isLight ? from[x].encoded(table) : from[x]
          switch depth {
          case .eight: to.storeBytes(of: pixel.rounded, toByteOffset: 4 * x, as: Pixel8.self)
          case .sixteen: to.storeBytes(of: pixel, toByteOffset: 8 * x, as: Pixel16.self)
          }
        }
      }
    }
  }
}
