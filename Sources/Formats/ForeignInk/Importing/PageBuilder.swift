import InkFiles
import CMath
import Graphics
import Strokes

/// A stroke in the form of a foreign file.
struct ForeignStroke {
  /// The meaning of the points.
  enum Shape {
    /// Positions of the pen.
    case samples
    /// Corners between straight lines.
    case polygon
    /// Few positions of the pen, far apart.
    case corners
    /// Control points of a Catmull-Rom curve, which passes through all but the first and the last;
    /// and the parameters at which its first span begins and its last span ends.
    case catmullRom(from: Double = 0, to: Double = 1)
    /// Control points as in `PKStrokePath`.
    case spline

    /// The shape whose lines are straight between the points, if there are few of them.
    var withCorners: Shape { if case .corners = self { .polygon } else { self } }
  }

  /// The points; locations and sizes in the file's units, angles in radians, times in seconds since
  /// the start.
  var points: [PKStrokePoint] = []
  /// The number of points that the reader added between those of the file.
  var addedPoints = 0
  var shape = Shape.samples
  var ink: PKInk
  /// The start of the stroke; nil if unknown.
  var start: Timestamp?
  /// Whether the points have times.
  var hasTimes = false
  /// Whether the stroke is drawn. Others are only counted.
  var isVisible = true
  /// Whether it is a line, a box or another shape that no pen drew. It does not count as a stroke
  /// of the file.
  var isShape = false
  /// The transform of the points on the file's page. Bounds are counted before it. It does not
  /// apply to sizes.
  var transform = AffineTransform.identity
}

extension PKStrokePoint {
  /// A point with a known location and drawn width.
  init(x: Double, y: Double, width: Double, time: Double = 0, force: Double = 1) {
    self.init(
      location: Point(x: x, y: y), timeOffset: time, size: Size(width: width, height: width),
      opacity: 1, force: force, azimuth: 0, altitude: .pi / 2)
  }
}

/// Builds a page from the strokes of a foreign file: checks them, converts them to points of 1/72
/// inch, fits curves, and adds times to strokes that have none.
struct PageBuilder {
  /// Points of 1/72 inch in a unit of the file.
  let unit: Double
  /// The offset that is added to locations, in the file's units.
  var origin = Point(x: 0, y: 0)
  /// Whether y runs upwards in the file.
  var isYUp = false
  var notes = ImportNotes()
  var damage: [ImportError] = []
  private let options: ImportOptions
  private var allowance: ReadingAllowance
  private var strokes: [PKStroke] = []
  private var source = SourceCounts()
  private var now: Timestamp?
  private let identifiers: DerivedIdentifiers

  /// A page without strokes. The identifiers of its strokes follow from its number, so that a file
  /// always gives the same ones.
  init(
    unit: Double, page number: Int = 0, fileBytes: Int, _ options: ImportOptions
  ) {
    self.unit = unit
    self.options = options
    allowance = ReadingAllowance(foreignBytes: fileBytes)
    identifiers = DerivedIdentifiers(of: .zero.derived("imported page", number), "stroke")
  }

  /// The greatest distance from the origin, in points: the maximum side of a page in a `.pkd` file.
  private static let reach = 1e6
  /// The greatest distance of a date from 2001, in seconds: all years of four digits are nearer.
  private static let dateReach = 3e11
  /// The assumed speed of a pen without a clock in points a second, and its pause between strokes
  /// in seconds.
  private static let handSpeed = 250.0
  private static let pause = 0.15

  /// Adds a stroke.
  mutating func add(_ stroke: consuming ForeignStroke) throws(ImportError) {
    let points = stroke.points
    stroke.points = []
    try add(stroke, pointCount: points.count) { points[$0] }
  }

