public import Graphics

/// An event on a page: an action and its time.
///
/// The events of a `Recording` hold strokes. Those of a `RecordingScript` hold the strokes' indices
/// in a `RecordingSource`, so that events can be followed before any stroke is read.
public struct RecordedEvent<Stroke: Hashable & Sendable, Path: Hashable & Sendable>:
  Hashable, Sendable
{
  /// The time at which it happened.
  public var time: Timestamp
  /// The action that happened.
  public var action: RecordedAction<Stroke, Path>
  /// The person who did it: 0 for the drawing's owner, who is the only one in most drawings. Undo
  /// takes back what the same person did.
  public var person: UInt16

  /// An event at a time, by the owner unless told.
  public init(time: Timestamp, action: RecordedAction<Stroke, Path>, person: UInt16 = 0) {
    self.time = time
    self.action = action
    self.person = person
  }
}

extension RecordedEvent {
  /// The same event with other references to strokes.
  package func map<NewStroke, NewPath>(
    stroke: (Stroke) -> NewStroke, path: (Path) -> NewPath
  ) -> RecordedEvent<NewStroke, NewPath> {
    RecordedEvent<NewStroke, NewPath>(
      time: time, action: action.map(stroke: stroke, path: path), person: person)
  }
}

/// The actions that can happen on a page. `PageEditor` defines their effects.
public enum RecordedAction<Stroke: Hashable & Sendable, Path: Hashable & Sendable>:
  Hashable, Sendable
{
  /// A pen touched the page: a stroke, with the points that it has so far.
  case strokeBegun(Stroke)
  /// The pen moved on: more control points, whose times count from the stroke's start.
  case strokeExtended(Identifier, by: Path)
  /// The pen left the page.
  case strokeEnded(Identifier)
  /// An eraser moved along a path. The changes are stored, so that they stay the same even when the
  /// code that erases is improved.
  case erased(PKEraserTool, along: Path, changes: [StrokeChange<Stroke>])
  /// The person's last change that was not undone was undone, unless others have changed the same
  /// strokes since.
  case undone
  /// The person's last change that was undone was redone, likewise.
  case redone
  /// Strokes were moved, scaled or turned by a transform, which is applied after their own.
  case moved([Identifier], by: AffineTransform)
  /// All strokes were removed from the page.
  case cleared
  /// Another tool was selected.
  case toolChanged(PKTool)
  /// Strokes were replaced, and others were added above and below all strokes, each from back to
  /// front: strokes were pasted, got another colour or width, or came to the front or the back.
  case edited([StrokeChange<Stroke>], above: [Stroke], below: [Stroke])
}

/// The replacement of one stroke by others, or by none.
public struct StrokeChange<Stroke: Hashable & Sendable>: Hashable, Sendable {
  /// The identifier of the stroke that is replaced.
  public var strokeID: Identifier
  /// The strokes that replace it, from back to front.
  public var replacements: [Stroke]

  /// A change that replaces one stroke.
  public init(strokeID: Identifier, replacements: [Stroke]) {
    self.strokeID = strokeID
    self.replacements = replacements
  }
}

extension StrokeChange {
  /// The same change with other references to strokes.
  func map<New>(_ stroke: (Stroke) -> New) -> StrokeChange<New> {
    StrokeChange<New>(strokeID: strokeID, replacements: replacements.map(stroke))
  }
}

extension Sequence {
  /// The replacements of each changed stroke. If a stroke is changed several times, the last
  /// counts.
  func replacementsByID<Stroke>() -> [Identifier: [Stroke]] where Element == StrokeChange<Stroke> {
    reduce(into: [:]) { $0[$1.strokeID] = $1.replacements }
  }
}

extension RecordedAction {
  /// The same action with other references to strokes. Paths and strokes are converted in the order
  /// in which files hold them: the path of an eraser before the pieces that it left.
  package func map<NewStroke, NewPath>(
    stroke: (Stroke) -> NewStroke, path: (Path) -> NewPath
  ) -> RecordedAction<NewStroke, NewPath> {
    switch self {
    case .strokeBegun(let begun): return .strokeBegun(stroke(begun))
    case .strokeExtended(let id, let points): return .strokeExtended(id, by: path(points))
    case .strokeEnded(let id): return .strokeEnded(id)
    case .erased(let eraser, let swept, let changes):
      let swept = path(swept)
      return .erased(
        eraser, along: swept, changes: changes.map { $0.map(stroke) })
    case .undone: return .undone
    case .redone: return .redone
    case .moved(let ids, let transform): return .moved(ids, by: transform)
    case .cleared: return .cleared
    case .toolChanged(let tool): return .toolChanged(tool)
    case .edited(let changes, let above, let below):
      let changes = changes.map { $0.map(stroke) }
      let added = above.map(stroke)
      return .edited(changes, above: added, below: below.map(stroke))
    }
  }
}
