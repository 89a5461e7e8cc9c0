import CPNGKernels
public import Graphics

/// Which colours all frames of a moving picture have together: a file has one form for all of them.
public enum FrameColors: Hashable, Sendable {
  /// These and no others, 256 at most. With one fewer, what did not change can be left out. It is best
  /// to have the paper's first.
  case few([Pixmap.Pixel])
  /// Any greys, solid or not.
  case greys
  /// Any that are solid. One that never occurs lets what did not change be left out.
  case solid(unused: Pixmap.Pixel?)
  /// Any at all.
  case any

  /// The colours that are likely where the last frame, or another full one, shows all or nearly all
  /// that there are. The encoder throws where it is wrong about that.
  public init(of picture: some BandSource) {
    let notes = ColorNotes()
    notes.note(picture)
    self = notes.colors
  }
}

/// What was seen of colours that stand for a form.
final class ColorNotes {
  private let palette: UnsafeMutablePointer<PNGPalette>
  private var areFew = true
  private var areSolid = true
  private var areGreys = true
  private var isDeep = false
  /// Which of the colours were seen that are black but for some blue.
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

  /// Notes the colours of some pixels, most of which are like those before them.
  private func note(_ pixels: UnsafeRawBufferPointer) {
    var place = 0
    while place < pixels.count {
      let pixel = pixels.loadUnaligned(fromByteOffset: place, as: UInt32.self)
      note(pixel.littleEndian)
      place += 4
      let four = SIMD4(repeating: pixel)
      while place + 16 <= pixels.count,
        pixels.loadUnaligned(fromByteOffset: place, as: SIMD4<UInt32>.self) == four
      {
        place += 16
      }
    }
  }

  /// Notes a colour as it lies in memory.
  func note(_ pixel: UInt32) {
    if areFew, pngPaletteAdd(palette, pixel) > 255 { areFew = false }
    if pixel >> 24 < 255 { areSolid = false }
    if areGreys, !pixel.isSolidGrey { areGreys = false }
    if pixel & 0xFFFF == 0 { blues.insert(Int(pixel >> 16 & 255)) }
  }

  private func noteDeep(_ band: Band) {
    isDeep = true
    areFew = false
    areGreys = false
    for y in 0..<band.rowCount where areSolid {
      areSolid = band.withRow(y) { row in
        stride(from: 6, to: row.count, by: 8).allSatisfy { row[$0] & row[$0 + 1] == 255 }
      }
    }
  }

  /// The smallest form that has them all.
  var colors: FrameColors {
    // The clear colour, which is the first, may have been noted or not: it is kept either way.
    let met = (1..<max(Int(palette.pointee.count), 1)).map { palette.pointee[$0] }
    if areGreys, !isDeep {
      guard areFew else { return .greys }
      // Soft edges may have any grey; all but one leave room for what is clear.
      let others = Set((0...255).map { UInt32($0) * 0x010101 | 0xFF00_0000 }).subtracting(met)
      let spare = others.sorted().filter { $0 != 0xFF00_0000 } + others.filter { $0 == 0xFF00_0000 }
      return .few((met + spare.dropFirst()).map { Pixmap.Pixel($0) })
    }
    if areFew { return .few(met.map { Pixmap.Pixel($0) } + (areSolid ? [] : [.clear])) }
    guard areSolid else { return .any }
    guard !isDeep, let blue = (0...255).first(where: { !blues.contains($0) }) else {
      return .solid(unused: nil)
    }
    return .solid(
      unused: Pixmap.Pixel(red: 0, green: 0, blue: UInt16(blue) * 257, alpha: 65_535))
  }
}

extension Pixmap.Pixel {
  /// A pixel as it lies in memory, a byte each component.
  init(_ pixel: UInt32) {
    func part(_ shift: UInt32) -> UInt16 { UInt16(pixel >> shift & 255) * 257 }
    self.init(red: part(0), green: part(8), blue: part(16), alpha: part(24))
  }
}
