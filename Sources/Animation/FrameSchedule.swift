import Graphics
public import PNGFormat
public import Replay

/// How many frames a second has, as a fraction.
public struct FrameRate: Hashable, Sendable, CustomStringConvertible {
  /// So many frames …
  public let frames: Int
  /// … in so many seconds.
  public let seconds: Int

  /// A rate; nil where it is none, or too high or low to be kept: 1/1000 to 1000 frames a second.
  public init?(_ frames: Int, in seconds: Int = 1) {
    guard 1...60_000 ~= frames, 1...60_000 ~= seconds, frames <= 1000 * seconds,
      seconds <= 1000 * frames
    else { return nil }
    (self.frames, self.seconds) = (frames, seconds)
  }

  /// A rate from text: `30`, `29.97` or `30000/1001`.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    if parts.count == 2, let frames = Int(parts[0]), let seconds = Int(parts[1]) {
      self.init(frames, in: seconds)
    } else if let frames = Int(text) {
      self.init(frames)
    } else if let frames = Double(text), frames > 0, frames <= 60 {
      self.init(Int(clamping: (frames * 1000).rounded()), in: 1000)
    } else {
      return nil
    }
  }

  /// How long each frame lasts, in seconds.
  public var interval: Double { Double(seconds) / Double(frames) }
  /// How long each frame lasts, exactly.
  public var duration: FrameDuration { FrameDuration(UInt16(seconds), over: UInt16(frames)) }
  /// `frames/seconds`.
  public var description: String { seconds == 1 ? "\(frames)" : "\(frames)/\(seconds)" }
}

/// Which moments of a playback become frames.
public struct FrameSchedule: Sendable {
  /// What is watched.
  public let playback: Playback
  /// How many frames a second has.
  public let rate: FrameRate
  /// How many frames there are without the hold: from the first moment to the last state.
  public let count: Int

  /// More frames than these are refused.
  public static let mostFrames = 200_000

  /// The frames of a playback: one at every interval, and the last state at the end. Where it goes
  /// from step to step there is one frame for each, which `Stepping` gives as long as a frame.
  public init(_ playback: Playback, rate: FrameRate) throws(AnimationError) {
    self.playback = playback
    self.rate = rate
    let intervals = (playback.playingTime / rate.interval - 1e-9).rounded(.up)
    guard intervals < Double(Self.mostFrames) else {
      throw .tooManyFrames(intervals + 1, limit: Self.mostFrames)
    }
    count = max(Int(clamping: intervals), 0) + 1
  }

  /// What a frame shows.
  public func state(ofFrame number: Int) -> PageState {
    guard number < count - 1 else { return playback.state(at: .infinity) }
    return playback.state(at: Double(number) * rate.interval)
  }

  /// How long a frame lasts: the last one is held.
  public func duration(ofFrame number: Int) -> FrameDuration {
    guard number == count - 1, playback.options.hold > rate.interval else { return rate.duration }
    return FrameDuration(seconds: playback.options.hold)
  }

  /// How many frames the last one stands for, where each lasts as long as all; no more than
  /// `mostFrames`.
  public var lastRepetitions: Int {
    let count = Int(clamping: (playback.options.hold / rate.interval).rounded())
    return min(max(count, 1), Self.mostFrames)
  }
}

extension FrameDuration {
  /// The nearest thousandth of a second, or for long times a coarser part of one; 18 hours at most.
  init(seconds: Double) {
    for parts in [1000.0, 100, 10, 1] where seconds * parts <= 65_535 {
      self.init(UInt16(clamping: (seconds * parts).rounded()), over: UInt16(parts))
      return
    }
    self.init(.max, over: 1)
  }
}

/// Why a replay cannot become a moving picture.
public enum AnimationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// It would have more frames than anybody could want.
  case tooManyFrames(Double, limit: Int)
  /// A moving picture of this form cannot be like that.
  case unfit(String)
  /// Something that is needed for it is not on this machine.
  case missing(String)
  /// What writes it has failed.
  case failed(String)

  /// One sentence for people.
  public var description: String {
    switch self {
    case .tooManyFrames(let count, let limit):
      "there would be \(Int(clamping: count)) frames, which is more than \(limit); ask for fewer "
        + "a second, shorter pauses or a duration"
    case .unfit(let reason), .missing(let reason), .failed(let reason): reason
    }
  }
}
