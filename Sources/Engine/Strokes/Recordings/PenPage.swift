package import Graphics

/// A page on which a pen draws, erases and moves strokes: its recording, and the visible strokes.
///
/// One gesture happens at a time. A stroke, an erasure or a drag becomes an event when the pen
/// leaves the page; until then it can be cancelled.
package struct PenPage: Sendable {
  /// The events so far, without the gesture that is not finished.
  package internal(set) var recording: Recording
  /// The stroke that is being drawn, with its predicted points; nil while there is none.
  package private(set) var openStroke: PKStroke?
  /// The maximum distance of recorded curves from the pen's samples in points, for strokes that
  /// begin from now on; nil records the samples as control points.
  package var tolerance: Double? = CurveFit().tolerance
  /// The number of changes of the strokes on the page, apart from open ones.
  package internal(set) var changeCount = 0
  /// The person who draws.
  package internal(set) var person: UInt16 = 0
  /// The order of a room, and strokes that others are drawing; nil if nobody else draws.
  var room: Room?

  /// The identifiers of the selected strokes, until the next change that does not move them.
  var selection: [Identifier] = []
  var page: LivePage
  /// The key of each showing of the page.
  var keys: [Int32] = []
  private var lastKey: Int32 = 0
  var gesture = Gesture.none
  /// Identifiers of new strokes are derived from this one.
  private var session: Identifier
  private var strokeCount = 0

  enum Gesture: Sendable {
    case none
    case drawing(PKInkingTool, Timestamp, PenCurve)
    case erasing(Erasure)
    case dragging(Drag)
  }

  /// An unfinished erasure.
  struct Erasure: Sendable {
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

  /// A page with a recording, which the pen continues. The session's identifier must be new: those
  /// of new strokes come from it. `canUndoAll` is false for a file without a history: undo never
  /// reaches its strokes.
  package init(continuing recording: Recording, session: Identifier, canUndoAll: Bool = true) {
    self.recording = recording
    self.session = session
    page = LivePage(canvas: recording.canvas)
    for event in recording.events { page.append(event) }
    if !canUndoAll { page.clearHistory() }
    nameShowings()
  }

  /// Derives the identifiers of later strokes from another session. So the same calls make the same
  /// strokes on a page that is opened with the recording of now.
  package mutating func begin(_ session: Identifier) { (self.session, strokeCount) = (session, 0) }

  /// The number of strokes that the recording holds, with those that are no longer shown, and of
  /// their points.
  package var recordedCount: (strokes: Int, points: Int) { page.recordedCount }
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

  /// A box around the ink of all finished strokes.
  package var inkBounds: Rect { PKDrawing(strokes: shown.map { $0.stroke }).bounds }

  /// Gives new showings keys, and finds their boxes.
  mutating func nameShowings() {
    while keys.count < page.showingCount {
      page.measure(Int32(keys.count))
      lastKey += 1
      keys.append(lastKey)
    }
  }

  mutating func add(_ action: Recording.Action, at time: Timestamp) {
    let event = Recording.Event(
      time: max(time, lastTime ?? time), action: action, person: person)
    room?.willAppend(to: page)
    recording.events.append(event)
    page.append(event)
    nameShowings()
    changeCount += 1
    selection = []
  }

  /// Shows the strokes of a drag in their current position.
  mutating func show(_ drag: Drag) {
    gesture = .dragging(drag)
    changeCount += 1
  }

  /// A key for another form of a stroke.
  mutating func newKey() -> Int32 {
    lastKey += 1
    return lastKey
  }

  /// Identifiers for new strokes.
  mutating func newIDs(_ count: Int) -> [Identifier] {
    defer { strokeCount += count }
    return (strokeCount..<strokeCount + count).map { session.derived("stroke", $0) }
  }

  /// Sets a text of the page's metadata; nil removes it. It is no event, so undo leaves it.
  package mutating func setText(_ text: String?, named name: String) {
    recording.canvas.setText(text, named: name)
  }

  /// Sets the page's extent; nil for one without edges. It is no event either, and ink beyond the
  /// edges stays.
  package mutating func setSize(_ size: Size?) { recording.canvas.size = size }
}

// MARK: - Drawing

extension PenPage {
  /// Cancels the current gesture and begins a stroke.
  package mutating func beginStroke(with tool: PKInkingTool, at time: Timestamp) {
    cancel()
    let place = room?.others.count ?? 0
    room?.ownPlace = place
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

  /// Replaces the samples of the open stroke by others.
  package mutating func redraw(_ samples: [PenSample]) {
    guard case .drawing(let tool, let start, _) = gesture else { return }
    // Another stroke for observers, who know that strokes only grow.
    strokeCount += 1
    gesture = .drawing(tool, start, PenCurve(tolerance: tolerance))
    openStroke = nil
    draw(samples)
  }

  /// Ends the open stroke if it is a figure, and puts a clean one in its place by an event of its
  /// own, which undo takes back first. Returns the kind of the figure; nil if it is none.
  package mutating func tidy(at time: Timestamp) -> RecognizedFigure.Kind? {
    guard case .drawing(let tool, let start, var curve) = gesture, !curve.shown.isEmpty else {
      return nil
    }
    let hand = stroke(tool, curve.finish(), start)
    guard let figure = hand.figure, let clean = hand.tidied(as: figure) else {
      return nil
    }
    end(at: time)
    let change = StrokeChange(strokeID: hand.id, replacements: [clean])
    add(.edited([change], above: [], below: []), at: time)
    return figure.kind
  }

  /// The identifier of the open stroke, or of the next one.
  package var openID: Identifier { session.derived("stroke", strokeCount) }

  private func stroke(_ tool: PKInkingTool, _ points: [PKStrokePoint], _ start: Timestamp)
    -> PKStroke
  {
    Self.stroke(tool, points, start, openID)
  }

  /// A stroke of a tool. Its texture follows from its identifier.
  static func stroke(
    _ tool: PKInkingTool, _ points: [PKStrokePoint], _ start: Timestamp, _ id: Identifier
  ) -> PKStroke {
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
  func point(
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
    case .dragging(let drag): if drag.transform != .identity { changeCount += 1 }
    }
    gesture = .none
    openStroke = nil
  }

  /// Whether there is a change that can be undone.
  package var canUndo: Bool { page.canUndo(by: person) }
  /// Whether there is a change that can be redone.
  package var canRedo: Bool { page.canRedo(by: person) }

  /// Cancels the current gesture, and undoes the person's last change.
  package mutating func undo(at time: Timestamp) {
    cancel()
    if canUndo { change(.undone, selecting: selection, at: time) }
  }

  /// Cancels the current gesture, and redoes the person's last undone change.
  package mutating func redo(at time: Timestamp) {
    cancel()
    if canRedo { change(.redone, selecting: selection, at: time) }
  }

  /// Cancels the current gesture, and removes all strokes.
  package mutating func clear(at time: Timestamp) {
    cancel()
    if !page.showings.isEmpty { add(.cleared, at: time) }
  }
}
