import CPNGKernels
import Graphics

/// Finds the smallest pixel form that holds all pixels of a picture. Starts with the form that the
/// background colour suggests, and grows when a pixel does not fit.
struct FormChoice {
  /// Taller pictures pay for a palette of greys, which turns undrawn rows into zeros.
  private static let paletteRowThreshold = 340
  /// Between these heights the better form depends on the drawing.
  private static let ambiguousRows = 250...900
  /// The same limit for palettes of up to 16 colours.
  private static let packedPaletteRowThreshold = 40
  /// Pictures of at most this many pixels use a palette of the colours they show.
  private static let smallArea = 1 << 16

  private(set) var picture: BandTokenizer.Picture
  let palette: UnsafeMutablePointer<PNGPalette>
  private var isInkKnown = false
  /// Whether pixels in memory are straight, not premultiplied.
  private(set) var areStraight = false
  /// The form before pixels were packed into fewer bits, and whether that form is to be kept.
  private var unpackedForm: PixelForm?
  private var staysUnpacked = false

  var form: PixelForm { picture.form }

  /// Whether tokens can be written at once, because no larger form can follow.
  var isFinal: Bool {
    switch form {
    case .rgba, .rgba16: true
    case .rgb, .rgb16: isOpaque
    default: false
    }
  }

  private let isOpaque: Bool
  private let height: Int

  init(
    _ properties: PNGProperties, _ source: some BandSource,
    _ palette: UnsafeMutablePointer<PNGPalette>
  ) {
    self.palette = palette
    let background = UInt32(source.backgroundPixel ?? source.firstPixel)
    isOpaque = properties.isOpaque
    height = properties.height
    picture = BandTokenizer.Picture(
      form: Self.first(properties, background, source.expectsManyColors), width: properties.width,
      background: background)
    if form == .palette { pngPaletteBegin(palette, background) }
  }

  private static func first(
    _ properties: PNGProperties, _ background: UInt32, _ expectsManyColors: Bool
  ) -> PixelForm {
    let isSmall = properties.width * properties.height <= smallArea
    switch (properties.depth, expectsManyColors && !isSmall, properties.isOpaque) {
    case (.sixteen, false, _): return .grey16
    case (.sixteen, true, true): return .rgb16
    case (.sixteen, true, false): return .rgba16
    case (.eight, true, true): return .rgb
    case (.eight, true, false): return .rgba
    case (.eight, false, _): break
    }
    if background.isOpaqueGrey {
      return properties.height > paletteRowThreshold ? .greyPalette : .grey
    }
    return background == 0 && !isSmall ? .opacityPalette : .palette
  }

  /// Switches to a larger form, after a pixel did not fit.
  mutating func grow() {
    switch form {
    case .grey, .greyPalette, .opacityPalette: picture.form = .palette
    case .palette, .packed:
      let colors = (0..<Int(palette.pointee.count)).map { palette.pointee[$0] }
      picture.form =
        colors.allSatisfy(\.isOpaque)
        ? .rgb : colors.allSatisfy(\.isGrey) ? .greyAlpha : .rgba
    case .greyAlpha, .rgb, .rgba: picture.form = .rgba
    case .grey16: picture.form = .rgb16
    case .rgb16, .rgba16: picture.form = .rgba16
    }
    if form == .palette { pngPaletteBegin(palette, picture.background) }
  }

  /// Switches to another form that may be smaller; returns false if there is none.
  mutating func switchToAlternative() -> Bool {
    switch form {
    case .grey where Self.ambiguousRows ~= height: picture.form = .greyPalette
    case .greyPalette where Self.ambiguousRows ~= height: picture.form = .grey
    case .packed(let bits, _) where bits > 1:
      // Bytes of several pixels hide matches.
      guard let wide = unpackedForm else { return false }
      picture.form = wide
      staysUnpacked = true
      if form == .palette { pngPaletteBegin(palette, picture.background) }
    default: return false
    }
    return true
  }

  /// Finds the ink of a one-ink picture, if it is not known yet: the colour of the most opaque
  /// pixel in the first band with ink, so that the result does not depend on how many bands come at
  /// once.
  mutating func findInk(in bands: [Band]) {
    areStraight = bands.contains { $0.isStraight }
    guard form == .opacityPalette, !isInkKnown else { return }
    guard let mostOpaque = bands.lazy.map({ $0.mostOpaquePixel }).first(where: { $0 != 0 }) else {
      return
    }
    picture.ink = mostOpaque.straight(areStraight) & 0xFFFFFF
    isInkKnown = true
  }

  /// Packs pixels into fewer bits if few enough byte values occur; returns whether it did.
  mutating func shrink(toUsed used: ByteSet) -> Bool {
    guard !picture.isPacked, !staysUnpacked, used.count <= 16 else { return false }
    let others = used.bytes.map { color(ofByte: $0) }.filter {
      $0 != picture.background
    }
    guard others.count < 16 else { return false }
    let colors = [picture.background] + others
    let bits = colors.count <= 2 ? 1 : colors.count <= 4 ? 2 : 4
    pngPaletteBegin(palette, picture.background)
    for color in others { pngPaletteAdd(palette, color) }
    // Evenly spaced greys need no palette. If the background is not zero, a palette pays after a
    // few rows.
    let step = UInt32(255 / ((1 << bits) - 1))
    let areGreys =
      colors.allSatisfy { $0.isOpaqueGrey && ($0 & 255) % step == 0 }
      && (picture.background & 255 == 0 || height <= Self.packedPaletteRowThreshold)
    unpackedForm = form
    picture.form = .packed(bits: bits, areGreys: areGreys)
    picture.paletteValues = colors.enumerated().map { index, color in
      areGreys ? UInt8((color & 255) / step) : UInt8(index)
    }
    return true
  }

