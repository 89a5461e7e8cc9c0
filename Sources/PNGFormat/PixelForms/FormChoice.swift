import CPNGKernels
import Graphics

/// Finds the smallest form that all pixels of a picture have: begins with what its background lets hope
/// for, and goes on to a larger one where a pixel does not fit.
struct FormChoice {
  /// Pictures of more rows are worth a palette, which makes undrawn rows zeros.
  private static let rowsWorthPalette = 340
  /// About so many it depends on what was drawn.
  private static let rowsOfBoth = 250...900
  /// The same for a palette of a few colours.
  private static let rowsWorthFewColors = 40
  /// Pictures of so many pixels or fewer are better off with a palette of what they use.
  private static let smallArea = 1 << 16

  private(set) var picture: BandTeller.Picture
  let palette: UnsafeMutablePointer<PNGPalette>
  private var knowsInk = false
  /// Whether the pixels in memory are straight.
  private(set) var areStraight = false
  /// What was told before it was known how few colours there are, and whether that is to be written.
  private var beforeFew: PixelForm?
  private var isWide = false

  var form: PixelForm { picture.form }

  /// Whether all that is told can be written at once, since there is no larger form.
  var isFinal: Bool {
    switch form {
    case .pixels, .deepPixels: true
    case .solids, .deepSolids: isSurelyOpaque
    default: false
    }
  }

  private let isSurelyOpaque: Bool
  private let height: Int

  init(
    _ properties: PNGProperties, _ source: some BandSource,
    _ palette: UnsafeMutablePointer<PNGPalette>
  ) {
    self.palette = palette
    let background = UInt32(source.backgroundPixel ?? source.firstPixel)
    isSurelyOpaque = properties.isOpaque
    height = properties.height
    picture = BandTeller.Picture(
      form: Self.first(properties, background, source.expectsManyColors), width: properties.width,
      background: background)
    if form == .places { pngPaletteBegin(palette, background) }
  }

  private static func first(
    _ properties: PNGProperties, _ background: UInt32, _ expectsManyColors: Bool
  ) -> PixelForm {
    let isSmall = properties.width * properties.height <= smallArea
    switch (properties.depth, expectsManyColors && !isSmall, properties.isOpaque) {
    case (.sixteen, false, _): return .deepGreys
    case (.sixteen, true, true): return .deepSolids
    case (.sixteen, true, false): return .deepPixels
    case (.eight, true, true): return .solids
    case (.eight, true, false): return .pixels
    case (.eight, false, _): break
    }
    if background.isSolidGrey {
      return properties.height > rowsWorthPalette ? .turnedGreys : .greys
    }
    return background == 0 && !isSmall ? .opacities : .places
  }

  /// Goes on to the next form, where some pixel does not have the last one.
  mutating func grow() {
    switch form {
    case .greys, .turnedGreys, .opacities: picture.form = .places
    case .places, .few:
      let colors = (0..<Int(palette.pointee.count)).map { palette.pointee[$0] }
      picture.form =
        colors.allSatisfy(\.isSolid)
        ? .solids : colors.allSatisfy(\.isGrey) ? .greysAndOpacities : .pixels
    case .greysAndOpacities, .solids, .pixels: picture.form = .pixels
    case .deepGreys: picture.form = .deepSolids
    case .deepSolids, .deepPixels: picture.form = .deepPixels
    }
    if form == .places { pngPaletteBegin(palette, picture.background) }
  }

  /// Goes to another form of the same pixels that may be as small; says whether there is one.
  mutating func turn() -> Bool {
    switch form {
    case .greys where Self.rowsOfBoth ~= height: picture.form = .turnedGreys
    case .turnedGreys where Self.rowsOfBoth ~= height: picture.form = .greys
    case .few(let bits, _) where bits > 1:
      // Several pixels in a byte hide what is repeated.
      guard let wide = beforeFew else { return false }
      picture.form = wide
      isWide = true
      if form == .places { pngPaletteBegin(palette, picture.background) }
    default: return false
    }
    return true
  }

  /// Looks for the one ink of a picture, as far as it is not known yet: in the first band that shows any,
  /// so that it does not matter how many bands come at once.
  mutating func findInk(in bands: [Band]) {
    areStraight = bands.contains { $0.isStraight }
    guard form == .opacities, !knowsInk else { return }
    guard let most = bands.lazy.map({ $0.mostOpaquePixel }).first(where: { $0 != 0 }) else {
      return
    }
    picture.ink = most.straight(areStraight) & 0xFFFFFF
    knowsInk = true
  }

