import CMath
import Graphics
import Strokes

/// A stroke as a foreign file has it.
struct ForeignStroke {
  /// What the points are.
  enum Shape {
    /// Places where the pen was.
    case samples
    /// Corners between straight lines.
    case polygon
    /// Control points of the curve that Catmull and Rom described, which passes through all but the first and the
    /// last; and the parameters at which its first span begins and its last span ends.
    case catmullRom(from: Double = 0, to: Double = 1)
    /// Control points as `PKStrokePath` has them.
    case spline
  }

  /// The points; locations and sizes in the file's units, angles in radians, times in seconds since the start.
  var points: [PKStrokePoint] = []
  var shape = Shape.samples
  var ink: PKInk
  /// When the stroke began; nil if that is not known.
  var start: Timestamp?
  /// Whether the points have times.
  var hasTimes = false
  /// Whether the stroke is drawn. Others are only counted.
  var isVisible = true
  /// Whether no pen drew it: a line, a box or another shape. It does not count as a stroke of the file.
  var isShape = false
  /// What moves the points on the file's page: they are counted where the file has them. Sizes are the page's in any
  /// case.
  var transform = AffineTransform.identity
}

extension PKStrokePoint {
  /// A point of which the place and the drawn width are known.
  init(x: Double, y: Double, width: Double, time: Double = 0, force: Double = 1) {
    self.init(
      location: Point(x: x, y: y), timeOffset: time, size: Size(width: width, height: width),
      opacity: 1, force: force, azimuth: 0, altitude: .pi / 2)
  }
}

/// Makes a page of the strokes of a foreign file: checks them, brings them to points of 1/72 inch, fits curves, and
/// gives times to those that have none.
struct PageBuilder {
  /// Points of 1/72 inch in a unit of the file.
  let unit: Double
  /// What is added to locations in the file's units.
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

  /// A page without strokes. Its number makes the identifiers of its strokes, so that a file always gives the same.
  init(
    unit: Double, page number: Int = 0, fileBytes: Int, _ options: ImportOptions
  ) {
    self.unit = unit
    self.options = options
    allowance = ReadingAllowance(foreignBytes: fileBytes)
    identifiers = DerivedIdentifiers(of: .zero.derived("imported page", number), "stroke")
  }

  /// The greatest distance from the origin, in points: what a `.pkd` file may have as a page's side.
  private static let reach = 1e6
  /// The greatest distance of a date from 2001, in seconds: all years of four digits are nearer.
  private static let dateReach = 3e11
  /// A hand without a clock moves at this speed, in points a second, and pauses between strokes.
  private static let handSpeed = 250.0
  private static let pause = 0.15

  /// Adds a stroke.
  mutating func add(_ stroke: consuming ForeignStroke) throws(ImportError) {
    if stroke.isShape {
      source.addShape()
    } else {
      source.add(stroke.points.lazy.map(\.location))
    }
    guard allowance.allows(strokeOf: stroke.points.count) else {
      throw ImportError(
        allowance.hasTooManyStrokes
          ? .tooMany("strokes for the file's size", limit: allowance.strokeLimit)
          : .tooMany("points for the file's size", limit: allowance.pointLimit), at: 0)
    }
    guard stroke.isVisible else { return }
    var points = stroke.points
    // Points are changed in place, as the list has no other owner now.
    stroke.points = []
    let lost = keepPlaces(&points, stroke.transform)
    if lost > 0 { notes.add("points that are no places are left out", count: lost) }
    guard !points.isEmpty else { return }
    if stroke.hasTimes { order(&points) } else { pace(&points) }
    if let start = stroke.start, !(abs(start.secondsSinceReferenceDate) <= Self.dateReach) {
      notes.add("dates that no calendar has are left out")
      stroke.start = nil
    }
    let start = stroke.start ?? now.map { $0 + Self.pause } ?? .referenceDate
    let path = PKStrokePath(
      controlPoints: controlPoints(points, stroke.shape), creationDate: start)
    now = start + max(path.duration, 0)
    strokes.append(
      PKStroke(
        ink: stroke.ink, path: path, randomSeed: UInt32(truncatingIfNeeded: strokes.count),
        id: identifiers[strokes.count]))
  }

  /// Keeps what is damaged. A thousand errors say as much as more.
  mutating func add(_ error: ImportError) {
    if damage.count < 1_000 { damage.append(error) }
  }

  /// The page with all strokes. A size that no page can have counts as none. The paper is that of the canvas's metadata;
  /// nil is blank.
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

  /// Brings points to the page, with values that ink can have, and removes those that are no places at all; returns
  /// their number.
  private func keepPlaces(_ points: inout [PKStrokePoint], _ transform: AffineTransform) -> Int {
    var kept = 0
    for index in points.indices where isPlaced(&points[index], transform) {
      if kept < index { points[kept] = points[index] }
      kept += 1
    }
    let lost = points.count - kept
    points.removeLast(lost)
    return lost
  }

  /// Brings a point to the page, with values that ink can have; false if it is no place.
  private func isPlaced(_ point: inout PKStrokePoint, _ transform: AffineTransform) -> Bool {
    let moved = transform.isIdentity ? point.location : point.location.applying(transform)
    let place = Point(
      x: (moved.x + origin.x) * unit, y: (moved.y + origin.y) * (isYUp ? -unit : unit))
    guard abs(place.x) <= Self.reach, abs(place.y) <= Self.reach else { return false }
    func within(_ value: Double, _ range: ClosedRange<Double>, else standard: Double) -> Double {
      value.isFinite ? min(max(value, range.lowerBound), range.upperBound) : standard
    }
    // Paths keep this precision. Points that lie even closer have distances whose squares are zero, and the fit
    // divides by them.
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

  /// Lets no time run back.
  private mutating func order(_ points: inout [PKStrokePoint]) {
    var steps = 0
    for index in points.indices.dropFirst()
    where points[index].timeOffset < points[index - 1].timeOffset {
      points[index].timeOffset = points[index - 1].timeOffset
      steps += 1
    }
    if steps > 0 { notes.add("times that run back are held", count: steps) }
  }

  /// Gives times to points that have none.
  private mutating func pace(_ points: inout [PKStrokePoint]) {
    notes.add("strokes without times are drawn at the pace of a hand")
    var time = 0.0
    for index in points.indices {
      if index > 0 {
        let step = points[index].location.distance(to: points[index - 1].location)
        time += step / Self.handSpeed
      }
      points[index].timeOffset = time
    }
  }

  /// The control points of a path that is drawn as the file's program draws it.
  private func controlPoints(
    _ points: [PKStrokePoint], _ shape: ForeignStroke.Shape
  ) -> [PKStrokePoint] {
    switch shape {
    case .spline: points
    case .samples: options.fit?.controlPoints(through: points) ?? points
    case .polygon: corners(points)
    case .catmullRom(let start, let end):
      options.fit.map {
        CatmullRomCurve(points, from: start, to: end).controlPoints(tolerance: $0.tolerance)
      } ?? points
    }
  }

  /// Three control points at each corner make the lines between them straight.
  private func corners(_ points: [PKStrokePoint]) -> [PKStrokePoint] {
    guard points.count > 2 else { return points }
    var result: [PKStrokePoint] = []
    result.reserveCapacity(3 * points.count - 4)
    for (index, point) in points.enumerated() {
      let isEnd = index == 0 || index == points.count - 1
      for _ in 0..<(isEnd ? 1 : 3) { result.append(point) }
    }
    return result
  }
}
