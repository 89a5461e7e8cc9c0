import Graphics

/// The way in which a timeline is watched: a part of it, at a speed, with a hold at the end.
public struct Playback: Sendable {
  /// The options of watching a recording.
  public struct Options: Hashable, Sendable {
    /// The seconds of the recording that pass in each second of watching, above 0.
    public var speed: Double
    /// The seconds that everything takes, without the hold; nil lets `speed` decide.
    public var duration: Double?
    /// The part of the timeline to show, in seconds of the timeline.
    public var part: ClosedRange<Double>
    /// The easing between the start and the end.
    public var ease: Ease
    /// The seconds for which the last state stays, 0 or more.
    public var hold: Double
    /// Whether steps are shown one by one.
    public var stepping: Stepping

    /// Options. The defaults show the whole recording at its own speed.
    public init(
      speed: Double = 1, duration: Double? = nil, part: ClosedRange<Double> = 0...Double.infinity,
      ease: Ease = .even, hold: Double = 0, stepping: Stepping = .none
    ) {
      self.speed = speed
      self.duration = duration
      self.part = part
      self.ease = ease
      self.hold = hold
      self.stepping = stepping
    }
  }

  /// The easing between the start and the end.
  public enum Ease: String, Hashable, Sendable, CaseIterable {
    /// At a constant speed.
    case even
    /// Slower at the start and the end.
    case smooth
  }

  /// Whether steps are shown one by one.
  public enum Stepping: Hashable, Sendable {
    /// Everything is shown as it happens; strokes grow.
    case none
    /// Whole strokes and changes are shown, each for this number of seconds.
    case steps(each: Double)
  }

  /// The timeline that is watched.
  public let timeline: Timeline
  /// The options of watching it.
  public let options: Options
  /// The part of the timeline that is shown: `options.part` clamped to the timeline.
  public let part: ClosedRange<Double>
  /// The steps of the part, which `Stepping.steps` shows one by one.
  let shownSteps: Range<Int>
  /// The seconds that watching takes, without the hold.
  public let playingTime: Double

  /// Watches a timeline. The speed must be above 0, the duration and the hold 0 or more.
  public init(_ timeline: Timeline, _ options: Options = Options()) {
    precondition(
      options.speed > 0 && options.hold >= 0 && options.duration ?? 0 >= 0,
      "the speed must be above 0, the duration and the hold 0 or more")
    self.timeline = timeline
    self.options = options
    part = options.part.clamped(to: 0...timeline.duration)
    let last = timeline.state(at: part.upperBound).doneSteps
    // The page of the start comes first; a step that has begun by then is shown whole.
    let first = part.lowerBound > 0 ? timeline.state(at: part.lowerBound).doneSteps : 0
    shownSteps = min(first, last)..<last
    let natural: Double
    switch options.stepping {
    case .none: natural = (part.upperBound - part.lowerBound) / options.speed
    case .steps(let each): natural = Double(shownSteps.count) * each
    }
    playingTime = options.duration ?? natural
  }

  /// The seconds that watching takes, with the hold.
  public var duration: Double { playingTime + options.hold }

  /// The state of the page after `time` seconds of watching.
  public func state(at time: Double) -> PageState {
    guard time < playingTime else { return lastState }
    let share = options.ease.share(max(time, 0) / playingTime)
    switch options.stepping {
    case .none:
      return timeline.state(
        at: part.lowerBound + share * (part.upperBound - part.lowerBound))
    case .steps:
      // The time of a step may be rounded to just below it.
      let count =
        Int(clamping: (min(share, 1) * Double(shownSteps.count) + 1e-9).rounded(.down)) + 1
      return PageState(
        doneSteps: min(shownSteps.lowerBound + count, shownSteps.upperBound), growing: nil)
    }
  }

  private var lastState: PageState {
    switch options.stepping {
    case .none: timeline.state(at: part.upperBound)
    case .steps: PageState(doneSteps: shownSteps.upperBound, growing: nil)
    }
  }
}

extension Playback.Ease {
  /// The share of the content that has been shown when this share of the time has passed.
  func share(_ share: Double) -> Double {
    switch self {
    case .even: share
    case .smooth: share * share * (3 - 2 * share)
    }
  }
}
