import CPNGKernels
public import Graphics

/// The colours that all frames of an animation use. They decide the pixel form, which all frames
/// share.
public enum FrameColors: Hashable, Sendable {
  /// At most 256 colours. With 255 or fewer, unchanged pixels can be left out. List the background
  /// first.
  case palette([Pixmap.Pixel])
  /// Any greys, with or without transparency.
  case greys
  /// Any opaque colours. If `unused` is a colour that never occurs, unchanged pixels can be left
  /// out.
  case opaque(unused: Pixmap.Pixel?)
  /// Any colours, with or without transparency.
  case any

  /// Derives the colours from a picture that shows all or nearly all of them, usually the last
  /// frame. The encoder throws if a frame has another colour.
  public init(of picture: some BandSource) {
    let notes = ColorNotes()
    notes.note(picture)
    self = notes.colors
  }
}

/// Collects colours, to find the smallest form that holds them.
final class ColorNotes {
  private let palette: UnsafeMutablePointer<PNGPalette>
  private var fitPalette = true
  private var areOpaque = true
  private var areGreys = true
  private var isDeep = false
  /// The blue values seen in colours whose red and green are zero: an unused one becomes the key.
  private var blues = ByteSet()

  init() {
    palette = .allocate(capacity: 1)
    palette.initialize(to: PNGPalette())
    pngPaletteBegin(palette, 0)
  }

  deinit { palette.deallocate() }

  /// Notes all colours of a picture.
  func note(_ picture: some BandSource) {
    if let background = picture.backgroundPixel { note(UInt32(background)) }
    picture.forEachBands { bands in
      for band in bands { note(band) }
    }
  }

  /// Notes all colours of a band.
  func note(_ band: Band) {
    guard band.depth == .eight else { return noteDeep(band) }
    for y in 0..<band.rowCount {
      let row = band.start(ofRow: y)
      for columns in band.drawnColumns(ofRow: y) {
        note(UnsafeRawBufferPointer(start: row + 4 * columns.lowerBound, count: 4 * columns.count))
      }
    }
  }

  /// Notes the colours of some pixels. Repeated pixels are skipped four at a time.
  private func note(_ pixels: UnsafeRawBufferPointer) {
    var offset = 0
    while offset < pixels.count {
      let pixel = pixels.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
      note(pixel.littleEndian)
      offset += 4
      let four = SIMD4(repeating: pixel)
      while offset + 16 <= pixels.count,
        pixels.loadUnaligned(fromByteOffset: offset, as: SIMD4<UInt32>.self) == four
      {
        offset += 16
      }
    }
  }

  /// Notes a colour, in memory order.
  func note(_ pixel: UInt32) {
    if fitPalette, pngPaletteAdd(palette, pixel) > 255 { fitPalette = false }
    if pixel >> 24 < 255 { areOpaque = false }
    if areGreys, !pixel.isOpaqueGrey { areGreys = false }
    if pixel & 0xFFFF == 0 { blues.insert(Int(pixel >> 16 & 255)) }
  }

  private func noteDeep(_ band: Band) {
    isDeep = true
    fitPalette = false
    areGreys = false
    for y in 0..<band.rowCount where areOpaque {
      areOpaque = band.withRow(y) { row in
        stride(from: 6, to: row.count, by: 8).allSatisfy { row[$0] & row[$0 + 1] == 255 }
      }
    }
  }

  /// The smallest form that holds all colours seen.
  var colors: FrameColors {
    // Index 0 is the transparent colour, whether it was seen or not, so it is skipped.
    let seen = (1..<max(Int(palette.pointee.count), 1)).map { palette.pointee[$0] }
    if areGreys, !isDeep {
      guard fitPalette else { return .greys }
      // Soft edges may show any grey. All greys but one leave an index for the transparent colour.
      let others = Set((0...255).map { UInt32($0) * 0x010101 | 0xFF00_0000 }).subtracting(seen)
      let spare = others.sorted().filter { $0 != 0xFF00_0000 } + others.filter { $0 == 0xFF00_0000 }
      return .palette((seen + spare.dropFirst()).map { Pixmap.Pixel($0) })
    }
    if fitPalette { return .palette(seen.map { Pixmap.Pixel($0) } + (areOpaque ? [] : [.clear])) }
    guard areOpaque else { return .any }
    guard !isDeep, let blue = (0...255).first(where: { !blues.contains($0) }) else {
      return .opaque(unused: nil)
    }
    return .opaque(
      unused: Pixmap.Pixel(red: 0, green: 0, blue: UInt16(blue) * 257, alpha: 65_535))
  }
}

extension Pixmap.Pixel {
  /// Expands a pixel in memory order to 16 bits a component.
  init(_ pixel: UInt32) {
    func part(_ shift: UInt32) -> UInt16 { UInt16(pixel >> shift & 255) * 257 }
    self.init(red: part(0), green: part(8), blue: part(16), alpha: part(24))
  }
}
