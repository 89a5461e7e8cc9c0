public import Graphics

/// One stroke: an ink along a path, placed on the canvas by a transform.
public struct PKStroke: Sendable, Identifiable {
  /// The identifier, which the stroke keeps in all formats.
  public let id: Identifier
  /// The ink.
  public var ink: PKInk { didSet { archivedBounds = nil } }
  /// The path of the pen.
  public var path: PKStrokePath {
    didSet {
      archivedBounds = nil
      archivedMaskRanges = nil
    }
  }
  /// From the path's points to the canvas.
  public var transform: AffineTransform { didSet { archivedBounds = nil } }
  /// The area in which the stroke is visible, before the transform; nil if all of it is.
  public var mask: Path? {
    didSet {
      archivedBounds = nil
      archivedMaskRanges = nil
    }
  }
  /// The seed of the ink's texture: the same seed gives the same grain.
  public var randomSeed: UInt32
  /// Neighbouring strokes of one ink with the same group are drawn as if they were wet together.
  public var renderGroupID: Identifier?

  /// The render state of PencilKit's interface.
  package var renderState = StrokeRenderState.unstated

  /// The part of the path that is drawn, in parameter values.
  package var pathRange: ClosedRange<Double> {
    didSet {
      archivedBounds = nil
      archivedMaskRanges = nil
    }
  }
  /// The stroke that an eraser cut this one from, if it is a piece.
  package var parentID: Identifier?
  /// The bounds in the archive that the stroke came from; nil as soon as they may be wrong.
  package var archivedBounds: Rect?
  /// The ranges of the mask in the archive that the stroke came from; nil as soon as they may be
  /// wrong.
  package var archivedMaskRanges: [ClosedRange<Double>]?

  /// A stroke of an ink along a path, by default with a new random identifier.
  public init(
    ink: PKInk, path: PKStrokePath, transform: AffineTransform = .identity, mask: Path? = nil,
    randomSeed: UInt32 = 0, id: Identifier = Identifier(), renderGroupID: Identifier? = nil
  ) {
    self.id = id
    self.ink = ink
    self.path = path
    self.transform = transform
    self.mask = mask
    self.randomSeed = randomSeed
    self.renderGroupID = renderGroupID
    pathRange = .wholePath
  }

  /// A stroke from all its values.
  package init(
    ink: PKInk, path: PKStrokePath, transform: AffineTransform, mask: Path?, randomSeed: UInt32,
    id: Identifier, renderGroupID: Identifier?, pathRange: ClosedRange<Double>,
    parentID: Identifier?, archivedBounds: Rect?, archivedMaskRanges: [ClosedRange<Double>]?,
    renderState: StrokeRenderState = .unstated
  ) {
    self.id = id
    self.ink = ink
    self.path = path
    self.transform = transform
    self.mask = mask
    self.randomSeed = randomSeed
    self.renderGroupID = renderGroupID
    self.pathRange = pathRange
    self.parentID = parentID
    self.archivedBounds = archivedBounds
    self.archivedMaskRanges = archivedMaskRanges
    self.renderState = renderState
  }
}

/// The render state of PencilKit's interface, with which parts of a stroke look as in the whole. It
/// is only stored: here, grain is fixed to the page or to the stroke's own coordinates, and
/// continues without it.
package enum StrokeRenderState: Hashable, Sendable {
  /// The source of the stroke does not state it, as is usual.
  case unstated
  /// The stroke has none.
  case absent
  /// The point before the transform at which the grain starts; nil for the ink's own choice.
  case state(grainOffset: Point?)

  /// Whether both have the same effect on the look of a stroke.
  package func isEquivalent(to other: StrokeRenderState) -> Bool {
    (self == .unstated ? .absent : self) == (other == .unstated ? .absent : other)
  }
}

