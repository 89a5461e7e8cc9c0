/// A recording cannot be replayed.
public enum ReplayError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Its events change strokes more often than the limit.
  case tooManyChanges(limit: Int)
  /// A stroke cannot be read; its index counts from 0.
  case unreadable(stroke: Int, reason: String)

  /// One sentence for people.
  public var description: String {
    switch self {
    case .tooManyChanges(let limit):
      "the events change strokes more than \(limit) times, which is the limit"
    case .unreadable(let stroke, let reason): "stroke \(stroke) cannot be read: \(reason)"
    }
  }
}
