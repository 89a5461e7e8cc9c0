import Graphics
public import Strokes

/// When each step of a recording happens, by a clock that only moves forwards.
///
/// Clocks of recordings stand still, run backwards and leap over years. Here a gap that is negative or
/// no number counts as none, and may be capped; strokes without times of their own are drawn at a
/// constant speed. One pen draws: steps never overlap.
public struct Timeline: Sendable {
  /// What happens.
  public let history: PageHistory
  /// When each step starts, in seconds.
  public let starts: [Double]
  /// How long each step takes, in seconds.
  public let lengths: [Double]

  /// Points a second that the pen moves where a recording does not say.
  public static let penSpeed = 600.0
  /// A stroke that claims to take longer than these seconds is taken for one without times.
  public static let longestStroke = 600.0
  /// Without times no stroke takes longer than these seconds.
  static let longestUntimed = 60.0

  /// The timeline of a recording whose pauses are no longer than `maximumPause` seconds.
  ///
  /// Only strokes without times are read.
  public init(
    of source: some RecordingSource, maximumPause: Double = .infinity
  ) throws(ReplayError) {
    history = try PageHistory(of: source)
    var starts: [Double] = []
    var lengths: [Double] = []
    starts.reserveCapacity(history.steps.count)
    lengths.reserveCapacity(history.steps.count)
    var now = 0.0
    var lastEnd: Timestamp?
    for (number, step) in history.steps.enumerated() {
      let length =
        step.kind == .drawing ? try Self.length(ofStep: number, in: history, source) : 0
      let gap = lastEnd.map { step.time - $0 } ?? 0
      // What is no number is not above 0 either.
      if gap > 0 { now += min(gap, maximumPause, Self.longestGap) }
      starts.append(now)
      lengths.append(length)
      now += length
      lastEnd = step.time + length
    }
    (self.starts, self.lengths) = (starts, lengths)
  }

  /// Beyond a thousand years nobody waits, and sums stay exact.
  private static let longestGap = 3.2e10

  private static func length(
    ofStep step: Int, in history: PageHistory, _ source: some RecordingSource
  ) throws(ReplayError) -> Double {
    guard let showing = history.added(in: step).first else { return 0 }
    let stroke = history.showings[Int(showing)].stroke
    if !history.isExtended(stroke: stroke) {
      let range = source.timeRange(ofStroke: stroke)
      let length = range.upperBound - range.lowerBound
      if length > 0, length <= longestStroke { return length }
    }
    let path = try history.path(ofStroke: stroke, in: source)
    let length = Double(path.milliseconds) / 1000
    return length > 0 && length <= longestStroke ? length : StrokeClock(path).length
  }

  /// How long the whole recording takes, in seconds.
  public var duration: Double { (starts.last ?? 0) + (lengths.last ?? 0) }

  /// What is on the page at a time.
  public func state(at time: Double) -> PageState {
    let begun = starts.partitioningIndex { $0 > time }
    guard begun > 0 else { return PageState(doneSteps: 0, growing: nil) }
    let elapsed = time - starts[begun - 1]
    guard history.steps[begun - 1].kind == .drawing, elapsed < lengths[begun - 1] else {
      return PageState(doneSteps: begun, growing: nil)
    }
    return PageState(doneSteps: begun - 1, growing: elapsed)
  }
}

/// What is on the page at a moment of a replay.
public struct PageState: Hashable, Sendable {
  /// How many steps have wholly happened.
  public let doneSteps: Int
  /// How many seconds the pen has been drawing in the next step; nil between steps.
  public let growing: Double?

  /// A state of the page.
  public init(doneSteps: Int, growing: Double?) {
    self.doneSteps = doneSteps
    self.growing = growing
  }
}
