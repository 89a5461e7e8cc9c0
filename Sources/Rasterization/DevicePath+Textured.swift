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
