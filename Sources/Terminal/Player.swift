import Graphics

/// Where a replay is while it is watched, and what keys do to it. Times are seconds.
package struct Player: Sendable {
  /// How long the replay is.
  package let duration: Double
  /// When its steps begin.
  private let starts: [Double]
  /// Where it is.
  package private(set) var position = 0.0
  /// Seconds of the replay in each second.
  package private(set) var speed: Double
  /// Whether it moves on.
  package private(set) var isPlaying = true
  /// Whether somebody wants no more of it.
  package private(set) var isOver = false
  /// How often it is still shown, this time too; nil for without end.
  private var turns: Int?
  private let allTurns: Int?

  package static let speeds = 0.01...1000.0
  private static let leap = 5.0

  /// A replay that is shown `loopCount` times, or without end for 0.
  package init(duration: Double, starts: [Double], speed: Double = 1, loopCount: Int = 1) {
    (self.duration, self.starts) = (duration, starts)
    self.speed = min(max(speed, Self.speeds.lowerBound), Self.speeds.upperBound)
    allTurns = loopCount > 0 ? loopCount : nil
    turns = allTurns
  }

  /// Lets time pass.
  package mutating func advance(by seconds: Double) {
    guard isPlaying else { return }
    position += max(seconds, 0) * speed
    guard position >= duration else { return }
    if let left = turns {
      turns = max(left - 1, 0)
      guard left > 1 else {
        position = duration
        isPlaying = false
        return
      }
    }
    position = 0
  }

  /// Does what a key asks for.
  package mutating func press(_ key: TerminalEvent.Key) {
    switch key {
    case .letter("q"), .letter("Q"), .escape: isOver = true
    case .letter(" "):
      // At the end there is nothing to go on with.
      if position >= duration, !isPlaying { restart() } else { isPlaying.toggle() }
    case .letter("r"), .letter("R"), .home: restart()
    case .left: position = max(position - Self.leap * speed, 0)
    case .right: position = min(position + Self.leap * speed, duration)
    case .up, .letter("."): position = starts.first { $0 > position } ?? duration
    case .down, .letter(","): position = starts.last { $0 < position - 0.3 * speed } ?? 0
    case .end: position = duration
    case .letter("+"), .letter("="): speed = min(speed * 2, Self.speeds.upperBound)
    case .letter("-"), .letter("_"): speed = max(speed / 2, Self.speeds.lowerBound)
    default: break
    }
  }

  private mutating func restart() {
    position = 0
    isPlaying = true
    turns = allTurns
  }

  /// A line that tells where it is, in so many cells.
  package func status(columns: Int) -> String {
    let step = starts.count { $0 < position || ($0 == position && position == duration) }
    let sign = isPlaying ? "▶" : position >= duration ? "■" : "‖"
    let times = "\(Self.clock(position)) / \(Self.clock(duration))"
    var parts = [" \(sign) \(times)", "\(Self.short(speed))×", "\(step)/\(starts.count)"]
    let help = "space pause  ←→ 5 s  ↑↓ stroke  +− speed  r again  q quit"
    let text = parts.joined(separator: "  ")
    let room = columns - text.count - 3
    if room >= 8 {
      let width = min(room - (room > help.count + 16 ? help.count + 2 : 0), 40)
      let filled = duration > 0 ? Int(clamping: position / duration * Double(width)) : width
      parts.append(
        String(repeating: "━", count: min(filled, width))
          + String(repeating: "─", count: max(width - filled, 0)))
    }
    if room > help.count + 16 { parts.append(help) }
    let line = String(parts.joined(separator: "  ").prefix(max(columns, 0)))
    return line + String(repeating: " ", count: max(columns - line.count, 0))
  }

  private static func clock(_ seconds: Double) -> String {
    let whole = Int(clamping: min(max(seconds, 0), 1e9))
    let rest = whole % 60
    return "\(whole / 60):\(rest < 10 ? "0" : "")\(rest)"
  }

  private static func short(_ value: Double) -> String {
    let text = "\((value * 100).rounded() / 100)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}