extension PKStroke: Hashable {
  /// Strokes are equal when they have the same identifier, look the same and have the same points.
  /// Archived bounds and ranges are not compared.
  public static func == (a: PKStroke, b: PKStroke) -> Bool {
    a.id == b.id && a.randomSeed == b.randomSeed && a.ink == b.ink && a.transform == b.transform
      && a.path == b.path && a.mask == b.mask && a.visiblePathRange == b.visiblePathRange
      && a.renderGroupID == b.renderGroupID && a.rootID == b.rootID
      && a.renderState.isEquivalent(to: b.renderState)
  }

  /// Hashes the identifier, the ink and the path.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(id)
    hasher.combine(ink)
    hasher.combine(path)
  }
}

extension PKStroke {
  /// Whether every property is known to be the same bit for bit. False for strokes with masks, whose
  /// curves are not compared. Only archives tell an absent render state from one that is not stated,
  /// and they are written alike over the archive that had none.
  func isIdentical(to other: PKStroke) -> Bool {
    guard mask == nil, other.mask == nil else { return false }
    guard archivedMaskRanges == nil, other.archivedMaskRanges == nil else { return false }
    return id == other.id && parentID == other.parentID && randomSeed == other.randomSeed
      && renderGroupID == other.renderGroupID && path.identifier == other.path.identifier
      && ink.widthLaw == other.ink.widthLaw && ink.color.space == other.ink.color.space
      && ink.inkType.rawValue.utf8.elementsEqual(other.ink.inkType.rawValue.utf8)
      && (archivedBounds == nil) == (other.archivedBounds == nil)
      && renderState.isEquivalent(to: other.renderState) && bits == other.bits
      && path.columns.isIdentical(to: other.path.columns)
  }

  /// The bits of all real numbers but those of points, since −0 equals 0.
  private var bits: [UInt64] {
    let (color, box) = (ink.color, archivedBounds ?? .null)
    var grain = Point.zero
    if case .state(let offset?) = renderState { grain = offset }
    return [
      color.red, color.green, color.blue, color.alpha, transform.a, transform.b, transform.c,
      transform.d, transform.tx, transform.ty, pathRange.lowerBound, pathRange.upperBound,
      path.creationDate.secondsSinceReferenceDate, box.minX, box.minY, box.maxX, box.maxY, grain.x,
      grain.y,
    ].map { $0.bitPattern }
  }
}

extension PKStroke {
  /// The identifier of the stroke that this is a piece of, or else its own.
  package var rootID: Identifier { parentID ?? id }

  /// The same stroke with another identifier.
  package func renamed(_ id: Identifier) -> PKStroke {
    PKStroke(
      ink: ink, path: path, transform: transform, mask: mask, randomSeed: randomSeed, id: id,
      renderGroupID: renderGroupID, pathRange: pathRange, parentID: parentID,
      archivedBounds: archivedBounds, archivedMaskRanges: archivedMaskRanges,
      renderState: renderState)
  }

  /// The part of the stroke between two parameter values of its path. It looks like that part of
  /// the whole stroke, because path, seed and grain are the same; its ends have the shape of the
  /// nib.
  public func substroke(range: ClosedRange<Double>) -> PKStroke {
    let part = range.clamped(to: visiblePathRange)
    var copy = renamed(
      id.derived("substroke", Int(truncatingIfNeeded: part.hashBits)))
    copy.pathRange = part
    copy.parentID = parentID ?? id
    return copy
  }

  /// The parameter values of the part of the path that is drawn.
  public var visiblePathRange: ClosedRange<Double> { pathRange.clamped(to: path.parameterRange) }

  /// Whether only a part of the path is drawn.
  package var isPartial: Bool { visiblePathRange != path.parameterRange }

  /// The parts of the path whose middle line is inside the mask, in parameter values; without a
  /// mask, the whole visible part. Exact to a hundredth of a point. If path and mask are too
  /// complex to compare, far beyond hand-made drawings, the result is the whole visible part.
  public var maskedPathRanges: [ClosedRange<Double>] {
    guard let mask, !path.isEmpty else { return path.isEmpty ? [] : [visiblePathRange] }
    // Nothing is visible, even if an archive states ranges.
    guard !mask.controlBounds.isEmpty else { return [] }
    // An archive may leave its ranges out.
    if let archivedMaskRanges, !archivedMaskRanges.isEmpty { return archivedMaskRanges }
    return path.ranges(inside: mask, of: visiblePathRange)
  }

