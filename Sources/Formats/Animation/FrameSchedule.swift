import Graphics
public import PNGFormat
public import Replay

/// The number of frames per second, as a fraction.
public struct FrameRate: Hashable, Sendable, CustomStringConvertible {
  /// The numerator: the number of frames in `seconds`.
  public let frames: Int
  /// The denominator, in seconds.
  public let seconds: Int

  /// A rate; nil if it is not between 1/1000 and 1000 frames per second, or if a number is not
  /// between 1 and 60,000.
  public init?(_ frames: Int, in seconds: Int = 1) {
    guard 1...60_000 ~= frames, 1...60_000 ~= seconds, frames <= 1000 * seconds,
      seconds <= 1000 * frames
    else { return nil }
    (self.frames, self.seconds) = (frames, seconds)
  }

  private init(whole frames: Int) { (self.frames, seconds) = (frames, 1) }

  /// Thirty frames per second.
  public static let usual = FrameRate(whole: 30)

  /// Parses a rate such as `30`, `29.97` or `30000/1001`; nil for other text.
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

  /// The duration of a frame in seconds.
  public var interval: Double { Double(seconds) / Double(frames) }
  /// The duration of a frame, exactly.
  public var duration: FrameDuration { FrameDuration(UInt16(seconds), over: UInt16(frames)) }
  /// The rate as `frames/seconds`, or `frames` for whole rates.
  public var description: String { seconds == 1 ? "\(frames)" : "\(frames)/\(seconds)" }
}

/// The moments of a playback that become frames.
public struct FrameSchedule: Sendable {
  /// The playback that the frames show.
  public let playback: Playback
  /// The number of frames per second.
  public let rate: FrameRate
  /// The number of frames from the first moment to the last state. The hold at the end is part of
  /// the last one.
  public let count: Int

  /// The maximum number of frames; more are refused.
  public static let maximumFrameCount = 200_000

  /// The frames of a playback: one at every interval, and the last state at the end. In a playback
  /// by steps, where `Stepping` makes each step as long as a frame, there is one frame for each
  /// step.
  public init(_ playback: Playback, rate: FrameRate) throws(AnimationError) {
    self.playback = playback
    self.rate = rate
    let intervals = (playback.playingTime / rate.interval - 1e-9).rounded(.up)
    guard intervals < Double(Self.maximumFrameCount) else {
      throw .tooManyFrames(intervals + 1, limit: Self.maximumFrameCount)
    }
    count = max(Int(clamping: intervals), 0) + 1
  }

  /// The state of the page that a frame shows.
  public func state(ofFrame number: Int) -> PageState {
    guard number < count - 1 else { return playback.state(at: .infinity) }
    return playback.state(at: Double(number) * rate.interval)
  }

  /// The duration of a frame. The last one lasts as long as the hold, if that is longer.
  public func duration(ofFrame number: Int) -> FrameDuration {
    guard number == count - 1, playback.options.hold > rate.interval else { return rate.duration }
    return FrameDuration(seconds: playback.options.hold)
  }

  /// How often the last frame is repeated in forms where all frames have the same duration; at most
  /// `maximumFrameCount`.
  public var lastRepetitions: Int {
    let count = Int(clamping: (playback.options.hold / rate.interval).rounded())
    return min(max(count, 1), Self.maximumFrameCount)
  }
}

extension FrameDuration {
  /// The nearest thousandth of a second, or for long durations a coarser unit; 18 hours at most.
  init(seconds: Double) {
    for parts in [1000.0, 100, 10, 1] where seconds * parts <= 65_535 {
      self.init(UInt16(clamping: (seconds * parts).rounded()), over: UInt16(parts))
      return
    }
    self.init(.max, over: 1)
  }
}

/// The reason why a replay cannot become a moving picture.
public enum AnimationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// It would have more than `FrameSchedule.maximumFrameCount` frames.
  case tooManyFrames(Double, limit: Int)
  /// The form does not support the size, depth or loop count.
  case unsupported(String)
  /// A library or program that the form needs is not installed.
  case missing(String)
  /// The encoder failed.
  case failed(String)

  /// The reason in one sentence, for people to read.
  public var description: String {
    switch self {
    case .tooManyFrames(let count, let limit):
      "there would be \(Int(clamping: count)) frames, more than the limit of \(limit); choose fewer "
        + "frames per second, shorter pauses or a duration"
    case .unsupported(let reason), .missing(let reason), .failed(let reason): reason
    }
  }
}
