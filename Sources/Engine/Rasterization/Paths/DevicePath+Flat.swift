import Graphics
import Strokes

extension DevicePaths {
  /// Adds the chains of a path with round nibs.
  mutating func addRound(_ walk: StrokeWalk, _ radii: RoundRadii, opacity: PathOpacity?) {
    let reduction = walk.precision.reduction
    // Shorter steps, in 1/1024 pixels, are skipped if the nib hardly grows. Where pixels are
    // averaged, steps up to a tenth of a pixel of the picture are short compared to the nib: others
    // make up the ink of small writing.
    let longest = reduction > 1 ? 102 * Float(reduction) : 0
    let growth: Float = reduction > 1 ? 0.1 : 0
    var builder = ChainBuilder(.round)
    var last = (x: Int32.zero, y: Int32.zero, radius: Float.zero)
    var skipped: (point: DevicePoint, radius: Float)?
    // The radii at the ends of a span.
    var (known, a, b) = (-1, Float.zero, Float.zero)
    walk.forEachSample(pieces: { opacity?.pieceCount($0) ?? 1 }) { span, u, position in
      if span != known {
        a = span == known + 1 && known >= 0 ? b : radii[span]
        b = radii[min(span + 1, radii.count - 1)]
        known = span
      }
      let radius = a + (b - a) * Float(u)
      guard let point = DevicePoint(position), radius > 0 || builder.isOpen else {
        builder.finish(&chains)
        skipped = nil
        return
      }
      if let opacity, builder.changes(to: opacity.level(span, u)) {
        builder.finish(&chains)
        // The next chain starts at the point where the opacity changes.
        builder.begin(at: round.count - 1)
        builder.add()
        builder.extend(reach: last.radius)
      }
      builder.extend(reach: radius)
      if let opacity { builder.opacity = opacity.level(span, u) }
      if builder.isOpen {
        // Points that hardly move cost time and add nothing.
        let (dx, dy) = (abs(point.x &- last.x), abs(point.y &- last.y))
        let nearby = Int32(max(min(512 * last.radius, longest), 40))
        if max(dx, dy) < nearby, abs(radius - last.radius) < max(0.02, growth * last.radius),
          u < 1 || reduction > 1
        {
          if reduction > 1 { skipped = (point, radius) }
          return
        }
        if dx == 0, dy == 0, radius <= last.radius { return }
      } else {
        builder.begin(at: round.count)
      }
      round.append(point, radius)
      last = (point.x, point.y, radius)
      skipped = nil
      builder.add()
    }
    // The end of a path is kept.
    if let skipped, builder.isOpen {
      round.append(skipped.point, skipped.radius)
      builder.add()
    }
    builder.finish(&chains)
  }

  /// Adds points with straight lines between them, in pixels, as one chain. Points outside of
  /// `DevicePoint.limit` are skipped.
  package mutating func addPolyline(
    count: Int, _ point: (Int) -> (x: Float, y: Float, radius: Float)
  ) -> Range<Int> {
    let (chain, start) = (chains.count, round.count)
    round.reserve(count)
    var reach: Float = 0
    for index in 0..<count {
      let (x, y, radius) = point(index)
      guard let center = DevicePoint(SIMD2(Double(x), Double(y))) else { continue }
      reach = max(reach, radius)
      round.append(center, radius)
    }
    let added = round.count - start
    if added > 0 {
      chains.append(Chain(nib: .round, start: start, count: added, reach: reach))
    }
    return chain..<chains.count
  }

  /// Adds the chains of a path with elliptic nibs. `nib` gives xx, xy and yy of M·Mᵀ in square
  /// pixels, where M maps the unit disc to the nib; nil where nothing is drawn.
  mutating func addElliptic(
    _ walk: StrokeWalk, opacity: PathOpacity?, pieces: (_ span: Int) -> Int,
    nib: (_ span: Int, _ u: Double) -> SIMD3<Float>?
  ) {
    var builder = ChainBuilder(.elliptic)
    walk.forEachSample(pieces: { max(pieces($0), opacity?.pieceCount($0) ?? 1) }) {
      span, u, position in
      guard let point = DevicePoint(position), let form = nib(span, u) else {
        builder.finish(&chains)
        return
      }
      if let opacity, builder.changes(to: opacity.level(span, u)) {
        builder.finish(&chains)
        // The next chain starts at the point where the opacity changes.
        builder.begin(at: elliptic.x.count - 1)
        builder.add()
        builder.extend(reach: elliptic.reach(at: elliptic.x.count - 1))
      }
      if let opacity { builder.opacity = opacity.level(span, u) }
      if !builder.isOpen { builder.begin(at: elliptic.x.count) }
      builder.extend(reach: max(form.x, form.z).squareRoot())
      elliptic.x.append(point.x)
      elliptic.y.append(point.y)
      elliptic.xx.append(form.x)
      elliptic.xy.append(form.y)
      elliptic.yy.append(form.z)
      builder.add()
    }
    builder.finish(&chains)
  }
}

/// Half the drawn widths at the control points of a path, in pixels.
struct RoundRadii {
  private let columns: PointColumns
  private let widths: (start: Int, step: Int)
  private let law: MarkSize
  private let scale: Double

  /// Nil if the nib of the stroke is not a disc in pixels.
  init?(_ stroke: PKStroke, through transform: AffineTransform) {
    let shape = stroke.nibShape
    guard shape.exponent == 2, !shape.isTurnedByAzimuth, stroke.path.hasSquareSizes,
      transform.isSimilarity
    else { return nil }
    columns = stroke.path.columns
    widths = columns.layout(of: .width)
    law = stroke.ink.markSize
    scale = transform.meanScale / 2
  }

  var count: Int { columns.count }

  @inline(__always)
  subscript(point: Int) -> Float {
    let width = Double(columns.floats[widths.start + widths.step * point])
    let drawn = law.drawn(Size(width: width, height: width)).width
    return Float(min(drawn * scale, DevicePoint.limit))
  }
}

extension AffineTransform {
  /// Whether circles stay circles.
  fileprivate var isSimilarity: Bool {
    let size = max(abs(a), abs(b), abs(c), abs(d))
    return max(abs(a - d), abs(b + c)) <= 1e-6 * size || max(abs(a + d), abs(b - c)) <= 1e-6 * size
  }
}
