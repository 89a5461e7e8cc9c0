import CRasterKernels
public import Graphics
public import Strokes
import Synchronization
import Threads

/// Draws strokes as PencilKit would, without a screen or a graphics processor.
///
/// The same strokes and options give the same bytes on every processor and with any number of
/// threads.
public struct Renderer: Sendable {
  /// The options of all its pictures.
  public var options: RenderOptions

  /// Creates a renderer. This allocates nothing.
  public init(_ options: RenderOptions = RenderOptions()) { self.options = options }

  /// The version of everything that decides about pixels: pictures of different versions differ. It
  /// is raised when an ink's table changes, or how small pictures are drawn.
  package static let version = 5

  /// Prepares strokes to be drawn. This frames the picture and flattens the strokes, and draws no
  /// pixels yet. Earlier strokes show through below them if the options ask for it.
  public func rendering(
    of strokes: some StrokeSource, on canvas: Recording.Canvas = Recording.Canvas(),
    earlier: [EarlierStroke] = []
  ) throws(RenderError) -> Rendering {
    try Rendering(of: strokes, on: canvas, earlier: earlier, options: options)
  }

  /// Draws the whole picture of a drawing into memory.
  public func picture(
    of strokes: some StrokeSource, on canvas: Recording.Canvas = Recording.Canvas(),
    earlier: [EarlierStroke] = []
  ) throws(RenderError) -> Pixmap {
    try rendering(of: strokes, on: canvas, earlier: earlier).pixmap
  }
}

/// A picture whose size and strokes are prepared, and whose pixels are not drawn yet.
public struct Rendering {
  /// The identifiers of unknown inks, which are drawn as pen.
  public var unknownInks: Set<String> { Set(unknown.map { $0.rawValue }) }
  /// The colour of the ink as it is drawn, if none of the strokes that may be visible shows on the
  /// background; nil if one shows or there are none. All ink shows on a translucent background.
  public let hiddenInk: Color?
  /// The work of drawing the strokes.
  package let work: DrawingWork
  private let unknown: Set<PKInk.InkType>
  private let setup: PictureSetup
  /// The content below the ink: the paper's pattern, and earlier strokes if they show through.
  private let ground: [Scene]
  /// The strokes, in consecutive parts from back to front.
  private let ink: [Scene]
  /// Whether ink is composited on its own before it is composited on the paper, because some inks
  /// depend on the ink below them.
  private let isIsolated: Bool

  init(
    of source: some StrokeSource, on canvas: Recording.Canvas, earlier: [EarlierStroke],
    options: RenderOptions
  ) throws(RenderError) {
    // All strokes count, also invisible ones: a region of a page has the same pixels as the page.
    let inks = (0..<source.strokeCount).lazy.map { source.ink(ofStroke: $0) }
    let options = options.adapted(to: inks, on: canvas)
    let setup = try PictureSetup(options: options, canvas: canvas) {
      let ink = (0..<source.strokeCount).reduce(Rect.null) {
        $0.union(source.bounds(ofStroke: $1))
      }
      guard ink.isNull, options.earlier != nil else { return ink }
      return earlier.reduce(ink) { $0.union($1.stroke.renderBounds) }
    }
    let marks = try MarkList(source, in: setup.framing.visible)
    // A thread for fewer than 64 marks would take longer to start than to prepare them.
    let parts = marks.parts(min(options.threads, marks.count / 64 + 1))
    let builders = parts.map { _ in SceneBuilder(setup, countsPoints: false) }
    var paths = CountedPaths()
    let pointCount = marks.strokes.withUnsafeBufferPointer { strokes in
      marks.members.reduce(0) { $0 + paths.countOfNew(strokes[$1].path) }
    }
    let limit = setup.work(visits: 0, pointCount: pointCount).limit
    Lanes.run(parts.count) { lane in
      builders[lane].reserve(pointCount: marks.pointCount(of: parts[lane]))
      // Strokes beyond the limit are not drawn, and would take memory.
      for mark in parts[lane] where builders[lane].visits <= limit {
        builders[lane].add(marks.members(of: mark), of: marks.strokes)
      }
    }
    work = setup.work(
      visits: builders.reduce(0) { $0 + $1.visits }, pointCount: pointCount)
    try work.check()
    self.setup = setup
    ground = [setup.pattern] + (try setup.scene(of: earlier))
    unknown = builders.reduce(into: []) { $0.formUnion($1.unknownInks) }
    ink = builders.map { $0.ink }
    hiddenInk = setup.colors.hiddenInk(
      of: marks.members.lazy.map { marks.strokes[$0].ink }, on: setup.background)
    // Again, all strokes count.
    isIsolated =
      setup.background.alpha > 0
      && inks.contains { PaintedPage.mixes($0) }
  }
}