  /// The oldest content version whose readers can show this stroke.
  public var requiredContentVersion: PKContentVersion { ink.requiredContentVersion }
}

extension ClosedRange<Double> {
  fileprivate var hashBits: UInt64 {
    lowerBound.bitPattern &* 31 ^ upperBound.bitPattern.byteSwapped
  }
}

extension PKStrokePath {
  /// The parts of a range where the curve is inside an area, exact to a hundredth of a point.
  ///
  /// The curve is approximated by chords. It can only enter or leave the area where a chord crosses
  /// an edge, so one test between two neighbouring crossings decides for all points there. If path
  /// and area are too complex to compare, far beyond hand-made drawings, the result is the whole
  /// range.
  func ranges(inside area: Path, of range: ClosedRange<Double>) -> [ClosedRange<Double>] {
    let polygons = area.flattened(tolerance: 0.01)
    let edgeCount = polygons.reduce(0) { $0 + $1.count }
    guard count * edgeCount <= Self.maximumComparisons else { return [range] }
    let crossings = crossings(of: polygons, in: range).sorted()
    guard crossings.count * edgeCount <= Self.maximumComparisons else { return [range] }
    let borders = [range.lowerBound] + crossings + [range.upperBound]
    var result: [ClosedRange<Double>] = []
    for (from, to) in zip(borders, borders.dropFirst())
    where to > from || range.lowerBound == range.upperBound {
      let middle = interpolatedLocation(at: (from + to) / 2)
      let winding = polygons.reduce(0) { $0 + $1.winding(around: middle) }
      guard area.fillRule.isInside(winding) else { continue }
      if let last = result.last, last.upperBound == from {
        result[result.count - 1] = last.lowerBound...to
      } else {
        result.append(from...to)
      }
    }
    return result
  }

  /// The maximum number of comparisons of a chord or a crossing with an edge: about a second's
  /// work.
  private static let maximumComparisons = 20_000_000

  /// The parameter values at which the curve crosses the edges of polygons.
  private func crossings(of polygons: [[Point]], in range: ClosedRange<Double>) -> [Double] {
    let edges = polygons.flatMap { polygon in
      polygon.indices.map { (polygon[$0], polygon[$0 + 1 < polygon.count ? $0 + 1 : 0]) }
    }
    var crossings: [Double] = []
    let tolerance = Swift.max(0.005, controlExtent * 1e-5)
    let (first, last) = (spanPosition(of: range.lowerBound), spanPosition(of: range.upperBound))
    for index in first.span...last.span {
      let from = index == first.span ? first.u : 0
      let to = index == last.span ? last.u : 1
      guard to > from else { continue }
      let span = span(index)
      let pieces = span.pieceCount(from: from, to: to, tolerance: tolerance)
      var (start, startPoint) = (from, span.location(at: from))
      for piece in 1...pieces {
        let end = from + (to - from) * Double(piece) / Double(pieces)
        let endPoint = span.location(at: end)
        for (a, b) in edges {
          guard let part = Self.crossing(startPoint, endPoint, a, b) else { continue }
          crossings.append(Double(index) + start + (end - start) * part)
        }
        (start, startPoint) = (end, endPoint)
      }
    }
    return crossings
  }

  /// The fraction of the line from `p` to `q` at which the line from `a` to `b` crosses it; nil if
  /// it does not.
  private static func crossing(_ p: Point, _ q: Point, _ a: Point, _ b: Point) -> Double? {
    let (way, edge) = (q - p, b - a)
    let area = way.cross(edge)
    guard area != 0 else { return nil }
    let (along, across) = ((a - p).cross(edge) / area, (a - p).cross(way) / area)
    return (0...1).contains(along) && (0...1).contains(across) ? along : nil
  }
}
