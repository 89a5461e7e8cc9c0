import Graphics
import Strokes

/// The paths of strokes as chains of nibs in pixels, in columns that the kernels read.
package struct DevicePaths {
  /// How a nib is given.
  enum Nib {
    case round, elliptic, textured
  }

  /// Nibs that stay discs.
  struct Round {
    let x = Column<Int32>()
    let y = Column<Int32>()
    let radius = Column<Float>()

    func reserve(_ more: Int) {
      x.reserve(more)
      y.reserve(more)
      radius.reserve(more)
    }
  }

  /// Nibs that are ellipses.
  struct Elliptic {
    let x = Column<Int32>()
    let y = Column<Int32>()
    let xx = Column<Float>()
    let xy = Column<Float>()
    let yy = Column<Float>()

    /// How far the nib at a point reaches.
    func reach(at index: Int) -> Float { max(xx[index], yy[index]).squareRoot() }
  }

  /// Nibs of textured inks; see `RasterInkPath`.
  struct Textured {
    let x = Column<Int32>()
    let y = Column<Int32>()
    let radius = Column<Float>()
    let thickness = Column<Float>()
    let cosine = Column<Float>()
    let sine = Column<Float>()
    let flow = Column<Float>()
    let arc = Column<Float>()
    let lean = Column<Float>()
  }

  /// A path without a gap, in one of the groups of columns.
  package struct Chain {
    let nib: Nib
    var start: Int
    var count: Int
    /// How far ink reaches from the points, in pixels.
    var reach: Float
    /// How opaque it is, where a stroke's opacity changes on the way.
    var opacity: UInt8 = 255
  }

  let round = Round()
  let elliptic = Elliptic()
  let textured = Textured()
  private(set) var chains: [Chain] = []

  mutating func removeAll() {
    round.x.removeAll()
    round.y.removeAll()
    round.radius.removeAll()
    elliptic.x.removeAll()
    elliptic.y.removeAll()
    elliptic.xx.removeAll()
    elliptic.xy.removeAll()
    elliptic.yy.removeAll()
    textured.x.removeAll()
    textured.y.removeAll()
    textured.radius.removeAll()
    textured.thickness.removeAll()
    textured.cosine.removeAll()
    textured.sine.removeAll()
    textured.flow.removeAll()
    textured.arc.removeAll()
    textured.lean.removeAll()
    chains.removeAll(keepingCapacity: true)
  }
}

/// A place in pixels as the kernels know it: whole numbers of 1/1024.
struct DevicePoint: Equatable {
  /// Nothing is drawn so far away: a picture's longest side and the widest nib fit inside.
  static let limit = 262_144.0

  var x: Int32
  var y: Int32

  /// Nil outside of the limits, and for what is no number.
  @inline(__always)
  init?(_ point: SIMD2<Double>) {
    guard abs(point.x) < Self.limit, abs(point.y) < Self.limit else { return nil }
    // At this size a step of the last bit is 1, so the sum is rounded to a whole number, which its
    // last bits are: no check of a range, no call into the system's library.
    let sum = point * 1024 + 0x1.8p52
    x = Int32(truncatingIfNeeded: sum.x.bitPattern)
    y = Int32(truncatingIfNeeded: sum.y.bitPattern)
  }
}

/// Walks along the spline of a stroke in pixels.
struct StrokeWalk {
  let path: PKStrokePath
  let range: ClosedRange<Double>
  /// From the path's points to pixels.
  let transform: AffineTransform
  /// How far chords may be off, in pixels.
  let tolerance: Double

