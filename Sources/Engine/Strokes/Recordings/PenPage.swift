package import Graphics

/// A page on which a pen draws, erases and moves strokes: its recording, and the visible strokes.
///
/// One gesture happens at a time. A stroke, an erasure or a drag becomes an event when the pen
/// leaves the page; until then it can be cancelled.
package struct PenPage: Sendable {
  /// The events so far, without the gesture that is not finished.
  package private(set) var recording: Recording
  /// The stroke that is being drawn, with its predicted points; nil while there is none.
  package private(set) var openStroke: PKStroke?
  /// The maximum distance of recorded curves from the pen's samples in points, for strokes that
  /// begin from now on; nil records the samples as control points.
  package var tolerance: Double? = CurveFit().tolerance
  /// The number of changes of the strokes on the page, apart from the open one.
  package private(set) var changeCount = 0

  /// The identifiers of the selected strokes, until the next change that does not move them.
  private var selection: [Identifier] = []
  private var page: LivePage
  /// The key of each showing of the page.
  private var keys: [Int32] = []
  private var lastKey: Int32 = 0
  private var gesture = Gesture.none
  /// Identifiers of new strokes are derived from this one.
  private let session: Identifier
  private var strokeCount = 0

  fileprivate enum Gesture: Sendable {
    case none
    case drawing(PKInkingTool, Timestamp, PenCurve)
    case erasing(Erasure)
    case dragging(Drag)
  }

  /// An unfinished erasure.
  fileprivate struct Erasure: Sendable {
    let eraser: PKEraserTool
    let start: Timestamp
    var points: [PKStrokePoint] = []
    /// The page before it, and its keys.
    let before: (page: LivePage, keys: [Int32])
    /// The remains of each touched stroke, in the order of the touches.
    var touched: [Identifier] = []
    var pieces: [Identifier: [PKStroke]] = [:]
    /// For each piece, the touched stroke from which it comes.
    var wholes: [Identifier: Identifier] = [:]
    /// The boxes of the areas that changed the page, one for each change.
    var boxes: [Rect] = []
  }

  /// An unfinished move of the selected strokes.
  fileprivate struct Drag: Sendable {
    /// The shown strokes, with the moving ones in their current position.
    var shown: [Shown]
    /// The moving strokes before the move, and their indices in `shown`.
    let moving: [(index: Int, shown: Shown)]
    var distance = Point.zero
  }

  /// A page with a recording, which the pen continues. The session's identifier must be new: those
  /// of new strokes come from it.
  package init(continuing recording: Recording, session: Identifier) {
    self.recording = recording
    self.session = session
    page = LivePage(canvas: recording.canvas)
    for event in recording.events { page.append(event) }
    nameShowings()
  }

  /// The time of the last event; nil without one.
  package var lastTime: Timestamp? { recording.events.last?.time }
}

// MARK: - The page

extension PenPage {
  /// A stroke on the page. Its key is never given to another stroke, nor to another form of it.
  package struct Shown: Sendable {
    package let key: Int32
    package let stroke: PKStroke
    /// A box that holds all its pixels on the canvas.
    package let box: Rect
  }

  /// The finished strokes on the page, from back to front. Computed on each access.
  package var shown: [Shown] {
    if case .dragging(let drag) = gesture { return drag.shown }
    return page.showings.map {
      Shown(key: keys[Int($0)], stroke: page.stroke($0), box: page.box($0))
    }
  }

  /// Gives new showings keys, and finds their boxes.
  private mutating func nameShowings() {
    while keys.count < page.showingCount {
      page.measure(Int32(keys.count))
      lastKey += 1
      keys.append(lastKey)
    }
  }

  private mutating func add(_ action: Recording.Action, at time: Timestamp) {
    let event = Recording.Event(time: max(time, lastTime ?? time), action: action)
    recording.events.append(event)
    page.append(event)
    nameShowings()
    changeCount += 1
    selection = []
  }

  /// Sets a text of the page's metadata; nil removes it. It is no event, so undo leaves it.
  package mutating func setText(_ text: String?, named name: String) {
    recording.canvas.setText(text, named: name)
  }
}

// MARK: - Drawing

extension PenPage {
  /// Cancels the current gesture and begins a stroke.
  package mutating func beginStroke(with tool: PKInkingTool, at time: Timestamp) {
    cancel()
    gesture = .drawing(tool, time, PenCurve(tolerance: tolerance))
  }

  /// Adds samples to the open stroke. Predicted ones are shown until the next call, and never
  /// recorded. Samples with infinite or undefined values, and times that run back, are corrected or
  /// left out.
  package mutating func draw(_ samples: [PenSample], predicted: [PenSample] = []) {
    guard case .drawing(let tool, let start, var curve) = gesture else { return }
    gesture = .none  // so that appending does not copy the points
    for sample in samples {
      if let point = sample.point(of: tool, after: curve.shown.last) { curve.append(point) }
    }
    gesture = .drawing(tool, start, curve)
    for sample in predicted {
      if let point = sample.point(of: tool, after: curve.shown.last) { curve.show(point) }
    }
    openStroke = curve.shown.isEmpty ? nil : stroke(tool, curve.shown, start)
  }

