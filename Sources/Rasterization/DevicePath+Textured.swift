import Graphics
import Strokes

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

extension DevicePaths {
  /// Adds the chains of a path that a textured ink is drawn along.
  mutating func addTextured(
    _ walk: StrokeWalk, _ nibs: TexturedNibs, pen: TexturedPen
  ) -> Range<Int> {
    let firstChain = chains.count
    var pen = pen
    walk.forEachSample(pieces: { nibs.pieceCount($0) }) { span, u, place in
      if let point = DevicePoint(place), let nib = nibs.nib(span, u) {
        pen.move(to: point, nib, place)
      } else {
        pen.lift(&chains)
      }
    }
    pen.lift(&chains)
    return firstChain..<chains.count
  }
}

/// Puts the points of a textured path into columns.
struct TexturedPen {
  private let columns: DevicePaths.Textured
  private let bleed: Float
  private let spread: Float
  private let growth: Float
  private let tap: InkStyle.Tap
  private let start: Double
  private var builder = ChainBuilder(.textured)
  private var arc: Double
  private var last = SIMD2<Double>.zero
  /// The newest place while it is so near the last one that it may be left out.
  private var pending: (point: DevicePoint, nib: TexturedNib, place: SIMD2<Double>)?

  /// A pen at some way from its stroke's beginning. Ink reaches `bleed` pixels beyond the nib, which may
  /// wander by a part of its radius, and grow by `growth` on the way of a segment.
  init(
    _ paths: DevicePaths, bleed: Float, wander: Float, growth: Float, tap: InkStyle.Tap, arc: Double
  ) {
    columns = paths.textured
    self.bleed = bleed
    // A blade's corner is as far away as its diagonal is long.
    spread = max(1.42, 1 + wander)
    self.growth = growth
    self.tap = tap
    start = arc
    self.arc = arc
  }

  @inline(__always)
  mutating func move(to point: DevicePoint, _ nib: TexturedNib, _ place: SIMD2<Double>) {
    let way = place - last
    // Chords of a quarter of the nib leave its way by less than its edge is soft.
    let step = max(0.3, Double(min(nib.radius, nib.thickness)) * 0.25)
    if builder.isOpen, (way * way).sum() < step * step,
      abs(nib.radius - columns.radius[columns.radius.count - 1]) < growth
    {
      pending = (point, nib, place)
    } else {
      add(point, nib, place)
    }
  }

  private mutating func add(_ point: DevicePoint, _ nib: TexturedNib, _ place: SIMD2<Double>) {
    let way = builder.isOpen ? place - last : .zero
    let length = (way * way).sum().squareRoot()
    if !builder.isOpen { builder.begin(at: columns.x.count) }
    arc += length
    last = place
    pending = nil
    builder.note(reach: max(nib.radius, nib.thickness) * spread + bleed)
    append(point, nib, direction: length > 0 ? way / length : .zero)
    builder.add()
  }

  /// Ends a chain.
  mutating func lift(_ chains: inout [DevicePaths.Chain]) {
    if let pending, pending.place != last { add(pending.point, pending.nib, pending.place) }
    // A tap has no way along which ink could be laid down.
    if let place = builder.openStart, tap != .nothing,
      arc - start < Double(min(columns.radius[place], columns.thickness[place])) * 0.5
    {
      repeatLast(
        way: tap == .dot ? 0 : min(columns.radius[place], columns.thickness[place]) * 0.7)
      builder.add()
    }
    pending = nil
    builder.finish(&chains)
  }

  /// The way so far, as the kernels know it: very long strokes have the grain of their beginning again.
  private var toldArc: Float {
    arc < 1_048_576 ? Float(arc) : Float(arc.truncatingRemainder(dividingBy: 1_048_576))
  }

  private func append(_ point: DevicePoint, _ nib: TexturedNib, direction: SIMD2<Double>) {
    columns.x.append(point.x)
    columns.y.append(point.y)
    columns.radius.append(nib.radius)
    columns.thickness.append(nib.thickness)
    columns.cosine.append(nib.cosine)
    columns.sine.append(nib.sine)
    columns.flow.append(nib.flow)
    columns.arc.append(toldArc)
    // Across the way, to the side that the kernels count as positive.
    columns.lean.append(nib.lean.x * Float(direction.y) - nib.lean.y * Float(direction.x))
  }

  /// Adds the last point once more, or one some way beside it.
  private func repeatLast(way: Float) {
    let last = columns.x.count - 1
    columns.x.append(columns.x[last] &+ Int32(clamping: way * 1024))
    columns.y.append(columns.y[last])
    columns.radius.append(columns.radius[last])
    columns.thickness.append(columns.thickness[last])
    columns.cosine.append(columns.cosine[last])
    columns.sine.append(columns.sine[last])
    columns.flow.append(columns.flow[last])
    columns.arc.append(columns.arc[last] + way)
    columns.lean.append(columns.lean[last])
  }
}