/// The strokes that may be visible, in marks of strokes that are wet together. Invisible strokes
/// are dropped, but they join or separate their neighbours as visible ones do.
private struct MarkList {
  private(set) var strokes: [PKStroke]
  /// The indices of the visible strokes, mark by mark.
  private(set) var members: [Int] = []
  /// For each mark, the end of its members.
  private var ends: [Int] = []

  init(_ source: some StrokeSource, in visible: Rect) throws(RenderError) {
    let loaded = source.loadedStrokes
    strokes = loaded ?? []
    for index in 0..<source.strokeCount {
      if index > 0, !source.isWet(index, on: index - 1) { finishMark() }
      guard source.mayDraw(stroke: index, in: visible) else { continue }
      if loaded != nil {
        members.append(index)
        continue
      }
      do {
        strokes.append(try source.stroke(at: index))
      } catch {
        throw RenderError(.unreadable(stroke: index, reason: "\(error)"))
      }
      members.append(strokes.count - 1)
    }
    finishMark()
  }

  private mutating func finishMark() {
    if members.count > ends.last ?? 0 { ends.append(members.count) }
  }

  /// The number of marks.
  var count: Int { ends.count }

  /// The indices of the strokes of a mark.
  func members(of mark: Int) -> ArraySlice<Int> { members(of: mark..<mark + 1) }

  private func members(of marks: Range<Int>) -> ArraySlice<Int> {
    guard !marks.isEmpty else { return [] }
    return members[
      (marks.lowerBound > 0 ? ends[marks.lowerBound - 1] : 0)..<ends[marks.upperBound - 1]]
  }

  /// The number of points of marks.
  func pointCount(of marks: Range<Int>) -> Int {
    members(of: marks).reduce(0) { $0 + strokes[$1].path.count }
  }

  /// Consecutive ranges of about equal length; at least one.
  func parts(_ count: Int) -> [Range<Int>] {
    let count = max(count, 1)
    return (0..<count).map { part in
      self.count * part / count..<self.count * (part + 1) / count
    }
  }
}

extension Rendering {
  /// The width in pixels.
  public var width: Int { setup.width }
  /// The height in pixels.
  public var height: Int { setup.height }
  /// The number of pixels per point.
  public var scale: Double { setup.framing.scale }
  /// The part of the canvas that is shown, in points.
  public var visible: Rect { setup.framing.visible }
  /// The colour of the picture where nothing is drawn.
  public var background: Color { setup.background }
  private var options: RenderOptions { setup.options }
  private var pattern: Scene { setup.pattern }
}

extension Rendering {
  /// The whole picture, drawn again on each access.
  public var pixmap: Pixmap {
    let picture = Pixmap(
      width: width, height: height, depth: options.depth, colorSpace: options.colorSpace)
    paint(
      rows: 0..<setup.rows, into: picture, over: .zeros,
      groups: nil)
    return picture
  }

  /// Draws the picture in bands of rows, from top to bottom. Their memory is reused, so it does not
  /// grow with the height of the picture. A band is valid only during the call of `body`.
  public func forEachBand<Failure: Error>(
    _ body: (Band) throws(Failure) -> Void
  ) throws(Failure) {
    try forEachBands { bands throws(Failure) in
      for band in bands { try body(band) }
    }
  }
}

extension Rendering: BandSource {
  /// The number of bits of each component.
  public var depth: Pixmap.Depth { options.depth }
  /// The colour space of the components.
  public var colorSpace: ColorSpace { options.colorSpace }
  /// The pixel where nothing is drawn.
  public var backgroundPixel: Pixmap.Pixel? { setup.backgroundPixel }

