/// How pixels stand in a file, from the smallest form to the largest.
enum PixelForm: Hashable {
  /// A few colours, several pixels in a byte. They may be greys, which need no palette.
  case few(bits: Int, areGreys: Bool)
  /// Solid greys.
  case greys
  /// Solid greys as places in a palette, the background's bits turned, so that it is zero.
  case turnedGreys
  /// One ink: its opacities as places in a palette.
  case opacities
  /// Up to 256 colours as places in a palette, in the order in which they come.
  case places
  /// Greys with an opacity each.
  case greysAndOpacities
  /// Red, green and blue.
  case solids
  /// Red, green, blue and alpha.
  case pixels
  /// Solid greys of 16 bits.
  case deepGreys
  /// Red, green and blue of 16 bits.
  case deepSolids
  /// Red, green, blue and alpha of 16 bits.
  case deepPixels
}

extension PixelForm {
  /// How PNG numbers the kinds of pixels.
  var colorType: UInt8 {
    switch self {
    case .few(_, areGreys: true), .greys, .deepGreys: 0
    case .solids, .deepSolids: 2
    case .few(_, areGreys: false), .turnedGreys, .opacities, .places: 3
    case .greysAndOpacities: 4
    case .pixels, .deepPixels: 6
    }
  }

  /// Bits of each component.
  var bitDepth: Int {
    switch self {
    case .few(let bits, _): bits
    case .deepGreys, .deepSolids, .deepPixels: 16
    default: 8
    }
  }

  /// How far away the same component of the pixel before lies.
  var bytesPerPixel: Int {
    switch self {
    case .few, .greys, .turnedGreys, .opacities, .places: 1
    case .greysAndOpacities, .deepGreys: 2
    case .solids: 3
    case .pixels: 4
    case .deepSolids: 6
    case .deepPixels: 8
    }
  }

  /// The bytes of a row with the number of its filter, which is always that of none: edges of ink are
  /// as random as can be, and differences between them more so.
  func bytesPerRow(width: Int) -> Int {
    guard case .few(let bits, _) = self else { return 1 + width * bytesPerPixel }
    return 1 + (width * bits + 7) / 8
  }

  var hasPalette: Bool { colorType == 3 }

  /// Whether undrawn pixels are zeros, so that they and the numbers of filters are one run.
  func isZero(_ background: UInt32) -> Bool {
    switch self {
    case .turnedGreys, .opacities, .places: true
    case .few(_, let areGreys): !areGreys || background & 255 == 0
    case .greys: background & 255 == 0
    default: false
    }
  }
}

extension PixelForm: CustomStringConvertible {
  /// The form in words.
  var description: String {
    switch self {
    case .few(let bits, areGreys: true): "\(bits)-bit grey"
    case .few(let bits, areGreys: false): "\(bits)-bit palette"
    case .greys: "8-bit grey"
    case .turnedGreys: "8-bit palette of greys"
    case .opacities: "8-bit palette of one ink's opacities"
    case .places: "8-bit palette"
    case .greysAndOpacities: "8-bit grey and alpha"
    case .solids: "8-bit RGB"
    case .pixels: "8-bit RGBA"
    case .deepGreys: "16-bit grey"
    case .deepSolids: "16-bit RGB"
    case .deepPixels: "16-bit RGBA"
    }
  }
}
