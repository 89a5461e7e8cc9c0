import CPNGKernels
import Graphics
import TestSupport

@testable import PNGFormat

/// Rows that are hard for kernels, each for another reason. Their memory has exactly their size, so
/// that the address sanitizer reports every access beyond it.
final class TexturedRows {
  let form: PixelForm
  let width: Int
  let rowCount: Int
  /// The undrawn pixels in memory order; unused for 16-bit pictures.
  private(set) var background: UInt32 = 0
  /// The groups of pixels that are flagged as possibly different from the background.
  enum Flags: CaseIterable {
    case unknown, all, drawn
  }

  private let memory: UnsafeMutableRawPointer
  private var random: SplitMix64
  /// The pixels that the form supports; the background comes first.
  private var colors: [UInt32] = []
  /// The expected bytes of the file, each row with its filter byte first.
  private(set) var bytes: [UInt8] = []

  init(_ form: PixelForm, width: Int, rowCount: Int, seed: UInt64) {
    (self.form, self.width, self.rowCount) = (form, width, rowCount)
    random = SplitMix64(seed: seed)
    memory = .allocate(byteCount: width * rowCount * form.pixelDepth.bytesPerPixel, alignment: 8)
    if form.pixelDepth == .eight { chooseColors() }
    for y in 0..<rowCount { fill(row: y) }
  }

  deinit { memory.deallocate() }

  private func byte() -> UInt32 { UInt32.random(in: 0...255, using: &random) }

  // MARK: - Pixels

  private func chooseColors() {
    let ink = byte() << 16 | byte() << 8 | byte()
    switch form {
    case .packed(let bits, areGreys: true):
      let step = UInt32(255 / ((1 << bits) - 1))
      colors = (0..<1 << bits).shuffled(using: &random).map { UInt32.solidGrey(UInt32($0) * step) }
    case .packed(let bits, areGreys: false):
      colors = (0..<UInt32(1 << bits)).map { UInt32.solid($0, byte(), byte()) }
    case .grey, .greyPalette:
      colors = (0..<256).shuffled(using: &random).map { UInt32.solidGrey(UInt32($0)) }
    case .opacityPalette:
      colors = [0] + (1...255).map { (ink | $0 << 24).multiplied(true) }
    case .palette:
      colors = (0..<256).map { UInt32.solid($0, byte(), byte()) }
    case .greyAlpha:
      colors = (0..<700).map { _ in (byte() * 0x010101 | byte() << 24).multiplied(true) }
    case .rgb: colors = (0..<900).map { _ in UInt32.solid(byte(), byte(), byte()) }
    case .rgba:
      colors = (0..<900).map { _ in
        (byte() << 16 | byte() << 8 | byte() | byte() << 24).multiplied(true)
      }
      if byte() < 85 { colors[0] = 0 }
    case .grey16, .rgb16, .rgba16: break
    }
    background = colors.first ?? 0
  }

  /// The drawn columns of a row, and the number of their colours.
  private func texture(ofRow y: Int) -> (columns: Range<Int>, colorCount: Int) {
    let column = Int.random(in: 0...width, using: &random)
    let few = 1 + Int.random(in: 0..<3, using: &random)
    switch y % 11 {
    case 0, 1, 5: return (0..<0, 1)
    case 2: return (width - 1..<width, few)
    case 3: return (0..<1, few)
    case 4: return (column..<width, 40)
    case 6: return (0..<column, few)
    case 7: return (0..<width, 40)
    default: return (0..<width, colors.count)
    }
  }

  private func fill(row y: Int) {
    if y % 11 > 8 { return repeatRow(above: y) }
    guard form.pixelDepth == .eight else { return fillDeep(row: y) }
    let (columns, colorCount) = texture(ofRow: y)
    bytes.append(0)
    var packed: [UInt32] = []
    for x in 0..<width {
      let index =
        columns.contains(x)
        ? Int.random(in: 0..<min(max(colorCount, 1), colors.count), using: &random) : 0
      let pixel = colors[index]
      memory.storeBytes(
        of: pixel.littleEndian, toByteOffset: 4 * (y * width + x), as: UInt32.self)
      switch form {
      case .packed(let bits, let areGreys):
        packed.append(areGreys ? (pixel & 255) / UInt32(255 / ((1 << bits) - 1)) : UInt32(index))
      case .grey: bytes.append(UInt8(pixel & 255))
      case .greyPalette: bytes.append(UInt8((pixel ^ background) & 255))
      case .opacityPalette: bytes.append(UInt8(pixel >> 24))
      case .palette: bytes.append(indexInPalette(of: pixel))
      case .greyAlpha:
        bytes += [UInt8(pixel.straight(false) & 255), UInt8(pixel >> 24)]
      case .rgb: bytes += pixel.parts.prefix(3)
      default: bytes += pixel.straight(false).parts
      }
    }
    guard case .packed(let bits, _) = form else { return }
    let perByte = 8 / bits
    while packed.count % perByte != 0 { packed.append(0) }
    for first in stride(from: 0, to: packed.count, by: perByte) {
      bytes.append(UInt8(packed[first..<first + perByte].reduce(0) { $0 << UInt32(bits) | $1 }))
    }
  }

