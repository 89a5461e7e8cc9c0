import Graphics

/// A timeline as it is watched: a part of it, at a speed, with an end that stays.
public struct Playback: Sendable {
  /// How a recording is watched.
  public struct Options: Hashable, Sendable {
    /// So many seconds of the recording in each second.
    public var speed: Double
    /// So many seconds for everything, instead of a speed.
    public var duration: Double?
    /// The part of the timeline to show, in its seconds.
    public var part: ClosedRange<Double>
    /// How time passes between the start and the end.
    public var ease: Ease
    /// Seconds for which the last state stays.
    public var hold: Double
    /// What is shown after each other.
    public var stepping: Stepping

    /// Options; without any the whole recording is shown in its own time.
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

  /// How time passes.
  public enum Ease: String, Hashable, Sendable, CaseIterable {
    /// As it does.
    case even
    /// Slower at the start and the end.
    case smooth
  }

  /// What is shown after each other.
  public enum Stepping: Hashable, Sendable {
    /// Whatever happens, as it happens.
    case none
    /// Whole strokes and changes, each for some seconds.
    case steps(each: Double)
  }

  /// What is watched.
  public let timeline: Timeline
  /// How it is watched.
  public let options: Options
  /// The part of the timeline that is shown.
  public let part: ClosedRange<Double>
  /// The steps that are shown one by one, where they are.
  let shownSteps: Range<Int>
  /// How long watching takes without the hold, in seconds.
  public let playingTime: Double

  /// A timeline watched with options.
  public init(_ timeline: Timeline, _ options: Options = Options()) {
    precondition(
      options.speed > 0 && options.hold >= 0 && options.duration ?? 0 >= 0,
      "speeds above 0 and times of 0 or more")
    self.timeline = timeline
    self.options = options
    part = options.part.clamped(to: 0...timeline.duration)
    let last = timeline.state(at: part.upperBound).doneSteps
    // From the page as it is at the start; a step that has begun is shown whole.
    let first = part.lowerBound > 0 ? timeline.state(at: part.lowerBound).doneSteps : 0
    shownSteps = min(first, last)..<last
    let natural: Double
    switch options.stepping {
    case .none: natural = (part.upperBound - part.lowerBound) / options.speed
    case .steps(let each): natural = Double(shownSteps.count) * each
    }
    playingTime = options.duration ?? natural
  }

  /// How long watching takes, in seconds.
  public var duration: Double { playingTime + options.hold }

  /// What is on the page after so many seconds of watching.
  public func state(at time: Double) -> PageState {
    guard time < playingTime else { return lastState }
    let share = options.ease.share(max(time, 0) / playingTime)
    switch options.stepping {
    case .none:
      return timeline.state(
        at: part.lowerBound + share * (part.upperBound - part.lowerBound))
    case .steps:
      // A step's own time may come out a rounding below it.
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
  /// How much has passed of everything when so much of the time has.
  func share(_ share: Double) -> Double {
    switch self {
    case .even: share
    case .smooth: share * share * (3 - 2 * share)
    }
  }
}
