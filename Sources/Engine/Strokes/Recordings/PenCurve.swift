/// The curve that a pen is drawing: final control points, and provisional ones that are shown until
/// then.
///
/// `StreamingCurveFit` fits the final control points, but only after it has more samples. Until
/// then, `LiveCurve` shows a curve that depends on the newest samples alone. Both pass the samples,
/// so ink hardly moves when the pen leaves the page.
struct PenCurve: Sendable {
  private var live: LiveCurve
  /// Nil if the samples themselves are kept as control points.
  private var fit: StreamingCurveFit?
  private var kept: [PKStrokePoint] = []

  /// A curve without samples. The tolerance is the maximum distance of the curve that is kept from
  /// a sample, in points; nil keeps the samples as control points.
  init(tolerance: Double?) {
    live = LiveCurve(spacing: tolerance.map { 25 * $0 })
    fit = tolerance.map { StreamingCurveFit(tolerance: $0) }
  }

  /// The control points of the curve that is shown.
  var shown: [PKStrokePoint] { live.controls }

  /// Adds a sample, whose values must be finite.
  mutating func append(_ point: PKStrokePoint) {
    live.append(point)
    fit?.append(point)
    kept += fit?.takeControlPoints() ?? []
  }

  /// Shows the curve up to a sample that is not kept.
  mutating func show(_ point: PKStrokePoint) { live.append(point) }

  /// Ends the curve, and returns the control points that are kept.
  mutating func finish() -> [PKStrokePoint] {
    guard fit != nil else { return shown }
    kept += fit?.finish() ?? []
    return kept
  }
}
