import Graphics

/// The events of a recording, which refer to strokes by their index in a `RecordingSource`.
public struct RecordingScript: Hashable, Sendable {
  /// An event that refers to strokes by index.
  public typealias Event = RecordedEvent<Int, Int>
  /// An action that refers to strokes by index. A path is that of the stroke with the index.
  public typealias Action = RecordedAction<Int, Int>

  /// All events, in order.
  public var events: [Event]

  /// A script of events.
  public init(events: [Event] = []) { self.events = events }
}

/// Strokes that are read one by one, and the events of their recording.
public protocol RecordingSource: StrokeSource {
  /// The page of the recording.
  var canvas: Recording.Canvas { get }

  /// The events, which refer to the strokes of this source by index.
  var script: RecordingScript { get }

  /// The identifier of a stroke.
  func id(ofStroke index: Int) -> Identifier

  /// The identifier of the stroke that a stroke is a piece of; nil if it is not a piece.
  func parentID(ofStroke index: Int) -> Identifier?
}

/// The strokes of a recording in memory, in the order in which its events refer to them.
public struct RecordedStrokes: RecordingSource, StrokeList, Sendable {
  /// The page of the recording.
  public let canvas: Recording.Canvas
  /// The events of the recording.
  public private(set) var script = RecordingScript()
  /// All strokes that were ever on the page, and a stroke for each path that an event needs.
  public private(set) var strokes: [PKStroke] = []

  /// The strokes and events of a recording.
  public init(_ recording: Recording) {
    self.init(recording.events, canvas: recording.canvas)
  }

  /// The strokes of a drawing, drawn one after the other.
  public init(_ drawing: PKDrawing, canvas: Recording.Canvas = Recording.Canvas()) {
    self.init(Recording(drawing, canvas: canvas))
  }

  /// Strokes, and events that refer to them by index.
  package init(_ strokes: [PKStroke], _ script: RecordingScript, canvas: Recording.Canvas) {
    (self.strokes, self.script, self.canvas) = (strokes, script, canvas)
  }

  package init(_ events: some Collection<Recording.Event>, canvas: Recording.Canvas) {
    self.canvas = canvas
    for event in events { append(event) }
  }

  /// The recording again.
  package var recording: Recording {
    Recording(
      canvas: canvas,
      events: script.events.map { event in
        event.map(stroke: { strokes[$0] }, path: { strokes[$0].path })
      })
  }

  /// Adds an event, whose strokes come after all others.
  package mutating func append(_ event: Recording.Event) {
    var strokes = strokes
    self.strokes = []
    func number(of stroke: PKStroke) -> Int {
      strokes.append(stroke)
      return strokes.count - 1
    }
    script.events.append(
      event.map(
        stroke: number,
        // A path is held by a stroke that is never shown.
        path: { number(of: PKStroke(ink: PKInk(.pen, color: .black), path: $0, id: .zero)) }))
    self.strokes = strokes
  }
}

extension RecordedStrokes {
  /// The identifier of a stroke.
  public func id(ofStroke index: Int) -> Identifier { strokes[index].id }
  /// The identifier of the stroke that a stroke is a piece of; nil if it is not a piece.
  public func parentID(ofStroke index: Int) -> Identifier? { strokes[index].parentID }
}