  /// Whether more colours are likely than a palette holds. Opaque ink of one colour has about 64
  /// shades at its edges, so three such inks have few; where ink mixes with other colours it has
  /// many more.
  public var expectsManyColors: Bool {
    var seen: [Scene.Mark] = []
    // All greys count as shades of one ink.
    for mark in (ink + ground).lazy.flatMap({ $0.marks })
    where !seen.contains(where: { mark.paint.hasColor(of: $0.paint) })
      && !(mark.paint.isGrey && seen.contains { $0.paint.isGrey })
    {
      seen.append(mark)
      if seen.count > 3 { return true }
    }
    return seen.count > 1
      && !(ground.allSatisfy { $0.marks.isEmpty } && seen.allSatisfy { $0.hasFewShades })
  }

  /// Passes several bands in each call, enough to keep all threads busy.
  public func forEachBands<Failure: Error>(
    _ body: ([Band]) throws(Failure) -> Void
  ) throws(Failure) {
    let side = TileBins.side
    let rows = options.threads > 1 ? 2 * options.threads : 1
    let (memory, isBlank) = BandMemory.take(
      width: width, height: min(rows * side, height), depth: options.depth,
      colorSpace: options.colorSpace)
    defer { BandMemory.giveBack(memory) }
    let groups = GroupFlags(columns: setup.columns, rows: rows * side)
    for first in stride(from: 0, to: setup.rows, by: rows) {
      let end = min(first + rows, setup.rows)
      paint(
        rows: first..<end, into: memory,
        // Later bands restore the background where the one before was drawn in.
        over: first > 0 ? .background : isBlank ? .zeros : .unknown, groups: groups)
      try body(
        (first..<end).map { row in
          let memoryRow = (row - first) * side
          return Band(
            firstRow: row * side, rowCount: min(side, height - row * side), width: width,
            depth: options.depth,
            pixels: memory.memory.base + memoryRow * memory.memory.bytesPerRow,
            bytesPerRow: memory.memory.bytesPerRow, owner: memory.memory, groups: groups,
            firstGroupRow: memoryRow)
        })
    }
  }

  /// Draws rows of tiles into a picture whose first row is the first of them. If the picture
  /// initially contains the background, the flagged groups contain other pixels.
  private func paint(
    rows: Range<Int>, into picture: Pixmap, over ground: TileGround, groups: GroupFlags?
  ) {
    let columns = setup.columns
    let tileCount = rows.count * columns
    let next = Atomic(0)
    Lanes.run(setup.laneCount(forTiles: tileCount)) { _ in
      TilePainter.withPainter(samples: options.quality.samples, level: options.level) { painter in
        let writer = TileWriter(setup, painter)
        while true {
          let tile = next.add(1, ordering: .relaxed).oldValue
          guard tile < tileCount else { break }
          let (x, y) = (tile % columns, tile / columns)
          let (pixels, pitch) = (picture.tile(x, y), picture.memory.bytesPerRow)
          if ground == .background, let groups {
            setup.restore(
              tileAt: pixels, pitch: pitch, in: groups.start(ofRow: y * TileBins.side) + x,
              step: groups.columns)
          }
          let drawn = writer.write(
            x, rows.lowerBound + y, of: self, to: pixels, pitch: pitch, over: ground)
          groups?.set(drawn, column: x, row: y)
        }
      }
    }
  }
}

extension Rendering: TileSource {
  func hasInk(_ column: Int, _ row: Int) -> Bool {
    ground.contains { $0.bins.firstRun(column, row) >= 0 }
      || ink.contains { $0.bins.firstRun(column, row) >= 0 }
  }

  func draw(
    _ column: Int, _ row: Int, _ painter: TilePainter, to pixels: UnsafeMutablePointer<UInt8>,
    pitch: Int, hasBackground: Bool
  ) {
    if !hasBackground { pattern.background.fill(tileAt: pixels, pitch: pitch) }
    painter.paint(ground, column: column, row: row, over: pixels, pitch: pitch)
    painter.paint(
      ink, isIsolated: isIsolated, column: column, row: row, over: pixels, pitch: pitch)
  }

  func drawDeep(
    _ column: Int, _ row: Int, _ painter: TilePainter, to words: UnsafeMutablePointer<UInt16>
  ) {
    setup.fill(words)
    painter.paintDeep(ground, column: column, row: row, over: words)
    painter.paintDeep(ink, isIsolated: isIsolated, column: column, row: row, over: words)
  }
}