  private func repeatRow(above y: Int) {
    let count = width * form.pixelDepth.bytesPerPixel
    (memory + y * count).copyMemory(from: memory + (y - 1) * count, byteCount: count)
    bytes += bytes.suffix(bytes.count / y)
  }

  /// Colours in the order in which they occur.
  private var metColors: [UInt32: UInt8] = [:]

  private func indexInPalette(of pixel: UInt32) -> UInt8 {
    if metColors.isEmpty { metColors[background] = 0 }
    let index = metColors[pixel] ?? UInt8(metColors.count)
    metColors[pixel] = index
    return index
  }

  private func fillDeep(row y: Int) {
    let columns = texture(ofRow: y).columns
    bytes.append(0)
    for x in 0..<width {
      func part() -> UInt16 {
        columns.contains(x) ? UInt16.random(in: 0...65_535, using: &random) : 65_535
      }
      let grey = part()
      var pixel = SIMD4(grey, grey, grey, 65_535 as UInt16)
      if form != .grey16 { pixel = SIMD4(part(), part(), part(), 65_535) }
      if form == .rgba16, columns.contains(x) {
        let alpha = UInt16.random(in: 0...65_535, using: &random)
        pixel = SIMD4(min(pixel.x, alpha), min(pixel.y, alpha), min(pixel.z, alpha), alpha)
      }
      memory.storeBytes(of: pixel, toByteOffset: 8 * (y * width + x), as: SIMD4<UInt16>.self)
      let count = form == .grey16 ? 1 : form == .rgb16 ? 3 : 4
      for number in 0..<count {
        let value =
          number == 3 || pixel.w == 65_535
          ? pixel[number] : pixel.w == 0 ? 0 : Unpremultiplying.straight(pixel[number], pixel.w)
        bytes += [UInt8(value >> 8), UInt8(value & 255)]
      }
    }
  }
}

// MARK: - Input of encoders

extension TexturedRows {
  /// The picture of all bands, and a palette for its form.
  func picture(_ palette: UnsafeMutablePointer<PNGPalette>) -> BandTokenizer.Picture {
    var picture = BandTokenizer.Picture(form: form, width: width, background: background)
    pngPaletteBegin(palette, background)
    switch form {
    case .packed(let bits, let areGreys):
      for color in colors { pngPaletteAdd(palette, color) }
      picture.paletteValues = colors.indices.map { index in
        areGreys ? UInt8((colors[index] & 255) / UInt32(255 / ((1 << bits) - 1))) : UInt8(index)
      }
    case .opacityPalette: picture.ink = colors[255] & 0xFFFFFF
    default: break
    }
    return picture
  }

  /// All rows as a band.
  func band(_ flags: Flags) -> Band {
    Band(
      firstRow: 0, rowCount: rowCount, width: width, depth: form.pixelDepth,
      pixels: memory, bytesPerRow: width * form.pixelDepth.bytesPerPixel, owner: self,
      groups: groups(flags))
  }

  private func groups(_ flags: Flags) -> GroupFlags? {
    guard flags != .unknown, form.pixelDepth == .eight else { return nil }
    let tileSide = PixelMemory.tileSide
    let (columns, rows) = ((width + tileSide - 1) / tileSide, (rowCount + tileSide - 1) / tileSide)
    let groups = GroupFlags(columns: columns, rows: rows * tileSide)
    for column in 0..<columns {
      var bytes = [UInt8](repeating: flags == .all ? 0xFF : 0, count: rows * tileSide)
      if flags == .drawn {
        for y in 0..<rowCount {
          for x in column * tileSide..<min((column + 1) * tileSide, width)
          where pixel(x, y) != background {
            bytes[y] |= 1 << UInt8(x % tileSide / GroupFlags.groupWidth)
          }
        }
      }
      for row in 0..<rows {
        bytes.withUnsafeBufferPointer {
          guard let start = $0.baseAddress else { return }
          groups.set(start + row * tileSide, column: column, row: row)
        }
      }
    }
    return groups
  }

  private func pixel(_ x: Int, _ y: Int) -> UInt32 {
    memory.load(fromByteOffset: 4 * (y * width + x), as: UInt32.self).littleEndian
  }
}

extension PixelForm {
  /// All pixel forms.
  static let all: [PixelForm] =
    [1, 2, 4].flatMap { [.packed(bits: $0, areGreys: true), .packed(bits: $0, areGreys: false)] }
    + [
      .grey, .greyPalette, .opacityPalette, .palette, .greyAlpha, .rgb, .rgba, .grey16,
      .rgb16, .rgba16,
    ]

  /// The number of bits of a component in memory.
  var pixelDepth: Pixmap.Depth { bitDepth == 16 ? .sixteen : .eight }
}

extension UInt32 {
  fileprivate static func solid(_ red: UInt32, _ green: UInt32, _ blue: UInt32) -> UInt32 {
    red | green << 8 | blue << 16 | 0xFF00_0000
  }

  fileprivate static func solidGrey(_ grey: UInt32) -> UInt32 { solid(grey, grey, grey) }

  /// Red, green, blue and alpha.
  fileprivate var parts: [UInt8] {
    [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: self >> $0) }
  }
}
