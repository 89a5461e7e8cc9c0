public import Graphics

/// The history of a drawing: a canvas, and the events that happened on it, in order of time.
public struct Recording: Hashable, Sendable {
  /// The page that the drawing is made on.
  public var canvas: Canvas
  /// All events, in order.
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
    /// The colour of the page; nil if none is known.
    public var background: Color?
    /// Texts by name, `title` or `author` for example. Unknown names are kept.
    public var metadata: [String: String]

    /// A page, by default without edges and background.
    public init(size: Size? = nil, background: Color? = nil, metadata: [String: String] = [:]) {
      self.size = size
      self.background = background
      self.metadata = metadata
    }
  }

  /// An event that holds its strokes.
  public typealias Event = RecordedEvent<PKStroke, PKStrokePath>
  /// An action that holds its strokes.
  public typealias Action = RecordedAction<PKStroke, PKStrokePath>
}

extension Recording {
  /// The drawing after all events. Computed on each access.
  public var drawing: PKDrawing { drawing(after: events.count) }

  /// The drawing after the first `eventCount` events, which is clamped to the valid range.
  public func drawing(after eventCount: Int) -> PKDrawing {
    var page = LivePage(canvas: canvas)
    for event in events.prefix(max(eventCount, 0)) { page.append(event) }
    return page.drawing
  }

  /// The drawing at a time: after all events before the first one that is later.
  public func drawing(at time: Timestamp) -> PKDrawing {
    drawing(after: events.prefix { $0.time <= time }.count)
  }

  /// A recording that draws a drawing: every stroke begins at its path's creation date and ends
  /// with its last point, in the drawing's order from back to front. A date before the end of the
  /// last stroke is replaced by that end, so the events are in order.
  public init(_ drawing: PKDrawing, canvas: Canvas = Canvas()) {
    self.init(canvas: canvas)
    var now = drawing.strokes.first?.path.creationDate ?? .referenceDate
    var lastParent: Identifier?
    for stroke in drawing.strokes {
      now = max(now, stroke.path.creationDate)
      events.append(Event(time: now, action: .strokeBegun(stroke)))
      // The pieces of a stroke share its path, whose time counts only once.
      let isNextPiece = stroke.parentID != nil && stroke.parentID == lastParent
      if !isNextPiece { now = now + max(stroke.path.duration, 0) }
      lastParent = stroke.parentID
      events.append(Event(time: now, action: .strokeEnded(stroke.id)))
    }
  }

  /// Adds the event of an eraser that moves along a path, with its changes of the drawing after all
  /// events so far.
  public mutating func erase(
    along path: PKStrokePath, with eraser: PKEraserTool, at time: Timestamp
  ) {
    let changes = drawing.changes(erasingAlong: path, with: eraser)
    events.append(Event(time: time, action: .erased(eraser, along: path, changes: changes)))
  }
}
