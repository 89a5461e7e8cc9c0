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

  /// One thing that happened, with the strokes themselves.
  public typealias Event = RecordedEvent<PKStroke, PKStrokePath>
  /// What can happen, with the strokes themselves.
  public typealias Action = RecordedAction<PKStroke, PKStrokePath>
}

extension Recording {
  /// The drawing when everything has happened.
  public var drawing: PKDrawing { drawing(after: events.count) }

  /// The drawing after some of the events; negative counts and those beyond the last are moved into
  /// the range.
  public func drawing(after eventCount: Int) -> PKDrawing {
    let source = RecordedStrokes(events.prefix(max(eventCount, 0)), canvas: canvas)
    var page = PageEditor()
    for event in source.script.events { _ = page.apply(event.action, in: source) }
    return PKDrawing(
      strokes: page.page.map { number in
        let showing = page.showings[Int(number)]
        return source.stroke(
          at: showing.stroke, extendedBy: page.extensions[showing.stroke] ?? [],
          movedBy: page.showings.moves(of: Int(number)))
      })
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