  /// Adds a stroke whose points are requested one by one, since all points of a long one would take
  /// too much memory.
  mutating func add(
    _ stroke: ForeignStroke, pointCount: Int, point: (Int) -> PKStrokePoint
  ) throws(ImportError) {
    if stroke.isShape {
      source.addShape()
    } else {
      source.add(pointCount) { point($0).location }
      source.points -= stroke.addedPoints
    }
    guard allowance.allows(strokeOf: pointCount) else {
      throw ImportError(
        allowance.hasTooManyStrokes
          ? .tooMany("strokes for the file's size", limit: allowance.strokeLimit)
          : .tooMany("points for the file's size", limit: allowance.pointLimit), at: 0)
    }
    guard stroke.isVisible else { return }
    var path = PathMaker(
      options.keepsCorners ? stroke.shape.withCorners : stroke.shape, pointCount: pointCount,
      options.fit)
    var (lost, backward) = (0, 0)
    var last: PKStrokePoint?
    for index in 0..<pointCount {
      var point = point(index)
      guard isPlaced(&point, stroke.transform) else {
        lost += 1
        continue
      }
      if let last {
        if !stroke.hasTimes {
          point.timeOffset =
            last.timeOffset + point.location.distance(to: last.location) / Self.handSpeed
        } else if point.timeOffset < last.timeOffset {
          point.timeOffset = last.timeOffset
          backward += 1
        }
      } else if !stroke.hasTimes {
        point.timeOffset = 0
      }
      last = point
      path.add(point)
    }
    if lost > 0 { notes.add("points that are no places are left out", count: lost) }
    guard last != nil else { return }
    if !stroke.hasTimes { notes.add("strokes without times are drawn at the pace of a hand") }
    if backward > 0 { notes.add("times that run back are held", count: backward) }
    var date = stroke.start
    if let start = date, !(abs(start.secondsSinceReferenceDate) <= Self.dateReach) {
      notes.add("dates that no calendar has are left out")
      date = nil
    }
    let start = date ?? now.map { $0 + Self.pause } ?? .referenceDate
    let drawn = path.finish(creationDate: start)
    now = start + max(drawn.duration, 0)
    strokes.append(
      PKStroke(
        ink: stroke.ink, path: drawn, randomSeed: UInt32(truncatingIfNeeded: strokes.count),
        id: identifiers[strokes.count]))
  }

  /// Keeps an error. Beyond a thousand, further errors are dropped.
  mutating func add(_ error: ImportError) {
    if damage.count < 1_000 { damage.append(error) }
  }

  /// The page with all strokes. An impossible size counts as none. The paper is that of the
  /// canvas's metadata; nil is blank.
  consuming func page(
    name: String = "", size: Size? = nil, background: Color? = nil, paper: String? = nil,
    metadata: [String: String] = [:]
  ) -> ImportedPage {
    var canvas = Recording.Canvas(size: size, background: background, metadata: metadata)
    if let size, ![size.width, size.height].allSatisfy({ (0...Self.reach).contains($0) }) {
      notes.add("a size that no page can have is left out")
      canvas.size = nil
    }
    if let paper { canvas.setText(paper, named: "paper") }
    return ImportedPage(
      name: name, drawing: PKDrawing(strokes: strokes), canvas: canvas, source: source,
      notes: notes, damage: damage)
  }

  // MARK: - Points

  /// Converts a point to the page, with valid values for ink; false if its location is invalid.
  private func isPlaced(_ point: inout PKStrokePoint, _ transform: AffineTransform) -> Bool {
    let moved = transform.isIdentity ? point.location : point.location.applying(transform)
    let place = Point(
      x: (moved.x + origin.x) * unit, y: (moved.y + origin.y) * (isYUp ? -unit : unit))
    guard abs(place.x) <= Self.reach, abs(place.y) <= Self.reach else { return false }
    func within(_ value: Double, _ range: ClosedRange<Double>, else standard: Double) -> Double {
      value.isFinite ? min(max(value, range.lowerBound), range.upperBound) : standard
    }
    // Rounded to the precision of paths. Points that are even closer have distances whose squares
    // are zero, and the fit divides by them.
    point.location = Point(x: Double(Float(place.x)), y: Double(Float(place.y)))
    point.size = Size(
      width: within(point.size.width * unit, 0...10_000, else: 1),
      height: within(point.size.height * unit, 0...10_000, else: 1))
    point.timeOffset = within(point.timeOffset, -1e9...1e9, else: 0)
    point.opacity = within(point.opacity, 0...2, else: 1)
    point.force = within(point.force, 0...100, else: 1)
    point.azimuth = within(point.azimuth, -10...10, else: 0)
    point.altitude = within(point.altitude, 0...(.pi / 2), else: .pi / 2)
    return true
  }
}