  /// The pixels that the file's byte values represent, in memory order.
  var colorOfByte: [UInt32] {
    if picture.isPacked {
      var colors = [UInt32](repeating: 0, count: 16)
      for (index, value) in picture.paletteValues.enumerated() {
        colors[Int(value)] = palette.pointee[index]
      }
      return colors
    }
    return (0..<256).map { byte in
      form == .palette && byte >= palette.pointee.count ? 0 : color(ofByte: byte)
    }
  }

  /// The pixel that a byte of the file represents, in memory order.
  private func color(ofByte byte: Int) -> UInt32 {
    let byte = UInt32(byte)
    return switch form {
    case .opacityPalette: (picture.ink | byte << 24).multiplied(!areStraight)
    case .palette: palette.pointee[Int(byte)]
    case .greyPalette: (byte ^ picture.background & 255) * 0x010101 | 0xFF00_0000
    default: byte * 0x010101 | 0xFF00_0000
    }
  }

  /// The palette of the file, straight. `last` is the largest byte value that occurs.
  func paletteColors(upTo last: Int) -> [UInt32] {
    let last = picture.isPacked || form == .palette ? Int(palette.pointee.count) - 1 : last
    guard form.hasPalette else { return [] }
    return (0...last).map { index in
      switch form {
      // All pixels of one ink have its colour, even nearly transparent ones.
      case .opacityPalette: picture.ink | UInt32(index) << 24
      case .packed: palette.pointee[index].straight(areStraight)
      default: color(ofByte: index).straight(areStraight)
      }
    }
  }
}

extension BandSource {
  /// The first pixel, as a substitute for an unknown background.
  fileprivate var firstPixel: Pixmap.Pixel {
    var pixel: Pixmap.Pixel?
    forEachBands { bands in
      guard pixel == nil, let first = bands.first else { return }
      pixel = first.firstPixel
    }
    return pixel ?? .clear
  }
}

extension Band {
  /// The first of the most opaque pixels, in memory order; 0 if all are transparent.
  fileprivate var mostOpaquePixel: UInt32 {
    guard !isBlank else { return 0 }
    var mostOpaque: UInt32 = 0
    for y in 0..<rowCount where !isClear(row: y) {
      let pixels = start(ofRow: y)
      for columns in drawnColumns(ofRow: y) {
        for x in columns {
          let pixel = pixels.loadUnaligned(fromByteOffset: 4 * x, as: UInt32.self).littleEndian
          guard pixel >> 24 > mostOpaque >> 24 else { continue }
          mostOpaque = pixel
          if pixel >> 24 == 255 { return mostOpaque }
        }
      }
    }
    return mostOpaque
  }

  /// Whether a row is all zeros. Words are combined without a branch, since most rows are.
  fileprivate func isClear(row: Int) -> Bool {
    withRow(row) { pixels in
      var all: UInt32 = 0
      for word in pixels.bindMemory(to: UInt32.self) { all |= word }
      return all == 0
    }
  }

  fileprivate var firstPixel: Pixmap.Pixel {
    withRow(0) { row in
      func part(_ number: Int) -> UInt16 {
        depth == .eight
          ? UInt16(row[number]) * 257
          : row.loadUnaligned(fromByteOffset: 2 * number, as: UInt16.self)
      }
      return Pixmap.Pixel(red: part(0), green: part(1), blue: part(2), alpha: part(3))
    }
  }
}

extension BandTokenizer.Picture {
  var isPacked: Bool {
    guard case .packed = form else { return false }
    return true
  }
}

/// An RGBA pixel of 8 bits per component in memory order: red lowest.
extension UInt32 {
  init(_ pixel: Pixmap.Pixel) {
    let parts = [pixel.red, pixel.green, pixel.blue, pixel.alpha]
    self = parts.reversed().reduce(0) { $0 << 8 | UInt32($1 / 257) }
  }

  var isGrey: Bool { self & 0xFFFFFF == (self & 255) * 0x010101 }
  var isOpaque: Bool { self >> 24 == 255 }
  var isOpaqueGrey: Bool { isGrey && isOpaque }

  /// The pixel as PNG stores it: straight.
  func straight(_ isStraight: Bool) -> UInt32 {
    let alpha = UInt8(self >> 24)
    guard !isStraight, alpha > 0, alpha < 255 else { return alpha == 0 ? 0 : self }
    return (0..<3).reduce(UInt32(alpha) << 24) { pixel, part in
      let value = UInt8(truncatingIfNeeded: self >> UInt32(8 * part))
      return pixel | UInt32(Unpremultiplying.straight(value, alpha)) << UInt32(8 * part)
    }
  }
}

extension UInt32 {
  /// Premultiplies a straight pixel, if the picture stores it so.
  func multiplied(_ isMultiplied: Bool) -> UInt32 {
    guard isMultiplied else { return self }
    let alpha = self >> 24
    return (0..<3).reduce(alpha << 24) { pixel, part in
      let value = self >> UInt32(8 * part) & 255
      return pixel | ((value * alpha + 127) / 255) << UInt32(8 * part)
    }
  }
}

extension PNGPalette {
  subscript(index: Int) -> UInt32 {
    withUnsafeBytes(of: colors) { $0.assumingMemoryBound(to: UInt32.self)[index] }
  }
}
