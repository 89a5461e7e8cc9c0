/// Why a recording cannot be replayed.
public enum ReplayError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Its events change more strokes than can be followed.
  case tooManyChanges(limit: Int)
  /// A stroke cannot be read.
  case unreadable(stroke: Int, reason: String)

  /// One sentence for people.
  public var description: String {
    switch self {
    case .tooManyChanges(let limit):
      "what happened changes strokes more than \(limit) times, which is too much to follow"
    case .unreadable(let stroke, let reason): "stroke \(stroke) cannot be read: \(reason)"
    }
  }
}
