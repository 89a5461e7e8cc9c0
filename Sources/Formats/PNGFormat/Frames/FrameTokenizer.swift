import CPNGKernels
import Graphics

/// Tokenizes the changed rectangle of a frame in the smaller of two ways: all its pixels, or only
/// the changed ones over the previous frame.
final class FrameTokenizer {
  /// A frame's tokens, and how they are combined with the canvas.
  struct TokenizedFrame {
    let blend: FrameControl.Blend
    let parts: ArraySlice<PartTokens>
  }

  /// Rectangles that are larger, or change colour more often along their rows, take the fast path
  /// of still pictures, without a search for matches.
  private static let colorChangeLimit = 1 << 15
  private static let searchedAreaLimit = 1 << 18
  /// The bytes that are searched together, approximately.
  private static let bytesPerSearch = 1 << 16

  private let kernels: UnsafePointer<PNGKernels>
  private let palette: UnsafeMutablePointer<PNGPalette>
  private let fastTokenizer: BandTokenizer
  private let packer: RowPacker
  private let chains: UnsafeMutablePointer<PNGHashChains>
  private let bytes = ByteBuffer()
  private let flags = ByteBuffer()
  /// The tokens of both variants.
  private var tokens: [FrameControl.Blend: [PartTokens]] = [:]

  init(_ kernels: UnsafePointer<PNGKernels>, _ palette: UnsafeMutablePointer<PNGPalette>) {
    (self.kernels, self.palette) = (kernels, palette)
    fastTokenizer = BandTokenizer(kernels)
    packer = RowPacker(kernels)
    chains = .allocate(capacity: 1)
    chains.initialize(to: PNGHashChains())
  }

  deinit { chains.deallocate() }

  /// Tokenizes a changed rectangle. With a `key`, unchanged pixels may be left out (blend `over`).
  /// Returns nil if the form cannot hold a pixel.
  func tokenize(
    _ canvas: FrameCanvas, _ rectangle: PixelRect, _ form: PixelForm, key: UInt32?,
    cost: (ArraySlice<PartTokens>) -> Int
  ) -> TokenizedFrame? {
    guard let key, canvas.depth == .eight, canvas.changes.isKeyUsed == 0,
      canvas.changes.areOpaque != 0, rectangle == canvas.changed
    else { return tokenize(canvas, rectangle, form, key: nil) }
    let plain = colorChanges(canvas, rectangle, form, key: nil)
    let keyed = colorChanges(canvas, rectangle, form, key: key)
    if plain < keyed / 2 { return tokenize(canvas, rectangle, form, key: nil, colorChanges: plain) }
    guard let over = tokenize(canvas, rectangle, form, key: key, colorChanges: keyed) else {
      return nil
    }
    if keyed <= plain || plain > Self.colorChangeLimit { return over }
    guard let source = tokenize(canvas, rectangle, form, key: nil, colorChanges: plain) else {
      return nil
    }
    return cost(source.parts) < cost(over.parts) ? source : over
  }

  /// Rows of a rectangle; with a key, unchanged pixels have the key's colour.
  private func band(
    _ canvas: FrameCanvas, _ rows: Range<Int>, _ rectangle: PixelRect, _ key: UInt32?
  ) -> Band {
    key.map { canvas.keyedBand(rows, key: $0) } ?? canvas.band(rows, of: rectangle)
  }

  /// How often the colour changes along the rows of a rectangle.
  private func colorChanges(
    _ canvas: FrameCanvas, _ rectangle: PixelRect, _ form: PixelForm, key: UInt32?
  ) -> Int {
    // 16-bit pixels always take the fast path.
    guard canvas.depth == .eight else { return 0 }
    var count = 0
    for rows in pieces(of: rectangle, form) {
      let band = band(canvas, rows, rectangle, key)
      for y in 0..<band.rowCount {
        let row = band.start(ofRow: y).assumingMemoryBound(to: UInt8.self)
        count += Int(kernels.pointee.countColorChanges(row, band.width))
      }
    }
    return count
  }

  /// The ranges of rows that are tokenized together.
  private func pieces(of rectangle: PixelRect, _ form: PixelForm, isFast: Bool = false) -> [Range<
    Int
  >] {
    let height =
      isFast
      ? Band.height : max(Self.bytesPerSearch / form.bytesPerRow(width: rectangle.width), 1)
    return stride(from: rectangle.rows.lowerBound, to: rectangle.rows.upperBound, by: height).map {
      $0..<min($0 + height, rectangle.rows.upperBound)
    }
  }

  private func tokenize(
    _ canvas: FrameCanvas, _ rectangle: PixelRect, _ form: PixelForm, key: UInt32?,
    colorChanges knownColorChanges: Int? = nil
  ) -> TokenizedFrame? {
    let blend: FrameControl.Blend = key == nil ? .source : .over
    let isFast =
      canvas.depth != .eight || rectangle.width * rectangle.height > Self.searchedAreaLimit
      || knownColorChanges ?? colorChanges(canvas, rectangle, form, key: key)
        > Self.colorChangeLimit
    let pieces = pieces(of: rectangle, form, isFast: isFast)
    var parts = tokens.removeValue(forKey: blend) ?? []
    defer { tokens[blend] = parts }
    while parts.count < pieces.count { parts.append(PartTokens()) }
    for (part, rows) in zip(parts, pieces) {
      let band = band(canvas, rows, rectangle, key)
      let picture = BandTokenizer.Picture(
        form: form, width: rectangle.width,
        background: key ?? (form == .palette ? palette.pointee[0] : band.firstPixel))
      guard
        isFast
          ? fastTokenizer.tokenize(band, of: picture, palette, into: part)
          : search(band, picture, into: part)
      else { return nil }
    }
    return TokenizedFrame(blend: blend, parts: parts[..<pieces.count])
  }

  /// Tokenizes rows with a search for matches; returns whether the form holds all pixels.
  private func search(_ band: Band, _ picture: BandTokenizer.Picture, into part: PartTokens) -> Bool
  {
    let (width, form) = (picture.width, picture.form)
    let stride = form.bytesPerRow(width: width)
    let start = bytes.end(with: stride * band.rowCount + Int(PNGRowMargin))
    let tiles = (width + PixelMemory.tileSide - 1) / PixelMemory.tileSide
    let flags = flags.end(with: tiles)
    flags.update(repeating: 0xFF, count: tiles)
    for y in 0..<band.rowCount {
      let row = start + y * stride
      row.pointee = 0
      let pixels = band.start(ofRow: y).assumingMemoryBound(to: UInt8.self)
      guard
        packer.pack(pixels, flags, isStraight: band.isStraight, picture, palette, row + 1)
      else { return false }
    }
    part.begin()
    part.reserve(stride * band.rowCount)
    kernels.pointee.tokenizeMatches(
      &part.state, chains, start, stride * band.rowCount, form.bytesPerPixel)
    part.end(start, kernels)
    return true
  }
}

extension Band {
  /// The first pixel in memory order; 0 for 16-bit pixels.
  fileprivate var firstPixel: UInt32 {
    depth == .eight ? start(ofRow: 0).loadUnaligned(as: UInt32.self).littleEndian : 0
  }
}
