import Graphics
import Rasterization
import Strokes

/// The work of uniting outlines: a number of pairs of their edges, the same on every machine. A
/// pair takes some nanoseconds.
struct ShapeWork {
  private(set) var pairs = 0.0
  /// Hand-made strokes take a tenth of the work that their points allow.
  private var limit = firstLimit
  private static let (firstLimit, pairsPerPoint) = (0x1p30, 0x1p14)
  /// The products of edges and crossings that masks may still take: each edge is compared with the
  /// crossings of its rows.
  private var cutsLeft = firstCuts
  private static let firstCuts = 0x1p31
  /// Whether some work was refused.
  private var hasRefused = false

  /// Allows the work of a stroke.
  mutating func allow(_ stroke: PKStroke) {
    limit += Self.pairsPerPoint * Double(stroke.path.count)
  }

  /// Counts the union of a number of edges with each other; false if that is too much.
  mutating func allows(edges: Int) -> Bool {
    pairs += Double(edges) * Double(edges)
    hasRefused = hasRefused || pairs > limit
    return pairs <= limit
  }

  /// Adds the work of strokes that was counted alone; false if it could have been refused here.
  mutating func include(_ other: ShapeWork) -> Bool {
    let cuts = Self.firstCuts - other.cutsLeft
    guard !hasRefused, !other.hasRefused, pairs + other.pairs <= limit, cuts <= cutsLeft else {
      return false
    }
    pairs += other.pairs
    limit += other.limit - Self.firstLimit
    cutsLeft -= cuts
    return true
  }

  /// The area of a path inside a mask; nil if that is too much work.
  mutating func cut(_ path: Path, by mask: Path, tolerance: Double) -> Path? {
    let edges = path.elements.count + mask.elements.count
    guard edges > 0, allows(edges: edges) else { return edges > 0 ? nil : Path() }
    let most = Int(clamping: cutsLeft / Double(edges))
    var left = most
    let inside = path.intersection(mask, tolerance: tolerance, crossingsLeft: &left)
    cutsLeft -= Double(edges) * Double(most - left)
    hasRefused = hasRefused || inside == nil
    return inside
  }

  /// The error for too much work.
  var error: RenderError { RenderError(.tooMuchWork(maximumVisits: limit)) }
}

/// The outline, or the centre line, of strokes that are drawn as one.
struct StrokeShape {
  enum Form {
    /// An area, filled by the nonzero rule.
    case area(Path)
    /// A line of one width with round caps and joins.
    case line(Path, width: Double)
  }

  let form: Form

  /// The maximum number of nibs whose outline is found at once; the time grows with its square.
  private static let nibsPerPiece = 256
  /// The same limit for the edges of the outline: a nib that turns in place makes many.
  private static let edgesPerPiece = 4_000
  /// The maximum number of crossings for each of these edges. The time grows with their product.
  private static let crossingsPerElement = 2

  /// The shape of strokes on the canvas; nil if nothing is drawn.
  /// - Parameter tolerance: the maximum distance from the edge of the ink, in points of the canvas.
  init?(_ strokes: [PKStroke], tolerance: Double, work: inout ShapeWork) throws(RenderError) {
    if strokes.count == 1, let stroke = strokes.first, let form = Self.line(stroke, tolerance) {
      self.form = form
      return
    }
    var area = Path()
    for stroke in strokes {
      work.allow(stroke)
      area.append(try Self.area(of: stroke, tolerance, &work))
    }
    guard !area.isEmpty else { return nil }
    form = .area(area)
  }

