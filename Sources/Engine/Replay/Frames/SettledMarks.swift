import Graphics
import Rasterization
import Strokes

/// The marks in the layer of a painted page.
struct SettledMarks {
  /// The marks from back to front.
  var stack = MarkStack()
  /// The pixels that each showing can cover; only for showings that were drawn.
  private var boxes: [Int32: PixelRect] = [:]

  init() {}

  /// The marks of a page that is still to be drawn, with boxes of pixels that hold the ink of each
  /// showing.
  init(undrawn stack: MarkStack, boxes: [Int32: PixelRect]) {
    (self.stack, self.boxes) = (stack, boxes)
  }

  /// The marks that may have ink in an area.
  func marks(meeting area: PixelRect) -> [[Int32]] {
    stack.marks.filter { !box($0).intersection(area).isEmpty }
  }

  /// Adds marks on top of all others, and returns the box of pixels that each can reach.
  mutating func add(
    _ marks: [[Int32]], to page: PaintedPage,
    _ strokes: ([Int32]) throws(RenderError) -> [PKStroke]
  ) throws(RenderError) -> [PixelRect] {
    let rects = try page.add(try marks.map(strokes))
    setBoxes(of: marks, rects)
    for mark in marks { stack.append(mark) }
    return rects
  }

  /// Changes the layer until it has the marks of another stack: draws the surroundings of differing
  /// marks again, and some further areas. If marks only lost ink in a part of the picture, only
  /// that part is drawn. Returns boxes of all pixels that may have changed.
  mutating func change(
    to target: MarkStack, by difference: MarkStack.Difference, redrawing areas: [PixelRect],
    within part: PixelRect? = nil, on page: PaintedPage,
    _ strokes: ([Int32]) throws(RenderError) -> [PKStroke]
  ) throws(RenderError) -> [PixelRect] {
    let removed = difference.removed.map(box) + areas
    if difference.isOnTop, removed.isEmpty {
      return try add(difference.added, to: page, strokes)
    }
    let rects = try page.reach(of: try difference.added.map(strokes))
    setBoxes(of: difference.added, rects)
    var changed = removed + rects
    // Strokes that are wet together flow together where none of them is erased.
    if let part, (difference.removed + difference.added).allSatisfy({ $0.count == 1 }) {
      changed = changed.map { $0.intersection(part) }
    }
    let dirty = page.tilesMeeting(changed)
    let near = target.marks.filter { mark in
      let box = box(mark)
      return dirty.contains { !$0.intersection(box).isEmpty }
    }
    try page.redraw(dirty, with: try near.map(strokes))
    stack = target
    return changed
  }

  /// Forgets the boxes of showings that are in no mark any more. They are drawn again before they
  /// return.
  mutating func forget(_ showings: [Int32]) {
    for showing in showings { boxes[showing] = nil }
  }

  private func box(_ mark: [Int32]) -> PixelRect {
    boxes[mark[0]] ?? PixelRect(width: 0, height: 0)
  }

  private mutating func setBoxes(of marks: [[Int32]], _ rects: [PixelRect]) {
    for (mark, rect) in zip(marks, rects) {
      for showing in mark { boxes[showing] = rect }
    }
  }
}
