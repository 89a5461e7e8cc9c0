import CMath
public import Graphics

/// The shape that an ink presses onto the page at one point of a path: a superellipse.
public struct Nib: Hashable, Sendable {
  /// The location of its centre.
  public var center: Point
  /// Half of its extent along its own axes, in points.
  public var halfExtent: Size
  /// The angle of its first axis from the x axis towards the y axis, in radians.
  public var angle: Double
  /// The exponent of the superellipse: 2 for an ellipse; the greater, the nearer to a rectangle.
  public var exponent: Double

  /// A nib, by default an upright ellipse.
  public init(center: Point, halfExtent: Size, angle: Double = 0, exponent: Double = 2) {
    self.center = center
    self.halfExtent = halfExtent
    self.angle = angle
    self.exponent = exponent
  }

  /// The nib of an ink at a point; nil if the ink draws nothing there.
  public init?(_ ink: PKInk, at point: PKStrokePoint) {
    self.init(ink, location: point.location, size: point.size, azimuth: point.azimuth)
  }

  /// The nib of an ink at a point with these values; nil if the ink draws nothing there.
  init?(_ ink: PKInk, location: Point, size: Size, azimuth: Double) {
    let shape = ink.inkType.nibShape
    var drawn = ink.drawnSize(of: size)
    guard drawn.width > 0, drawn.height > 0 else { return nil }
    if ink.widthLaw == .pencilKit,
      abs(size.height - size.width) <= 1e-3 * size.width
    {
      drawn.height *= shape.squareRatio
    }
    // Paths hold the ratio in thousandths.
    let isRound = ink.isPlainMarker && abs(size.height - size.width) <= 6e-4 * size.width
    self.init(
      center: location, halfExtent: drawn * 0.5,
      angle: shape.isTurnedByAzimuth && !isRound ? azimuth : 0,
      exponent: isRound ? 2 : shape.exponent)
  }
}

extension PKInk {
  /// Whether this is a highlighter from another source. A tip that is as high as wide is round
  /// there, as in most programs; in PencilKit it is a blade.
  var isPlainMarker: Bool { widthLaw == .plain && inkType == .marker }
}

extension PKStroke {
  /// Whether this is a stroke of a highlighter from another source with a round tip.
  package var hasRoundHighlighter: Bool { ink.isPlainMarker && path.hasSquareSizes }

  /// The shape of the stroke's nibs.
  package var nibShape: NibShape {
    hasRoundHighlighter ? NibShape(bleed: 0.5) : ink.inkType.nibShape
  }
}

extension PKInk {
  /// The extent of the mark that a point of a size leaves, in points; zero where nothing is drawn.
  ///
  /// By PencilKit's law, pen, monoline, fountain pen and reed draw `2·size − 4` and nothing up to
  /// size 2; the marker's upright blade is `1.225·height` wide and `0.4375·width` tall; pencil,
  /// crayon and watercolor draw `1.75·size`.
  public func drawnSize(of size: Size) -> Size { markSize.drawn(size) }

  /// The law of `drawnSize`.
  package var markSize: MarkSize { widthLaw == .pencilKit ? inkType.markSize : .plain }

  /// The size at which this ink leaves a mark of an extent by PencilKit's law: the inverse of
  /// `drawnSize`.
  ///
  /// It is for ink that code makes, and for ink of the plain law that has to be written in a format
  /// which only has PencilKit's.
  public func pencilKitSize(drawing drawn: Size) -> Size {
    switch inkType.markSize {
    case .plain: return drawn
    case .line:
      let width = drawn.width / 2 + 2
      var ratio = drawn.width > 0 ? drawn.height / drawn.width : 1
      // An equal height would be read as the ink's usual ratio, which is flat.
      if inkType.nibShape.squareRatio != 1, abs(ratio - 1) < 2e-3 { ratio = 1.002 }
      return Size(width: width, height: width * ratio)
    case .blade: return Size(width: drawn.height / 0.4375, height: drawn.width / 1.225)
    case .soft: return drawn * (1 / 1.75)
    }
  }