  /// Calls back for places along the path: the span between two control points, how far along it,
  /// and the place. Where they lie in a span depends on that span alone, so that a stroke that grows
  /// keeps its pixels.
  @inline(__always)
  func forEachSample(
    pieces minimum: (_ span: Int) -> Int = { _ in 1 },
    _ body: (_ span: Int, _ u: Double, _ place: SIMD2<Double>) -> Void
  ) {
    guard !path.isEmpty else { return }
    let (first, last) = (path.place(of: range.lowerBound), path.place(of: range.upperBound))
    let (columnX, columnY) = (
      SIMD2(transform.a, transform.b), SIMD2(transform.c, transform.d)
    )
    let origin = SIMD2(transform.tx, transform.ty)
    let scale = max(
      (columnX * columnX).sum() + (columnY * columnY).sum(), .leastNormalMagnitude
    ).squareRoot()
    @inline(__always) func place(_ span: SplineSpan, _ u: Double) -> SIMD2<Double> {
      let p = ((span.c3 * u + span.c2) * u + span.c1) * u + span.c0
      return columnX * p.x + columnY * p.y + origin
    }
    body(first.span, first.u, place(path.span(first.span), first.u))
    for index in first.span...last.span {
      let span = path.span(index)
      let (from, to) = (index == first.span ? first.u : 0, index == last.span ? last.u : 1)
      guard to > from else { continue }
      let pieces = max(
        span.pieceCount(tolerance: tolerance / scale), minimum(index),
        // What reaches beyond the limits is left out, and nothing else may be.
        span.pieceCount(length: DevicePoint.limit / 2 / scale))
      if pieces > 1 {
        let step = 1 / Double(pieces)
        for piece in 1..<pieces {
          let u = Double(piece) * step
          if u > from, u < to { body(index, u, place(span, u)) }
        }
      }
      body(index, to, place(span, to))
    }
  }
}

extension SplineSpan {
  /// Into how many straight pieces the span must be cut to keep a tolerance: a chord leaves a curve
  /// by at most an eighth of its second derivative times the step squared.
  @inline(__always)
  fileprivate func pieceCount(tolerance: Double) -> Int {
    let (start, end) = (2 * c2, 2 * c2 + 6 * c3)
    let bend = max((start * start).sum(), (end * end).sum()).squareRoot()
    // Most spans need no cut; a root less for each of them.
    guard bend > 8 * tolerance else { return 1 }
    let pieces = (bend / (8 * tolerance)).squareRoot().rounded(.up)
    return pieces < 1024 ? Int(pieces) : 1024
  }

  /// Into how many pieces the span must be cut so that none is longer than a length.
  @inline(__always)
  fileprivate func pieceCount(length: Double) -> Int {
    let x = c1.x.magnitude + 2 * c2.x.magnitude + 3 * c3.x.magnitude
    let y = c1.y.magnitude + 2 * c2.y.magnitude + 3 * c3.y.magnitude
    let longest = x + y
    guard longest > length else { return 1 }
    let pieces = (longest / length).rounded(.up)
    return pieces < 1024 ? Int(pieces) : 1024
  }
}

extension DevicePaths {
  /// Adds the chains of a path with round nibs, whose radii at the control points are given.
  mutating func addRound(
    _ walk: StrokeWalk, radii: [Float], opacity: PathOpacity?
  ) -> Range<Int> {
    let firstChain = chains.count
    var builder = ChainBuilder(.round)
    walk.forEachSample { span, u, place in
      let (a, b) = (radii[span], radii[min(span + 1, radii.count - 1)])
      let radius = a + (b - a) * Float(u)
      guard let point = DevicePoint(place), radius > 0 || builder.isOpen else {
        builder.finish(&chains)
        return
      }
      if let opacity, builder.changes(to: opacity.level(span, u)) {
        builder.finish(&chains)
        // It goes on where it changed.
        builder.begin(at: round.x.count - 1)
        builder.add()
        builder.note(reach: round.radius[round.x.count - 1])
      }
      builder.note(reach: radius)
      if let opacity { builder.opacity = opacity.level(span, u) }
      if builder.isOpen {
        // What hardly moves adds nothing but work.
        let last = round.x.count - 1
        let (dx, dy) = (abs(point.x &- round.x[last]), abs(point.y &- round.y[last]))
        if max(dx, dy) < Self.nearby, abs(radius - round.radius[last]) < 0.02, u < 1 { return }
        if dx == 0, dy == 0, radius <= round.radius[last] { return }
      } else {
        builder.begin(at: round.x.count)
      }
      round.x.append(point.x)
      round.y.append(point.y)
      round.radius.append(radius)
      builder.add()
    }
    builder.finish(&chains)
    return firstChain..<chains.count
  }

