package import Graphics
package import Rasterization
package import Strokes

/// Draws a page on which a pen draws and erases. After each change only the difference is drawn,
/// and the picture equals the still picture of the page.
///
/// A large page can be drawn block by block, so that the pen does not wait for it.
package final class PenCanvas {
  /// The page as pixels.
  package let page: PaintedPage
  private var settled = SettledMarks()
  /// The identifiers of the open strokes that are shown.
  private var openIDs: [Identifier] = []
  /// Whether an open stroke depends on the ink below it.
  private var openMixes = false
  /// The change count of the shown page; nil before the first.
  private var changeCount: Int?
  private var paper: RenderOptions.Paper
  private var waiting: WaitingBlocks
  /// The strokes of the shown page by their keys, while blocks wait for them.
  private var strokes: [Int32: PKStroke] = [:]

  /// A canvas for a page. Its picture is framed for the strokes that are on the page now.
  /// `blockSide` is the number of pixels along a side of a block, as ink is drawn: a block of 256
  /// takes a page of the web some milliseconds.
  package init(
    _ pen: PenPage, options: RenderOptions = RenderOptions(), blockSide: Int = 256
  ) throws(RenderError) {
    var options = options.adapted(
      to: pen.shown.lazy.map { $0.stroke.ink }, on: pen.recording.canvas)
    // Any ink may be drawn later.
    options.hasFineInk = true
    paper = pen.recording.canvas.paper
    page = try PaintedPage(canvas: pen.recording.canvas, options: options, isIsolated: false) {
      PKDrawing(strokes: pen.shown.map { $0.stroke }).bounds
    }
    waiting = WaitingBlocks(
      width: page.width, height: page.height,
      side: max(blockSide / page.reduction, PixelMemory.tileSide))
  }

  /// The picture, in memory that the next change overwrites. Waiting blocks contain no ink.
  package var picture: Pixmap { page.picture }
  /// Whether a pixel is in a block that is not drawn yet.
  func isWaiting(_ x: Int, _ y: Int) -> Bool {
    !waiting.meeting(PixelRect(columns: x..<x + 1, rows: y..<y + 1)).isEmpty
  }

  /// The number of blocks that are not drawn yet.
  package var waitingCount: Int { waiting.count }
  /// The number of pixels along a side of a block.
  package var blockSide: Int { waiting.side }

  /// Shows the page as it is now. Returns rectangles that contain all pixels that differ from
  /// before. `drawsAll` also draws all waiting blocks; otherwise they go on waiting, unless a
  /// change meets them.
  package func show(
    _ pen: PenPage, drawsAll: Bool = true
  ) throws(RenderError) -> [PixelRect] {
    var changed: [PixelRect] = []
    if page.hasOwnPaper, paper != pen.recording.canvas.paper {
      paper = pen.recording.canvas.paper
      page.setPaper(paper)
      startAgain(isIsolated: page.isIsolated)
    }
    let open = pen.openStrokes
    let mixes = open.contains { PaintedPage.mixes($0.ink) }
    if changeCount != pen.changeCount || mixes != openMixes {
      openMixes = mixes
      changed += try settle(
        pen.shown, erased: changeCount.flatMap { pen.erasedBox(since: $0) }, drawsAll: drawsAll)
      changeCount = pen.changeCount
    }
    if !openIDs.isEmpty || !open.isEmpty {
      let ids = open.map { $0.id }
      let (now, before) = try page.setTop(open.map { [$0] })
      changed += ids.starts(with: openIDs) ? [page.topGrowth] : [now, before]
      openIDs = ids
    }
    for block in drawsAll ? waiting.all : Set(changed.flatMap { waiting.meeting($0) }).sorted() {
      changed.append(try draw(block))
    }
    let whole = PixelRect(width: page.width, height: page.height)
    if changed.contains(whole) { changed = [whole] }
    changed.removeAll { $0.isEmpty }
    page.show(changed)
    return changed
  }

  /// Draws the waiting block that is nearest to a pixel. Returns its pixels; nil if no block waits.
  package func drawBlock(nearestTo x: Int, _ y: Int) throws(RenderError) -> PixelRect? {
    guard let block = waiting.nearest(x: x, y: y) else { return nil }
    let area = try draw(block)
    page.show(area)
    return area
  }

  /// Shows the part of the canvas that lies a number of blocks to the right and below. Blocks that
  /// were drawn keep their pixels.
  package func move(right: Int, down: Int) {
    guard right != 0 || down != 0 else { return }
    let tiles = waiting.side / PixelMemory.tileSide
    page.move(right: right * tiles, down: down * tiles)
    waiting.move(right: right, down: down)
    (openIDs, changeCount) = ([], nil)
  }

  private func draw(_ block: Int) throws(RenderError) -> PixelRect {
    let area = waiting.remove(block)
    try page.redraw(
      [area], with: settled.marks(meeting: area).map { mark in mark.compactMap { strokes[$0] } })
    if waiting.isEmpty { strokes = [:] }
    return area.intersection(PixelRect(width: page.width, height: page.height))
  }

  /// Moves finished strokes into the layer. If only ink in a part of the canvas was erased, that
  /// part is given.
  private func settle(
    _ shown: [PenPage.Shown], erased: Rect?, drawsAll: Bool
  ) throws(RenderError) -> [PixelRect] {
    let mixes = openMixes || shown.contains { PaintedPage.mixes($0.stroke.ink) }
    if mixes != page.isIsolated, page.background.alpha > 0 { startAgain(isIsolated: mixes) }
    let target = MarkStack(marks(shown))
    strokes.removeAll(keepingCapacity: true)
    for item in shown { strokes[item.key] = item.stroke }
    defer { if waiting.isEmpty { strokes = [:] } }
    if changeCount == nil, !waiting.areAll || !drawsAll {
      settled = SettledMarks(undrawn: target, boxes: boxes(of: shown))
      return []
    }
    let isFirst = waiting.areAll && drawsAll
    if isFirst {
      // All strokes are prepared once, and not for each block.
      waiting.removeAll()
      page.restore(nil, isIsolated: page.isIsolated)
      settled = SettledMarks()
    }
    let difference = settled.stack.difference(to: target)
    let changed = try settled.change(
      to: target, by: difference, redrawing: [], within: erased.map { page.pixels(showing: $0) },
      on: page
    ) { mark throws(RenderError) in mark.compactMap { strokes[$0] } }
    settled.forget(difference.removed.flatMap { $0 }.filter { strokes[$0] == nil })
    return isFirst ? [PixelRect(width: page.width, height: page.height)] : changed
  }

  /// Boxes that hold all pixels of strokes.
  private func boxes(of shown: [PenPage.Shown]) -> [Int32: PixelRect] {
    var boxes = [Int32: PixelRect](minimumCapacity: shown.count)
    for item in shown { boxes[item.key] = page.pixels(showing: item.box) }
    return boxes
  }

  /// Empties the layer, so that the whole picture waits.
  private func startAgain(isIsolated: Bool) {
    page.restore(nil, isIsolated: isIsolated)
    settled = SettledMarks()
    waiting.insertAll()
    changeCount = nil
  }

  /// Groups strokes that are wet together. Strokes outside of the picture are left out, but still
  /// join or separate their neighbours.
  private func marks(_ shown: [PenPage.Shown]) -> [[Int32]] {
    let drawing = PKDrawing(strokes: shown.map { $0.stroke })
    let visible = page.visible
    var marks: [[Int32]] = []
    var mark: [Int32] = []
    for (number, item) in shown.enumerated() {
      if !mark.isEmpty, !drawing.isWet(number, on: number - 1) {
        marks.append(mark)
        mark = []
      }
      if item.box.intersects(visible) { mark.append(item.key) }
    }
    if !mark.isEmpty { marks.append(mark) }
    return marks
  }
}
