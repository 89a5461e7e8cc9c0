import Graphics
import Strokes

extension DevicePaths {
  /// Adds the chains of a path with round nibs; `radii` are those at the control points, in pixels.
  mutating func addRound(
    _ walk: StrokeWalk, radii: [Float], opacity: PathOpacity?
  ) {
    var builder = ChainBuilder(.round)
    walk.forEachSample(pieces: { opacity?.pieceCount($0) ?? 1 }) { span, u, position in
      let (a, b) = (radii[span], radii[min(span + 1, radii.count - 1)])
      let radius = a + (b - a) * Float(u)
      guard let point = DevicePoint(position), radius > 0 || builder.isOpen else {
        builder.finish(&chains)
        return
      }
      if let opacity, builder.changes(to: opacity.level(span, u)) {
        builder.finish(&chains)
        // The next chain starts at the point where the opacity changes.
        builder.begin(at: round.x.count - 1)
        builder.add()
        builder.extend(reach: round.radius[round.x.count - 1])
      }
      builder.extend(reach: radius)
      if let opacity { builder.opacity = opacity.level(span, u) }
      if builder.isOpen {
        // Points that hardly move cost time and add nothing.
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
  }

  /// Adds points with straight lines between them, in pixels, as one chain. Points outside of
  /// `DevicePoint.limit` are skipped.
  package mutating func addPolyline(
    count: Int, _ point: (Int) -> (x: Float, y: Float, radius: Float)
  ) -> Range<Int> {
    let (chain, start) = (chains.count, round.x.count)
    round.reserve(count)
    var reach: Float = 0
    for index in 0..<count {
      let (x, y, radius) = point(index)
      guard let center = DevicePoint(SIMD2(Double(x), Double(y))) else { continue }
      reach = max(reach, radius)
      round.x.appendReserved(center.x)
      round.y.appendReserved(center.y)
      round.radius.appendReserved(radius)
    }
    let added = round.x.count - start
    if added > 0 {
      chains.append(Chain(nib: .round, start: start, count: added, reach: reach))
    }
    return chain..<chains.count
  }

  /// Shorter steps, in 1/1024 pixels, are skipped.
  private static let nearby: Int32 = 40

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
