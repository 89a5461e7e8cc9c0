/// How a file stores pixels, from the smallest form to the largest.
enum PixelForm: Hashable {
  /// Up to 16 colours, several pixels per byte (1, 2 or 4 bits each); greys need no palette.
  case packed(bits: Int, areGreys: Bool)
  /// Opaque greys of 8 bits.
  case grey
  /// Opaque greys as palette indices: grey XOR background, so that the background is index 0.
  case greyPalette
  /// One ink: the palette index is the pixel's alpha.
  case opacityPalette
  /// Up to 256 colours as palette indices, in the order in which they occur.
  case palette
  /// Greys with alpha.
  case greyAlpha
  /// Red, green and blue.
  case rgb
  /// Red, green, blue and alpha.
  case rgba
  /// Opaque greys of 16 bits.
  case grey16
  /// Red, green and blue of 16 bits.
  case rgb16
  /// Red, green, blue and alpha of 16 bits.
  case rgba16
}

extension PixelForm {
  /// PNG's colour type.
  var colorType: UInt8 {
    switch self {
    case .packed(_, areGreys: true), .grey, .grey16: 0
    case .rgb, .rgb16: 2
    case .packed(_, areGreys: false), .greyPalette, .opacityPalette, .palette: 3
    case .greyAlpha: 4
    case .rgba, .rgba16: 6
    }
  }

  /// Bits per component, or per palette index.
  var bitDepth: Int {
    switch self {
    case .packed(let bits, _): bits
    case .grey16, .rgb16, .rgba16: 16
    default: 8
    }
  }

  /// The distance in bytes to the same component of the previous pixel; 1 for packed pixels.
  var bytesPerPixel: Int {
    switch self {
    case .packed, .grey, .greyPalette, .opacityPalette, .palette: 1
    case .greyAlpha, .grey16: 2
    case .rgb: 3
    case .rgba: 4
    case .rgb16: 6
    case .rgba16: 8
    }
  }

  /// The bytes of a row with its filter byte, which is always 0 (none): edges of ink are as random
  /// as can be, and differences between them even more so.
  func bytesPerRow(width: Int) -> Int {
    guard case .packed(let bits, _) = self else { return 1 + width * bytesPerPixel }
    return 1 + (width * bits + 7) / 8
  }

  var hasPalette: Bool { colorType == 3 }

  /// Whether undrawn pixels are zeros, so that they and the filter bytes form one run.
  func isZero(_ background: UInt32) -> Bool {
    switch self {
    case .greyPalette, .opacityPalette, .palette: true
    case .packed(_, let areGreys): !areGreys || background & 255 == 0
    case .grey: background & 255 == 0
    default: false
    }
  }
}

extension PixelForm: CustomStringConvertible {
  /// The form in words, for example "8-bit palette".
  var description: String {
    switch self {
    case .packed(let bits, areGreys: true): "\(bits)-bit grey"
    case .packed(let bits, areGreys: false): "\(bits)-bit palette"
    case .grey: "8-bit grey"
    case .greyPalette: "8-bit palette of greys"
    case .opacityPalette: "8-bit palette of one ink's opacities"
    case .palette: "8-bit palette"
    case .greyAlpha: "8-bit grey and alpha"
    case .rgb: "8-bit RGB"
    case .rgba: "8-bit RGBA"
    case .grey16: "16-bit grey"
    case .rgb16: "16-bit RGB"
    case .rgba16: "16-bit RGBA"
    }
  }
}
