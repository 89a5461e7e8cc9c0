import Graphics

/// A recording to which events are added one by one, and the page after the last of them.
package struct LivePage {
  private var source: RecordedStrokes
  private var editor = PageEditor()
  /// The boxes of the showings that an eraser has looked at.
  private var boxes: [Int32: Rect] = [:]

  /// An empty page.
  package init(canvas: Recording.Canvas = Recording.Canvas()) {
    source = RecordedStrokes([], canvas: canvas)
  }

  /// The number of events.
  package var eventCount: Int { source.script.events.count }

  /// Adds an event.
  package mutating func append(_ event: Recording.Event) {
    source.append(event)
    if case .strokeExtended = event.action { boxes = [:] }
    guard let action = source.script.events.last?.action else { return }
    _ = editor.apply(action, in: source)
  }

  /// The drawing on the page. Computed on each access.
  package var drawing: PKDrawing { PKDrawing(strokes: showings.map(stroke)) }

  /// The showings on the page, from back to front. Computed on each access.
  var showings: [Int32] { editor.page }
  /// The number of showings that were ever on the page.
  var showingCount: Int { editor.showings.count }
  var canUndo: Bool { editor.canUndo }
  var canRedo: Bool { editor.canRedo }

  /// The changes that erasing along a path would make, one for each stroke that the eraser touches.
  /// Only strokes near the eraser are looked at.
  package mutating func changes(
    erasingAlong path: PKStrokePath, with eraser: PKEraserTool
  ) -> [StrokeChange<PKStroke>] {
    let area = eraser.sweep(along: path)
    let box = area.controlBounds
    var near: [PKStroke] = []
    for showing in editor.page {
      if let known = boxes[showing], !known.intersects(box) { continue }
      let stroke = stroke(showing)
      let bounds = boxes[showing] ?? stroke.renderBounds
      boxes[showing] = bounds
      if bounds.intersects(box) { near.append(stroke) }
    }
    return PKDrawing(strokes: near).changes(erasing: area, with: eraser)
  }

  /// The stroke of a showing.
  func stroke(_ number: Int32) -> PKStroke {
    let showing = editor.showings[Int(number)]
    return source.stroke(
      at: showing.stroke, extendedBy: editor.extensions[showing.stroke] ?? [],
      movedBy: editor.showings.moves(of: Int(number)))
  }
}
