import CRasterKernels
package import Graphics
package import Strokes
import Synchronization
import Threads

/// A page that is kept as pixels while strokes come and go: a layer of finished strokes, and
/// strokes on top of it that may still change.
///
/// The picture equals the still picture of the same strokes, byte for byte. The cost of a change
/// depends on the area that it covers, not on the size of the page.
///
/// Ink and layer are drawn in the size of `PictureSetup.drawing`; areas are given in pixels of the
/// picture.
package final class PaintedPage {
  /// The picture of the page. Its pixels change with the page.
  package let picture: Pixmap
  /// Whether the picture probably has many colours.
  package var expectsManyColors = false
  /// The finished strokes.
  package private(set) var layer: Layer
  /// Whether ink is composited on its own before it is composited on the paper, because some inks
  /// depend on the ink below them.
  package private(set) var isIsolated: Bool
  /// The identifiers of unknown inks, which are drawn as pen.
  package private(set) var unknownInks: Set<PKInk.InkType> = []
  /// The visits of pixels for all changes so far, including showing them.
  private var visits = 0.0
  /// The points of the marks that were added.
  private var pointCount = 0
  private var setup: PictureSetup
  /// The builders of marks for the layer, one for each thread that was needed so far.
  private var builders: [MarkBuilder] = []
  /// The strokes on top, as they are now and as they were before the last `setTop`.
  private var top: SceneBuilder
  private var previousTop: SceneBuilder
  /// The box of pixels that the strokes on top can reach.
  private var topBox = PixelRect.none
  private let groups: GroupFlags
  /// The content below the ink: the paper's pattern, and earlier strokes that show through.
  private var ground: [Scene]

  /// An empty page. Its picture has the framing of a drawing with this canvas and content.
  package init(
    canvas: Recording.Canvas, options: RenderOptions, isIsolated: Bool, content: () -> Rect
  ) throws(RenderError) {
    setup = try PictureSetup(options: options, canvas: canvas, content: content)
    self.isIsolated = isIsolated && setup.background.alpha > 0
    (top, previousTop) = (SceneBuilder(setup), SceneBuilder(setup))
    ground = [setup.pattern]
    layer = Layer(count: setup.pattern.bins.columns * setup.pattern.bins.rows)
    picture = Pixmap(
      width: setup.width, height: setup.height, depth: options.depth,
      colorSpace: options.colorSpace)
    groups = GroupFlags(columns: setup.columns, rows: setup.rows * TileBins.side)
    show(PixelRect(width: width, height: height))
  }

  /// Whether an ink depends on the ink below it.
  package static func mixes(_ ink: PKInk) -> Bool { InkStyle.of(ink.inkType).mix != .over }

  /// Columns of pixels.
  package var width: Int { setup.width }
  /// Rows of pixels.
  package var height: Int { setup.height }
  /// The number of pixels that are drawn for one of the picture, on each side.
  package var reduction: Int { setup.reduction }
  /// Pixels a point.
  package var scale: Double { setup.framing.scale }
  /// The part of the canvas that is shown, in points.
  package var visible: Rect { setup.framing.visible }
  /// The colour of the picture where nothing is drawn.
  package var background: Color { setup.background }

  /// The colour of the first of some inks, if none of them shows on the background.
  package func hiddenInk(of inks: [PKInk]) -> Color? {
    setup.colors.hiddenInk(of: inks, on: background)
  }

  private var options: RenderOptions { setup.options }
  private var pattern: Scene { setup.pattern }
  private var isDeep: Bool { setup.isDeep }
  /// The number of tiles in a row of the layer.
  private var columns: Int { pattern.bins.columns }
  /// All pixels of the layer.
  private var whole: PixelRect {
    PixelRect(width: setup.drawing.width, height: setup.drawing.height)
  }
}

// MARK: - The layer

extension PaintedPage {
  /// Strokes that are drawn as one because they are wet together; most marks are one stroke.
  package typealias Mark = [PKStroke]

  /// Draws marks over the layer, and returns the box of pixels that each can reach.
  package func add(_ marks: [Mark]) throws(RenderError) -> [PixelRect] {
    let (boxes, count) = try prepare(marks) { draw($1, in: tiles(meeting: $0)) }
    pointCount += count
    return boxes.map(shown)
  }

  /// The box of pixels that each mark can reach.
  package func reach(of marks: [Mark]) throws(RenderError) -> [PixelRect] {
    try prepare(marks) { _, _ in }.boxes.map(shown)
  }

