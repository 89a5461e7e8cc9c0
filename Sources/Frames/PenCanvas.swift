package import Graphics
package import Rasterization
package import Strokes

/// Draws a page on which a pen draws and erases. After each change only what differs is drawn, and the picture
/// equals the still picture of the page.
package final class PenCanvas {
  /// The page as pixels.
  package let page: PaintedPage
  private var settled = SettledMarks()
  private var isOpen = false
  /// Whether the open stroke depends on the ink below it.
  private var openMixes = false
  /// The count of changes of the page that is shown; nil before the first.
  private var changeCount: Int?

  /// A canvas for a page. Its picture is framed for the strokes that are on the page now.
  package init(_ pen: PenPage, options: RenderOptions = RenderOptions()) throws(RenderError) {
    let shown = pen.shown
    let options = options.choosingBackground(on: pen.recording.canvas) {
      shown.map { $0.stroke.ink }
    }
    page = try PaintedPage(canvas: pen.recording.canvas, options: options, isIsolated: false) {
      PKDrawing(strokes: shown.map { $0.stroke }).bounds
    }
  }

  /// The picture, in memory that the next change overwrites.
  package var picture: Pixmap { page.picture }

  /// Shows the page as it is now. Returns rectangles that contain all pixels that differ from before.
  package func show(_ pen: PenPage) throws(RenderError) -> [PixelRect] {
    var changed: [PixelRect] = []
    let mixes = pen.openStroke.map { PaintedPage.mixes($0.ink) } ?? false
    if changeCount != pen.changeCount || mixes != openMixes {
      openMixes = mixes
      changed = try settle(pen.shown, erased: changeCount.flatMap { pen.erasedBox(since: $0) })
      changeCount = pen.changeCount
    }
    if isOpen || pen.openStroke != nil {
      let before = page.setTop(pen.openStroke.map { [[$0]] } ?? []).before
      changed.append(pen.openStroke == nil ? before : page.topGrowth)
      isOpen = pen.openStroke != nil
    }
    changed.removeAll { $0.isEmpty }
    page.show(changed)
    return changed
  }

  /// Brings finished strokes into the layer. If only ink in a part of the canvas was erased, that part is given.
  private func settle(
    _ shown: [PenPage.Shown], erased: Rect?
  ) throws(RenderError) -> [PixelRect] {
    var changed: [PixelRect] = []
    let mixes = openMixes || shown.contains { PaintedPage.mixes($0.stroke.ink) }
    if mixes != page.isIsolated, page.background.alpha > 0 {
      page.restore(nil, isIsolated: mixes)
      settled = SettledMarks()
      changed.append(PixelRect(width: page.width, height: page.height))
    }
    let target = MarkStack(marks(shown))
    let difference = settled.stack.difference(to: target)
    var strokes: [Int32: PKStroke] = [:]
    for item in shown { strokes[item.key] = item.stroke }
    return changed
      + (try settled.change(
        to: target, by: difference, redrawing: [], within: erased.map { page.pixels(showing: $0) },
        on: page
      ) { mark throws(RenderError) in mark.compactMap { strokes[$0] }
      })
  }

  /// Groups strokes that are wet together.
  private func marks(_ shown: [PenPage.Shown]) -> [[Int32]] {
    let drawing = PKDrawing(strokes: shown.map { $0.stroke })
    var marks: [[Int32]] = []
    for (number, item) in shown.enumerated() {
      if number > 0, drawing.isWet(number, on: number - 1) {
        marks[marks.count - 1].append(item.key)
      } else {
        marks.append([item.key])
      }
    }
    return marks
  }
}
