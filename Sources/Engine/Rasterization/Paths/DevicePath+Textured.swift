import CRasterKernels
import Graphics
import Strokes

/// The nib of a textured ink at one position of its path, in pixels.
struct TexturedNib {
  /// Half its extent along its first axis.
  var radius: Float
  /// Half its extent along its second axis.
  var thickness: Float
  /// The direction of its first axis.
  var cosine: Float
  var sine: Float
  /// The ink that it deposits, in passes.
  var flow: Float
  /// The direction in which the pen leans. Its length is the paleness of the far side.
  var lean: SIMD2<Float>
}

extension DevicePaths {
  /// Adds the chains of a textured ink's path.
  mutating func addTextured(
    _ walk: StrokeWalk, _ nibs: TexturedNibs, pen: TexturedPen
  ) {
    var pen = pen
    walk.forEachSample(pieces: { nibs.pieceCount($0) }) { span, u, position in
      if let point = DevicePoint(position), let nib = nibs.nib(span, u) {
        pen.move(to: point, nib, position)
      } else {
        pen.lift(&chains)
      }
    }
    pen.lift(&chains)
  }
}

/// Appends the points of a textured path to columns, and closes a chain at each gap.
struct TexturedPen {
  private let columns: DevicePaths.Textured
  private let bleed: Float
  private let growth: Float
  /// A blade's corner is √2 times as far away as its sides.
  private static let cornerPart: Float = 1.42
  private let stepPart: Double
  private let maximumStep: Double
  private let tap: InkStyle.Tap
  private let start: Double
  private var builder: ChainBuilder
  private var arc: Double
  private var last = SIMD2<Double>.zero
  /// The newest point, not added yet, if it is so near the last one that it may be skipped.
  private var pending: (point: DevicePoint, nib: TexturedNib, position: SIMD2<Double>)?

  /// A pen at `arc` pixels from its stroke's beginning.
  init(
    _ paths: DevicePaths, _ style: InkStyle, _ texture: Texture, arc: Double
  ) {
    columns = paths.textured
    bleed = texture.bleed + texture.deposit.wanderLimit
    builder = ChainBuilder(.textured, coarseness: texture.coarseness)
    growth = style.growth
    (stepPart, maximumStep) = (style.stepPart, style.maximumStep)
    tap = style.tap
    start = arc
    self.arc = arc
  }

  @inline(__always)
  mutating func move(to point: DevicePoint, _ nib: TexturedNib, _ position: SIMD2<Double>) {
    // The tip of a sharp turn would be lost if the points around it were skipped.
    if let pending, turns(at: pending.position, to: position) {
      add(pending.point, pending.nib, pending.position)
    }
    let way = position - last
    let step = max(0.3, min(Double(min(nib.radius, nib.thickness)) * stepPart, maximumStep))
    if builder.isOpen, (way * way).sum() < step * step, resemblesLast(nib) {
      pending = (point, nib, position)
    } else {
      add(point, nib, position)
    }
  }

  /// Whether the line from the last point to a position deviates by more than 0.4 pixels from
  /// `middle`, or the path turns back there.
  @inline(__always)
  private func turns(at middle: SIMD2<Double>, to position: SIMD2<Double>) -> Bool {
    let (a, b) = (middle - last, position - middle)
    let whole = a + b
    let across = a.x * b.y - a.y * b.x
    return (a * b).sum() < 0 || across * across > 0.16 * (whole * whole).sum()
  }

  /// Whether a nib hardly grew or turned since the last point that was added.
  private func resemblesLast(_ nib: TexturedNib) -> Bool {
    let last = columns.radius.count - 1
    let (cosine, sine) = (nib.cosine - columns.cosine[last], nib.sine - columns.sine[last])
    // The end of a blade moves by half a pixel at most.
    return abs(nib.radius - columns.radius[last]) < growth
      && (cosine * cosine + sine * sine) * nib.radius * nib.radius < 0.25
  }

  private mutating func add(_ point: DevicePoint, _ nib: TexturedNib, _ position: SIMD2<Double>) {
    let way = builder.isOpen ? position - last : .zero
    let length = (way * way).sum().squareRoot()
    if !builder.isOpen { builder.begin(at: columns.x.count) }
    arc += length
    last = position
    pending = nil
    builder.extend(reach: max(nib.radius, nib.thickness) * Self.cornerPart + bleed)
    append(point, nib, direction: length > 0 ? way / length : .zero)
    builder.add()
  }

  /// Ends a chain.
  mutating func lift(_ chains: inout [DevicePaths.Chain]) {
    if let pending, pending.position != last { add(pending.point, pending.nib, pending.position) }
    // A tap is too short to deposit ink along its path.
    if let first = builder.openStart, tap != .nothing,
      arc - start < Double(min(columns.radius[first], columns.thickness[first])) * 0.5
    {
      repeatLast(
        way: tap == .dot ? 0 : min(columns.radius[first], columns.thickness[first]) * 0.7)
      builder.add()
    }
    pending = nil
    builder.finish(&chains)
  }

  /// The way so far, for the kernels. It starts again at 2²⁰ pixels, where the grain repeats.
  private var wrappedArc: Float {
    arc < 1_048_576 ? Float(arc) : Float(arc.truncatingRemainder(dividingBy: 1_048_576))
  }

  private func append(_ point: DevicePoint, _ nib: TexturedNib, direction: SIMD2<Double>) {
    columns.reserve(1)
    columns.x.appendReserved(point.x)
    columns.y.appendReserved(point.y)
    columns.radius.appendReserved(nib.radius)
    columns.thickness.appendReserved(nib.thickness)
    columns.cosine.appendReserved(nib.cosine)
    columns.sine.appendReserved(nib.sine)
    columns.flow.appendReserved(nib.flow)
    columns.arc.appendReserved(wrappedArc)
    // The component across the way, positive to the same side as in the kernels.
    columns.lean.appendReserved(
      nib.lean.x * Float(direction.y) - nib.lean.y * Float(direction.x))
  }

  /// Appends a copy of the last point, `way` pixels to its right.
  private func repeatLast(way: Float) {
    columns.reserve(1)
    let last = columns.x.count - 1
    columns.x.appendReserved(columns.x[last] &+ Int32(clamping: way * 1024))
    columns.y.appendReserved(columns.y[last])
    columns.radius.appendReserved(columns.radius[last])
    columns.thickness.appendReserved(columns.thickness[last])
    columns.cosine.appendReserved(columns.cosine[last])
    columns.sine.appendReserved(columns.sine[last])
    columns.flow.appendReserved(columns.flow[last])
    columns.arc.appendReserved(columns.arc[last] + way)
    columns.lean.appendReserved(columns.lean[last])
  }
}
