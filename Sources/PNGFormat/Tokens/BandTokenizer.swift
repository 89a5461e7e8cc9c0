import CPNGKernels
import Graphics

/// Tokenizes bands in a pixel form, row by row.
final class BandTokenizer {
  /// What all bands of a picture have in common.
  struct Picture {
    var form: PixelForm
    let width: Int
    /// The value of undrawn pixels, in memory order; unused for 16-bit pixels.
    let background: UInt32
    /// The straight colour of a one-ink picture.
    var ink: UInt32 = 0
    /// The value that the file stores for each palette index, in packed forms.
    var paletteValues: [UInt8] = []
  }

  private let kernels: UnsafePointer<PNGKernels>
  private let recentColors: UnsafeMutablePointer<PNGRecentColors>
  /// A row with its margins, straight pixels, and the flags of groups if the band has none.
  private let row = ByteBuffer()
  private let straight = ByteBuffer()
  private let found = ByteBuffer()
  private let packer: RowPacker

  init(_ kernels: UnsafePointer<PNGKernels>) {
    self.kernels = kernels
    recentColors = .allocate(capacity: 1)
    recentColors.initialize(to: PNGRecentColors())
    packer = RowPacker(kernels)
  }

  deinit { recentColors.deallocate() }

  /// Tokenizes a band; returns whether the form holds all its pixels.
  func tokenize(
    _ band: Band, of picture: Picture, _ palette: UnsafeMutablePointer<PNGPalette>,
    into part: PartTokens
  ) -> Bool {
    let (form, width, margin) = (picture.form, picture.width, Int(PNGRowMargin))
    let stride = form.bytesPerRow(width: width)
    let row = row.end(with: stride + 2 * margin) + margin
    (row - margin).update(repeating: 0, count: margin + 1)
    if form == .rgb || form == .rgba {
      UnsafeMutableRawPointer(recentColors).clear(PNGRecentColors.self)
    }
    part.begin()
    part.state.pitch = band.bytesPerRow
    let isZero = form.isZero(picture.background)
    let tiles = (width + PixelMemory.tileSide - 1) / PixelMemory.tileSide
    let found = found.end(with: tiles)
    let nothingDrawn = isZero && band.isBlank
    for y in 0..<band.rowCount {
      if nothingDrawn, part.addZeros(stride * (band.rowCount - y), after: row) { break }
      let source = band.start(ofRow: y)
      part.reserve(stride)
      guard band.depth == .eight else {
        guard packer.packDeep(source, width, form, row + 1) else { return false }
        kernels.pointee.tokenizeBytes(&part.state, row, stride, form.bytesPerPixel)
        continue
      }
      let pixels = source.assumingMemoryBound(to: UInt8.self)
      var flags = UnsafePointer(found)
      if let known = band.flags(ofRow: y) {
        flags = known
      } else {
        kernels.pointee.findDrawn(pixels, width, picture.background, found)
      }
      switch form {
      case .rgb:
        guard
          kernels.pointee.tokenizeRGB(
            &part.state, recentColors, pixels, flags, width, picture.background)
            != 0
        else { return false }
      case .rgba: tokenizeRGBA(pixels, flags, band, picture, into: part)
      default:
        if isZero, isBlank(flags, tiles) {
          if part.addZeros(stride, after: row) { continue }
          (row + 1).update(repeating: 0, count: stride - 1)
        } else {
          guard packer.pack(pixels, flags, isStraight: band.isStraight, picture, palette, row + 1)
          else { return false }
        }
        kernels.pointee.tokenizeBytes(&part.state, row, stride, form.bytesPerPixel)
      }
    }
    part.end(row, kernels)
    return true
  }

  @inline(__always)
  private func isBlank(_ flags: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    for tile in 0..<count where flags[tile] != 0 { return false }
    return true
  }

  private func tokenizeRGBA(
    _ pixels: UnsafePointer<UInt8>, _ flags: UnsafePointer<UInt8>, _ band: Band, _ picture: Picture,
    into part: PartTokens
  ) {
    let (width, background) = (picture.width, picture.background)
    if band.isStraight {
      _ = kernels.pointee.tokenizeRGBA(&part.state, recentColors, pixels, flags, width, background)
    } else {
      let straight = straight.end(with: 4 * width + Int(PNGRowMargin))
      part.state.pitch = 0
      kernels.pointee.unpremultiply(pixels, flags, width, straight)
      _ = kernels.pointee.tokenizeRGBA(
        &part.state, recentColors, straight, flags, width, background.straight(false))
    }
  }
}

extension UnsafeMutableRawPointer {
  /// Sets all bytes of a C struct to zero.
  fileprivate func clear<Value>(_: Value.Type) {
    initializeMemory(as: UInt8.self, repeating: 0, count: MemoryLayout<Value>.size)
  }
}
