import CRasterKernels
package import Graphics
package import Strokes
import Synchronization
import Threads

/// A page that is kept as pixels while strokes come and go: a layer of what stays, and strokes on top
/// of it that may look different the next moment.
///
/// What is shown equals the still picture of the same strokes, byte for byte. Changing something costs
/// what it covers, whatever the size of the page.
package final class PaintedPage {
  /// What is shown. Its pixels change with the page.
  package let picture: Pixmap
  /// Whether there are probably many colours.
  package var expectsManyColors = false
  /// What stays.
  package private(set) var layer: Layer
  /// Whether ink is put together on nothing first, because some of it depends on ink below it.
  package private(set) var isIsolated: Bool
  /// The kinds of ink that were not known and are drawn as pen, by their identifiers.
  package private(set) var unknownInks: Set<String> = []
  private let setup: PictureSetup
  private let builder: SceneBuilder
  /// The strokes on top, as they are shown and as they were before.
  private var top: SceneBuilder
  private var formerTop: SceneBuilder
  private let groups: GroupFlags

  /// An empty page, whose picture is framed as that of a drawing with this canvas and content.
  package init(
    canvas: Recording.Canvas, options: RenderOptions, isIsolated: Bool, content: () -> Rect
  ) throws(RenderError) {
    setup = try PictureSetup(options: options, canvas: canvas, content: content)
    self.isIsolated = isIsolated && setup.background.alpha > 0
    (builder, top, formerTop) = (
      SceneBuilder(setup), SceneBuilder(setup), SceneBuilder(setup)
    )
    let bins = setup.pattern.bins
    layer = Layer(count: bins.columns * bins.rows)
    picture = Pixmap(
      width: setup.width, height: setup.height, depth: options.depth,
      colorSpace: options.colorSpace)
    groups = GroupFlags(columns: bins.columns, rows: bins.rows * TileBins.side)
    show(PixelRect(width: width, height: height))
  }

  /// Whether an ink depends on the ink below it.
  package static func mixes(_ ink: PKInk) -> Bool { InkStyle.of(ink.inkType).mix != .over }

  /// Columns of pixels.
  package var width: Int { setup.width }
  /// Rows of pixels.
  package var height: Int { setup.height }
  /// Pixels a point.
  package var scale: Double { setup.framing.scale }
  /// The part of the canvas that is shown, in points.
  package var visible: Rect { setup.framing.visible }
  /// What the picture shows where nothing is drawn.
  package var background: Color { setup.background }

  private var options: RenderOptions { setup.options }
  private var pattern: Scene { setup.pattern }
  private var isDeep: Bool { setup.isDeep }
  private var columns: Int { pattern.bins.columns }
  private var whole: PixelRect { PixelRect(width: width, height: height) }
}

// MARK: - What stays

extension PaintedPage {
  /// Strokes that are drawn as one, as if their ink were wet; most are alone.
  package typealias Mark = [PKStroke]

  /// Draws marks over all that stays, and gives the pixels that each of them can reach.
  package func add(_ marks: [Mark]) -> [PixelRect] {
    let boxes = prepare(marks)
    drawScene(in: boxes.reduce(PixelRect.none) { $0.union($1) })
    return boxes
  }

  /// The pixels that each of some marks can reach.
  package func reach(of marks: [Mark]) -> [PixelRect] { prepare(marks) }

  /// Forgets what stays in all tiles that meet some pixels, and draws marks there instead: all that
  /// can be seen in them.
  package func redraw(_ places: [PixelRect], with marks: [Mark]) {
    let tiles = Set(places.flatMap { self.tiles(meeting: $0) }).sorted()
    for tile in tiles { layer.tiles[tile] = nil }
    _ = prepare(marks)
    draw(tiles.filter { builder.ink.bins.hasRuns($0) })
  }

