import Graphics

/// Finds the box of a stroke's ink on the canvas.
///
/// Sampling nibs along a whole path takes longer than reading and writing its points. But most
/// spans lie far inside the box, which the hull of their control points shows. So a span next to
/// each outermost control point is sampled first, and then those whose hulls reach beyond the
/// box of these. The result is the same, bit for bit, as if all were sampled.
struct InkBox {
  /// The box, cut to the mask's; null if nothing is drawn.
  private(set) var rect = Rect.null

  /// The box of the ink in a range of parameter values, or in the whole visible part. The texture
  /// of the ink reaches a little further than the nibs. With `toWholePoints`, the box grown by 1 is
  /// exact only when it is rounded outwards, which takes fewer samples.
  init(
    of stroke: PKStroke, in range: ClosedRange<Double>? = nil, includingBleed: Bool,
    toWholePoints: Bool = false
  ) {
    guard !stroke.path.isEmpty else { return }
    let parts = SpanParts(of: stroke.path, in: stroke.visiblePathRange(within: range))
    let hulls = SpanHulls(stroke, includingBleed: includingBleed)
    let collector = ExtentCollector(stroke, includingBleed: includingBleed)
    var sampler = NibSampler(stroke, tolerance: 0.05, sink: collector)
    sampler.restart(at: parts.start)

    // The spans that were sampled first.
    var sampled = SIMD4<Int64>(repeating: -1)
    func sample(_ span: Int) {
      sampler.restart(at: span > parts.spans.lowerBound ? parts[span - 1].end : parts.start)
      sampler.add(parts[span])
    }
    let outermost = hulls.outermostPoints(of: parts.spans)
    for side in 0..<4 {
      let span = min(max(Int(outermost[side]), parts.spans.lowerBound), parts.spans.upperBound)
      guard !any(sampled .== Int64(span)) else { continue }
      sample(span)
      sampled[side] = Int64(span)
    }
    // Where a mask cuts the box, its empty parts depend on the exact one.
    let isRounded = toWholePoints && stroke.mask == nil
    func edges() -> Edges {
      let edges = Edges(sampler.sink.box.rect)
      return isRounded ? edges.roundedOutwards : edges
    }
    var box = edges()
    hulls.forEachSpan(of: parts.spans, reachingBeyond: &box) { span in
      if any(sampled .== Int64(span)) { return nil }
      sample(span)
      return edges()
    }
    rect = sampler.sink.box.rect
    guard let mask = stroke.mask, !rect.isNull else { return }
    rect = rect.intersection(mask.controlBounds.applying(stroke.transform))
  }
}

/// Includes nibs in a box on the canvas.
private struct ExtentCollector: NibSink {
  private(set) var box = ExtentBuilder()
  private let ink: PKInk
  private let transform: AffineTransform
  private let includesBleed: Bool

  init(_ stroke: PKStroke, includingBleed: Bool) {
    (ink, transform, includesBleed) = (stroke.ink, stroke.transform, includingBleed)
  }

  mutating func add(_ sample: NibSample) {
    let nib = includesBleed ? sample.nib.grown(by: ink.bleed(of: sample.nib)) : sample.nib
    box.include(nib.center.applying(transform), reach: nib.reach(through: transform))
  }

  mutating func interrupt() {}
}

/// Edges of boxes, as a vector: the lower edges, and the upper ones negated, so that a smaller
/// number always reaches further.
private struct Edges {
  var values: SIMD4<Double>

  init(low: SIMD2<Double>, high: SIMD2<Double>) {
    values = SIMD4(lowHalf: low, highHalf: -high)
  }

  init(_ box: Rect) {
    values = SIMD4(box.minX, box.minY, -box.maxX, -box.maxY)
  }

  /// The edges beyond which a box, grown by 1 and rounded outwards, becomes larger.
  var roundedOutwards: Edges {
    var edges = self
    // Every whole number up to here and its neighbours are exact; false for NaN.
    guard all(values .< 1e15), all(values .> -1e15) else { return self }
    edges.values = (values - 1).rounded(.down) + 1
    return edges
  }

  /// Whether another box does not reach further; false for NaN, and if this box is null.
  func contain(_ other: Edges) -> Bool { all(values .<= other.values) }
}

/// Boxes that the ink of each span lies in, found without sampling it.
private struct SpanHulls {
  private let path: PKStrokePath
  private let ink: PKInk
  private let transform: AffineTransform
  private let includesBleed: Bool
  private let isTurned: Bool
  private let widths: (start: Int, step: Int)
  private let aspects: (start: Int, step: Int)
  /// The maximum reach of the path's nibs on the canvas, with a margin far above rounding errors.
  private var largestReach = SIMD2<Double>.zero
  private var margin = 0.0