extension RasterPaint {
  fileprivate var isGrey: Bool { red == green && green == blue }

  fileprivate func hasColor(of other: RasterPaint) -> Bool {
    (red, green, blue) == (other.red, other.green, other.blue)
  }
}

extension Scene.Mark {
  /// Whether it is opaque with a single opacity.
  fileprivate var hasFewShades: Bool {
    texture == nil && !hasSeveralOpacities && paint.alpha == 255
      && UInt32(paint.mix) == RasterMixOver.rawValue
  }
}

/// A cache of the memory for bands. Touching fresh memory takes longer than drawing a small
/// picture.
private enum BandMemory {
  private static let idle = ConditionMutex<Pixmap?>(nil)
  /// Larger memory is not kept, but returned to the system.
  private static let maximumKeptBytes = 4 << 20

  /// Memory for bands, and whether all its bytes are zero.
  static func take(
    width: Int, height: Int, depth: Pixmap.Depth, colorSpace: ColorSpace
  ) -> (memory: Pixmap, isBlank: Bool) {
    let used = idle.withLock { idle in
      let used = idle
      idle = nil
      return used
    }
    if let used, used.width == width, used.height == height, used.depth == depth,
      used.colorSpace == colorSpace
    {
      return (used, false)
    }
    return (Pixmap(width: width, height: height, depth: depth, colorSpace: colorSpace), true)
  }

  static func giveBack(_ memory: Pixmap) {
    let byteCount = memory.width * memory.height * memory.depth.bytesPerPixel
    guard byteCount <= maximumKeptBytes else { return }
    idle.withLock { $0 = memory }
  }
}

extension Pixmap {
  /// Sets all pixels. Only for a picture that nothing else uses yet.
  package func fill(_ pixel: Pixel8) {
    for y in 0..<height { pixel.fill(memory.base + y * memory.bytesPerRow, count: width) }
  }

  /// The first pixel of a tile, to draw in a picture that nothing else uses yet.
  func tile(_ column: Int, _ row: Int) -> UnsafeMutablePointer<UInt8> {
    (memory.base + row * TileBins.side * memory.bytesPerRow
      + column * TileBins.side * depth.bytesPerPixel).assumingMemoryBound(to: UInt8.self)
  }

  /// Copies the pixels of a tile, in a picture that nothing else uses.
  func copyTile(from source: (column: Int, row: Int), to target: (column: Int, row: Int)) {
    let (from, to) = (tile(source.column, source.row), tile(target.column, target.row))
    for y in 0..<TileBins.side {
      UnsafeMutableRawPointer(to + y * memory.bytesPerRow).copyMemory(
        from: from + y * memory.bytesPerRow, byteCount: TileBins.side * depth.bytesPerPixel)
    }
  }
}

extension Pixel8 {
  /// Sets all pixels of a tile.
  func fill(tileAt pixels: UnsafeMutablePointer<UInt8>, pitch: Int) {
    for y in 0..<TileBins.side { fill(pixels + y * pitch, count: TileBins.side) }
  }

  func fill(_ pixels: UnsafeMutableRawPointer, count: Int) {
    if red == green, green == blue, blue == alpha {
      // White or transparent: the system's own loop for bytes is faster.
      pixels.assumingMemoryBound(to: UInt8.self).update(repeating: red, count: 4 * count)
      return
    }
    let word = unsafeBitCast(self, to: UInt32.self)
    pixels.assumingMemoryBound(to: UInt32.self).update(repeating: word, count: count)
  }
}

extension [Scene] {
  /// Draws all tiles over a picture that holds the background, with one thread for each painter.
  package func paint(_ painters: [TilePainter], into picture: Pixmap) {
    guard let bins = first?.bins else { return }
    let next = Atomic(0)
    Lanes.run(painters.count) { lane in
      while true {
        let tile = next.add(1, ordering: .relaxed).oldValue
        guard tile < bins.rows * bins.columns else { break }
        let (column, row) = (tile % bins.columns, tile / bins.columns)
        painters[lane].begin()
        painters[lane].paint(
          self, column: column, row: row, over: picture.tile(column, row),
          pitch: picture.memory.bytesPerRow)
      }
    }
  }
}