  /// How far the ink's texture may reach beyond a nib, in points.
  func bleed(of nib: Nib) -> Double {
    let shape = inkType.nibShape
    let radius = max(nib.halfExtent.width, nib.halfExtent.height)
    return min(shape.wander * radius, shape.wanderLimit) + shape.bleed
  }
}

extension Nib {
  /// The point of the nib that lies furthest in a direction.
  public func support(_ direction: Point) -> Point {
    // Most inks are never turned.
    let (sine, cosine) = angle == 0 ? (0, 1) : (mathSine(angle), mathCosine(angle))
    let u = direction.x * cosine + direction.y * sine
    let v = direction.y * cosine - direction.x * sine
    let (a, b) = (halfExtent.width, halfExtent.height)
    // At the furthest point, the gradient of |x/a|^p + |y/b|^p has the direction (u, v). This is
    // solved for (x, y) with the dual exponent q = p / (p − 1).
    let local: Point
    if exponent == 2 {
      let length = (a * a * u * u + b * b * v * v).squareRoot()
      guard length > 0 else { return center }
      local = Point(x: a * a * u / length, y: b * b * v / length)
    } else {
      let q = exponent / (exponent - 1)
      let (s, t) = (mathPower(abs(a * u), q), mathPower(abs(b * v), q))
      guard s + t > 0 else { return center }
      local = Point(
        x: (u < 0 ? -a : a) * mathPower(s / (s + t), 1 / exponent),
        y: (v < 0 ? -b : b) * mathPower(t / (s + t), 1 / exponent))
    }
    return center
      + Point(x: local.x * cosine - local.y * sine, y: local.x * sine + local.y * cosine)
  }

  /// Half of the extent along the canvas's axes.
  public var reach: Point {
    if exponent == 2, halfExtent.width == halfExtent.height {
      return Point(x: halfExtent.width, y: halfExtent.width)
    }
    return Point(
      x: support(Point(x: 1, y: 0)).x - center.x, y: support(Point(x: 0, y: 1)).y - center.y)
  }

  /// The nib with all sides moved outwards.
  func grown(by margin: Double) -> Nib {
    var nib = self
    nib.halfExtent = Size(
      width: halfExtent.width + margin, height: halfExtent.height + margin)
    return nib
  }

  /// The offset of a point from the centre, in units in which the nib has radius 1.
  private func unitOffset(of point: Point) -> Point {
    let offset = point - center
    let (sine, cosine) = (mathSine(angle), mathCosine(angle))
    return Point(
      x: (offset.x * cosine + offset.y * sine) / halfExtent.width,
      y: (offset.y * cosine - offset.x * sine) / halfExtent.height)
  }

  /// Whether a point lies inside the nib or on its edge.
  public func contains(_ point: Point) -> Bool { distanceRatio(to: point) <= 1 }

  /// The distance of a point from the centre relative to that of the edge in its direction, raised
  /// to the exponent: 1 on the edge.
  func distanceRatio(to point: Point) -> Double {
    let offset = unitOffset(of: point)
    if exponent == 2 { return offset.x * offset.x + offset.y * offset.y }
    return mathPower(abs(offset.x), exponent) + mathPower(abs(offset.y), exponent)
  }

  /// The radius of a circle around the centre that encloses the nib.
  package var outerRadius: Double {
    (halfExtent.width * halfExtent.width + halfExtent.height * halfExtent.height).squareRoot()
  }

  /// The nib interpolated linearly towards another one, with the angle on the shorter way.
  func interpolated(to next: Nib, at u: Double) -> Nib {
    Nib(
      center: center.interpolated(to: next.center, at: u),
      halfExtent: Size(
        width: halfExtent.width + (next.halfExtent.width - halfExtent.width) * u,
        height: halfExtent.height + (next.halfExtent.height - halfExtent.height) * u),
      angle: angle + mathRemainder(next.angle - angle, 2 * .pi) * u, exponent: exponent)
  }
}
