import Graphics

/// The events of a recording, with the numbers of strokes in a `RecordingSource` in place of strokes.
public struct RecordingScript: Hashable, Sendable {
  /// An event with numbers of strokes.
  public typealias Event = RecordedEvent<Int, Int>
  /// An action with numbers of strokes; a path is that of the stroke of a number.
  public typealias Action = RecordedAction<Int, Int>

  /// What happened, in order.
  public var events: [Event]

  /// A script of events.
  public init(events: [Event] = []) { self.events = events }
}

/// Strokes that are read one by one, and what happened to them.
public protocol RecordingSource: StrokeSource {
  /// The page.
  var canvas: Recording.Canvas { get }

  /// What happened; its numbers are those of strokes here.
  var script: RecordingScript { get }

  /// The name of a stroke.
  func id(ofStroke index: Int) -> Identifier

  /// The stroke that a stroke is a piece of, if it is one.
  func parentID(ofStroke index: Int) -> Identifier?
}

/// The strokes of a recording in memory, in the order in which its events bring them.
public struct RecordedStrokes: RecordingSource, StrokeList, Sendable {
  /// The page.
  public let canvas: Recording.Canvas
  /// What happened.
  public private(set) var script = RecordingScript()
  /// All strokes that were ever on the page, and the paths that events need.
  public private(set) var strokes: [PKStroke] = []

  /// The strokes of a recording.
  public init(_ recording: Recording) {
    self.init(recording.events, canvas: recording.canvas)
  }

  /// The strokes of a drawing, drawn one after the other.
  public init(_ drawing: PKDrawing, canvas: Recording.Canvas = Recording.Canvas()) {
    self.init(Recording(drawing, canvas: canvas))
  }

  init(_ events: some Collection<Recording.Event>, canvas: Recording.Canvas) {
    self.canvas = canvas
    var strokes: [PKStroke] = []
    func number(of stroke: PKStroke) -> Int {
      strokes.append(stroke)
      return strokes.count - 1
    }
    script.events = events.map { event in
      let action = event.action.map(
        stroke: number,
        // A stroke that is never shown holds the path.
        path: { number(of: PKStroke(ink: PKInk(.pen, color: .black), path: $0, id: .zero)) })
      return RecordedEvent(time: event.time, action: action)
    }
    self.strokes = strokes
  }
}

extension RecordedStrokes {
  /// The name of a stroke.
  public func id(ofStroke index: Int) -> Identifier { strokes[index].id }
  /// The stroke that a stroke is a piece of, if it is one.
  public func parentID(ofStroke index: Int) -> Identifier? { strokes[index].parentID }
}
