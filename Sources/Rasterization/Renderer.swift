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
  /// How drawings become pictures.
  public var options: RenderOptions

  /// A renderer with options.
  public init(_ options: RenderOptions = RenderOptions()) { self.options = options }

  /// The version of what inks look like: pictures of different versions differ.
  package static var version: Int { InkStyle.version }

  /// Strokes made ready to be drawn.
  public func rendering(
    of strokes: some StrokeSource, on canvas: Recording.Canvas = Recording.Canvas()
  ) throws(RenderError) -> Rendering {
    try Rendering(of: strokes, on: canvas, options: options)
  }

  /// The picture of a drawing.
  public func picture(
    of strokes: some StrokeSource, on canvas: Recording.Canvas = Recording.Canvas()
  ) throws(RenderError) -> Pixmap { try rendering(of: strokes, on: canvas).pixmap }
}

/// A picture that is known but not drawn yet.
public struct Rendering {
  /// The kinds of ink that were not known and are drawn as pen, by their identifiers.
  public let unknownInks: Set<String>
  private let setup: PictureSetup
  /// The strokes, in parts that follow each other.
  private let ink: [Scene]
  /// Whether ink is put together on nothing first, because some of it depends on ink below it.
  private let isIsolated: Bool

  init(
    of source: some StrokeSource, on canvas: Recording.Canvas, options: RenderOptions
  ) throws(RenderError) {
    let setup = try PictureSetup(options: options, canvas: canvas) {
      (0..<source.strokeCount).reduce(Rect.null) { $0.union(source.bounds(ofStroke: $1)) }
    }
    let marks = try Self.marks(of: source, in: setup.framing.visible)
    // A thread for a few strokes would take longer to start than to prepare them.
    let parts = marks.parts(min(options.threads, marks.count / 64 + 1))
    let builders = parts.map { _ in SceneBuilder(setup) }
    Lanes.run(parts.count) { lane in
      for mark in marks[parts[lane]] { builders[lane].add(mark) }
    }
    self.setup = setup
    unknownInks = builders.reduce(into: []) { $0.formUnion($1.unknownInks) }
    ink = builders.map { $0.ink }
    // By all strokes, those that are not seen too: a part of a page has the pixels of the whole.
    isIsolated =
      setup.background.alpha > 0
      && (0..<source.strokeCount).contains {
        InkStyle.of(source.ink(ofStroke: $0).inkType).mix != .over
      }
  }

  /// The strokes that may be seen, those together that are wet together: a stroke that is not seen
  /// parts its neighbours all the same, or keeps them together.
  private static func marks(
    of source: some StrokeSource, in visible: Rect
  ) throws(RenderError) -> [[PKStroke]] {
    var marks: [[PKStroke]] = []
    for index in 0..<source.strokeCount {
      if index == 0 || !source.isWet(index, on: index - 1) { marks.append([]) }
      guard source.mayDraw(stroke: index, in: visible) else { continue }
      do {
        marks[marks.count - 1].append(try source.stroke(at: index))
      } catch {
        throw RenderError(.unreadable(stroke: index, reason: "\(error)"))
      }
    }
    return marks.filter { !$0.isEmpty }
  }
}

extension Rendering {
  /// Columns of pixels.
  public var width: Int { setup.width }
  /// Rows of pixels.
  public var height: Int { setup.height }
  /// Pixels a point.
  public var scale: Double { setup.framing.scale }
  /// What the picture shows where nothing is drawn.
  public var background: Color { setup.background }
  private var options: RenderOptions { setup.options }
  private var pattern: Scene { setup.pattern }
}

extension Array {
  /// Ranges of about equal length that follow each other; one at least.
  fileprivate func parts(_ count: Int) -> [Range<Int>] {
    let count = Swift.max(count, 1)
    return (0..<count).map { part in
      self.count * part / count..<self.count * (part + 1) / count
    }
  }
}

extension Rendering {
  /// The whole picture.
  public var pixmap: Pixmap {
    let picture = Pixmap(
      width: width, height: height, depth: options.depth, colorSpace: options.colorSpace)
    paint(
      rows: 0..<pattern.bins.rows, columns: 0..<pattern.bins.columns, into: picture, isFresh: true,
      groups: nil)
    return picture
  }

  /// Gives the picture in bands of rows from top to bottom. Their memory is used again and again, so
  /// a large picture takes no more than a small one.
  public func forEachBand<Failure: Error>(
    _ body: (Band) throws(Failure) -> Void
  ) throws(Failure) {
    try forEachBands { bands throws(Failure) in
      for band in bands { try body(band) }
    }
  }
}

extension Rendering: BandSource {
  /// How many bits each component has.
  public var depth: Pixmap.Depth { options.depth }
  /// What the components mean.
  public var colorSpace: ColorSpace { options.colorSpace }
  /// What the picture shows where nothing is drawn.
  public var backgroundPixel: Pixmap.Pixel? { setup.backgroundPixel }

  /// Whether there are inks of several colours, whose soft edges have many shades each.
  public var expectsManyColors: Bool {
    let paints = (ink + [pattern]).lazy.flatMap { $0.marks.lazy.map { $0.paint } }
    guard let first = paints.first else { return false }
    // Any greys are shades of one ink.
    return paints.contains { !$0.hasColor(of: first) && !($0.isGrey && first.isGrey) }
  }