/// Makes the control points of a path that looks as in the file's program.
private struct PathMaker {
  private let shape: ForeignStroke.Shape
  private let fit: CurveFit?
  private var controls = ControlPointCollector()
  /// The points of a stroke that is fitted as a whole.
  private var points: [PKStrokePoint] = []
  /// The fit of a longer one.
  private var stream: StreamingCurveFit?
  private let pointCount: Int
  private var index = 0

  /// The number of points after which control points are taken from a fit.
  private static let batch = 256

  init(_ shape: ForeignStroke.Shape, pointCount: Int, _ fit: CurveFit?) {
    (self.shape, self.fit, self.pointCount) = (shape, fit, pointCount)
    if pointCount > CornerFit.maximumPoints, case .samples = shape, let fit {
      stream = StreamingCurveFit(tolerance: fit.tolerance)
    }
    if isWhole { points.reserveCapacity(pointCount) }
  }

  /// Whether all points are needed at once.
  private var isWhole: Bool {
    guard fit != nil else { return false }
    return switch shape {
    case .spline, .polygon: false
    case .samples, .corners: pointCount <= CornerFit.maximumPoints
    case .catmullRom: true
    }
  }

  mutating func add(_ point: PKStrokePoint) {
    defer { index += 1 }
    if stream != nil {
      stream?.append(point)
      if index % Self.batch == 0 { takeStream() }
    } else if isWhole {
      points.append(point)
    } else {
      addCorner(point)
    }
  }

  private mutating func takeStream() {
    for point in stream?.takeControlPoints() ?? [] { controls.append(point) }
  }

  /// Adds a corner. Three control points make the lines at a corner straight; on a line, one is
  /// enough.
  private mutating func addCorner(_ point: PKStrokePoint) {
    let isSharp =
      switch shape {
      case .polygon, .corners: true
      case .samples, .spline, .catmullRom: false
      }
    if isSharp {
      // The previous corner is not an end, unless it is the first.
      if let corner = points.last, points.count == 2,
        !isStraight(from: points[0], corner, to: point)
      {
        for _ in 0..<2 { controls.append(corner) }
      }
      if points.count == 2 { points.removeFirst() }
      points.append(point)
    }
    controls.append(point)
  }

  /// Whether a line continues straight at a point, within the precision of files.
  private func isStraight(
    from first: PKStrokePoint, _ middle: PKStrokePoint, to last: PKStrokePoint
  ) -> Bool {
    let (one, other) = (middle.location - first.location, last.location - middle.location)
    return one.dot(other) > 0 && abs(one.cross(other)) <= 1e-3 * min(one.length, other.length)
  }

  consuming func finish(creationDate: Timestamp) -> PKStrokePath {
    if stream != nil {
      for point in stream?.finish() ?? [] { controls.append(point) }
    } else if isWhole, let fit {
      for point in wholeFit(fit) { controls.append(point) }
    }
    return controls.path(creationDate: creationDate)
  }

  private func wholeFit(_ fit: CurveFit) -> [PKStrokePoint] {
    switch shape {
    case .spline, .polygon: return points
    case .samples:
      let controls = fit.controlPoints(through: points)
      return CornerFit.controlPoints(
        through: points, tolerance: fit.tolerance, fewerThan: controls.count) ?? controls
    case .corners:
      guard points.count > 2 else { return points }
      return CornerFit.controlPoints(
        through: points, tolerance: fit.tolerance, fewerThan: 3 * points.count - 4)
        ?? corners(points)
    case .catmullRom(let start, let end):
      return CatmullRomCurve(points, from: start, to: end)
        .controlPoints(tolerance: fit.tolerance)
    }
  }

  private func corners(_ points: [PKStrokePoint]) -> [PKStrokePoint] {
    return points.enumerated().flatMap { index, point in
      Array(repeating: point, count: index == 0 || index == points.count - 1 ? 1 : 3)
    }
  }
}
