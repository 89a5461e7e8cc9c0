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
  /// A row with its margins, straight pixels, and the flags of groups of two rows if the band has
  /// none.
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
    part.begin(rowCount: band.rowCount)
    part.isBlank = band.isBlank
    part.state.pitch = band.bytesPerRow
    let isZero = form.isZero(picture.background)
    let tiles = (width + PixelMemory.tileSide - 1) / PixelMemory.tileSide
    let found = found.end(with: 2 * tiles)
    let nothingDrawn = isZero && part.isBlank
    let noRow = LastRow(byteCount: stride, tokensPerMatch: form == .rgba ? 32 : 24)
    var last = noRow
    // The flags of the row above, and of the deep row that the buffer contains.
    var above: UnsafePointer<UInt8>?
    var packed: UnsafePointer<UInt8>?
    for y in 0..<band.rowCount {
      if nothingDrawn, part.addZeros(stride * (band.rowCount - y), after: row) { break }
      let source = band.start(ofRow: y)
      part.reserve(stride)
      let known = band.flags(ofRow: y)
      guard band.depth == .eight else {
        let repeats = y > 0 && band.repeatsRow(above: y, above, known)
        above = known
        if repeats, last.copy(to: part, after: row) || last.repeatTokens(in: part) { continue }
        if !repeats {
          let fits =
            if let known, let packed {
              packer.packDeep(source, width, known, over: packed, form, row + 1)
            } else {
              packer.packDeep(source, 0..<width, form, row + 1)
            }
          guard fits else { return false }
          packed = known
        }
        last.note(part, repeats: repeats) {
          kernels.pointee.tokenizeBytes(&$0, row, stride, form.bytesPerPixel)
        }
        continue
      }
      let pixels = source.assumingMemoryBound(to: UInt8.self)
      var flags = UnsafePointer(found + y % 2 * tiles)
      if let known {
        flags = known
      } else {
        kernels.pointee.findDrawn(pixels, width, picture.background, found + y % 2 * tiles)
      }
      defer { above = flags }
      let isZeros = isZero && isBlank(flags, tiles)
      if isZeros, part.addZeros(stride, after: row) {
        last = noRow
        continue
      }
      if last.isWorthCopying, band.repeatsRow(above: y, above, flags),
        last.copy(to: part, after: row)
      {
        continue
      }
      switch form {
      case .rgb:
        let fits = last.note(part) {
          kernels.pointee.tokenizeRGB(
            &$0, recentColors, pixels, flags, width, picture.background)
        }
        guard fits != 0 else { return false }
      case .rgba:
        last.note(part) { tokenizeRGBA(pixels, flags, band, picture, into: &$0) }
      default:
        if isZeros {
          (row + 1).update(repeating: 0, count: stride - 1)
        } else {
          guard packer.pack(pixels, flags, isStraight: band.isStraight, picture, palette, row + 1)
          else { return false }
        }
        last.note(part) { kernels.pointee.tokenizeBytes(&$0, row, stride, form.bytesPerPixel) }
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
    into state: inout PNGTokens
  ) {
    let (width, background) = (picture.width, picture.background)
    if band.isStraight {
      _ = kernels.pointee.tokenizeRGBA(&state, recentColors, pixels, flags, width, background)
    } else {
      let straight = straight.end(with: 4 * width + Int(PNGRowMargin))
      state.pitch = 0
      kernels.pointee.unpremultiply(pixels, flags, width, straight)
      _ = kernels.pointee.tokenizeRGBA(
        &state, recentColors, straight, flags, width, background.straight(false))
    }
  }
}

/// The last row that was tokenized by itself, for equal rows below it: the lines of a paper, and
/// background.
private struct LastRow {
  let byteCount: Int
  /// The row's tokens, and whether an equal row has the same ones.
  private var tokens = 0..<0
  private var isRepeatable = false
  /// Whether an equal row is smaller as matches of the row above. A match of 258 bytes has up to 13
  /// raw bits, and a paper's tokens are frequent and so have few.
  private(set) var isWorthCopying = false
  private let tokensPerMatch: Int
  private var sum: UInt64 = 0
  private var weightedSum: UInt64 = 0

  init(byteCount: Int, tokensPerMatch: Int) {
    (self.byteCount, self.tokensPerMatch) = (byteCount, tokensPerMatch)
  }

  /// Tokenizes a row. One that repeats the row above is repeatable, if it starts as that one did.
  mutating func note<Result>(
    _ part: PartTokens, repeats: Bool = false, _ tokenize: (inout PNGTokens) -> Result
  ) -> Result {
    let before = part.state
    let result = tokenize(&part.state)
    isRepeatable = repeats && part.state.run == before.run
    tokens = before.next - part.tokens..<part.state.next - part.tokens
    // The tokens of a run before the row are not counted.
    let count = tokens.count - Int(before.run) / PNGLongestMatch
    isWorthCopying =
      byteCount <= PNGWindow && count > tokensPerMatch * (byteCount / PNGLongestMatch + 1)
    sum = part.state.sum - before.sum
    weightedSum = part.state.weightedSum - before.weightedSum - before.position * sum
    return result
  }

  /// Adds an equal row as matches of the row above; returns false if that would not be smaller.
  func copy(to part: PartTokens, after row: UnsafePointer<UInt8>) -> Bool {
    guard isWorthCopying else { return false }
    pngTokenizeCopy(&part.state, row, byteCount, UInt32(byteCount))
    addSums(to: part)
    return true
  }

  /// Adds an equal row with the same tokens; returns false if they are not known.
  func repeatTokens(in part: PartTokens) -> Bool {
    guard isRepeatable else { return false }
    part.state.next.update(from: part.tokens + tokens.lowerBound, count: tokens.count)
    part.state.next += tokens.count
    addSums(to: part)
    return true
  }

  private func addSums(to part: PartTokens) {
    part.state.sum += sum
    part.state.weightedSum += part.state.position * sum + weightedSum
    part.state.position += UInt64(byteCount)
  }
}

extension Band {
  /// Whether a row equals the one above. Only groups with a flag in one of them can differ.
  fileprivate func repeatsRow(
    above row: Int, _ flagsAbove: UnsafePointer<UInt8>?, _ flags: UnsafePointer<UInt8>?
  ) -> Bool {
    pngRowsAreEqual(
      start(ofRow: row - 1), start(ofRow: row), flagsAbove, flags, width, depth.bytesPerPixel) != 0
  }
}

extension UnsafeMutableRawPointer {
  /// Sets all bytes of a C struct to zero.
  fileprivate func clear<Value>(_: Value.Type) {
    initializeMemory(as: UInt8.self, repeating: 0, count: MemoryLayout<Value>.size)
  }
}
