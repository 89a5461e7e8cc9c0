public import Graphics

/// A drawing as it came to be: a canvas, and what happened on it in order of time.
public struct Recording: Hashable, Sendable {
  /// The page.
  public var canvas: Canvas
  /// What happened, in order.
  public var events: [Event]

  /// A recording of events on a canvas.
  public init(canvas: Canvas = Canvas(), events: [Event] = []) {
    self.canvas = canvas
    self.events = events
  }

  /// The page that a recording was made on.
  public struct Canvas: Hashable, Sendable {
    /// The extent of the page, in points; nil for one without edges.
    public var size: Size?
    /// What lies below the ink; nil for nothing.
    public var background: Color?
    /// Texts by name, `title` or `author` for example. Names that nobody knows are kept.
    public var metadata: [String: String]

    /// A page.
    public init(size: Size? = nil, background: Color? = nil, metadata: [String: String] = [:]) {
      self.size = size
      self.background = background
      self.metadata = metadata
    }
  }

  /// One thing that happened.
  public struct Event: Hashable, Sendable {
    /// When it happened.
    public var time: Timestamp
    /// What happened.
    public var action: Action

    /// An event.
    public init(time: Timestamp, action: Action) {
      self.time = time
      self.action = action
    }
  }

  /// What can happen.
  public enum Action: Hashable, Sendable {
    /// A pen touched the page: a stroke with the points it has so far.
    case strokeBegun(PKStroke)
    /// The pen moved on: more control points, whose times count from the stroke's start.
    case strokeExtended(Identifier, by: PKStrokePath)
    /// The pen left the page.
    case strokeEnded(Identifier)
    /// An eraser passed along a path. The changes are kept, so that they stay what they were even
    /// when erasing is improved.
    case erased(PKEraserTool, along: PKStrokePath, changes: [StrokeChange])
    /// The last change that was not undone was undone.
    case undone
    /// The last change that was undone was done again.
    case redone
    /// Strokes were moved, stretched or turned: a transform after their own.
    case moved([Identifier], by: AffineTransform)
    /// The page was emptied.
    case cleared
    /// Another tool was taken up.
    case toolChanged(PKTool)
  }
}

extension Recording {
  /// The drawing when everything has happened.
  public var drawing: PKDrawing { drawing(after: events.count) }

  /// The drawing after some of the events; negative counts and those beyond the last are moved into
  /// the range.
  public func drawing(after eventCount: Int) -> PKDrawing {
    var page = RecordedPage()
    for event in events.prefix(max(eventCount, 0)) { page.apply(event.action) }
    return page.drawing
  }

  /// The drawing at a moment: after all events that are not later.
  public func drawing(at time: Timestamp) -> PKDrawing {
    drawing(after: events.prefix { $0.time <= time }.count)
  }

  /// A drawing as a recording: every stroke begins at its path's creation date and ends with its
  /// last point, in the drawing's order from back to front. Dates that run back are moved to the
  /// moment before, so the events stay in order.
  public init(_ drawing: PKDrawing, canvas: Canvas = Canvas()) {
    self.init(canvas: canvas)
    var now = drawing.strokes.first?.path.creationDate ?? .referenceDate
    var lastParent: Identifier?
    for stroke in drawing.strokes {
      now = max(now, stroke.path.creationDate)
      events.append(Event(time: now, action: .strokeBegun(stroke)))
      // The pieces of a stroke share its path, which took its time only once.
      let isNextPiece = stroke.parentID != nil && stroke.parentID == lastParent
      if !isNextPiece { now = now + max(stroke.path.duration, 0) }
      lastParent = stroke.parentID
      events.append(Event(time: now, action: .strokeEnded(stroke.id)))
    }
  }

  /// Adds an event of an eraser along a path, with what it does to the drawing as it then is.
  public mutating func erase(
    along path: PKStrokePath, with eraser: PKEraserTool, at time: Timestamp
  ) {
    let changes = drawing.changes(erasingAlong: path, with: eraser)
    events.append(Event(time: time, action: .erased(eraser, along: path, changes: changes)))
  }
}

/// A page while the events of a recording are applied to it, with what undoing needs.
struct RecordedPage {
  private var strokes: [PKStroke] = []
  private var undoable: [Edit] = []
  private var redoable: [Edit] = []
  /// The points that the stroke under the pen has got since it was last put together.
  private var growth: (id: Identifier, points: [StoredPoint])?

  /// One change as the runs of strokes that it replaced, so that it costs what it touched.
  private struct Edit {
    struct Patch {
      /// Where the run began before the change.
      var position: Int
      var before: [PKStroke]
      var after: [PKStroke]
    }
    /// In ascending order of position.
    var patches: [Patch]
  }

