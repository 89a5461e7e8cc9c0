package import Graphics
package import Rasterization
package import Strokes

/// Draws a page on which a pen draws and erases. After each change only what differs is drawn, and the picture
/// equals the still picture of the page.
package final class PenCanvas {
  private let page: PaintedPage
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
  /// The number of pixels per point.
  package var scale: Double { page.scale }
  /// The part of the canvas that is shown, in points.
  package var visible: Rect { page.visible }

  /// Shows the page as it is now. Returns rectangles that contain all pixels that differ from before.
  package func show(_ pen: PenPage) throws(RenderError) -> [PixelRect] {
    var changed: [PixelRect] = []
    let mixes = pen.openStroke.map { PaintedPage.mixes($0.ink) } ?? false
    if changeCount != pen.changeCount || mixes != openMixes {
      openMixes = mixes
      changed = try settle(pen.shown)
      changeCount = pen.changeCount
    }
    if isOpen || pen.openStroke != nil {
      let (now, before) = page.setTop(pen.openStroke.map { [[$0]] } ?? [])
      // Predicted points may have gone, so what was there before counts too.
      changed.append(page.topGrowth)
      if pen.openStroke == nil { changed += [now, before] }
      isOpen = pen.openStroke != nil
    }
    changed.removeAll { $0.isEmpty }
    page.show(changed)
    return changed
  }

  /// Brings finished strokes into the layer.
  private func settle(
    _ shown: [PenPage.Shown]
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
      + (try settled.change(to: target, by: difference, redrawing: [], on: page) {
        mark throws(RenderError) in mark.compactMap { strokes[$0] }
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