  private func stroke(_ tool: PKInkingTool, _ points: [PKStrokePoint], _ start: Timestamp)
    -> PKStroke
  {
    let id = session.derived("stroke", strokeCount)
    var seed = StableHash()
    seed.combine(id)
    return PKStroke(
      ink: tool.ink, path: PKStrokePath(controlPoints: points, creationDate: start),
      randomSeed: seed.seed, id: id)
  }
}

extension PenSample {
  /// The point that a tool draws, not earlier than the last one; nil if a value is infinite or
  /// undefined.
  fileprivate func point(
    of tool: PKInkingTool, after last: PKStrokePoint?
  ) -> PKStrokePoint? {
    guard isFinite else { return nil }
    var sample = self
    sample.time = max(time, last?.timeOffset ?? 0)
    return tool.point(at: sample)
  }
}

// MARK: - Erasing

extension PenPage {
  /// Cancels the current gesture and begins to erase.
  package mutating func beginErasing(with eraser: PKEraserTool, at time: Timestamp) {
    cancel()
    page.measure()
    gesture = .erasing(Erasure(eraser: eraser, start: time, before: (page, keys)))
  }

  /// Moves the eraser along samples. Touched ink disappears at once.
  package mutating func erase(_ samples: [PenSample]) {
    guard case .erasing(var erasure) = gesture else { return }
    gesture = .none
    defer { gesture = .erasing(erasure) }
    let count = erasure.points.count
    for sample in samples {
      let point = sample.point(of: PKInkingTool(.monoline), after: erasure.points.last)
      if let point { erasure.points.append(point) }
    }
    guard erasure.points.count > count else { return }
    let path = PKStrokePath(controlPoints: erasure.points[max(count - 1, 0)...])
    let area = erasure.eraser.sweep(along: path)
    let changes = page.changes(erasing: area, with: erasure.eraser)
    guard !changes.isEmpty else { return }
    erasure.add(changes)
    erasure.boxes.append(area.controlBounds)
    // The page shows each step, and gets the whole erasure as one event in the end.
    page.append(
      Recording.Event(
        time: erasure.start, action: .erased(erasure.eraser, along: path, changes: changes)))
    nameShowings()
    changeCount += 1
    selection = []
  }

  /// A box around all erasures since the number of changes was `count`; nil if there were other
  /// changes, or whole strokes were erased.
  package func erasedBox(since count: Int) -> Rect? {
    guard case .erasing(let erasure) = gesture, erasure.eraser.eraserType != .vector,
      changeCount - count <= erasure.boxes.count
    else { return nil }
    return erasure.boxes.suffix(max(changeCount - count, 0)).reduce(.null) { $0.union($1) }
  }
}

extension PenPage.Erasure {
  /// Adds changes of strokes, or of the pieces that are left of them.
  fileprivate mutating func add(_ changes: [StrokeChange<PKStroke>]) {
    for change in changes {
      let whole = wholes[change.strokeID] ?? change.strokeID
      if let left = pieces[whole] {
        pieces[whole] = left.flatMap { $0.id == change.strokeID ? change.replacements : [$0] }
      } else {
        touched.append(whole)
        pieces[whole] = change.replacements
      }
      for piece in change.replacements { wholes[piece.id] = whole }
    }
  }

  /// The whole erasure as an event's action.
  fileprivate var action: Recording.Action {
    .erased(
      eraser, along: PKStrokePath(controlPoints: points, creationDate: start),
      changes: touched.map { StrokeChange(strokeID: $0, replacements: pieces[$0] ?? []) })
  }
}

// MARK: - Selecting and moving

extension PenPage {
  /// Cancels the current gesture, and selects the strokes of which more than half of the ink is
  /// inside a closed polygon. Strokes with one identifier are selected together.
  package mutating func select(inside polygon: [Point]) {
    cancel()
    selection = page.ids(in: Lasso(polygon))
  }

  /// The selected strokes as they are shown, with their indices in `shown`.
  private var selected: [(index: Int, shown: Shown)] {
    guard !selection.isEmpty else { return [] }
    let ids = Set(selection)
    var selected: [(index: Int, shown: Shown)] = []
    for (index, item) in shown.enumerated() where ids.contains(item.stroke.id) {
      selected.append((index, item))
    }
    return selected
  }

  /// The number of selected strokes.
  package var selectionCount: Int { selected.count }
  /// The box of the ink of the selected strokes, where they are shown; null if there is none.
  package var selectionBounds: Rect {
    selected.reduce(.null) { $0.union($1.shown.stroke.inkBounds()) }
  }

  /// Cancels the current gesture, and begins to drag the selected strokes. Without a selection,
  /// nothing happens.
  package mutating func beginDrag() {
    cancel()
    let selected = selected
    guard !selected.isEmpty else { return }
    gesture = .dragging(Drag(shown: shown, moving: selected))
  }