  /// Clears the layer's tiles that meet some areas, and draws marks in them; these must be all
  /// marks that reach the tiles.
  package func redraw(_ areas: [PixelRect], with marks: [Mark]) throws(RenderError) {
    let tiles = tiles(meeting: areas)
    for tile in tiles { layer.tiles[tile] = nil }
    _ = try prepare(marks) { draw($1, in: tiles) }
  }

  /// The tiles that meet some areas, as one rectangle of pixels each.
  package func tilesMeeting(_ areas: [PixelRect]) -> [PixelRect] {
    tiles(meeting: areas).map(rectangle)
  }

  /// The pixels that show an area of the canvas, and two more on every side for smooth edges.
  package func pixels(showing area: Rect) -> PixelRect {
    let box = area.applying(setup.framing.transform).grown(by: 2).roundedOutwards
    guard !box.isNull else { return .none }
    func range(_ low: Double, _ high: Double, _ count: Int) -> Range<Int> {
      let first = min(max(Int(clamping: low), 0), count)
      return first..<max(min(Int(clamping: high), count), first)
    }
    return PixelRect(
      columns: range(box.minX, box.maxX, width), rows: range(box.minY, box.maxY, height))
  }

  private func rectangle(ofTile tile: Int) -> PixelRect {
    let (x, y) = (tile % columns * TileBins.side, tile / columns * TileBins.side)
    return shown(
      PixelRect(columns: x..<x + TileBins.side, rows: y..<y + TileBins.side)
        .intersection(whole))
  }

  /// The pixels of the picture that show an area of the layer.
  private func shown(_ area: PixelRect) -> PixelRect {
    func shown(_ range: Range<Int>) -> Range<Int> {
      let factor = setup.reduction
      return range.isEmpty
        ? 0..<0 : range.lowerBound / factor..<(range.upperBound + factor - 1) / factor
    }
    return PixelRect(columns: shown(area.columns), rows: shown(area.rows))
  }

  /// Whether the paper is that of the recording.
  package var hasOwnPaper: Bool { options.paper == nil }

  /// Replaces the paper's pattern. The layer must be restored and the whole picture shown after it.
  package func setPaper(_ paper: RenderOptions.Paper) {
    setup.drawPattern(of: paper)
    ground[0] = pattern
  }

  /// Replaces the earlier strokes that show through. Tiles of the layer that any of the old or new
  /// ones can reach must be drawn again.
  package func setEarlier(_ strokes: [EarlierStroke]) throws(RenderError) {
    ground = [pattern] + (try setup.scene(of: strokes))
  }

  /// Whether earlier strokes show through.
  package var showsEarlier: Bool { options.earlier != nil }

  /// Replaces the layer with one that was kept before; nil is an empty layer.
  package func restore(_ layer: Layer?, isIsolated: Bool) {
    self.layer = layer ?? Layer(count: self.layer.tiles.count)
    self.isIsolated = isIsolated && background.alpha > 0
  }

  /// Prepares scenes of consecutive marks, calls a body with the box of pixels of some scenes and
  /// with the scenes, and returns the box of each mark and the number of points. For a large drawing,
  /// scenes of all marks would not fit into the memory of a web page. All scenes together may take
  /// the work of one picture.
  private func prepare(
    _ marks: [Mark], _ body: (PixelRect, [Scene]) -> Void
  ) throws(RenderError) -> (boxes: [PixelRect], pointCount: Int) {
    var paths = CountedPaths()
    let pointCount = marks.joined().reduce(0) { $0 + paths.countOfNew($1.path) }
    let limit = setup.work(visits: 0, pointCount: pointCount).limit
    var (boxes, drawnVisits) = ([PixelRect](), 0.0)
    boxes.reserveCapacity(marks.count)
    while boxes.count < marks.count {
      let parts = parts(of: marks, from: boxes.count)
      while builders.count < parts.count { builders.append(MarkBuilder(setup)) }
      let (used, first) = (builders[..<parts.count], boxes.count)
      Lanes.run(parts.count) { lane in
        used[lane].build(marks[parts[lane]], maximumVisits: limit - drawnVisits)
      }
      var finished = 0
      for (part, builder) in zip(parts, used) {
        boxes += builder.boxes
        drawnVisits += builder.scene.visits
        unknownInks.formUnion(builder.scene.unknownInks)
        finished += 1
        // The parts behind one that is incomplete come later.
        if builder.boxes.count < part.count { break }
      }
      try setup.work(visits: drawnVisits, pointCount: pointCount).check()
      body(
        boxes[first...].reduce(.none) { $0.union($1) }, used[..<finished].map { $0.scene.ink })
    }
    visits += drawnVisits
    return (boxes, pointCount)
  }