  /// The stroke as a line of one width, if it is one that moves on.
  private static func line(_ stroke: PKStroke, _ tolerance: Double) -> Form? {
    let shape = stroke.nibShape
    guard stroke.mask == nil, shape.exponent == 2, stroke.path.count > 1,
      stroke.path.hasSquareSizes, shape.squareRatio == 1 || stroke.ink.widthLaw == .plain,
      let scale = stroke.transform.similarityScale
    else { return nil }
    var (thinnest, widest) = (Double.infinity, 0.0)
    for width in stroke.path.widths {
      let drawn = stroke.ink.drawnSize(of: Size(width: Double(width), height: Double(width))).width
      thinnest = min(thinnest, drawn)
      widest = max(widest, drawn)
    }
    guard thinnest > 0, (widest - thinnest) * scale <= tolerance, widest.isFinite else {
      return nil
    }
    let fine = tolerance / scale
    let chains = stroke.sparseNibChains(tolerance: 0.4 * fine)
    guard chains.count == 1, let chain = chains.first else { return nil }
    let points = chain.map { $0.nib.center.applying(stroke.transform) }
    var (least, most) = (points[0], points[0])
    for point in points {
      guard point.isFinite else { return nil }
      least = Point(x: min(least.x, point.x), y: min(least.y, point.y))
      most = Point(x: max(most.x, point.x), y: max(most.y, point.y))
    }
    // Programs differ in how they draw a line without length.
    guard max(most.x - least.x, most.y - least.y) > 4 * tolerance else { return nil }
    let path = CurveFitter(tolerance: 0.6 * tolerance).path(through: points)
    return .line(path, width: (thinnest + widest) / 2 * scale)
  }

  /// The area that a stroke covers.
  private static func area(
    of stroke: PKStroke, _ tolerance: Double, _ work: inout ShapeWork
  ) throws(RenderError) -> Path {
    let scale = stroke.transform.maximumScale
    guard stroke.transform.isFinite, scale > 0, scale.isFinite else { return Path() }
    let fine = 0.4 * tolerance / scale
    let fitter = CurveFitter(tolerance: 0.6 * tolerance)
    let mask = stroke.mask?.applying(stroke.transform)
    var area = Path()
    for chain in stroke.sparseNibChains(tolerance: fine) {
      // Piece by piece, since the polygons take far more memory than the outline made from them.
      // Neighbouring pieces share a nib.
      for start in stride(from: 0, to: max(chain.count - 1, 1), by: nibsPerPiece) {
        let piece = chain[start..<min(start + nibsPerPiece + 1, chain.count)]
        try forEachOutline(of: piece, tolerance: fine) { swept throws(RenderError) in
          for polygon in try visible(swept, of: stroke, mask, tolerance, &work) {
            area.append(fitter.path(around: polygon))
          }
        }
      }
    }
    return area
  }

  /// The outline of a piece on the canvas as polygons of the same direction, also of mirrored
  /// strokes.
  private static func visible(
    _ swept: Path, of stroke: PKStroke, _ mask: Path?, _ tolerance: Double,
    _ work: inout ShapeWork
  ) throws(RenderError) -> [[Point]] {
    let placed = swept.applying(stroke.transform)
    if let mask {
      // Most of a mask is elsewhere.
      let near = mask.simplified(outside: placed.controlBounds.grown(by: 1))
      guard let inside = work.cut(placed, by: near, tolerance: 0.4 * tolerance) else {
        throw work.error
      }
      return inside.flattened(tolerance: tolerance)
    }
    // For a scribble with many crossings, the swept shape takes fewer bytes and far less time.
    let crossings = crossingsPerElement * placed.elements.count
    if work.allows(edges: placed.elements.count),
      let united = placed.united(tolerance: 0.05, maximumCrossings: crossings)
    {
      return united.flattened(tolerance: tolerance)
    }
    let polygons = placed.flattened(tolerance: tolerance)
    return stroke.transform.determinant < 0 ? polygons.map { $0.reversed() } : polygons
  }

  /// Calls a function with the outline of a chain of nibs. If the outline has too many edges, the
  /// chain is halved.
  private static func forEachOutline(
    of chain: ArraySlice<NibSample>, tolerance: Double,
    _ body: (Path) throws(RenderError) -> Void
  ) throws(RenderError) {
    let path = StrokeOutline([Array(chain)], tolerance: tolerance).path
    guard path.elements.count > edgesPerPiece, chain.count > 2 else { return try body(path) }
    let middle = chain.startIndex + chain.count / 2
    try forEachOutline(of: chain[...middle], tolerance: tolerance, body)
    try forEachOutline(of: chain[middle...], tolerance: tolerance, body)
  }
}

extension AffineTransform {
  /// The factor of lengths, if circles stay circles.
  fileprivate var similarityScale: Double? {
    let size = max(abs(a), abs(b), abs(c), abs(d))
    guard isFinite, size > 0 else { return nil }
    let isKept =
      max(abs(a - d), abs(b + c)) <= 1e-6 * size || max(abs(a + d), abs(b - c)) <= 1e-6 * size
    return isKept ? meanScale : nil
  }
}
