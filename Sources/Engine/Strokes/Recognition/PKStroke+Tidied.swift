import Graphics

extension PKStroke {
  /// The figure that the hand meant to draw, on the canvas; nil if it is none, or if only a part of
  /// the stroke is visible.
  package var figure: RecognizedFigure? {
    guard mask == nil, !isPartial, !path.isEmpty else { return nil }
    // A fitted path has few control points. The longest path of a pen has enough without more.
    let pieces = min(max(20_000 / path.count, 1), 8)
    let last = (path.count - 1) * pieces
    return recognizedFigure(
      of: (0...last).map {
        path.interpolatedLocation(at: Double($0) / Double(pieces)).applying(transform)
      })
  }

  /// The stroke with the clean figure that the hand meant to draw; nil if it is none.
  ///
  /// Ink, transform and seed are the same; the identifier is, unless another is given. Width,
  /// opacity, force and direction of the pen are the hand's means along its way. Times run from the
  /// hand's start to its end in proportion to the length of the figure.
  package func tidied(id: Identifier? = nil) -> PKStroke? {
    figure.flatMap { tidied(as: $0, id: id) }
  }

  /// The stroke with a figure of the canvas instead of its path; nil if the transform has no
  /// inverse.
  package func tidied(as figure: RecognizedFigure, id: Identifier? = nil) -> PKStroke? {
    guard let inverse = transform.inverted(), !path.isEmpty else { return nil }
    let controls = figure.splineControls.map { $0.applying(inverse) }
    guard controls.count > 1, controls.allSatisfy({ $0.isFinite }) else { return nil }
    var point = path.meanPoint
    let (start, duration) = (path[0].timeOffset, path.duration)
    let parts = Self.lengthParts(of: controls)
    var result = renamed(id ?? self.id)
    result.path = PKStrokePath(
      controlPoints: zip(controls, parts).map { control, part in
        point.location = control
        point.timeOffset = start + duration * part
        return point
      }, creationDate: path.creationDate)
    result.pathRange = .wholePath
    return result
  }

  /// The part of a spline's length up to each control point's parameter.
  private static func lengthParts(of controls: [Point]) -> [Double] {
    let knots = controls.indices.map { index in
      let middle = controls[index]
      guard index > 0, index + 1 < controls.count else { return middle }
      return (controls[index - 1] + middle * 4 + controls[index + 1]) / 6
    }
    var lengths = [0.0]
    for (a, b) in zip(knots, knots.dropFirst()) {
      lengths.append(lengths[lengths.count - 1] + a.distance(to: b))
    }
    let total = lengths[lengths.count - 1]
    return lengths.map { total > 0 ? $0 / total : 0 }
  }
}

extension PKStrokePath {
  /// The means of all values along the way of the pen, at no particular place. The way to and from
  /// each control point is its weight, so that places where the pen held still do not count more.
  fileprivate var meanPoint: PKStrokePoint {
    let points = points
    var weights = points.indices.map { index in
      let before = index > 0 ? points[index].location.distance(to: points[index - 1].location) : 0
      let after =
        index + 1 < points.count
        ? points[index].location.distance(to: points[index + 1].location) : 0
      return before + after
    }
    let sum = weights.reduce(0, +)
    weights = weights.map { sum > 0 && sum.isFinite ? $0 / sum : 1 / Double(points.count) }
    func mean(_ value: (PKStrokePoint) -> Double) -> Double {
      zip(points, weights).reduce(0) { $0 + value($1.0) * $1.1 }
    }
    var result = points[0]
    result.size = Size(width: mean { $0.size.width }, height: mean { $0.size.height })
    result.opacity = mean { $0.opacity }
    result.force = mean { $0.force }
    result.altitude = mean { $0.altitude }
    result.secondaryScale = mean { $0.secondaryScale }
    result.threshold = mean { $0.threshold }
    result.lateralJitter = mean { $0.lateralJitter }
    result.edgeWidth = mean { $0.edgeWidth }
    // Angles on both sides of 180° have a mean there, and not at 0°.
    let direction = zip(points, weights).reduce(Point.zero) {
      $0 + Point(angle: $1.0.azimuth) * $1.1
    }
    if direction.length > 1e-9 {
      result.azimuth = Point(x: 1, y: 0).turn(to: direction) * (.pi / 180)
    }
    return result
  }
}

extension RecognizedFigure {
  /// The control points of a uniform cubic B-spline along the outline: three equal ones at each
  /// corner, where it turns at once, and on curves as many as keep it within 0.02 points or 0.02 %
  /// of the outline's size.
  var splineControls: [Point] {
    guard let curves = outline.contours.first, let first = curves.first else { return [] }
    let box = outline.controlBounds
    let tolerance = max(0.02, 0.0002 * Point(x: box.width, y: box.height).length)
    var result = [first.start]
    var run = Path()
    for (index, curve) in curves.enumerated() {
      if run.isEmpty { run.move(to: curve.start) }
      run.addCubic(to: curve.end, control1: curve.control1, control2: curve.control2)
      let next = index + 1 < curves.count ? curves[index + 1] : nil
      if let next {
        let turn = (curve.end - curve.control2).turn(to: next.control1 - next.start)
        guard abs(turn) > 1 else { continue }
      }
      result += PKStrokePath.splineControls(along: run, tolerance: tolerance)
        .dropFirst().map { $0.location }
      if next != nil { result += [curve.end, curve.end] }
      run = Path()
    }
    return result
  }
}