  /// Adds points with straight lines between them, in pixels, as one chain; what lies outside of the
  /// limits is left out.
  package mutating func addPolyline(
    count: Int, _ point: (Int) -> (x: Float, y: Float, radius: Float)
  ) -> Range<Int> {
    let (chain, start) = (chains.count, round.x.count)
    round.reserve(count)
    var reach: Float = 0
    for index in 0..<count {
      let (x, y, radius) = point(index)
      guard let place = DevicePoint(SIMD2(Double(x), Double(y))) else { continue }
      reach = max(reach, radius)
      round.x.appendReserved(place.x)
      round.y.appendReserved(place.y)
      round.radius.appendReserved(radius)
    }
    let added = round.x.count - start
    if added > 0 {
      chains.append(Chain(nib: .round, start: start, count: added, reach: reach))
    }
    return chain..<chains.count
  }

  /// Steps below this, in 1/1024 pixels, are left out.
  private static let nearby: Int32 = 40

  /// Adds the chains of a path with elliptic nibs, each given by the columns of M·Mᵀ in square
  /// pixels, where M takes the unit disc to the nib; nil where nothing is drawn.
  mutating func addElliptic(
    _ walk: StrokeWalk, opacity: PathOpacity?, pieces: (_ span: Int) -> Int,
    nib: (_ span: Int, _ u: Double) -> SIMD3<Float>?
  ) -> Range<Int> {
    let firstChain = chains.count
    var builder = ChainBuilder(.elliptic)
    walk.forEachSample(pieces: pieces) { span, u, place in
      guard let point = DevicePoint(place), let form = nib(span, u) else {
        builder.finish(&chains)
        return
      }
      if let opacity, builder.changes(to: opacity.level(span, u)) {
        builder.finish(&chains)
        // It goes on where it changed.
        builder.begin(at: elliptic.x.count - 1)
        builder.add()
        builder.note(reach: elliptic.reach(at: elliptic.x.count - 1))
      }
      if let opacity { builder.opacity = opacity.level(span, u) }
      if !builder.isOpen { builder.begin(at: elliptic.x.count) }
      builder.note(reach: max(form.x, form.z).squareRoot())
      elliptic.x.append(point.x)
      elliptic.y.append(point.y)
      elliptic.xx.append(form.x)
      elliptic.xy.append(form.y)
      elliptic.yy.append(form.z)
      builder.add()
    }
    builder.finish(&chains)
    return firstChain..<chains.count
  }
}

/// The opacity of a path on which it changes, in so few steps that each can be drawn by itself.
struct PathOpacity {
  private let values: [Double]

  /// Nil where all points have the same.
  init?(_ path: PKStrokePath) {
    guard path.hasSeveralOpacities else { return nil }
    values = path.points.map { min($0.opacity, 1) }
  }

  func level(_ span: Int, _ u: Double) -> UInt8 {
    let (a, b) = (values[span], values[min(span + 1, values.count - 1)])
    return UInt8(((a + (b - a) * u) * 15).rounded() * 17)
  }
}

/// What a textured ink's nib is at one place of its path, in pixels.
struct TexturedNib {
  /// Half its extent along its first axis and along the other.
  var radius: Float
  var thickness: Float
  /// Where its first axis points.
  var cosine: Float
  var sine: Float
  var flow: Float
  /// Where the pen leans to, as far as that makes its far side paler.
  var lean: SIMD2<Float>
}

/// What a nib leaves that only touches down.
enum TexturedTap {
  /// What it leaves where it rests.
  case dot
  /// What it leaves on a short step.
  case step
  /// What it leaves without a way is enough.
  case nothing
}