  /// The tiles that meet some pixels, as one rectangle of pixels each.
  package func tilesMeeting(_ places: [PixelRect]) -> [PixelRect] {
    Set(places.flatMap { tiles(meeting: $0) }).sorted().map(rectangle)
  }

  private func rectangle(ofTile tile: Int) -> PixelRect {
    let (x, y) = (tile % columns * TileBins.side, tile / columns * TileBins.side)
    return PixelRect(columns: x..<x + TileBins.side, rows: y..<y + TileBins.side)
      .intersection(whole)
  }

  /// Takes up what stayed at another time.
  package func restore(_ layer: Layer?, isIsolated: Bool) {
    self.layer = layer ?? Layer(count: self.layer.tiles.count)
    self.isIsolated = isIsolated && background.alpha > 0
  }

  private func prepare(_ marks: [Mark]) -> [PixelRect] {
    builder.removeAll()
    let boxes = marks.map { mark in
      let first = builder.ink.paths.chains.count
      builder.add(mark)
      return builder.ink.paths.box(ofChainsFrom: first).intersection(whole)
    }
    unknownInks.formUnion(builder.unknownInks)
    return boxes
  }

  private func drawScene(in box: PixelRect) {
    draw(tiles(meeting: box).filter { builder.ink.bins.hasRuns($0) })
  }

  /// Draws the scene that was prepared into tiles of the layer.
  private func draw(_ tiles: [Int]) {
    let scene = [builder.ink]
    // Tiles are made here, so that threads only draw in them.
    let targets = tiles.map { place in
      let isNew = layer.tiles[place] == nil
      return (tile: layer.ownTile(place, isDeep: isDeep), isNew: isNew)
    }
    forEachTile(tiles) { painter, number in
      let (column, row) = (tiles[number] % columns, tiles[number] / columns)
      let (tile, isNew) = targets[number]
      if isNew, !isIsolated { begin(tile, painter, column, row) }
      painter.add(scene, column: column, row: row, to: tile, isDeep: isDeep)
    }
  }

  /// What lies below the ink, where ink is drawn right on it.
  private func begin(_ tile: LayerTile, _ painter: TilePainter, _ column: Int, _ row: Int) {
    let count = TileBins.side * TileBins.side
    if isDeep {
      tile.pixels.assumingMemoryBound(to: Pixel16.self)
        .update(repeating: setup.deepBackground.mixed, count: count)
    } else {
      pattern.background.fill(tile.pixels, count: count)
    }
    painter.add([pattern], column: column, row: row, to: tile, isDeep: isDeep)
  }

  private func tiles(meeting box: PixelRect) -> [Int] {
    let box = box.intersection(whole)
    guard !box.isEmpty else { return [] }
    let side = TileBins.side
    return (box.rows.lowerBound / side...(box.rows.upperBound - 1) / side).flatMap { row in
      (box.columns.lowerBound / side...(box.columns.upperBound - 1) / side).map {
        row * columns + $0
      }
    }
  }

  private func forEachTile(_ tiles: [Int], _ body: (TilePainter, Int) -> Void) {
    let next = Counter()
    // A thread for a few tiles would take longer to start than to draw.
    Lanes.run(min(options.threads, (tiles.count + 3) / 4)) { _ in
      TilePainter.lent(samples: options.quality.samples, level: options.level) { painter in
        while let number = next.next(below: tiles.count) { body(painter, number) }
      }
    }
  }
}

// MARK: - What is shown

extension PaintedPage {
  /// Puts marks on top of what stays, instead of those that were there, and gives the pixels that
  /// each of both can reach.
  package func setTop(_ marks: [Mark]) -> (now: PixelRect, before: PixelRect) {
    swap(&top, &formerTop)
    top.removeAll()
    for mark in marks { top.add(mark) }
    unknownInks.formUnion(top.unknownInks)
    return (
      top.ink.paths.box(ofChainsFrom: 0).intersection(whole),
      formerTop.ink.paths.box(ofChainsFrom: 0).intersection(whole)
    )
  }

