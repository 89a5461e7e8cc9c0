import Graphics

/// Finds paths whose curves pass where a pen was.
///
/// The points of a pen lie on its curve, the control points of a path beside it: points that are
/// taken for control points cut every bend. The curve that is found
/// * begins at the first point, ends at the last, and passes all points in their order within the
///   tolerance;
/// * is between two points no farther from the straight line than the tolerance and a quarter of
///   their distance;
/// * has at a point the point's width and height, within the tolerance or a twentieth, whichever is
///   more, and the other values within a twentieth or 0.05, the force and the angles within 0.1;
/// * has times that do not run back if those of the points do not.
///
/// Values that are the same at all points are so at all control points. Time and memory are linear.
public struct CurveFit: Sendable {
  /// The maximum distance of the curve from a point of the pen, in points.
  public let tolerance: Double

  /// A fit with a tolerance, which must be positive.
  public init(tolerance: Double = 0.1) {
    precondition(tolerance > 0, "a curve cannot be nearer than its points")
    self.tolerance = tolerance
  }

  /// The control points of a path through points. Points without a finite location are left out.
  public func controlPoints(through points: [PKStrokePoint]) -> [PKStrokePoint] {
    var fit = StreamingCurveFit(tolerance: tolerance)
    for point in points { fit.append(point) }
    return fit.finish()
  }
}

/// Finds the path of a pen while it moves.
///
/// Control points that no longer change can be taken at any time. All together they are those that
/// `CurveFit` finds. The newest points wait for those that follow: some two hundred, or up to some
/// thousands on a straight line.
public struct StreamingCurveFit: Sendable {
  private var samples: FitSamples
  private var piece: PieceFit
  /// The index of the first sample that is still needed.
  private var head = 0
  /// The number of samples that are needed before the next search.
  private var goal = Self.batch
  private var controls: [PKStrokePoint] = []
  /// The end of a continuing curve if it ends in a corner at a sample. Used if no continuation is
  /// found.
  private var completion: (controls: [PKStrokePoint], end: Int) = ([], 0)

  private static let batch = 192
  /// A curve through this many samples ends in a corner, which bounds time and memory.
  private static let maximumSamples = 4096
  /// Control points that wait for later samples: a change of one changes the eighth before it by a
  /// 30,000th.
  private static let waitingControls = 8

  /// A fit with a tolerance, as `CurveFit` has it.
  public init(tolerance: Double = 0.1) {
    precondition(tolerance > 0, "a curve cannot be nearer than its points")
    samples = FitSamples(tolerance: tolerance)
    piece = PieceFit(tolerance: tolerance)
  }

  /// Adds the pen's next point. It is left out if its location is not finite.
  public mutating func append(_ point: PKStrokePoint) {
    guard point.location.isFinite else { return }
    samples.append(point)
    guard samples.count >= goal else { return }
    let isProgress = fitSamples(endsStroke: false, isFull: samples.count >= Self.maximumSamples)
    goal = isProgress ? samples.count + Self.batch : 2 * samples.count
  }

  /// The control points that no longer change, and were not taken before.
  public mutating func takeControlPoints() -> [PKStrokePoint] {
    let result = controls
    controls.removeAll(keepingCapacity: true)
    return result
  }

  /// Ends the stroke at its last point and returns the control points that were not taken. Then
  /// another stroke can begin.
  public mutating func finish() -> [PKStrokePoint] {
    samples.endStroke()
    _ = fitSamples(endsStroke: true, isFull: true)
    let result = controls
    self = StreamingCurveFit(tolerance: piece.tolerance)
    return result
  }

  /// Fits the pieces that have ended. Of the one that goes on, the control points are found that no
  /// longer change; false if there are none, as more samples are needed.
  private mutating func fitSamples(endsStroke: Bool, isFull: Bool) -> Bool {
    guard samples.count > 1 else {
      if endsStroke, case .stroke = piece.start { controls += samples.values }
      return endsStroke
    }
    samples.markCorners(endsStroke: endsStroke)
    samples.findSpacings()
    // The step to the newest sample may yet be divided.
    let last = samples.count - (endsStroke ? 1 : 2)
    var isProgress = false
    var next = 1
    while head < last {
      next = max(next, head + 1)
      while next < last, !samples.samples[next].isCorner { next += 1 }
      if next == last, !isFull {
        if fitOn(to: last) { isProgress = true }
        break
      }
      fitPieces(to: next, endsStroke: endsStroke)
      isProgress = true
    }
    samples.removeFirst(head)
    completion.end -= head
    head = 0
    return isProgress
  }

  /// Fits the samples to a corner or to the end, as several pieces if there is no other way.
  private mutating func fitPieces(to end: Int, endsStroke: Bool) {
    var goal = end
    while head < end {
      if fit(to: goal, endsStroke: endsStroke) {
        take(to: goal, endsStroke: endsStroke && goal == samples.count - 1)
        goal = end
      } else if case .running = piece.start {
        endAtCorner()
      } else {
        goal = corner(before: goal)
      }
    }
  }

  /// Fits the available samples. False if no control points could be found.
  private mutating func fitOn(to end: Int) -> Bool {
    var isProgress = false
    while !fit(to: end, endsStroke: false) {
      if case .running = piece.start {
        endAtCorner()
      } else {
        fitPieces(to: corner(before: end), endsStroke: false)
      }
      isProgress = true
      guard head < end else { return true }
    }
    let taken = piece.found.upperBound - Self.waitingControls
    guard piece.found.count >= 3 * Self.waitingControls else { return isProgress }
    controls += piece.values[piece.knownCount..<taken]
    completion = (Array(piece.values[taken...]), end)
    piece.start = .running(
      piece.controls[taken - 3], piece.controls[taken - 2], piece.controls[taken - 1],
      values: (piece.values[taken - 2], piece.values[taken - 1]))
    // The curve is known up to this knot.
    let knot = Double(taken - 3)
    while head + 1 < end, samples.samples[head + 1].parameter <= knot { head += 1 }
    samples.withSamples(head...end) { samples, _ in
      for index in samples.indices { samples[index].parameter -= knot }
    }
    return true
  }

  private mutating func fit(to end: Int, endsStroke: Bool) -> Bool {
    let isEnd = endsStroke && end == samples.count - 1
    let checksValues = samples.areVarying
    return samples.withSamples(head...end) { samples, points in
      piece.fit(samples, points, endsStroke: isEnd, checksValues: checksValues)
    }
  }

  /// A sample between the head and another one where a corner may help.
  private func corner(before end: Int) -> Int {
    // The number of searches stays small if each is for at most three quarters of the samples.
    max(min(head + piece.worst, head + (end - head) * 3 / 4), head + 1)
  }

  /// Ends the continuing curve by its completion.
  private mutating func endAtCorner() {
    controls += completion.controls
    head = completion.end
    piece.start = .corner
  }

  /// Takes the control points of the piece up to a sample.
  private mutating func take(to end: Int, endsStroke: Bool) {
    let isPoint = end == head + 1 && samples.samples[head].place == samples.samples[end].place
    if isPoint, case .corner = piece.start {
      // The curve is there; only the values change.
      controls += piece.values.suffix(2)
    } else {
      controls += piece.values[piece.knownCount..<piece.values.count - (endsStroke ? 1 : 0)]
    }
    head = end
    piece.start = .corner
  }
}
