import Graphics

/// A recording to which events are added one by one, and the page after the last of them.
package struct LivePage {
  private var source: RecordedStrokes
  private var editor = PageEditor()
  /// Boxes around the showings that `measure` has looked at.
  private var boxes: [Int32: Rect] = [:]

  /// An empty page.
  package init(canvas: Recording.Canvas = Recording.Canvas()) {
    source = RecordedStrokes([], canvas: canvas)
  }

  /// The number of events.
  package var eventCount: Int { source.script.events.count }

  /// Adds an event; returns its change of the page, nil if there is none. References to strokes that
  /// are not on the page are passed to `missing`.
  @discardableResult package mutating func append(
    _ event: Recording.Event, missing: (Identifier) -> Void = { _ in }
  ) -> PageEditor.Edit? {
    source.append(event)
    if case .strokeExtended = event.action { boxes = [:] }
    guard let event = source.script.events.last else { return nil }
    return editor.apply(event, in: source, missing: missing)
  }

  /// The drawing on the page. Computed on each access.
  package var drawing: PKDrawing { PKDrawing(strokes: showings.map(stroke)) }

  /// The showings on the page, from back to front. Computed on each access.
  var showings: [Int32] { editor.page }
  /// The number of showings that were ever on the page.
  var showingCount: Int { editor.showings.count }
  /// The number of strokes that were ever on the page or that events need, and of their points.
  var recordedCount: (strokes: Int, points: Int) {
    (source.strokes.count, source.strokes.reduce(0) { $0 + $1.path.count })
  }
  func canUndo(by person: UInt16) -> Bool { editor.canUndo(by: person) }
  func canRedo(by person: UInt16) -> Bool { editor.canRedo(by: person) }
  /// Lets nothing before now be undone.
  mutating func clearHistory() { editor.clearHistory() }

  /// The changes that erasing along a path would make, one for each stroke that the eraser touches.
  package mutating func changes(
    erasingAlong path: PKStrokePath, with eraser: PKEraserTool
  ) -> [StrokeChange<PKStroke>] {
    changes(erasing: eraser.sweep(along: path), with: eraser)
  }

  /// The changes that erasing a swept area would make. Only strokes near it are examined.
  mutating func changes(erasing area: Path, with eraser: PKEraserTool) -> [StrokeChange<PKStroke>] {
    let box = area.controlBounds
    let near = measure().filter { boxes[$0]?.intersects(box) ?? true }
    return PKDrawing(strokes: near.map(stroke)).changes(erasing: area, with: eraser)
  }

  /// The identifiers of the strokes that a lasso holds, from back to front. An identifier that
  /// several strokes have is selected if the lasso holds one of them.
  mutating func ids(in lasso: Lasso) -> [Identifier] {
    var (ids, seen): ([Identifier], Set<Identifier>) = ([], [])
    for showing in measure() where boxes[showing]?.intersects(lasso.box) ?? false {
      let stroke = stroke(showing)
      if lasso.holds(stroke), seen.insert(stroke.id).inserted { ids.append(stroke.id) }
    }
    return ids
  }

  /// Finds the box of a showing, which copies of the page keep.
  mutating func measure(_ showing: Int32) { boxes[showing] = stroke(showing).controlBounds }

  /// A box that holds all pixels of a showing's stroke on the canvas. It is computed if it was not
  /// measured.
  func box(_ showing: Int32) -> Rect { boxes[showing] ?? stroke(showing).controlBounds }

  /// Finds the boxes of all showings on the page, which copies of the page keep, and returns the
  /// showings.
  @discardableResult mutating func measure() -> [Int32] {
    let showings = showings
    for showing in showings where boxes[showing] == nil {
      boxes[showing] = stroke(showing).controlBounds
    }
    return showings
  }

  /// The stroke that an event with an identifier refers to, as it was drawn or cut, without later
  /// moves and points. Nil if there is none.
  func shown(_ id: Identifier) -> PKStroke? {
    editor.showing(of: id).map { source.strokes[editor.showings[Int($0)].stroke] }
  }

  /// The strokes that strokes with some identifiers are pieces of, or they themselves.
  func families(of ids: [Identifier]) -> Set<Identifier> {
    let ids = Set(ids)
    return Set(source.strokes.lazy.filter { ids.contains($0.id) }.map { $0.rootID })
  }

  /// The stroke of a showing.
  func stroke(_ number: Int32) -> PKStroke {
    let showing = editor.showings[Int(number)]
    return source.stroke(
      at: showing.stroke, extendedBy: editor.extensions[showing.stroke] ?? [],
      movedBy: editor.showings.moves(of: Int(number)))
  }
}
