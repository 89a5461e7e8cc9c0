import Graphics

/// Decodes bytes of a pixel form into pixels again, for when the form turned out to be too small.
final class FormDecoder {
  let form: PixelForm
  let width: Int
  private let areStraight: Bool
  /// The pixel of each byte value, in forms of one byte per pixel.
  private let colors: [UInt32]
  private let depth: Pixmap.Depth
  /// The pixels of one band; the next call overwrites them.
  private lazy var memory = PixelMemory(
    width: width, height: Band.height, bytesPerPixel: depth.bytesPerPixel)

  /// A row of undrawn background, in whole tiles.
  private lazy var blankRow: ByteBuffer = {
    let pixelCount = tileCount * PixelMemory.tileSide
    let row = ByteBuffer(capacity: pixelCount * depth.bytesPerPixel)
    let pixels = UnsafeMutableRawPointer(row.start)
    let background = form.bytesPerPixel == 1 ? colors[0] : 0
    if depth == .eight {
      pixels.initializeMemory(
        as: UInt32.self, repeating: background.littleEndian, count: pixelCount)
    } else {
      pixels.initializeMemory(as: SIMD4<UInt16>.self, repeating: .zero, count: pixelCount)
    }
    return row
  }()
  /// The flags of bands in which nothing is drawn.
  private lazy var noGroups = GroupFlags(columns: tileCount, rows: Band.height)
  private var tileCount: Int { (width + PixelMemory.tileSide - 1) / PixelMemory.tileSide }

  init(_ choice: FormChoice) {
    form = choice.form
    width = choice.picture.width
    areStraight = choice.areStraight
    colors = form.bytesPerPixel == 1 ? choice.colorOfByte : []
    depth = form.bitDepth == 16 ? .sixteen : .eight
  }

  /// The pixels of rows, each of which starts with its filter byte.
  func band(of bytes: UnsafePointer<UInt8>, rowCount: Int) -> Band {
    let stride = form.bytesPerRow(width: width)
    for y in 0..<rowCount {
      let row = bytes + y * stride + 1
      let pixels = memory.base + y * memory.bytesPerRow
      switch form {
      case .grey16, .rgb16:
        for x in 0..<width {
          pixels.storeBytes(of: deepPixel(at: row, x), toByteOffset: 8 * x, as: SIMD4.self)
        }
      case .greyAlpha, .rgb:
        let pixels = pixels.assumingMemoryBound(to: UInt32.self)
        for x in 0..<width { pixels[x] = pixel(at: row, x).littleEndian }
      case .packed(let bits, _):
        let pixels = pixels.assumingMemoryBound(to: UInt32.self)
        for x in 0..<width {
          let byte = row[x * bits / 8] >> UInt8(8 - bits - x * bits % 8)
          pixels[x] = colors[Int(byte) & ((1 << bits) - 1)].littleEndian
        }
      default:
        let pixels = pixels.assumingMemoryBound(to: UInt32.self)
        for x in 0..<width { pixels[x] = colors[Int(row[x])].littleEndian }
      }
    }
    return Band(
      firstRow: 0, rowCount: rowCount, width: width, depth: depth, isStraight: areStraight,
      pixels: memory.base, bytesPerRow: memory.bytesPerRow, owner: memory)
  }

  /// Rows of undrawn background: one row that all share, since some forms read undrawn pixels too.
  func blankBand(rowCount: Int) -> Band {
    Band(
      firstRow: 0, rowCount: rowCount, width: width, depth: depth, isStraight: areStraight,
      pixels: blankRow.start, bytesPerRow: 0, owner: blankRow, groups: noGroups)
  }

  /// Rows in which nothing is drawn, each of which has the bytes of one row with its filter byte.
  func blankBand(ofRow bytes: UnsafePointer<UInt8>, rowCount: Int) -> Band {
    _ = band(of: bytes, rowCount: 1)
    return Band(
      firstRow: 0, rowCount: rowCount, width: width, depth: depth, isStraight: areStraight,
      pixels: memory.base, bytesPerRow: 0, owner: memory, groups: noGroups)
  }

  @inline(__always)
  private func pixel(at row: UnsafePointer<UInt8>, _ x: Int) -> UInt32 {
    if form == .rgb {
      return UInt32(row[3 * x]) | UInt32(row[3 * x + 1]) << 8 | UInt32(row[3 * x + 2]) << 16
        | 0xFF00_0000
    }
    return (UInt32(row[2 * x]) * 0x010101 | UInt32(row[2 * x + 1]) << 24).multiplied(!areStraight)
  }

  private func deepPixel(at row: UnsafePointer<UInt8>, _ x: Int) -> SIMD4<UInt16> {
    let parts = form == .rgb16 ? 3 : 1
    func part(_ number: Int) -> UInt16 {
      let offset = 2 * (parts * x + number)
      return UInt16(row[offset]) << 8 | UInt16(row[offset + 1])
    }
    return parts == 3
      ? SIMD4(part(0), part(1), part(2), 65_535) : SIMD4(part(0), part(0), part(0), 65_535)
  }
}
