public import Graphics
public import Strokes

/// Random but valid values of the drawing model, the same for the same seed.
public struct RandomInk {
  /// The source of randomness.
  public var generator: SplitMix64

  /// Values that follow from a seed.
  public init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  /// A number in a range.
  public mutating func number(_ range: ClosedRange<Double>) -> Double {
    Double.random(in: range, using: &generator)
  }

  /// A whole number in a range.
  public mutating func whole(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &generator)
  }

  /// True with a probability, by default a half.
  public mutating func chance(_ probability: Double = 0.5) -> Bool { number(0...1) < probability }

  /// An identifier.
  public mutating func identifier() -> Identifier { Identifier(using: &generator) }

  /// A colour whose components are 32-bit floats, like those in files.
  public mutating func color() -> Color {
    func part(_ generator: inout SplitMix64) -> Double {
      Double(Float.random(in: 0...1, using: &generator))
    }
    return Color(
      red: part(&generator), green: part(&generator), blue: part(&generator),
      alpha: part(&generator))
  }

  /// An ink of any kind, sometimes an unknown one.
  public mutating func ink() -> PKInk {
    let kinds = PKInk.InkType.known + [.other(identifier: "com.example.ink.chalk")]
    return PKInk(kinds[whole(0...kinds.count - 1)], color: color())
  }

  /// A path like handwriting: a wandering line with changing width, pressure and tilt. Some
  /// channels are constant along some paths.
  public mutating func path(pointCount: ClosedRange<Int> = 0...40) -> PKStrokePath {
    let count = whole(pointCount)
    var place = Point(x: number(-200...1200), y: number(-200...1600))
    var heading = number(-3...3)
    var time = 0.0
    let constant = (size: chance(), force: chance(), tilt: chance(), opacity: chance(0.7))
    let first = (size: number(0...30), force: number(0...3), opacity: number(0...2))
    let points = (0..<count).map { _ in
      heading += number(-0.7...0.7)
      place += Point(x: number(0...9), y: number(-3...3) + heading)
      time += number(0...0.02)
      let width = constant.size ? first.size : number(0...30)
      return PKStrokePoint(
        location: place, timeOffset: time,
        size: Size(width: width, height: width * (chance() ? 1 : number(0...2))),
        opacity: constant.opacity ? first.opacity : number(0...2),
        force: constant.force ? first.force : number(0...4),
        azimuth: constant.tilt ? 0 : number(-3.1...3.1),
        altitude: constant.tilt ? .pi / 2 : number(0...1.57),
        secondaryScale: chance() ? 1 : number(0...3), threshold: chance() ? 0 : number(0...1))
    }
    return PKStrokePath(
      controlPoints: points,
      creationDate: Timestamp(secondsSinceReferenceDate: number(0...9e8)))
  }

  /// A transform of full rank with 32-bit floats.
  public mutating func transform() -> AffineTransform {
    let turn = AffineTransform(rotation: number(-3...3)).scaledBy(
      x: number(0.2...3), y: number(0.2...3))
    func short(_ value: Double) -> Double { Double(Float(value)) }
    return AffineTransform(
      a: short(turn.a), b: short(turn.b), c: short(turn.c), d: short(turn.d),
      tx: short(number(-500...500)), ty: short(number(-500...500)))
  }

  /// A polygon with coordinates that are 32-bit floats.
  public mutating func mask() -> Path {
    Path(
      polygon: (0..<whole(3...12)).map { _ in
        Point(x: Double(Float(number(-300...1300))), y: Double(Float(number(-300...1700))))
      })
  }

  /// A stroke with random values in all properties.
  public mutating func stroke(pointCount: ClosedRange<Int> = 0...40) -> PKStroke {
    PKStroke(
      ink: ink(), path: path(pointCount: pointCount),
      transform: chance(0.3) ? transform() : .identity, mask: chance(0.2) ? mask() : nil,
      randomSeed: UInt32.random(in: 0...UInt32.max, using: &generator), id: identifier(),
      renderGroupID: chance(0.1) ? identifier() : nil)
  }

  /// A drawing of some strokes.
  public mutating func drawing(
    strokeCount: ClosedRange<Int> = 0...12, pointCount: ClosedRange<Int> = 0...40
  ) -> PKDrawing {
    let count = whole(strokeCount)
    return PKDrawing(strokes: (0..<count).map { _ in stroke(pointCount: pointCount) })
  }
}

// MARK: - What erasers leave