  /// Takes fewer bits a pixel where the bytes that occur are few enough; says whether it did.
  mutating func shrink(toUsed used: ByteSet) -> Bool {
    guard !picture.isFew, !isWide, used.count <= 16 else { return false }
    let others = used.bytes.map { color(ofByte: $0) }.filter {
      $0 != picture.background
    }
    guard others.count < 16 else { return false }
    let colors = [picture.background] + others
    let bits = colors.count <= 2 ? 1 : colors.count <= 4 ? 2 : 4
    pngPaletteBegin(palette, picture.background)
    for color in others { pngPaletteAdd(palette, color) }
    // Greys that so few bits can say need no palette; where the background is not zero, one pays off
    // after a few rows.
    let step = UInt32(255 / ((1 << bits) - 1))
    let areGreys =
      colors.allSatisfy { $0.isSolidGrey && ($0 & 255) % step == 0 }
      && (picture.background & 255 == 0 || height <= Self.rowsWorthFewColors)
    beforeFew = form
    picture.form = .few(bits: bits, areGreys: areGreys)
    picture.valueOfPlace = colors.enumerated().map { place, color in
      areGreys ? UInt8((color & 255) / step) : UInt8(place)
    }
    return true
  }

  /// The pixels that the bytes of the file stand for, as they lie in memory.
  var knownColors: [UInt32] {
    if picture.isFew {
      var colors = [UInt32](repeating: 0, count: 16)
      for (place, value) in picture.valueOfPlace.enumerated() {
        colors[Int(value)] = palette.pointee[place]
      }
      return colors
    }
    return (0..<256).map { byte in
      form == .places && byte >= palette.pointee.count ? 0 : color(ofByte: byte)
    }
  }

  /// The colour that a byte of the file stands for, as it lies in memory.
  private func color(ofByte byte: Int) -> UInt32 {
    let byte = UInt32(byte)
    return switch form {
    case .opacities: (picture.ink | byte << 24).multiplied(!areStraight)
    case .places: palette.pointee[Int(byte)]
    case .turnedGreys: (byte ^ picture.background & 255) * 0x010101 | 0xFF00_0000
    default: byte * 0x010101 | 0xFF00_0000
    }
  }

  /// The colours of the file's palette, straight; bytes up to `last` occur.
  func paletteColors(upTo last: Int) -> [UInt32] {
    let last = picture.isFew || form == .places ? Int(palette.pointee.count) - 1 : last
    guard form.hasPalette else { return [] }
    return (0...last).map { place in
      switch form {
      // Of one ink all pixels have the same colour, those too that are nearly clear.
      case .opacities: picture.ink | UInt32(place) << 24
      case .few: palette.pointee[place].straight(areStraight)
      default: color(ofByte: place).straight(areStraight)
      }
    }
  }
}

extension BandSource {
  /// What is taken for the background where nobody knows it.
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
  /// The first of the most opaque pixels, as it lies in memory; 0 where all are clear.
  fileprivate var mostOpaquePixel: UInt32 {
    guard !isBlank else { return 0 }
    var most: UInt32 = 0
    for y in 0..<rowCount where !isClear(row: y) {
      let pixels = start(ofRow: y)
      for columns in drawnColumns(ofRow: y) {
        for x in columns {
          let pixel = pixels.loadUnaligned(fromByteOffset: 4 * x, as: UInt32.self).littleEndian
          guard pixel >> 24 > most >> 24 else { continue }
          most = pixel
          if pixel >> 24 == 255 { return most }
        }
      }
    }
    return most
  }

  /// Whether all of a row is zero. Words are looked at, since most rows are.
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

extension BandTeller.Picture {
  var isFew: Bool {
    guard case .few = form else { return false }
    return true
  }
}

/// A pixel of 8 bits a component, as it lies in memory: red lowest.
extension UInt32 {
  init(_ pixel: Pixmap.Pixel) {
    let parts = [pixel.red, pixel.green, pixel.blue, pixel.alpha]
    self = parts.reversed().reduce(0) { $0 << 8 | UInt32($1 / 257) }
  }

  var isGrey: Bool { self & 0xFFFFFF == (self & 255) * 0x010101 }
  var isSolid: Bool { self >> 24 == 255 }
  var isSolidGrey: Bool { isGrey && isSolid }

  /// The pixel as files show it, where it is not straight already.
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
  /// A straight pixel as pictures have it, where they keep it multiplied.
  func multiplied(_ isMultiplied: Bool) -> UInt32 {
    guard isMultiplied else { return self }
    let alpha = self >> 24
    return (0..<3).reduce(alpha << 24) { pixel, part in
      let value = self >> UInt32(8 * part) & 255
      return pixel | ((value * alpha + 127) / 255) << UInt32(8 * part)
    }
  }
}

/// Some of the 256 bytes.
struct ByteSet {
  private var words = SIMD4<UInt64>()

  mutating func insert(_ byte: Int) { words[byte >> 6] |= 1 << UInt64(byte & 63) }

  func contains(_ byte: Int) -> Bool { words[byte >> 6] >> UInt64(byte & 63) & 1 == 1 }

  var count: Int { (0..<4).reduce(0) { $0 + words[$1].nonzeroBitCount } }

  var bytes: [Int] { (0..<256).filter(contains) }

  /// The greatest; 0 of none.
  var last: Int {
    for word in (0..<4).reversed() where words[word] != 0 {
      return 64 * word + 63 - words[word].leadingZeroBitCount
    }
    return 0
  }
}

extension PNGPalette {
  subscript(place: Int) -> UInt32 {
    withUnsafeBytes(of: colors) { $0.assumingMemoryBound(to: UInt32.self)[place] }
  }
}