extension DevicePaths {
  /// Adds the chains of a path that a textured ink is drawn along. Ink reaches `bleed` pixels beyond
  /// the nib, which may wander by a part of its radius, and grow by `growth` on the way of a segment.
  mutating func addTextured(
    _ walk: StrokeWalk, bleed: Float, wander: Float, growth: Float, tap: TexturedTap,
    arc start: Double,
    pieces: (_ span: Int) -> Int,
    nib: (_ span: Int, _ u: Double) -> TexturedNib?
  ) -> Range<Int> {
    let firstChain = chains.count
    // A blade's corner is as far away as its diagonal is long.
    let spread = max(1.42, 1 + wander)
    var builder = ChainBuilder(.textured)
    var (arc, last) = (start, SIMD2<Double>.zero)
    // The newest place while it is so near the last one that it may be left out.
    var pending: (point: DevicePoint, nib: TexturedNib, place: SIMD2<Double>)?
    func add(_ point: DevicePoint, _ nib: TexturedNib, _ place: SIMD2<Double>) {
      let way = builder.isOpen ? place - last : .zero
      let length = (way * way).sum().squareRoot()
      if !builder.isOpen { builder.begin(at: textured.x.count) }
      arc += length
      last = place
      pending = nil
      builder.note(reach: max(nib.radius, nib.thickness) * spread + bleed)
      append(point, nib, arc: Self.told(arc), direction: length > 0 ? way / length : .zero)
      builder.add()
    }
    func finish() {
      if let pending, pending.place != last {
        add(pending.point, pending.nib, pending.place)
      }
      // A tap has no way along which ink could be laid down.
      if let place = builder.openStart,
        arc - start < Double(min(textured.radius[place], textured.thickness[place])) * 0.5
      {
        switch tap {
        case .dot: rest()
        case .step: lengthen(from: place)
        case .nothing: break
        }
        if tap != .nothing { builder.add() }
      }
      pending = nil
      builder.finish(&chains)
    }
    walk.forEachSample(pieces: pieces) { span, u, place in
      guard let point = DevicePoint(place), let nib = nib(span, u) else { return finish() }
      let way = place - last
      // Chords of a quarter of the nib leave its way by less than its edge is soft.
      let step = max(0.3, Double(min(nib.radius, nib.thickness)) * 0.25)
      if builder.isOpen, (way * way).sum() < step * step,
        abs(nib.radius - textured.radius[textured.radius.count - 1]) < growth
      {
        pending = (point, nib, place)
      } else {
        add(point, nib, place)
      }
    }
    finish()
    return firstChain..<chains.count
  }

  /// The way so far, as the kernels know it: very long strokes have the grain of their beginning again.
  private static func told(_ arc: Double) -> Float {
    arc < 1_048_576 ? Float(arc) : Float(arc.truncatingRemainder(dividingBy: 1_048_576))
  }

  private func append(
    _ point: DevicePoint, _ nib: TexturedNib, arc: Float, direction: SIMD2<Double>
  ) {
    textured.x.append(point.x)
    textured.y.append(point.y)
    textured.radius.append(nib.radius)
    textured.thickness.append(nib.thickness)
    textured.cosine.append(nib.cosine)
    textured.sine.append(nib.sine)
    textured.flow.append(nib.flow)
    textured.arc.append(arc)
    // Across the way, to the side that the kernels count as positive.
    textured.lean.append(
      nib.lean.x * Float(direction.y) - nib.lean.y * Float(direction.x))
  }

  /// Adds the last point once more: there the nib rests.
  private func rest() { repeatLast(way: 0) }

  /// Adds a point half a radius beside the last one.
  private func lengthen(from start: Int) {
    repeatLast(way: min(textured.radius[start], textured.thickness[start]) * 0.7)
  }

  private func repeatLast(way: Float) {
    let last = textured.x.count - 1
    textured.x.append(textured.x[last] &+ Int32(way * 1024))
    textured.y.append(textured.y[last])
    textured.radius.append(textured.radius[last])
    textured.thickness.append(textured.thickness[last])
    textured.cosine.append(textured.cosine[last])
    textured.sine.append(textured.sine[last])
    textured.flow.append(textured.flow[last])
    textured.arc.append(textured.arc[last] + way)
    textured.lean.append(textured.lean[last])
  }
}

/// Puts a chain together, point by point.
private struct ChainBuilder {
  private let nib: DevicePaths.Nib
  private var start: Int?
  private var count = 0
  private var reach: Float = 0
  var opacity: UInt8 = 255

  init(_ nib: DevicePaths.Nib) { self.nib = nib }

  var isOpen: Bool { start != nil }
  /// Where the chain begins that is being made.
  var openStart: Int? { start }

  mutating func begin(at place: Int) {
    start = place
    count = 0
  }

  mutating func note(reach: Float) { self.reach = max(self.reach, reach) }

  mutating func add() { count += 1 }

  /// Whether a chain is open whose opacity is another one.
  func changes(to opacity: UInt8) -> Bool { isOpen && opacity != self.opacity }

  mutating func finish(_ chains: inout [DevicePaths.Chain]) {
    if let start, count > 0 {
      chains.append(
        DevicePaths.Chain(nib: nib, start: start, count: count, reach: reach, opacity: opacity))
    }
    start = nil
    reach = 0
  }
}
