import CPNGKernels
import Graphics

/// Tells what changed from a frame to the next, in the way that takes fewer bytes: as it is, or with
/// all that did not change left out.
final class FrameTeller {
  /// A frame told.
  struct Telling {
    let blend: FrameControl.Blend
    let parts: ArraySlice<PartTokens>
  }

  /// Rectangles that change colour more often along their rows, or are larger, are told in a hurry, as
  /// whole pictures are.
  private static let stepsWorthSearch = 1 << 15
  private static let areaWorthSearch = 1 << 18
  /// What is searched at once has about so many bytes.
  private static let bytesPerSearch = 1 << 16

  private let kernels: UnsafePointer<PNGKernels>
  private let palette: UnsafeMutablePointer<PNGPalette>
  private let hasty: BandTeller
  private let packer: RowPacker
  private let far: UnsafeMutablePointer<PNGFar>
  private let bytes = ByteRoom()
  private let flags = ByteRoom()
  /// The tokens of both ways.
  private var tokens: [FrameControl.Blend: [PartTokens]] = [:]

  init(_ kernels: UnsafePointer<PNGKernels>, _ palette: UnsafeMutablePointer<PNGPalette>) {
    (self.kernels, self.palette) = (kernels, palette)
    hasty = BandTeller(kernels)
    packer = RowPacker(kernels)
    far = .allocate(capacity: 1)
    far.initialize(to: PNGFar())
  }

  deinit { far.deallocate() }

  /// Tells what changed on a canvas in a form, over what was there where there is a key for what is as
  /// before, and that may be; nil where a pixel does not have the form.
  func tell(
    _ canvas: FrameCanvas, _ rectangle: PixelRect, _ form: PixelForm, key: UInt32?,
    cost: (ArraySlice<PartTokens>) -> Int
  ) -> Telling? {
    guard let key, canvas.depth == .eight, canvas.changes.isKeyTaken == 0,
      canvas.changes.areSolid != 0, rectangle == canvas.changed
    else { return tell(canvas, rectangle, form, key: nil) }
    let plain = steps(canvas, rectangle, form, key: nil)
    let keyed = steps(canvas, rectangle, form, key: key)
    if plain < keyed / 2 { return tell(canvas, rectangle, form, key: nil, steps: plain) }
    guard let over = tell(canvas, rectangle, form, key: key, steps: keyed) else { return nil }
    if keyed <= plain || plain > Self.stepsWorthSearch { return over }
    guard let source = tell(canvas, rectangle, form, key: nil, steps: plain) else { return nil }
    return cost(source.parts) < cost(over.parts) ? source : over
  }

  /// Some rows as they are, or with a key where pixels are as before.
  private func band(
    _ canvas: FrameCanvas, _ rows: Range<Int>, _ rectangle: PixelRect, _ key: UInt32?
  ) -> Band {
    key.map { canvas.keyedBand(rows, key: $0) } ?? canvas.band(rows, of: rectangle)
  }

  /// How often colours change along the rows of a rectangle.
  private func steps(
    _ canvas: FrameCanvas, _ rectangle: PixelRect, _ form: PixelForm, key: UInt32?
  ) -> Int {
    // Deep pixels are not looked at.
    guard canvas.depth == .eight else { return 0 }
    var steps = 0
    for rows in pieces(of: rectangle, form) {
      let band = band(canvas, rows, rectangle, key)
      for y in 0..<band.rowCount {
        let row = band.start(ofRow: y).assumingMemoryBound(to: UInt8.self)
        steps += Int(kernels.pointee.countSteps(row, band.width))
      }
    }
    return steps
  }

  /// Rows that are told together.
  private func pieces(of rectangle: PixelRect, _ form: PixelForm, isHasty: Bool = false) -> [Range<
    Int
  >] {
    let height =
      isHasty
      ? Band.height : max(Self.bytesPerSearch / form.bytesPerRow(width: rectangle.width), 1)
    return stride(from: rectangle.rows.lowerBound, to: rectangle.rows.upperBound, by: height).map {
      $0..<min($0 + height, rectangle.rows.upperBound)
    }
  }

  private func tell(
    _ canvas: FrameCanvas, _ rectangle: PixelRect, _ form: PixelForm, key: UInt32?,
    steps known: Int? = nil
  ) -> Telling? {
    let blend: FrameControl.Blend = key == nil ? .source : .over
    let isHasty =
      canvas.depth != .eight || rectangle.width * rectangle.height > Self.areaWorthSearch
      || known ?? steps(canvas, rectangle, form, key: key) > Self.stepsWorthSearch
    let pieces = pieces(of: rectangle, form, isHasty: isHasty)
    var parts = tokens.removeValue(forKey: blend) ?? []
    defer { tokens[blend] = parts }
    while parts.count < pieces.count { parts.append(PartTokens()) }
    for (part, rows) in zip(parts, pieces) {
      let band = band(canvas, rows, rectangle, key)
      let picture = BandTeller.Picture(
        form: form, width: rectangle.width,
        background: key ?? (form == .places ? palette.pointee[0] : band.firstPixel))
      guard
        isHasty
          ? hasty.tell(band, of: picture, palette, into: part)
          : search(band, picture, into: part)
      else { return nil }
    }
    return Telling(blend: blend, parts: parts[..<pieces.count])
  }

  /// Tells rows with all that repeats in them; says whether all pixels have the form.
  private func search(_ band: Band, _ picture: BandTeller.Picture, into part: PartTokens) -> Bool {
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
    kernels.pointee.tellFar(&part.state, far, start, stride * band.rowCount, form.bytesPerPixel)
    part.end(start, kernels)
    return true
  }
}

extension Band {
  /// The first pixel as it lies in memory; of deep ones nothing.
  fileprivate var firstPixel: UInt32 {
    depth == .eight ? start(ofRow: 0).loadUnaligned(as: UInt32.self).littleEndian : 0
  }
}