  var drawing: PKDrawing {
    var page = self
    page.settleGrowth()
    return PKDrawing(strokes: page.strokes)
  }

  mutating func apply(_ action: Recording.Action) {
    if case .strokeExtended(let id, let points) = action { return extend(id, by: points) }
    settleGrowth()
    switch action {
    case .strokeBegun(let stroke):
      change([Edit.Patch(position: strokes.count, before: [], after: [stroke])])
    case .strokeExtended, .strokeEnded, .toolChanged: break
    case .erased(_, _, let changes):
      change(patches(changes))
    case .moved(let ids, let transform):
      let moved = Set(ids)
      replace { stroke in
        guard moved.contains(stroke.id) else { return nil }
        var stroke = stroke
        stroke.transform = stroke.transform.finitelyConcatenating(transform)
        return [stroke]
      }
    case .cleared: change([Edit.Patch(position: 0, before: strokes, after: [])])
    case .undone:
      guard var edit = undoable.popLast() else { return }
      for (index, patch) in edit.patches.enumerated() {
        let run = patch.position..<patch.position + patch.after.count
        edit.patches[index].after = Array(strokes[run])  // what has grown since stays grown
        strokes.replaceSubrange(run, with: patch.before)
      }
      redoable.append(edit)
    case .redone:
      guard let edit = redoable.popLast() else { return }
      perform(edit)
    }
  }

  /// What changes do to the page. Each takes the last stroke of its name, so that a few events cannot
  /// make a page larger than they are.
  private func patches(_ changes: [StrokeChange]) -> [Edit.Patch] {
    var replacements = Dictionary(
      changes.map { ($0.strokeID, $0.replacements) }, uniquingKeysWith: { $1 })
    var patches: [Edit.Patch] = []
    for index in strokes.indices.reversed() where !replacements.isEmpty {
      if let strokes = replacements.removeValue(forKey: strokes[index].id) {
        patches.append(Edit.Patch(position: index, before: [self.strokes[index]], after: strokes))
      }
    }
    return patches.reversed()
  }

  private mutating func replace(_ replacement: (PKStroke) -> [PKStroke]?) {
    change(
      strokes.enumerated().compactMap { index, stroke in
        replacement(stroke).map { Edit.Patch(position: index, before: [stroke], after: $0) }
      })
  }

  /// What changes nothing leaves nothing to undo.
  private mutating func change(_ patches: [Edit.Patch]) {
    guard patches.contains(where: { !$0.before.isEmpty || !$0.after.isEmpty }) else { return }
    redoable = []
    perform(Edit(patches: patches))
  }

  private mutating func perform(_ edit: Edit) {
    for patch in edit.patches.reversed() {
      strokes.replaceSubrange(
        patch.position..<patch.position + patch.before.count, with: patch.after)
    }
    undoable.append(edit)
  }

  /// Gathers points until something else happens: a long stroke is put together once, not once for
  /// every few points.
  private mutating func extend(_ id: Identifier, by points: PKStrokePath) {
    if growth?.id != id {
      settleGrowth()
      growth = (id, [])
    }
    growth?.points += points.columns.converted(to: .current).points
  }

  private mutating func settleGrowth() {
    guard let (id, points) = growth else { return }
    growth = nil
    guard let index = strokes.lastIndex(where: { $0.id == id }) else { return }
    let path = strokes[index].path
    let grown = PKStrokePath(
      storedPoints: path.columns.converted(to: .current).points + points,
      creationDate: path.creationDate)
    strokes[index].path = grown
    remember(grown, of: id)
  }

  /// What a stroke was before it was moved under the pen has the points that came after the move
  /// too, and so has what it will be when that is done again: undoing takes back the move, not the
  /// drawing.
  private mutating func remember(_ path: PKStrokePath, of id: Identifier) {
    for edit in redoable.indices {
      for patch in redoable[edit].patches.indices {
        let after = redoable[edit].patches[patch].after
        for place in after.indices where after[place].id == id {
          redoable[edit].patches[patch].after[place].path = path
        }
      }
    }
    for edit in undoable.indices.reversed() {
      for patch in undoable[edit].patches.indices {
        let before = undoable[edit].patches[patch].before
        for place in before.indices where before[place].id == id {
          undoable[edit].patches[patch].before[place].path = path
        }
        // Nothing older than its beginning can know the stroke.
        let isBeginning =
          before.isEmpty && undoable[edit].patches[patch].after.contains { $0.id == id }
        if isBeginning { return }
      }
    }
  }
}
