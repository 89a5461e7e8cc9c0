public import Graphics

/// Something that happened on a page, and when.
///
/// A `Recording` holds the strokes of its events; a `RecordingScript` has their numbers in a
/// `RecordingSource`, so that what happened can be known before any stroke is read.
public struct RecordedEvent<Stroke: Hashable & Sendable, Path: Hashable & Sendable>:
  Hashable, Sendable
{
  /// When it happened.
  public var time: Timestamp
  /// What happened.
  public var action: RecordedAction<Stroke, Path>

  /// An event at a moment.
  public init(time: Timestamp, action: RecordedAction<Stroke, Path>) {
    self.time = time
    self.action = action
  }
}

/// What can happen on a page. `PageEditor` defines what each action does.
public enum RecordedAction<Stroke: Hashable & Sendable, Path: Hashable & Sendable>:
  Hashable, Sendable
{
  /// A pen touched the page: a stroke with the points it has so far.
  case strokeBegun(Stroke)
  /// The pen moved on: more control points, whose times count from the stroke's start.
  case strokeExtended(Identifier, by: Path)
  /// The pen left the page.
  case strokeEnded(Identifier)
  /// An eraser passed along a path. The changes are kept, so that they stay what they were even
  /// when erasing is improved.
  case erased(PKEraserTool, along: Path, changes: [StrokeChange<Stroke>])
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

/// What became of one stroke: other strokes in its place, or none.
public struct StrokeChange<Stroke: Hashable & Sendable>: Hashable, Sendable {
  /// The stroke that was there.
  public var strokeID: Identifier
  /// The strokes in its place, from back to front.
  public var replacements: [Stroke]

  /// A change of one stroke.
  public init(strokeID: Identifier, replacements: [Stroke]) {
    self.strokeID = strokeID
    self.replacements = replacements
  }
}

extension Sequence {
  /// The strokes in the place of each changed one; of several changes of one stroke the last counts.
  func replacementsByID<Stroke>() -> [Identifier: [Stroke]] where Element == StrokeChange<Stroke> {
    reduce(into: [:]) { $0[$1.strokeID] = $1.replacements }
  }
}

extension RecordedAction {
  /// The same action with other references to strokes. Paths and strokes are converted in the order in
  /// which files hold them: the path of an eraser before the pieces that it left.
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
        eraser, along: swept,
        changes: changes.map { change in
          StrokeChange(
            strokeID: change.strokeID, replacements: change.replacements.map(stroke))
        })
    case .undone: return .undone
    case .redone: return .redone
    case .moved(let ids, let transform): return .moved(ids, by: transform)
    case .cleared: return .cleared
    case .toolChanged(let tool): return .toolChanged(tool)
    }
  }
}
