package import Graphics
package import Rasterization
package import Strokes

/// Draws a page on which a pen draws and erases. After each change only the difference is drawn,
/// and the picture equals the still picture of the page.
package final class PenCanvas {
  /// The page as pixels.
  package let page: PaintedPage
  private var settled = SettledMarks()
  /// The identifier of the open stroke that is shown; nil if there is none.
  private var openID: Identifier?
  /// Whether the open stroke depends on the ink below it.
  private var openMixes = false
  /// The change count of the shown page; nil before the first.
  private var changeCount: Int?
  private var paper: RenderOptions.Paper

  /// A canvas for a page. Its picture is framed for the strokes that are on the page now.
  package init(_ pen: PenPage, options: RenderOptions = RenderOptions()) throws(RenderError) {
    var options = options.adapted(
      to: pen.shown.lazy.map { $0.stroke.ink }, on: pen.recording.canvas)
    // Any ink may be drawn later.
    options.hasFineInk = true
    paper = pen.recording.canvas.paper
    page = try PaintedPage(canvas: pen.recording.canvas, options: options, isIsolated: false) {
      PKDrawing(strokes: pen.shown.map { $0.stroke }).bounds
    }
  }

  /// The picture, in memory that the next change overwrites.
  package var picture: Pixmap { page.picture }

  /// Shows the page as it is now. Returns rectangles that contain all pixels that differ from
  /// before.
  package func show(_ pen: PenPage) throws(RenderError) -> [PixelRect] {
    var changed: [PixelRect] = []
    if page.hasOwnPaper, paper != pen.recording.canvas.paper {
      paper = pen.recording.canvas.paper
      page.setPaper(paper)
      changed = startAgain(isIsolated: page.isIsolated)
      changeCount = nil
    }
    let mixes = pen.openStroke.map { PaintedPage.mixes($0.ink) } ?? false
    if changeCount != pen.changeCount || mixes != openMixes {
      openMixes = mixes
      changed += try settle(pen.shown, erased: changeCount.flatMap { pen.erasedBox(since: $0) })
      changeCount = pen.changeCount
    }
    if openID != nil || pen.openStroke != nil {
      let (now, before) = try page.setTop(pen.openStroke.map { [[$0]] } ?? [])
      changed += pen.openStroke?.id == openID ? [page.topGrowth] : [now, before]
      openID = pen.openStroke?.id
    }
    changed.removeAll { $0.isEmpty }
    page.show(changed)
    return changed
  }

  /// Moves finished strokes into the layer. If only ink in a part of the canvas was erased, that
  /// part is given.
  private func settle(
    _ shown: [PenPage.Shown], erased: Rect?
  ) throws(RenderError) -> [PixelRect] {
    var changed: [PixelRect] = []
    let mixes = openMixes || shown.contains { PaintedPage.mixes($0.stroke.ink) }
    if mixes != page.isIsolated, page.background.alpha > 0 {
      changed = startAgain(isIsolated: mixes)
    }
    let target = MarkStack(marks(shown))
    let difference = settled.stack.difference(to: target)
    var strokes = [Int32: PKStroke](minimumCapacity: shown.count)
    for item in shown { strokes[item.key] = item.stroke }
    changed += try settled.change(
      to: target, by: difference, redrawing: [], within: erased.map { page.pixels(showing: $0) },
      on: page
    ) { mark throws(RenderError) in mark.compactMap { strokes[$0] } }
    settled.forget(difference.removed.flatMap { $0 }.filter { strokes[$0] == nil })
    return changed
  }

  /// Empties the layer. Returns the whole picture.
  private func startAgain(isIsolated: Bool) -> [PixelRect] {
    page.restore(nil, isIsolated: isIsolated)
    settled = SettledMarks()
    return [PixelRect(width: page.width, height: page.height)]
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
