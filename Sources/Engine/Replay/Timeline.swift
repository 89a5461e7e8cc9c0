import Graphics
public import Strokes

/// The times of a recording's steps, by a clock that only moves forwards.
///
/// Clocks of recordings stand still, run backwards and jump over years. Here, a gap that is
/// negative or NaN counts as none, and the others may be capped. Strokes without times of their own
/// are drawn at a constant speed. There is one pen: steps never overlap.
public struct Timeline: Sendable {
  /// The steps of the recording.
  public let history: PageHistory
  /// The start of each step, in seconds.
  public let starts: [Double]
  /// The length of each step, in seconds; 0 for a change.
  public let lengths: [Double]

  /// The speed of the pen in points per second where a recording has no times.
  public static let penSpeed = 600.0
  /// The maximum seconds of a stroke: if its times are longer, it is treated as one without times.
  public static let maximumStrokeLength = 600.0
  /// The maximum seconds of a stroke without times.
  static let maximumUntimedLength = 60.0

  /// The timeline of a recording, with pauses cut to `maximumPause` seconds.
  ///
  /// Reads only strokes without times, and those that events extended.
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
      // NaN is not above 0 either.
      if gap > 0 { now += min(gap, maximumPause, Self.maximumGap) }
      starts.append(now)
      lengths.append(length)
      now += length
      lastEnd = step.time + length
    }
    (self.starts, self.lengths) = (starts, lengths)
  }

  /// The maximum gap between two steps: a thousand years, in seconds. Much larger times
  /// would lose their milliseconds.
  private static let maximumGap = 3.2e10

  private static func length(
    ofStep step: Int, in history: PageHistory, _ source: some RecordingSource
  ) throws(ReplayError) -> Double {
    guard let showing = history.added(in: step).first else { return 0 }
    let stroke = history.showings[Int(showing)].stroke
    if !history.isExtended(stroke: stroke) {
      let range = source.timeRange(ofStroke: stroke)
      let length = range.upperBound - range.lowerBound
      if length > 0, length <= maximumStrokeLength { return length }
    }
    let path = try history.path(ofStroke: stroke, in: source)
    let length = Double(path.milliseconds) / 1000
    return length > 0 && length <= maximumStrokeLength ? length : StrokeClock(path).length
  }

  /// The seconds that the whole recording takes.
  public var duration: Double { (starts.last ?? 0) + (lengths.last ?? 0) }

  /// The page when everything was done.
  public var end: PageState { PageState(doneSteps: history.steps.count, growing: nil) }

  /// The state of the page at a time in seconds. A binary search.
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

/// The state of the page at a moment of a replay.
public struct PageState: Hashable, Sendable {
  /// The number of steps that are complete.
  public let doneSteps: Int
  /// The seconds for which the pen has been drawing the next step; nil between steps.
  public let growing: Double?

  /// A state after some steps, and `growing` seconds of the next one.
  public init(doneSteps: Int, growing: Double?) {
    self.doneSteps = doneSteps
    self.growing = growing
  }
}
