import PKDFormat
public import Graphics
public import Strokes

/// The strokes of a drawing with the bounding boxes that its file stores. With stored boxes, a
/// picture can be framed, and strokes outside of it skipped, without evaluating every path.
public struct DrawnStrokes: StrokeList, Sendable {
  /// The drawing, with the residue of an archive if that was decoded.
  public internal(set) var drawing: PKDrawing
  /// The damage of the file.
  public internal(set) var damage: [DrawingFileError]
  /// The stored box of each stroke, nil where there is none; empty if no boxes are stored.
  private var boxes: [Rect?] = []

  /// The strokes, from back to front.
  public var strokes: [PKStroke] { drawing.strokes }

  /// Strokes without stored boxes.
  init(_ drawing: PKDrawing, damage: [DrawingFileError] = []) {
    (self.drawing, self.damage) = (drawing, damage)
  }

  /// All strokes of a file without events.
  init(_ strokes: [PKStroke], of reader: PKDReader, damage: [DrawingFileError]) {
    self.init(PKDrawing(strokes: strokes), damage: damage)
    if hasBoxes(of: reader) { boxes = strokes.indices.map { reader.bounds(ofStroke: $0) } }
  }

  /// The strokes that are on the page after the last event.
  init(after source: RecordedStrokes, of reader: PKDReader, damage: [DrawingFileError]) {
    self.init(PKDrawing(), damage: damage)
    var page = PageEditor()
    for event in source.script.events { _ = page.apply(event, in: source) }
    let shown = page.page
    if Self.isPlain(shown, page, of: source) {
      // Shared: a copy of all strokes takes as much memory as their points.
      drawing.strokes = source.strokes
      if hasBoxes(of: reader) { boxes = shown.indices.map { reader.bounds(ofStroke: $0) } }
      return
    }
    for number in shown {
      let showing = page.showings[Int(number)]
      let extensions = page.extensions[showing.stroke] ?? []
      drawing.strokes.append(
        source.stroke(
          at: showing.stroke, extendedBy: extensions,
          movedBy: page.showings.moves(of: Int(number))))
      guard hasBoxes(of: reader) else { continue }
      boxes.append(
        showing.move == nil && extensions.isEmpty ? reader.bounds(ofStroke: showing.stroke) : nil)
    }
  }

  /// Whether a page shows all strokes of its source, unchanged and in their order.
  private static func isPlain(
    _ shown: [Int32], _ page: PageEditor, of source: RecordedStrokes
  ) -> Bool {
    shown.count == source.strokes.count && page.extensions.isEmpty
      && shown.indices.allSatisfy { index in
        let showing = page.showings[Int(shown[index])]
        return showing.stroke == index && showing.move == nil
      }
  }

  /// Whether strokes have the numbers and boxes of the file: damage shifts numbers.
  private func hasBoxes(of reader: PKDReader) -> Bool { reader.isFinished && damage.isEmpty }

  /// The box of a stroke's pixels on the canvas.
  public func bounds(ofStroke index: Int) -> Rect {
    (boxes.isEmpty ? nil : boxes[index]) ?? strokes[index].renderBounds
  }
}
