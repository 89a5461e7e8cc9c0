public import Graphics

/// The history of a drawing: a canvas, and the events that happened on it, in order of time.
public struct Recording: Hashable, Sendable {
  /// The page that the drawing is made on.
  public var canvas: Canvas
  /// All events, in order.
  public var events: [Event]
  /// The words that a program has recognized in the drawing; nil if no program has searched it.
  public var words: RecognizedText?

  /// A recording of events on a canvas.
  public init(canvas: Canvas = Canvas(), events: [Event] = [], words: RecognizedText? = nil) {
    self.canvas = canvas
    self.events = events
    self.words = words
  }

  /// The page that a recording was made on.
  public struct Canvas: Hashable, Sendable {
    /// The extent of the page, in points; nil for one without edges.
    public var size: Size?
    /// The colour of the page; nil if none is known.
    public var background: Color?
    /// Texts by name, `title` or `author` for example. Unknown names are kept.
    public var metadata: [String: String] {
      get { texts.reduce(into: [:]) { $0[$1.name] = $1.text } }
      set { texts = newValue.map { CanvasText(name: $0.key, text: $0.value) }.sorted(by: <) }
    }
    /// The metadata in the order of files.
    package var texts: [CanvasText] = []

    /// A page without metadata, by default without edges and background.
    public init(size: Size? = nil, background: Color? = nil) {
      self.size = size
      self.background = background
    }

    /// A page, by default without edges and background.
    public init(size: Size? = nil, background: Color? = nil, metadata: [String: String]) {
      self.init(size: size, background: background)
      self.metadata = metadata
    }

    /// The text of the metadata with a name; nil if there is none.
    package func text(named name: String) -> String? {
      texts.first { $0.name.utf8.elementsEqual(name.utf8) }?.text
    }

    /// Sets the text of the metadata with a name; nil removes it.
    package mutating func setText(_ text: String?, named name: String) {
      texts.removeAll { $0.name.utf8.elementsEqual(name.utf8) }
      guard let text else { return }
      let new = CanvasText(name: name, text: text)
      texts.insert(new, at: texts.firstIndex { new < $0 } ?? texts.count)
    }
  }

  /// A text of the metadata and its name. Both are compared by their bytes, as files hold them:
  /// other comparisons need Unicode's tables, which web pages would have to load.
  package struct CanvasText: Hashable, Comparable, Sendable {
    package let name, text: String

    package init(name: String, text: String) { (self.name, self.text) = (name, text) }

    package static func == (a: Self, b: Self) -> Bool {
      a.name.utf8.elementsEqual(b.name.utf8) && a.text.utf8.elementsEqual(b.text.utf8)
    }

    /// The order of the names' bytes.
    package static func < (a: Self, b: Self) -> Bool {
      a.name.utf8.lexicographicallyPrecedes(b.name.utf8)
    }

    package func hash(into hasher: inout Hasher) {
      hasher.combine(Array(name.utf8))
      hasher.combine(Array(text.utf8))
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
    events.reserveCapacity(2 * drawing.strokes.count)
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
