import Graphics

/// A curve through the samples of a pen, to be shown while it moves: a sample changes only the step
/// before it.
///
/// In a step from one sample to the next it is a cubic curve, whose directions at both ends follow
/// from the samples beside them. Control points lie along it, close enough for a spline to follow.
struct LiveCurve: Sendable {
  private(set) var controls: [PKStrokePoint] = []
  /// The maximum distance of control points, in points; nil makes the samples control points.
  private let spacing: Double?
  private var newest: PKStrokePoint?
  /// The sample before the newest, and the direction in which the curve leaves it; nil at a corner.
  private var before: (sample: PKStrokePoint, direction: Point?)?
  /// The positions on the curve of the last two control points.
  private var places: (Point, Point) = (.zero, .zero)
  /// The part that the newest sample did not change: the number of control points, and the last two
  /// of their positions.
  private var settled = (count: 0, places: (Point.zero, Point.zero))

  /// A turn by more than 60° is a corner, as for `CurveFit`.
  private static let cornerCosine = 0.5
  /// Samples that are nearer than this have the same position.
  private static let leastStep = 1e-6
  private static let maximumControlsOfStep = 32.0

  init(spacing: Double?) { self.spacing = spacing }

  /// Adds a sample, whose values must be finite.
  mutating func append(_ sample: PKStrokePoint) {
    let last = newest
    newest = sample
    guard let spacing, let last else { return add(sample) }
    let length = last.location.distance(to: sample.location)
    guard length >= Self.leastStep, length.isFinite else {
      // The pen rests, or its step cannot be measured: the curve goes on from here without a
      // direction.
      before = nil
      return add(sample)
    }
    let next = (sample.location - last.location) * (1 / length)
    var leaving: Point?
    if let before {
      controls.removeLast(controls.count - settled.count)
      places = settled.places
      controls[controls.count - 1].location = places.1
      let step = before.sample.location.distance(to: last.location)
      let arriving = (last.location - before.sample.location) * (1 / step)
      let isCorner = arriving.x * next.x + arriving.y * next.y < Self.cornerCosine
      // The shorter of two steps has more weight for the direction between them.
      let through = (arriving * length + next * step) * (1 / (step + length))
      let end = isCorner ? arriving : through
      addStep(
        from: before.sample, before.direction ?? arriving * 2 - end, to: last, end, spacing, step)
      if !isCorner { leaving = through }
    }
    settled = (controls.count, places)
    addStep(
      from: last, leaving ?? next, to: sample, leaving.map { next * 2 - $0 } ?? next, spacing,
      length)
    before = (last, leaving)
  }

  /// Adds control points along a step, up to its end.
  private mutating func addStep(
    from start: PKStrokePoint, _ leaving: Point, to end: PKStrokePoint, _ arriving: Point,
    _ spacing: Double, _ length: Double
  ) {
    let count = min((length / spacing).rounded(.up), Self.maximumControlsOfStep)
    var part = 1.0
    while part < count {
      let (u, v) = (part / count, 1 - part / count)
      var control = start.mixed(with: end, u)
      let ends = start.location * (v * v * (1 + 2 * u)) + end.location * (u * u * (1 + 2 * v))
      control.location = ends + (leaving * v - arriving * u) * (u * v * length)
      add(control)
      part += 1
    }
    add(end)
  }

  /// Adds the control point of a position on the curve, and moves the previous one aside, so that
  /// the spline passes the previous position. On the spline, that position is a sixth of the way
  /// from its control point to the middle of the neighbours, so the control point is moved as far
  /// to the other side. After a long step that follows a short one, this would put the control
  /// point beyond the short step, so it stays within a third of the shorter step. Even steps need
  /// no more where the pen turns back.
  private mutating func add(_ control: PKStrokePoint) {
    let place = control.location
    if spacing != nil, controls.count > 1 {
      let (last, newest) = places
      let aside = (newest - last + newest - place) * (1.0 / 6)
      let length = aside.distance(to: .zero)
      let limit = min(newest.distance(to: last), newest.distance(to: place)) / 3
      let moved = newest + (length > limit ? aside * (limit / length) : aside)
      if moved.isFinite { controls[controls.count - 1].location = moved }
    }
    places = (places.1, place)
    controls.append(control)
  }
}
