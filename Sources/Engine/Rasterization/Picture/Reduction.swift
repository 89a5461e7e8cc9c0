import CRasterKernels
import Graphics

/// The factor by which ink is drawn larger than the picture.
///
/// Below a pixel per point, nibs and grain are smaller than pixels, and no formula for one pixel
/// can represent the detail inside of it. So small pictures are drawn larger, and squares of pixels
/// are averaged.
enum Reduction {
  /// The least scale at which ink is drawn, in pixels per point. Thin strokes keep their weight
  /// down to it. It is a little below 3/4, since whole pages of 1366 and 1376 points as thumbnails
  /// of 256 pixels have just less than that at a factor of 4, and would take four times as many
  /// pixels.
  private static let minimumScale = 0.74
  /// The least scale if no ink is fine and the picture has a given size. Pages keep 99.5 % of their
  /// ink down to 28 pixels.
  private static let minimumPlainScale = minimumScale / 2
  /// Parts of a tile must be whole pixels of the picture.
  private static let maximum = TileBins.side
  /// Pictures at a given scale are drawn up to 8 times as wide and high, if that takes no more
  /// pixels than a picture may have. Otherwise this does not depend on their size: a region of a
  /// page has the same pixels as the page.
  private static let maximumAtScale = 8
  /// The maximum number of pixels in which others are drawn larger.
  private static let maximumPixels = 8 << 20
  /// Beyond this many pixels from the origin, ink would be left out.
  private static let maximumSide = Int(DevicePoint.limit) * 3 / 4

  /// The least power of two that reaches the minimum scale, within limits.
  static func factor(of options: RenderOptions, _ framing: Framing) -> Int {
    let isAtScale = if case .scale = options.extent { true } else { false }
    let (maximum, maximumPixels) =
      isAtScale ? (maximumAtScale, options.maximumPixels) : (maximum, maximumPixels)
    let (width, height) = (framing.width, framing.height)
    let minimumScale = options.hasFineInk || isAtScale ? minimumScale : minimumPlainScale
    var factor = 1
    while framing.scale * Double(factor) < minimumScale, factor < maximum {
      let next = 2 * factor
      guard max(width, height) * next <= maximumSide,
        width * height * next * next <= maximumPixels
      else { break }
      factor = next
    }
    return factor
  }
}

/// Draws tiles of ink, in the size in which it is drawn.
protocol TileSource {
  /// Whether something may be drawn in a tile, other than the background.
  func hasInk(_ column: Int, _ row: Int) -> Bool

  /// Draws a tile with its background, which all pixels may hold already.
  func draw(
    _ column: Int, _ row: Int, _ painter: TilePainter, to pixels: UnsafeMutablePointer<UInt8>,
    pitch: Int, hasBackground: Bool)

  /// Draws a tile with its background, with 16 bits a component.
  func drawDeep(
    _ column: Int, _ row: Int, _ painter: TilePainter, to words: UnsafeMutablePointer<UInt16>)
}

/// The content of a tile's memory before the tile is drawn.
enum TileGround {
  /// Undefined bytes.
  case unknown
  /// Zeros, which are transparent pixels.
  case zeros
  /// The background of the picture.
  case background
}

/// Writes the tiles of a picture on one thread: as they are drawn, or averaged.
final class TileWriter {
  private let setup: PictureSetup
  private let painter: TilePainter
  /// A tile of the picture, if its pixels need more than 8 bits.
  private let deep: DeepTile?
  /// A tile that is averaged, with 8 or 16 bits a component.
  private let large: LayerTile?
  /// Whether all of its pixels hold the background.
  private var largeHasBackground = false
  /// The groups of a tile of the picture that were drawn in.
  private let groups = Column<UInt8>(repeating: 0, count: TileBins.side)

  init(_ setup: PictureSetup, _ painter: TilePainter) {
    self.setup = setup
    self.painter = painter
    deep = setup.isDeep ? DeepTile(isLight: setup.mixesLight, depth: setup.options.depth) : nil
    large = setup.reduction > 1 ? LayerTile(isDeep: setup.isDeep) : nil
  }

  /// Writes a tile. Returns the groups of pixels that were drawn in; they are valid until the next
  /// call.
  func write(
    _ column: Int, _ row: Int, of source: some TileSource,
    to pixels: UnsafeMutablePointer<UInt8>, pitch: Int, over ground: TileGround
  ) -> UnsafePointer<UInt8> {
    let hasBackground =
      ground == .background || ground == .zeros && setup.background.alpha == 0
    if (large != nil || deep != nil) && !hasBackground { setup.fill(tileAt: pixels, pitch: pitch) }
    if let large {
      average(column, row, of: source, in: large, to: pixels, pitch: pitch)
      return UnsafePointer(groups.base)
    }
    painter.begin()
    if let deep {
      if source.hasInk(column, row) {
        source.drawDeep(column, row, painter, to: deep.words.base)
        deep.write(painter.groups, to: pixels, pitch: pitch)
      }
    } else {
      source.draw(column, row, painter, to: pixels, pitch: pitch, hasBackground: hasBackground)
    }
    return UnsafePointer(painter.groups)
  }

  private func average(
    _ column: Int, _ row: Int, of source: some TileSource, in large: LayerTile,
    to pixels: UnsafeMutablePointer<UInt8>, pitch: Int
  ) {
    groups.base.update(repeating: 0, count: TileBins.side)
    if let deep { setup.fill(deep.words.base) }
    let shift = Int32(setup.reduction.trailingZeroBitCount)
    let side = TileBins.side >> Int(shift)
    forEachPart(column, row, of: source) { column, row, x, y in
      painter.begin()
      let firstGroup = Int32(x) * Int32(RasterGroupsPerRow)
      let groups = groups.base + y * side
      if let deep {
        source.drawDeep(column, row, painter, to: large.words)
        painter.average(
          large.words, shift, to: deep.words.base + 4 * (y * TileBins.side + x) * side, groups,
          firstGroup)
      } else {
        let width = 4 * TileBins.side
        source.draw(
          column, row, painter, to: large.bytes, pitch: width, hasBackground: largeHasBackground)
        painter.average(
          large.bytes, shift, to: pixels + y * side * pitch + 4 * x * side, pitch: pitch, groups,
          firstGroup)
        setup.restore(tileAt: large.bytes, pitch: width, in: painter.groups, step: 1)
        largeHasBackground = true
      }
    }
    deep?.write(groups.base, to: pixels, pitch: pitch)
  }

  /// Calls `body` for the large tiles with ink that together make a tile of the picture, with their
  /// places in it.
  private func forEachPart(
    _ column: Int, _ row: Int, of source: some TileSource,
    _ body: (_ column: Int, _ row: Int, _ x: Int, _ y: Int) -> Void
  ) {
    let factor = setup.reduction
    let bins = setup.pattern.bins
    for y in 0..<min(factor, bins.rows - row * factor) {
      for x in 0..<min(factor, bins.columns - column * factor)
      where source.hasInk(column * factor + x, row * factor + y) {
        body(column * factor + x, row * factor + y, x, y)
      }
    }
  }
}