extension RandomInk {
  /// A colour of any space whose components may leave 0…1, in 32-bit floats.
  public mutating func wideColor() -> Color {
    func part(_ generator: inout SplitMix64) -> Double {
      Double(Float.random(in: -0.25...1.25, using: &generator))
    }
    return Color(
      red: part(&generator), green: part(&generator), blue: part(&generator), alpha: color().alpha,
      space: chance() ? .displayP3 : .sRGB)
  }

  /// A mask over a stroke with a number of contours, which may cross themselves and each other;
  /// without contours it hides the whole stroke. The coordinates are 32-bit floats.
  public mutating func mask(over stroke: PKStroke, contourCount: Int) -> Path {
    let middle = stroke.path.randomElement(using: &generator)?.location ?? .zero
    return Path(
      polygons: (0..<contourCount).map { _ in
        (0..<whole(3...7)).map { _ in
          Point(
            x: Double(Float(middle.x + number(-60...60))),
            y: Double(Float(middle.y + number(-60...60))))
        }
      })
  }

  /// A drawing with all results of erasers and the lasso: dots and strokes without points, masks of
  /// no, one and several contours, parts of a stroke side by side and apart, strokes that share a
  /// path, groups, unknown inks, wide colours, ink of both width laws, cuts of every eraser, and
  /// copies.
  ///
  /// Strokes are short, because boolean operations are slow without the optimizer.
  public mutating func erasedDrawing(
    strokeCount: ClosedRange<Int> = 0...4, pointCount: ClosedRange<Int> = 0...8
  ) -> PKDrawing {
    var drawing = PKDrawing()
    for _ in 0..<whole(strokeCount) {
      drawing.strokes += usedStrokes(pointCount: chance(0.2) ? 0...1 : pointCount)
    }
    for _ in 0..<whole(0...2) { erase(&drawing) }
    if chance(0.2) { drawing.append(drawing.transformed(using: transform())) }
    if chance(0.2) { drawing.strokes.shuffle(using: &generator) }
    return drawing
  }

  /// A stroke or strokes made from it: parts, a masked one, another along the same path.
  private mutating func usedStrokes(pointCount: ClosedRange<Int>) -> [PKStroke] {
    var stroke = stroke(pointCount: pointCount)
    stroke.mask = nil
    if chance(0.3) { stroke.ink.color = wideColor() }
    if chance(0.2) { stroke.ink.widthLaw = .plain }
    if chance(0.3) { stroke.renderGroupID = identifier() }
    var result: [PKStroke]
    switch whole(0...3) {
    case 0: result = (0...whole(0...2)).map { _ in part(of: stroke) } + (chance() ? [stroke] : [])
    case 1:
      stroke.mask = mask(over: stroke, contourCount: whole(0...3))
      result = [stroke]
    case 2:
      stroke.mask = mask(over: stroke, contourCount: whole(1...2))
      result = [part(of: stroke)]
    default: result = [stroke]
    }
    if chance(0.3) {
      result.append(
        PKStroke(
          ink: ink(), path: stroke.path, transform: transform(), mask: stroke.mask,
          randomSeed: stroke.randomSeed, id: identifier(), renderGroupID: stroke.renderGroupID))
    }
    return result
  }

  /// A part of a stroke, from a dot to all of it.
  public mutating func part(of stroke: PKStroke) -> PKStroke {
    let range = stroke.visiblePathRange
    let ends = (number(range), chance(0.1) ? range.upperBound : number(range))
    return stroke.substroke(range: min(ends.0, ends.1)...max(ends.0, ends.1))
  }

  /// Draws an eraser of any kind across a stroke of a drawing.
  public mutating func erase(_ drawing: inout PKDrawing) {
    guard let stroke = drawing.strokes.randomElement(using: &generator),
      let point = stroke.path.randomElement(using: &generator)
    else { return }
    let place = point.location.applying(stroke.transform)
    let way = PKStrokePath(
      controlPoints: (0...whole(0...2)).map { index in
        PKStrokePoint(
          location: place + Point(x: number(-30...30), y: number(-30...30)),
          timeOffset: 0.01 * Double(index), size: Size(width: 1, height: 1), opacity: 1, force: 1,
          azimuth: 0, altitude: 1)
      })
    let kind: PKEraserTool.EraserType =
      chance(0.2) ? .vector : chance() ? .bitmap : .fixedWidthBitmap
    drawing.erase(along: way, with: PKEraserTool(kind, width: number(2...20)))
  }
}