  /// Gives as many bands at once as keep all threads busy.
  public func forEachBands<Failure: Error>(
    _ body: ([Band]) throws(Failure) -> Void
  ) throws(Failure) {
    let side = TileBins.side
    let rows = options.threads > 1 ? 2 * options.threads : 1
    let (memory, isBlank) = BandMemory.take(
      width: width, height: min(rows * side, height), depth: options.depth,
      colorSpace: options.colorSpace)
    defer { BandMemory.giveBack(memory) }
    let groups = GroupFlags(columns: pattern.bins.columns, rows: rows * side)
    for first in stride(from: 0, to: pattern.bins.rows, by: rows) {
      let end = min(first + rows, pattern.bins.rows)
      paint(
        rows: first..<end, columns: 0..<pattern.bins.columns, into: memory,
        isFresh: isBlank && first == 0, groups: groups)
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

  /// Draws some rows of tiles into memory that begins with the first of them.
  private func paint(
    rows: Range<Int>, columns: Range<Int>, into picture: Pixmap, isFresh: Bool, groups: GroupFlags?
  ) {
    let tileCount = rows.count * columns.count
    let paper = [pattern]
    let next = Atomic(0)
    // A thread for a few tiles would take longer to start than to draw.
    Lanes.run(min(options.threads, (tileCount + 3) / 4)) { _ in
      TilePainter.lent(samples: options.quality.samples, level: options.level) { painter in
        let deep =
          setup.isDeep
          ? DeepTile(isLight: setup.mixesLight, depth: options.depth) : nil
        while true {
          let tile = next.add(1, ordering: .relaxed).oldValue
          guard tile < tileCount else { break }
          let (x, y) = (tile % columns.count, tile / columns.count)
          let (column, row) = (columns.lowerBound + x, rows.lowerBound + y)
          let pixels = picture.tile(x, y)
          let pitch = picture.memory.bytesPerRow
          if !isFresh || background.alpha > 0 { setup.fill(tileAt: pixels, pitch: pitch) }
          painter.begin()
          if let deep {
            paint(deep, painter, column: column, row: row) { groups in
              deep.write(groups, to: pixels, pitch: pitch)
            }
          } else {
            painter.paint(paper, column: column, row: row, over: pixels, pitch: pitch)
            painter.paint(
              ink, isIsolated: isIsolated, column: column, row: row, over: pixels, pitch: pitch)
          }
          groups?.set(painter.groups, column: x, row: y)
        }
      }
    }
  }

  /// Whether something may be drawn in a tile.
  private func hasInk(_ column: Int, _ row: Int) -> Bool {
    pattern.bins.firstRun(column, row) >= 0
      || ink.contains { $0.bins.firstRun(column, row) >= 0 }
  }

  private func paint(
    _ tile: DeepTile, _ painter: TilePainter, column: Int, row: Int,
    _ write: (UnsafePointer<UInt8>) -> Void
  ) {
    guard hasInk(column, row) else { return }
    tile.fill(setup.deepBackground.mixed)
    let words = tile.words.base
    painter.paintDeep([pattern], column: column, row: row, over: words)
    painter.paintDeep(ink, isIsolated: isIsolated, column: column, row: row, over: words)
    write(painter.groups)
  }
}

extension RasterPaint {
  fileprivate var isGrey: Bool { red == green && green == blue }

  fileprivate func hasColor(of other: RasterPaint) -> Bool {
    (red, green, blue) == (other.red, other.green, other.blue)
  }
}

/// The memory of bands that nobody uses just now. Touching fresh memory takes longer than drawing a
/// small picture.
private enum BandMemory {
  private static let idle = ConditionMutex<Pixmap?>(nil)
  /// More bytes than these are given back to the system.
  private static let mostBytes = 4 << 20

  /// Memory for bands, and whether it is blank.
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
    guard byteCount <= mostBytes else { return }
    idle.withLock { $0 = memory }
  }
}

extension Pixmap {
  /// Sets all pixels of a picture that is being made.
  package func fill(_ pixel: Pixel8) {
    for y in 0..<height { pixel.fill(memory.base + y * memory.bytesPerRow, count: width) }
  }

  /// Where a tile of a picture that is being made begins.
  func tile(_ column: Int, _ row: Int) -> UnsafeMutablePointer<UInt8> {
    (memory.base + row * TileBins.side * memory.bytesPerRow
      + column * TileBins.side * depth.bytesPerPixel).assumingMemoryBound(to: UInt8.self)
  }
}

extension Pixel8 {
  /// Sets all pixels of a tile.
  func fill(tileAt pixels: UnsafeMutablePointer<UInt8>, pitch: Int) {
    for y in 0..<TileBins.side { fill(pixels + y * pitch, count: TileBins.side) }
  }

  func fill(_ pixels: UnsafeMutableRawPointer, count: Int) {
    if red == green, green == blue, blue == alpha {
      // White or nothing: the system's own loop for bytes is faster.
      pixels.assumingMemoryBound(to: UInt8.self).update(repeating: red, count: 4 * count)
      return
    }
    let word = unsafeBitCast(self, to: UInt32.self)
    pixels.assumingMemoryBound(to: UInt32.self).update(repeating: word, count: count)
  }
}

extension [Scene] {
  /// Draws all tiles over a picture that holds what lies below the ink, with a thread for each painter.
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
