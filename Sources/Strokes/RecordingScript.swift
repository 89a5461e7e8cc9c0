public import Graphics

/// What happened in a recording, with strokes told by their numbers, so that it can be known before
/// any of them is read.
public struct RecordingScript: Hashable, Sendable {
  /// What happened, in order.
  public var events: [Event]

  /// A script of events.
  public init(events: [Event] = []) { self.events = events }

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

  /// What can happen; see `Recording.Action`.
  public enum Action: Hashable, Sendable {
    /// A pen touched the page: the stroke of this number.
    case begun(Int)
    /// The pen moved on: the points of the path of the stroke of this number.
    case extended(Identifier, by: Int)
    /// The pen left the page.
    case ended(Identifier)
    /// An eraser passed along the path of the stroke of this number.
    case erased(PKEraserTool, along: Int, changes: [Change])
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

  /// What became of one stroke: others in its place, or none.
  public struct Change: Hashable, Sendable {
    /// The stroke that was there.
    public var strokeID: Identifier
    /// The numbers of the strokes in its place, from back to front.
    public var replacements: Range<Int>

    /// A change of one stroke.
    public init(strokeID: Identifier, replacements: Range<Int>) {
      self.strokeID = strokeID
      self.replacements = replacements
    }
  }
}

/// Strokes that can be asked for one by one, and what happened to them.
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

/// The strokes of a recording in memory, one after the other as its events bring them.
public struct RecordedStrokes: RecordingSource, Sendable {
  /// The page.
  public let canvas: Recording.Canvas
  /// What happened.
  public private(set) var script = RecordingScript()
  /// All strokes that there ever were, and paths that events need.
  public private(set) var strokes: [PKStroke] = []

  /// The strokes of a recording.
  public init(_ recording: Recording) {
    canvas = recording.canvas
    script.events.reserveCapacity(recording.events.count)
    for event in recording.events {
      script.events.append(
        RecordingScript.Event(time: event.time, action: number(event.action)))
    }
  }

  /// The strokes of a drawing, drawn one after the other.
  public init(_ drawing: PKDrawing, canvas: Recording.Canvas = Recording.Canvas()) {
    self.init(Recording(drawing, canvas: canvas))
  }

  private mutating func add(_ stroke: PKStroke) -> Int {
    strokes.append(stroke)
    return strokes.count - 1
  }

  /// A path as a stroke that is never shown.
  private mutating func add(_ path: PKStrokePath) -> Int {
    add(PKStroke(ink: PKInk(.pen, color: .black), path: path, id: .zero))
  }

  private mutating func number(_ action: Recording.Action) -> RecordingScript.Action {
    switch action {
    case .strokeBegun(let stroke): .begun(add(stroke))
    case .strokeExtended(let id, let path): .extended(id, by: add(path))
    case .strokeEnded(let id): .ended(id)
    case .erased(let eraser, let path, let changes):
      .erased(
        eraser, along: add(path),
        changes: changes.map { change in
          let first = strokes.count
          strokes += change.replacements
          return RecordingScript.Change(
            strokeID: change.strokeID, replacements: first..<strokes.count)
        })
    case .undone: .undone
    case .redone: .redone
    case .moved(let ids, let transform): .moved(ids, by: transform)
    case .cleared: .cleared
    case .toolChanged(let tool): .toolChanged(tool)
    }
  }
}

extension RecordedStrokes {
  /// How many strokes there are.
  public var strokeCount: Int { strokes.count }
  /// The box of a stroke's pixels on the canvas.
  public func bounds(ofStroke index: Int) -> Rect { strokes[index].renderBounds }
  /// The ink of a stroke.
  public func ink(ofStroke index: Int) -> PKInk { strokes[index].ink }
  /// The group that a stroke is wet together with, if it has one.
  public func renderGroupID(ofStroke index: Int) -> Identifier? { strokes[index].renderGroupID }
  /// From a stroke's first point to its last.
  public func timeRange(ofStroke index: Int) -> ClosedRange<Timestamp> {
    strokes[index].path.timeRange
  }
  /// A stroke.
  public func stroke(at index: Int) throws(Never) -> PKStroke { strokes[index] }
  /// The name of a stroke.
  public func id(ofStroke index: Int) -> Identifier { strokes[index].id }
  /// The stroke that a stroke is a piece of, if it is one.
  public func parentID(ofStroke index: Int) -> Identifier? { strokes[index].parentID }
}
