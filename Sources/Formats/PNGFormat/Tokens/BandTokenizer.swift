import CPNGKernels
import Graphics

/// Tokenizes bands in a pixel form, row by row.
final class BandTokenizer {
  /// The common data of all bands of a picture.
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
    part.isBlank = band.isBlank
    part.state.pitch = band.bytesPerRow
    let isZero = form.isZero(picture.background)
    let tiles = (width + PixelMemory.tileSide - 1) / PixelMemory.tileSide
    let found = found.end(with: tiles)
    let nothingDrawn = isZero && part.isBlank
    var blankRows = BlankRows()
    // The groups with ink in the deep row that the buffer contains.
    var packed: UnsafePointer<UInt8>?
    for y in 0..<band.rowCount {
      if nothingDrawn, part.addZeros(stride * (band.rowCount - y), after: row) { break }
      let source = band.start(ofRow: y)
      part.reserve(stride)
      guard band.depth == .eight else {
        let known = band.flags(ofRow: y)
        let isBlank = known.map { self.isBlank($0, tiles) } ?? false
        if isBlank, blankRows.repeatLast(in: part, bytesPerRow: stride) { continue }
        let fits =
          if let known, let packed {
            packer.packDeep(source, width, known, over: packed, form, row + 1)
          } else {
            packer.packDeep(source, 0..<width, form, row + 1)
          }
        guard fits else { return false }
        packed = known
        if isBlank {
          blankRows.note(part) {
            kernels.pointee.tokenizeBytes(&$0, row, stride, form.bytesPerPixel)
          }
        } else {
          blankRows = BlankRows()
          kernels.pointee.tokenizeBytes(&part.state, row, stride, form.bytesPerPixel)
        }
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

/// Rows of background, one below the other. From the third on, each has the tokens of the one
/// before.
private struct BlankRows {
  private(set) var count = 0
  /// The tokens of the second row and its contribution to the sums, if the third row will begin in
  /// the same way.
  private var tokens: Range<Int>?
  private var sum: UInt64 = 0
  private var weightedSum: UInt64 = 0

  /// Tokenizes the first and the second row.
  mutating func note(_ part: PartTokens, _ tokenize: (inout PNGTokens) -> Void) {
    let before = part.state
    tokenize(&part.state)
    count += 1
    guard count > 1, part.state.run == before.run else { return }
    tokens = before.next - part.tokens..<part.state.next - part.tokens
    sum = part.state.sum - before.sum
    weightedSum = part.state.weightedSum - before.weightedSum - before.position * sum
  }

  /// Adds another row; returns false if its tokens are not known.
  mutating func repeatLast(in part: PartTokens, bytesPerRow: Int) -> Bool {
    guard let tokens else { return false }
    part.state.next.update(from: part.tokens + tokens.lowerBound, count: tokens.count)
    part.state.next += tokens.count
    part.state.sum += sum
    part.state.weightedSum += part.state.position * sum + weightedSum
    part.state.position += UInt64(bytesPerRow)
    return true
  }
}

extension UnsafeMutableRawPointer {
  /// Sets all bytes of a C struct to zero.
  fileprivate func clear<Value>(_: Value.Type) {
    initializeMemory(as: UInt8.self, repeating: 0, count: MemoryLayout<Value>.size)
  }
}