  /// Consecutive ranges of the marks from an index on, with about equally many points. Each is
  /// prepared by a thread.
  private func parts(of marks: [Mark], from first: Int) -> [Range<Int>] {
    // A thread for fewer than 64 marks would take longer to start than to prepare them.
    let count = min(options.threads, (marks.count - first) / 64 + 1)
    guard count > 1 else { return [first..<marks.count] }
    func pointCount(_ mark: Mark) -> Int { mark.reduce(0) { $0 + $1.path.count } }
    let share = min(
      marks[first...].reduce(0) { $0 + pointCount($1) } / count + 1, MarkBuilder.usualPointCount)
    var (parts, points) = ([Range<Int>](), 0)
    for index in first..<marks.count {
      points += pointCount(marks[index])
      guard points >= share || index == marks.count - 1 else { continue }
      parts.append((parts.last?.upperBound ?? first)..<index + 1)
      if parts.count == count { break }
      points = 0
    }
    return parts
  }

  /// Draws prepared scenes into tiles of the layer, where they have ink.
  private func draw(_ scenes: [Scene], in all: [Int]) {
    let tiles = all.filter { tile in scenes.contains { $0.bins.hasRuns(tile) } }
    // Tiles are created before the threads start, which only draw in them.
    let targets = tiles.map { index in
      let isNew = layer.tiles[index] == nil
      return (tile: layer.uniqueTile(at: index, isDeep: isDeep), isNew: isNew)
    }
    forEachTile(tiles) { painter, number in
      let (column, row) = (tiles[number] % columns, tiles[number] / columns)
      let (tile, isNew) = targets[number]
      if isNew, !isIsolated { drawPaper(on: tile, painter, column, row) }
      painter.add(scenes, column: column, row: row, to: tile, isDeep: isDeep)
    }
  }

  /// Draws the background and the paper's pattern on a new tile.
  private func drawPaper(
    on tile: LayerTile, _ painter: TilePainter, _ column: Int, _ row: Int
  ) {
    let count = TileBins.side * TileBins.side
    if isDeep {
      tile.pixels.assumingMemoryBound(to: Pixel16.self)
        .update(repeating: setup.deepBackground.mixed, count: count)
    } else {
      pattern.background.fill(tile.pixels, count: count)
    }
    painter.add(ground, column: column, row: row, to: tile, isDeep: isDeep)
  }

  /// The layer's tiles that meet some areas of the picture.
  private func tiles(meeting areas: [PixelRect]) -> [Int] {
    let factor = setup.reduction
    func drawn(_ range: Range<Int>) -> Range<Int> {
      range.lowerBound * factor..<range.upperBound * factor
    }
    let lists = areas.map {
      tiles(meeting: PixelRect(columns: drawn($0.columns), rows: drawn($0.rows)))
    }
    return Set(lists.joined()).sorted()
  }

  /// The layer's tiles that meet an area of it.
  private func tiles(meeting area: PixelRect) -> [Int] {
    area.intersection(whole).tiles(columns: columns)
  }

  private func forEachTile(_ tiles: [Int], _ body: (TilePainter, Int) -> Void) {
    let next = Counter()
    // A thread for fewer than four tiles would take longer to start than to draw.
    Lanes.run(min(options.threads, (tiles.count + 3) / 4)) { _ in
      TilePainter.withPainter(samples: options.quality.samples, level: options.level) { painter in
        while let number = next.next(below: tiles.count) { body(painter, number) }
      }
    }
  }
}

// MARK: - Moving

