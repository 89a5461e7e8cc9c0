import PKDFormat
public import Graphics
public import Strokes

/// The strokes of a drawing with the bounding boxes that its file stores. With stored boxes, a
/// picture can be framed, and strokes outside of it skipped, without evaluating every path.
public struct DrawnStrokes: StrokeList, Sendable {
  /// The strokes, from back to front.
  public let strokes: [PKStroke]
  /// The stored box of each stroke; nil where there is none.
  private let boxes: [Rect?]

  /// Strokes without stored boxes.
  init(_ strokes: [PKStroke]) {
    self.strokes = strokes
    boxes = [Rect?](repeating: nil, count: strokes.count)
  }

  /// The strokes that are on the page after the last event; nil if a stroke or an event cannot be
  /// read.
  init?(of reader: PKDReader) {
    let (all, damage) = reader.readStrokes()
    guard damage == nil, all.count == reader.strokeCount else { return nil }
    guard reader.hasEvents else {
      strokes = all
      boxes = all.indices.map { reader.bounds(ofStroke: $0) }
      return
    }
    let script = reader.readScript()
    guard script.damage == nil else { return nil }
    var page = PageEditor()
    for event in script.value.events { _ = page.apply(event.action, in: reader) }
    let source = DrawnStrokes(all)
    var (strokes, boxes): ([PKStroke], [Rect?]) = ([], [])
    for number in page.page {
      let showing = page.showings[Int(number)]
      let extensions = page.extensions[showing.stroke] ?? []
      strokes.append(
        source.stroke(
          at: showing.stroke, extendedBy: extensions,
          movedBy: page.showings.moves(of: Int(number))))
      boxes.append(
        showing.move == nil && extensions.isEmpty ? reader.bounds(ofStroke: showing.stroke) : nil)
    }
    (self.strokes, self.boxes) = (strokes, boxes)
  }

  /// The box of a stroke's pixels on the canvas.
  public func bounds(ofStroke index: Int) -> Rect { boxes[index] ?? strokes[index].renderBounds }
}
