import Strokes

/// The version that a reader must support to show a drawing. The raw values grow with the versions.
public enum PKContentVersion: Int, Sendable {
  /// Pen, pencil and marker.
  case version1 = 1
  /// Adds monoline, fountain pen, watercolor and crayon.
  case version2 = 2
  /// Adds the fountain pen that follows the barrel roll.
  case version3 = 3
  /// Adds the reed.
  case version4 = 4
  /// Adds the state with which parts of strokes look as in the whole stroke.
  case version5 = 5

  /// The newest one.
  public static var latest: PKContentVersion { .version5 }

  init(_ model: Strokes.PKContentVersion) {
    switch model {
    case .version1: self = .version1
    case .version2: self = .version2
    case .version3: self = .version3
    case .version4: self = .version4
    }
  }
}