  init(_ stroke: PKStroke, includingBleed: Bool) {
    path = stroke.path
    ink = stroke.ink
    transform = stroke.transform
    includesBleed = includingBleed
    isTurned = ink.inkType.nibShape.isTurnedByAzimuth
    widths = path.columns.layout(of: .width)
    aspects = path.columns.layout(of: .aspect)
    largestReach = reach(ofSize: path.maximumSize)
    let box = path.controlBox ?? .zero
    // The control points beyond the ends are at most three times as far away.
    let distance = 3 * max(abs(box.minX), abs(box.minY), abs(box.maxX), abs(box.maxY))
    let scale = abs(transform.a) + abs(transform.b) + abs(transform.c) + abs(transform.d)
    let sum = scale * distance + abs(transform.tx) + abs(transform.ty)
    margin = (sum + largestReach.sum()) * 1e-12
    largestReach += margin
  }

  /// For each side, the control point that lies furthest out.
  func outermostPoints(of spans: ClosedRange<Int>) -> SIMD4<Int64> {
    var best = SIMD4<Double>(repeating: .infinity)
    var found = SIMD4<Int64>(repeating: Int64(spans.lowerBound))
    for point in spans.lowerBound...min(spans.upperBound + 1, path.count - 1) {
      let location = moved(path.columns.location(at: point))
      let edges = SIMD4(lowHalf: location, highHalf: -location)
      let isFurther = edges .< best
      best.replace(with: edges, where: isFurther)
      found.replace(with: Int64(point), where: isFurther)
    }
    return found
  }

  /// Calls the closure with the spans whose ink may lie beyond a box. It returns the larger box, or
  /// nil for the same.
  func forEachSpan(
    of spans: ClosedRange<Int>, reachingBeyond box: inout Edges, _ body: (Int) -> Edges?
  ) {
    // Whether each of the last four control points, the newest in the lowest bit, lies so far
    // inside that no nib there reaches beyond the box.
    var areInside: UInt8 = 0
    func add(_ index: Int) {
      let location = moved(path.controlLocation(index))
      let isInside = box.contain(
        Edges(low: location - largestReach, high: location + largestReach))
      areInside = areInside << 1 | (isInside ? 1 : 0)
    }
    for index in spans.lowerBound - 1...spans.lowerBound + 1 { add(index) }
    for span in spans {
      add(span + 2)
      if areInside & 0xF == 0xF || box.contain(hull(of: span)) { continue }
      if let larger = body(span) { box = larger }
    }
  }

  /// The box of a span. The curve lies in the hull of its four Bézier points; sizes change linearly
  /// along it, and nibs grow with them.
  private func hull(of span: Int) -> Edges {
    let (a, b, c, d) = (
      path.controlLocation(span - 1), path.controlLocation(span), path.controlLocation(span + 1),
      path.controlLocation(span + 2)
    )
    let points = (
      moved((a + 4 * b + c) / 6), moved((2 * b + c) / 3), moved((b + 2 * c) / 3),
      moved((b + 4 * c + d) / 6)
    )
    let low = lower(lower(points.0, points.1), lower(points.2, points.3))
    let high = -lower(lower(-points.0, -points.1), lower(-points.2, -points.3))
    let reach = reach(of: span) + margin
    return Edges(low: low - reach, high: high + reach)
  }

  @inline(__always)
  private func lower(_ a: SIMD2<Double>, _ b: SIMD2<Double>) -> SIMD2<Double> {
    a.replacing(with: b, where: b .< a)
  }

  /// A location on the canvas.
  @inline(__always)
  private func moved(_ point: SIMD2<Double>) -> SIMD2<Double> {
    SIMD2(
      transform.a * point.x + transform.c * point.y + transform.tx,
      transform.b * point.x + transform.d * point.y + transform.ty)
  }

  /// The reach of a span's nibs from their centres on the canvas.
  private func reach(of span: Int) -> SIMD2<Double> {
    let next = min(span + 1, path.count - 1)
    let width = max(
      path.columns.floats[widths.start + widths.step * span],
      path.columns.floats[widths.start + widths.step * next])
    let aspect = max(
      path.columns.words[aspects.start + aspects.step * span],
      path.columns.words[aspects.start + aspects.step * next])
    return reach(
      ofSize: Size(width: Double(width), height: Double(width) * Double(aspect) / 1000))
  }

  /// The reach on the canvas of nibs up to a size.
  private func reach(ofSize size: Size) -> SIMD2<Double> {
    var nib = Nib(center: .zero, halfExtent: ink.drawnSize(of: size) * 0.5)
    if includesBleed { nib = nib.grown(by: ink.bleed(of: nib)) }
    let radius = nib.outerRadius
    let half =
      isTurned
      ? SIMD2(repeating: radius) : SIMD2(abs(nib.halfExtent.width), abs(nib.halfExtent.height))
    return SIMD2(
      abs(transform.a) * half.x + abs(transform.c) * half.y,
      abs(transform.b) * half.x + abs(transform.d) * half.y)
  }
}