extension PaintedPage {
  /// Shows the part of the canvas that lies a number of whole tiles of the picture to the right and
  /// below. Tiles that were shown before keep their pixels; the others have no ink yet, and nothing
  /// is on top. Pixels beyond the picture's edges are not kept, so its width and height should be
  /// whole tiles.
  package func move(right: Int, down: Int) {
    guard right != 0 || down != 0 else { return }
    setup.move(right: right * TileBins.side, down: down * TileBins.side)
    // Earlier strokes are those of replays, which do not move.
    ground = [pattern]
    builders = []
    (top, previousTop) = (SceneBuilder(setup), SceneBuilder(setup))
    topBox = .none
    let factor = setup.reduction
    let (columns, rows) = (columns, pattern.bins.rows)
    var moved = Layer(count: columns * rows)
    for row in 0..<rows {
      for column in 0..<columns {
        let (x, y) = (column + right * factor, row + down * factor)
        if 0..<columns ~= x, 0..<rows ~= y {
          moved.tiles[row * columns + column] = layer.tiles[y * columns + x]
        }
      }
    }
    layer = moved
    var new: [PixelRect] = []
    // In an order in which no tile is overwritten before it is copied.
    for row in ordered(setup.rows, by: down) {
      for column in ordered(setup.columns, by: right) {
        let source = (column: column + right, row: row + down)
        if 0..<width / TileBins.side ~= source.column, 0..<height / TileBins.side ~= source.row {
          picture.copyTile(from: source, to: (column, row))
          groups.copy(from: source, to: (column, row))
        } else {
          let (x, y) = (column * TileBins.side, row * TileBins.side)
          new.append(
            PixelRect(columns: x..<x + TileBins.side, rows: y..<y + TileBins.side))
        }
      }
    }
    for area in new {
      for tile in tiles(meeting: [area]) { layer.tiles[tile] = nil }
    }
    show(new)
  }

  private func ordered(_ count: Int, by step: Int) -> [Int] {
    step >= 0 ? Array(0..<count) : (0..<count).reversed()
  }
}

// MARK: - The picture

extension PaintedPage {
  /// The work of all changes so far, if that of a number of frames counts as one.
  package func work(ofFrames count: Int) -> DrawingWork {
    setup.work(visits: visits, pointCount: pointCount, frameCount: count)
  }

  /// Replaces the marks on top of the layer, and returns the boxes of pixels that the new and the
  /// former ones can reach.
  package func setTop(
    _ marks: [Mark]
  ) throws(RenderError) -> (now: PixelRect, before: PixelRect) {
    swap(&top, &previousTop)
    top.removeAll()
    for mark in marks {
      top.add(mark)
      try top.work.check()
    }
    unknownInks.formUnion(top.unknownInks)
    let before = topBox
    topBox = shown(top.ink.paths.box(ofChainsFrom: 0).intersection(whole))
    return (topBox, before)
  }

  /// The pixels that the last `setTop` may have changed, if it only added strokes or extended those
  /// that were there.
  package var topGrowth: PixelRect {
    shown(top.ink.paths.difference(from: previousTop.ink.paths).intersection(whole))
  }

  /// The tiles that are not shared with another layer, as one rectangle of pixels each.
  package func tilesDiffering(from other: Layer?) -> [PixelRect] {
    layer.tiles.indices.filter { layer.tiles[$0] !== other?.tiles[$0] }.map(rectangle)
  }

  /// Updates the picture in all tiles that meet an area.
  package func show(_ area: PixelRect) { show([area]) }

  /// Updates the picture in all tiles that meet some areas.
  package func show(_ areas: [PixelRect]) {
    let picture = PixelRect(width: width, height: height)
    let tiles = Array(
      Set(areas.flatMap { $0.intersection(picture).tiles(columns: setup.columns) }))
    // The strokes on top are drawn again in these tiles only.
    let box = topBox.inTiles
    if !box.isEmpty {
      let count = tiles.count {
        box.columns.contains($0 % setup.columns) && box.rows.contains($0 / setup.columns)
      }
      visits += top.visits * Double(count) / Double(box.columns.count * box.rows.count)
    }
    let next = Counter()
    Lanes.run(setup.laneCount(forTiles: tiles.count)) { _ in
      TilePainter.withPainter(samples: options.quality.samples, level: options.level) { painter in
        let writer = TileWriter(setup, painter)
        while let number = next.next(below: tiles.count) {
          show(tiles[number] % setup.columns, tiles[number] / setup.columns, writer)
        }
      }
    }
  }

  private func show(_ column: Int, _ row: Int, _ writer: TileWriter) {
    let drawn = writer.write(
      column, row, of: self, to: picture.tile(column, row), pitch: picture.memory.bytesPerRow,
      over: .unknown)
    groups.set(drawn, column: column, row: row)
  }
}

extension PaintedPage: TileSource {
  func hasInk(_ column: Int, _ row: Int) -> Bool {
    layer.tiles[row * columns + column] != nil
      || ground.contains { $0.bins.firstRun(column, row) >= 0 }
      || top.ink.bins.firstRun(column, row) >= 0
  }

