import CRasterKernels
import Graphics
import Strokes

/// A picture before any stroke is drawn: its size and framing, its colours, and the paper.
///
/// Still pictures and pages that change start from the same setup, so they show the same pixels.
struct PictureSetup {
  let options: RenderOptions
  /// The framing of the picture.
  private(set) var framing: Framing
  /// The factor by which ink is drawn larger than the picture, on each side.
  let reduction: Int
  /// The framing in which ink is drawn, `reduction` times as large.
  private(set) var drawing: Framing
  let colors: ColorMapping
  /// The colour of the picture where nothing is drawn.
  let background: Color
  /// The background as pixels of 16 bits: encoded, as deep pictures hold it, and as ink is mixed
  /// with it, in light if `mixesLight`.
  let deepBackground: (encoded: Pixel16, mixed: Pixel16)
  /// The paper's pattern, in the size in which ink is drawn.
  private(set) var pattern: Scene
  private var paper: RenderOptions.Paper

  /// `content` gives the box of the strokes; it is called only if the framing depends on it.
  init(
    options: RenderOptions, canvas: Recording.Canvas, content: () -> Rect
  ) throws(RenderError) {
    self.options = options
    framing = try Framing(options: options, page: canvas.size, content: content)
    reduction = Reduction.factor(of: options, framing)
    drawing = framing.magnified(by: reduction)
    colors = ColorMapping(options)
    background = colors.background(of: canvas)
    deepBackground = (
      Pixel16(background, isLight: false), Pixel16(background, isLight: colors.mixesLight)
    )
    pattern = Scene(
      width: drawing.width, height: drawing.height, background: Pixel8(background))
    paper = options.paper ?? canvas.paper
    drawPattern(of: paper)
  }

  /// Shows the part of the canvas that lies a number of pixels to the right and below.
  mutating func move(right: Int, down: Int) {
    framing = framing.moved(right: right, down: down)
    drawing = framing.magnified(by: reduction)
    drawPattern(of: paper)
  }

  /// Replaces the paper's pattern.
  mutating func drawPattern(of paper: RenderOptions.Paper) {
    self.paper = paper
    pattern.removeAll()
    guard options.showsPattern else { return }
    PaperPattern(paper, page: framing.page)
      .draw(in: drawing, reduction: reduction, as: colors, into: &pattern)
  }

  /// The earlier strokes that show through; none unless the options ask for them.
  func scene(of earlier: [EarlierStroke]) throws(RenderError) -> [Scene] {
    guard let look = options.earlier, !earlier.isEmpty else { return [] }
    let builder = SceneBuilder(self)
    builder.add(earlier, in: colors.earlier(look))
    try builder.work.check()
    return [builder.ink]
  }

  /// The work of drawing strokes with a number of points, in one picture or in frames.
  func work(visits: Double, pointCount: Int, frameCount: Int = 0) -> DrawingWork {
    DrawingWork(
      visits: visits, pixels: drawing.width * drawing.height, pointCount: pointCount,
      frameCount: frameCount)
  }

  var width: Int { framing.width }
  var height: Int { framing.height }
  /// The number of tiles of the picture in a row and in a column.
  var columns: Int { (width + TileBins.side - 1) / TileBins.side }
  var rows: Int { (height + TileBins.side - 1) / TileBins.side }

  /// The background as the picture's pixels hold it.
  var backgroundPixel: Pixmap.Pixel? {
    Pixmap.Pixel(deepBackground.encoded, depth: options.depth)
  }

  /// Whether colours are mixed in linear light.
  var mixesLight: Bool { options.blending == .linear }

  /// Whether pixels need more than 8 bits while they are mixed.
  var isDeep: Bool { options.depth == .sixteen || mixesLight }

  /// Sets all pixels of a tile of 16 bits to the background, as ink is mixed with it.
  func fill(_ words: UnsafeMutablePointer<UInt16>) {
    UnsafeMutableRawPointer(words).assumingMemoryBound(to: Pixel16.self)
      .update(repeating: deepBackground.mixed, count: TileBins.side * TileBins.side)
  }

  /// Sets all pixels of a tile to the background.
  func fill(tileAt pixels: UnsafeMutablePointer<UInt8>, pitch: Int) {
    switch options.depth {
    case .eight: pattern.background.fill(tileAt: pixels, pitch: pitch)
    case .sixteen:
      for y in 0..<TileBins.side {
        UnsafeMutableRawPointer(pixels + y * pitch).assumingMemoryBound(to: Pixel16.self)
          .update(repeating: deepBackground.encoded, count: TileBins.side)
      }
    }
  }

  /// Sets those pixels of a tile to the background that were drawn in: groups of the flags of its
  /// rows, which are `step` bytes apart.
  func restore(
    tileAt pixels: UnsafeMutablePointer<UInt8>, pitch: Int, in groups: UnsafePointer<UInt8>,
    step: Int
  ) {
    let count = Int(RasterGroupWidth)
    for y in 0..<TileBins.side {
      var left = groups[y * step]
      while left != 0 {
        let first = left.trailingZeroBitCount * count
        left &= left - 1
        switch options.depth {
        case .eight: pattern.background.fill(pixels + y * pitch + 4 * first, count: count)
        case .sixteen:
          UnsafeMutableRawPointer(pixels + y * pitch + 8 * first)
            .assumingMemoryBound(to: Pixel16.self)
            .update(repeating: deepBackground.encoded, count: count)
        }
      }
    }
  }

  /// The number of threads that draw some tiles of the picture. A thread for fewer than four tiles
  /// would take longer to start than to draw.
  func laneCount(forTiles count: Int) -> Int {
    min(options.threads, count, (count * reduction * reduction + 3) / 4)
  }
}
