import Graphics

/// The state of a replay in progress, and its changes by time and keys. Times are in seconds.
package struct Player: Sendable {
  /// The duration of the replay.
  package let duration: Double
  /// The times at which its steps start.
  private let starts: [Double]
  /// The displayed time.
  package private(set) var position = 0.0
  /// The seconds of the replay that pass in one second.
  package private(set) var speed: Double
  /// Whether the replay is playing; false while it is paused and at its end.
  package private(set) var isPlaying = true
  /// Whether the viewer has quit.
  package private(set) var hasQuit = false
  /// The number of remaining plays, including the current one; nil for endless.
  private var remainingPlays: Int?
  private let playCount: Int?

  /// The allowed speeds; others are clamped.
  package static let speeds = 0.01...1000.0
  /// The distance that the arrow keys seek, in seconds of displayed time.
  private static let seekStep = 5.0

  /// A replay that is played `loopCount` times, or endlessly for 0.
  package init(duration: Double, starts: [Double], speed: Double = 1, loopCount: Int = 1) {
    (self.duration, self.starts) = (duration, starts)
    self.speed = min(max(speed, Self.speeds.lowerBound), Self.speeds.upperBound)
    playCount = loopCount > 0 ? loopCount : nil
    remainingPlays = playCount
  }

  /// Advances by elapsed time; a negative time is treated as 0.
  package mutating func advance(by seconds: Double) {
    guard isPlaying else { return }
    position += max(seconds, 0) * speed
    guard position >= duration else { return }
    if let left = remainingPlays {
      remainingPlays = max(left - 1, 0)
      guard left > 1 else {
        position = duration
        isPlaying = false
        return
      }
    }
    position = 0
  }

  /// Performs the action of a key; other keys do nothing.
  package mutating func press(_ key: TerminalEvent.Key) {
    switch key {
    case .character("q"), .character("Q"), .escape: hasQuit = true
    case .character(" "):
      // At the end, space starts again.
      if position >= duration, !isPlaying { restart() } else { isPlaying.toggle() }
    case .character("r"), .character("R"), .home: restart()
    case .left: position = max(position - Self.seekStep * speed, 0)
    case .right: position = min(position + Self.seekStep * speed, duration)
    case .up, .character("."): position = starts.first { $0 > position } ?? duration
    case .down, .character(","): position = starts.last { $0 < position - 0.3 * speed } ?? 0
    case .end: position = duration
    case .character("+"), .character("="): speed = min(speed * 2, Self.speeds.upperBound)
    case .character("-"), .character("_"): speed = max(speed / 2, Self.speeds.lowerBound)
    default: break
    }
  }

  private mutating func restart() {
    position = 0
    isPlaying = true
    remainingPlays = playCount
  }

  /// A status line that is exactly `columns` cells long.
  package func status(columns: Int) -> String {
    let step = starts.count { $0 < position || ($0 == position && position == duration) }
    let sign = isPlaying ? "▶" : position >= duration ? "■" : "‖"
    let times = "\(Self.clock(position)) / \(Self.clock(duration))"
    var parts = [" \(sign) \(times)", "\(Self.short(speed))×", "\(step)/\(starts.count)"]
    let help = "space pause  ←→ 5 s  ↑↓ stroke  +− speed  r again  q quit"
    let text = parts.joined(separator: "  ")
    let space = columns - text.count - 3
    if space >= 8 {
      let width = min(space - (space > help.count + 16 ? help.count + 2 : 0), 40)
      let filled = duration > 0 ? Int(clamping: position / duration * Double(width)) : width
      parts.append(
        String(repeating: "━", count: min(filled, width))
          + String(repeating: "─", count: max(width - filled, 0)))
    }
    if space > help.count + 16 { parts.append(help) }
    let line = String(parts.joined(separator: "  ").prefix(max(columns, 0)))
    return line + String(repeating: " ", count: max(columns - line.count, 0))
  }

  /// A time as `minutes:seconds`.
  private static func clock(_ seconds: Double) -> String {
    let whole = Int(clamping: min(max(seconds, 0), 1e9))
    let rest = whole % 60
    return "\(whole / 60):\(rest < 10 ? "0" : "")\(rest)"
  }

  /// A number with at most two decimals.
  private static func short(_ value: Double) -> String {
    let text = "\((value * 100).rounded() / 100)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}