  /// Shows the selected strokes at a distance from their position at the start of the drag, in
  /// points. The distance must be finite.
  package mutating func drag(by distance: Point) {
    guard case .dragging(var drag) = gesture, drag.distance != distance else { return }
    gesture = .none  // so that changes do not copy the shown strokes
    drag.distance = distance
    for (index, before) in drag.moving {
      guard distance != .zero else {
        drag.shown[index] = before
        continue
      }
      lastKey += 1
      var stroke = before.stroke
      stroke.transform = stroke.transform.finitelyConcatenating(drag.transform)
      drag.shown[index] = Shown(key: lastKey, stroke: stroke, box: stroke.controlBounds)
    }
    gesture = .dragging(drag)
    changeCount += 1
  }

  /// Moves the selected strokes by a finite distance in points.
  package mutating func move(by distance: Point, at time: Timestamp) {
    beginDrag()
    drag(by: distance)
    end(at: time)
  }

  /// Cancels the current gesture, and removes the selected strokes. The event is that of an eraser
  /// of whole strokes that touched them, without a path.
  package mutating func deleteSelection(at time: Timestamp) {
    cancel()
    var ids = selection
    while !ids.isEmpty {
      let count = page.showings.count
      add(
        .erased(
          PKEraserTool(.vector), along: PKStrokePath(controlPoints: [], creationDate: time),
          changes: ids.map { StrokeChange(strokeID: $0, replacements: []) }), at: time)
      let strokes = shown.map { $0.stroke.id }
      guard strokes.count < count else { break }
      // A change removes one stroke. Of several with one identifier the others go with the next
      // event.
      let left = Set(strokes)
      ids = ids.filter { left.contains($0) }
    }
  }

  /// Ends a drag and records it. Nothing is recorded if the strokes did not move.
  fileprivate mutating func end(_ drag: Drag, at time: Timestamp) {
    guard drag.distance != .zero else { return }
    let ids = selection
    add(.moved(ids, by: drag.transform), at: time)
    selection = ids
    // Strokes that are already shown keep their key.
    let showings = page.showings
    guard showings.count == drag.shown.count else { return }
    for (index, _) in drag.moving where page.stroke(showings[index]) == drag.shown[index].stroke {
      keys[Int(showings[index])] = drag.shown[index].key
    }
  }
}

extension PenPage.Drag {
  fileprivate var transform: AffineTransform {
    AffineTransform(translationX: distance.x, y: distance.y)
  }
}

// MARK: - Ending and taking back

extension PenPage {
  /// Whether there is an unfinished gesture.
  package var isBusy: Bool {
    if case .none = gesture { false } else { true }
  }

  /// Ends the current gesture and records it. An erasure that touched nothing is not recorded, nor
  /// a drag back to its start.
  package mutating func end(at time: Timestamp) {
    let ending = gesture
    gesture = .none
    openStroke = nil
    switch ending {
    case .none: break
    case .drawing(let tool, let start, var curve):
      defer { strokeCount += 1 }
      guard !curve.shown.isEmpty else { return }
      let stroke = stroke(tool, curve.finish(), start)
      add(.strokeBegun(stroke), at: start)
      add(.strokeEnded(stroke.id), at: time)
    case .erasing(let erasure):
      let steps = shown
      (page, keys) = erasure.before
      guard !erasure.touched.isEmpty else { return }
      add(erasure.action, at: time)
      // Strokes that are already shown keep their key.
      for (showing, step) in zip(page.showings, steps) where page.stroke(showing) == step.stroke {
        keys[Int(showing)] = step.key
      }
    case .dragging(let drag): end(drag, at: time)
    }
  }

  /// Ends the current gesture without a trace.
  package mutating func cancel() {
    switch gesture {
    case .none: break
    // The next stroke needs a new identifier: observers may have seen this stroke and not its end.
    case .drawing: strokeCount += 1
    case .erasing(let erasure):
      (page, keys) = erasure.before
      if !erasure.touched.isEmpty { changeCount += 1 }
    case .dragging(let drag): if drag.distance != .zero { changeCount += 1 }
    }
    gesture = .none
    openStroke = nil
  }

  /// Whether there is a change that can be undone.
  package var canUndo: Bool { page.canUndo }
  /// Whether there is a change that can be redone.
  package var canRedo: Bool { page.canRedo }

  /// Cancels the current gesture, and undoes the last change.
  package mutating func undo(at time: Timestamp) {
    cancel()
    if canUndo { add(.undone, at: time) }
  }

  /// Cancels the current gesture, and redoes the last undone change.
  package mutating func redo(at time: Timestamp) {
    cancel()
    if canRedo { add(.redone, at: time) }
  }

  /// Cancels the current gesture, and removes all strokes.
  package mutating func clear(at time: Timestamp) {
    cancel()
    if !page.showings.isEmpty { add(.cleared, at: time) }
  }
}
