public import Graphics

extension PKStroke {
  /// A box that holds all pixels of the stroke on the canvas, with integer coordinates; null if
  /// nothing is drawn.
  public var renderBounds: Rect {
    // One more point on every side holds smooth edges, as in PencilKit's own bounds.
    archivedBounds
      ?? InkBox(of: self, includingBleed: true, toWholePoints: true).rect
      .grown(by: 1).roundedOutwards
  }

  /// A larger box that holds all pixels of the stroke on the canvas; null if nothing is drawn. It
  /// is found without following the curve, which lies inside the box of its control points.
  var controlBounds: Rect {
    if let archivedBounds { return archivedBounds }
    guard let box = path.controlBox else { return .null }
    // A nib of the maximum width and the maximum height.
    let size = ink.drawnSize(of: path.maximumSize)
    let nib = Nib(center: .zero, halfExtent: size * 0.5)
    let reach = nib.outerRadius + ink.bleed(of: nib) + 1
    return box.grown(by: reach).applying(transform).grown(by: 1)
  }

  /// The box of the ink on the canvas, or of its part between two parameter values. It is exact to
  /// 0.05 points, but only cut to the mask's box and not to its shape.
  public func inkBounds(in range: ClosedRange<Double>? = nil) -> Rect {
    InkBox(of: self, in: range, includingBleed: false).rect
  }

  /// The box of the ink that was laid down between two moments; null if there was none.
  public func inkBounds(from start: Timestamp, to end: Timestamp) -> Rect {
    guard !path.isEmpty, let range = path.parameters(from: start, to: end) else { return .null }
    return inkBounds(in: range)
  }

  /// Whether another stroke is a piece of the same stroke with the same shape. Paths that share
  /// their storage are compared in constant time.
  func isDrawnLike(_ other: PKStroke) -> Bool {
    parentID != nil && parentID == other.parentID && archivedBounds == other.archivedBounds
      && ink == other.ink && transform == other.transform && mask == other.mask
      && pathRange == other.pathRange && path == other.path
  }

  /// The outline of the ink before the transform, without the mask, grown by a margin in points.
  package func outline(in range: ClosedRange<Double>? = nil, margin: Double = 0) -> Path {
    StrokeOutline(nibChains(in: range), margin: margin).path
  }

  /// The outline of everything that the ink may colour, before the transform, without the mask. It
  /// includes the texture, and one more point on every side for smooth edges. Where only a part of
  /// the path is drawn, the outline ends exactly as the part does, and widens from there on.
  package var reachOutline: Path {
    let (part, whole) = (visiblePathRange, path.parameterRange)
    let chains = nibChains()
    let cuts = [
      part.lowerBound > whole.lowerBound ? chains.first?.first : nil,
      part.upperBound < whole.upperBound ? chains.last?.last : nil,
    ].compactMap { $0?.nib.center }
    return StrokeOutline(chains.map { ReachingChain(ink: ink, cuts: cuts).grown($0) }).path
  }

  /// Whether ink of this stroke lies at a point of the canvas, or within a radius of it.
  public func contains(_ point: Point, radius: Double = 0) -> Bool {
    guard renderBounds.grown(by: radius).contains(point) else { return false }
    if radius > 0 { return touches(Path(ellipseIn: Rect(around: [point]).grown(by: radius))) }
    guard let inverse = transform.inverted() else { return false }
    let local = point.applying(inverse)
    if let mask, !mask.contains(local) { return false }
    return nibChains().contains { chain in chain.isSwept(over: local) }
  }

  /// Whether ink of this stroke lies inside an area of the canvas.
  public func touches(_ area: Path) -> Bool {
    guard renderBounds.intersects(area.controlBounds), let inverse = transform.inverted() else {
      return false
    }
    return touches(area.applying(inverse), outline: outline())
  }

  /// Whether ink lies inside an area; area and outline are those before the transform.
  func touches(_ area: Path, outline: Path) -> Bool {
    let box = area.controlBounds.grown(by: 1)
    let common = outline.clipped(to: box).intersection(area)
    guard let mask, !common.isEmpty else { return !common.isEmpty }
    return !common.intersection(mask.clipped(to: box)).isEmpty
  }

  /// Whether ink of this stroke lies inside a rectangle of the canvas.
  public func intersects(_ rect: Rect) -> Bool {
    let bounds = inkBounds()
    guard bounds.intersects(rect) else { return false }
    return (mask == nil && rect.contains(bounds)) || touches(Path(rect))
  }
}