  func draw(
    _ column: Int, _ row: Int, _ painter: TilePainter, to pixels: UnsafeMutablePointer<UInt8>,
    pitch: Int, hasBackground: Bool
  ) {
    let (tile, scene) = (layer.tiles[row * columns + column], [top.ink])
    if let tile, !isIsolated {
      painter.markDrawn(tile.groups)
      for y in 0..<TileBins.side {
        UnsafeMutableRawPointer(pixels + y * pitch).copyMemory(
          from: tile.bytes + y * 4 * TileBins.side, byteCount: 4 * TileBins.side)
      }
      return painter.paint(scene, column: column, row: row, over: pixels, pitch: pitch)
    }
    if !hasBackground { pattern.background.fill(tileAt: pixels, pitch: pitch) }
    painter.paint(ground, column: column, row: row, over: pixels, pitch: pitch)
    if isIsolated {
      painter.composite(tile, scene, column: column, row: row, over: pixels, pitch: pitch)
    } else {
      painter.paint(scene, column: column, row: row, over: pixels, pitch: pitch)
    }
  }

  func drawDeep(
    _ column: Int, _ row: Int, _ painter: TilePainter, to words: UnsafeMutablePointer<UInt16>
  ) {
    let (tile, scene) = (layer.tiles[row * columns + column], [top.ink])
    if let tile, !isIsolated {
      painter.markDrawn(tile.groups)
      UnsafeMutableRawPointer(words).copyMemory(from: tile.words, byteCount: tile.byteCount)
      return painter.paintDeep(scene, column: column, row: row, over: words)
    }
    setup.fill(words)
    painter.paintDeep(ground, column: column, row: row, over: words)
    if isIsolated {
      painter.compositeDeep(tile, scene, column: column, row: row, over: words)
    } else {
      painter.paintDeep(scene, column: column, row: row, over: words)
    }
  }
}

extension PixelRect {
  /// The columns and rows of the tiles that meet the area.
  fileprivate var inTiles: PixelRect {
    guard !isEmpty else { return .none }
    let side = TileBins.side
    return PixelRect(
      columns: columns.lowerBound / side..<(columns.upperBound - 1) / side + 1,
      rows: rows.lowerBound / side..<(rows.upperBound - 1) / side + 1)
  }

  /// The tiles that meet the area, in a picture with a number of tiles side by side.
  fileprivate func tiles(columns count: Int) -> [Int] {
    let tiles = inTiles
    return tiles.rows.flatMap { row in tiles.columns.map { row * count + $0 } }
  }
}

extension PaintedPage: BandSource {
  /// The number of bits of each component.
  package var depth: Pixmap.Depth { options.depth }
  /// The colour space of the components.
  package var colorSpace: ColorSpace { options.colorSpace }
  /// The pixel where nothing is drawn.
  package var backgroundPixel: Pixmap.Pixel? { setup.backgroundPixel }

  /// Passes all bands in one call, with the groups of pixels that were drawn in.
  package func forEachBands<Failure: Error>(
    _ body: ([Band]) throws(Failure) -> Void
  ) throws(Failure) {
    let memory = picture.memory
    try body(
      stride(from: 0, to: height, by: Band.height).map { first in
        Band(
          firstRow: first, rowCount: min(Band.height, height - first), width: width, depth: depth,
          pixels: memory.base + first * memory.bytesPerRow, bytesPerRow: memory.bytesPerRow,
          owner: memory, groups: groups, firstGroupRow: first)
      })
  }
}

/// Prepares consecutive marks. A class, so that each thread can have its own.
private final class MarkBuilder {
  let scene: SceneBuilder
  /// The box of pixels of each mark in the scene.
  private(set) var boxes: [PixelRect] = []
  private let whole: PixelRect
  /// The number of points from which a scene is probably large.
  static let usualPointCount = 1 << 16

  init(_ setup: PictureSetup) {
    scene = SceneBuilder(setup, countsPoints: false)
    whole = PixelRect(width: setup.drawing.width, height: setup.drawing.height)
  }

  /// Replaces the scene by one of some marks, up to the first from which it is large or takes too
  /// many visits.
  func build(_ marks: ArraySlice<PaintedPage.Mark>, maximumVisits: Double) {
    scene.removeAll()
    boxes.removeAll(keepingCapacity: true)
    for mark in marks where !scene.ink.isLarge && scene.visits <= maximumVisits {
      let first = scene.ink.paths.chains.count
      scene.add(mark)
      boxes.append(scene.ink.paths.box(ofChainsFrom: first).intersection(whole))
    }
  }
}

/// A counter that several threads share.
private final class Counter: Sendable {
  private let count = Atomic(0)

  func next(below limit: Int) -> Int? {
    let number = count.add(1, ordering: .relaxed).oldValue
    return number < limit ? number : nil
  }
}