  /// The pixels that look different by what was put on top, where the same strokes were there before
  /// and have only grown, or more have come.
  package var topGrowth: PixelRect {
    top.ink.paths.difference(from: formerTop.ink.paths).intersection(whole)
  }

  /// The tiles that are not the same as in another layer.
  package func tilesDiffering(from other: Layer?) -> [PixelRect] {
    layer.tiles.indices.filter { layer.tiles[$0] !== other?.tiles[$0] }.map(rectangle)
  }

  /// Brings the picture up to date in all tiles that meet some pixels.
  package func show(_ place: PixelRect) { show([place]) }

  /// Brings the picture up to date in all tiles that meet some pixels.
  package func show(_ places: [PixelRect]) {
    let tiles =
      places.count == 1
      ? self.tiles(meeting: places[0]) : Array(Set(places.flatMap { self.tiles(meeting: $0) }))
    let scene = [top.ink]
    forEachTile(tiles) { painter, number in
      show(scene, painter, column: tiles[number] % columns, row: tiles[number] / columns)
    }
  }

  private func show(_ scene: [Scene], _ painter: TilePainter, column: Int, row: Int) {
    let tile = layer.tiles[row * columns + column]
    let pixels = picture.tile(column, row)
    let pitch = picture.memory.bytesPerRow
    painter.begin()
    defer { groups.set(painter.groups, column: column, row: row) }
    guard !isDeep else { return showDeep(tile, scene, painter, column: column, row: row) }
    if let tile, !isIsolated {
      painter.note(tile.groups)
      for y in 0..<TileBins.side {
        (pixels + y * pitch).update(
          from: tile.bytes + y * 4 * TileBins.side, count: 4 * TileBins.side)
      }
      return painter.paint(scene, column: column, row: row, over: pixels, pitch: pitch)
    }
    pattern.background.fill(tileAt: pixels, pitch: pitch)
    painter.paint([pattern], column: column, row: row, over: pixels, pitch: pitch)
    if isIsolated {
      painter.lay(tile, scene, column: column, row: row, over: pixels, pitch: pitch)
    } else {
      painter.paint(scene, column: column, row: row, over: pixels, pitch: pitch)
    }
  }

  private func showDeep(
    _ tile: LayerTile?, _ scene: [Scene], _ painter: TilePainter, column: Int, row: Int
  ) {
    let deep = DeepTile(isLight: setup.mixesLight, depth: options.depth)
    let words = deep.words.base
    if let tile, !isIsolated {
      painter.note(tile.groups)
      words.update(from: tile.words, count: deep.words.count)
      painter.paintDeep(scene, column: column, row: row, over: words)
    } else {
      deep.fill(setup.deepBackground.mixed)
      painter.paintDeep([pattern], column: column, row: row, over: words)
      if isIsolated {
        painter.layDeep(tile, scene, column: column, row: row, over: words)
      } else {
        painter.paintDeep(scene, column: column, row: row, over: words)
      }
    }
    let pixels = picture.tile(column, row)
    let pitch = picture.memory.bytesPerRow
    setup.fill(tileAt: pixels, pitch: pitch)
    deep.write(painter.groups, to: pixels, pitch: pitch)
  }
}

extension PaintedPage: BandSource {
  /// How many bits each component has.
  package var depth: Pixmap.Depth { options.depth }
  /// What the components mean.
  package var colorSpace: ColorSpace { options.colorSpace }
  /// What the picture shows where nothing is drawn.
  package var backgroundPixel: Pixmap.Pixel? { setup.backgroundPixel }

  /// Gives all bands at once, with the groups of pixels that were drawn in.
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

/// Counts up for several threads.
private final class Counter: Sendable {
  private let count = Atomic(0)

  func next(below limit: Int) -> Int? {
    let number = count.add(1, ordering: .relaxed).oldValue
    return number < limit ? number : nil
  }
}