extension Nib {
  /// Half of the extent along the canvas's axes after the linear part of a transform.
  func reach(through transform: AffineTransform) -> Point {
    // The transformed x is a linear function; its direction in the nib's plane is (a, c). So the
    // furthest point in the transformed x is the support in that direction, and the same holds for
    // y.
    let x = support(Point(x: transform.a, y: transform.c)) - center
    let y = support(Point(x: transform.b, y: transform.d)) - center
    return Point(
      x: x.applyingLinearPart(of: transform).x, y: y.applyingLinearPart(of: transform).y)
  }

  fileprivate func isSwept(to next: Nib, over point: Point) -> Bool {
    // As the nib moves, the point's distance from it has a single minimum, found by ternary search.
    var (low, high) = (0.0, 1.0)
    for _ in 0..<24 {
      let (a, b) = (low + (high - low) / 3, high - (high - low) / 3)
      let (nearA, nearB) = (interpolated(to: next, at: a), interpolated(to: next, at: b))
      if nearA.contains(point) || nearB.contains(point) { return true }
      if nearA.distanceRatio(to: point) < nearB.distanceRatio(to: point) {
        high = b
      } else {
        low = a
      }
    }
    return false
  }
}

/// Grows the nibs of chains by the distance that the ink's texture may reach beyond them.
private struct ReachingChain {
  let ink: PKInk
  /// The locations at which the path is cut. A nib at some distance from a cut that grows by less
  /// than that distance does not reach beyond the nib at the cut.
  let cuts: [Point]

  func grown(_ chain: [NibSample]) -> [NibSample] {
    var result: [NibSample] = []
    for (index, sample) in chain.enumerated() {
      result.append(grown(sample))
      guard index + 1 < chain.count else { break }
      let next = chain[index + 1]
      // Nibs are interpolated linearly between samples, so a sample is added where growing ends.
      let bends = cuts.compactMap { bend(from: sample.nib, to: next.nib, cut: $0) }.sorted()
      for u in bends {
        let parameter = sample.parameter + (next.parameter - sample.parameter) * u
        result.append(
          grown(NibSample(parameter: parameter, nib: sample.nib.interpolated(to: next.nib, at: u))))
      }
    }
    return result
  }

  private func reach(of nib: Nib) -> Double { ink.bleed(of: nib) + 1 }

  private func grown(_ sample: NibSample) -> NibSample {
    let limit = cuts.map { sample.nib.center.distance(to: $0) / 2 }.min() ?? .infinity
    return NibSample(
      parameter: sample.parameter, nib: sample.nib.grown(by: min(reach(of: sample.nib), limit)))
  }

  /// The fraction of the way to the next nib at which nibs have grown by the full reach; nil if it
  /// is not between them.
  private func bend(from a: Nib, to b: Nib, cut: Point) -> Double? {
    let (from, to) = (a.center.distance(to: cut), b.center.distance(to: cut))
    let fullDistance = 2 * reach(of: a)
    guard from != to else { return nil }
    let u = (fullDistance - from) / (to - from)
    return u > 0 && u < 1 ? u : nil
  }
}

extension [NibSample] {
  fileprivate func isSwept(over point: Point) -> Bool {
    if contains(where: { $0.nib.contains(point) }) { return true }
    return zip(self, dropFirst()).contains { a, b in
      let box = Rect(around: [a.nib.center, b.nib.center]).grown(
        by: Swift.max(a.nib.outerRadius, b.nib.outerRadius))
      return box.contains(point) && a.nib.isSwept(to: b.nib, over: point)
    }
  }
}

extension PKStrokePath {
  /// The parameter values between two moments; nil if the whole path lies before or after them. A
  /// path whose clock stands still or runs back counts from the first control point that is not
  /// before the start to the last that is not after the end.
  package func parameters(from start: Timestamp, to end: Timestamp) -> ClosedRange<Double>? {
    func time(_ index: Int) -> Double { Double(columns.float(.timeOffset, at: index)) }
    let (from, to) = (start - creationDate, end - creationDate)
    guard count > 0, from <= to,
      let first = (0..<count).first(where: { time($0) >= from }),
      let last = (0..<count).last(where: { time($0) <= to })
    else { return nil }
    var lower = Double(first)
    if first > 0, time(first) > time(first - 1) {
      lower -= (time(first) - from) / (time(first) - time(first - 1))
    }
    var upper = Double(last)
    if last + 1 < count, time(last + 1) > time(last) {
      upper += Swift.min((to - time(last)) / (time(last + 1) - time(last)), 1)
    }
    // For a single moment, both are the same except for rounding.
    guard lower <= upper + 1e-9 else { return nil }
    return Swift.min(lower, upper)...upper
  }
}
