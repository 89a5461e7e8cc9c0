import Graphics
public import Strokes

extension PKDrawing {
  /// The visible differences of an archive made from this drawing; empty if both look the same.
  ///
  /// An archive stores 32-bit floats, colours as sRGB, sizes by PencilKit's width law, and masks of
  /// one contour instead of parts. So values may differ by the rounding, and areas by slivers.
  public func differences(inLookOf other: PKDrawing) -> [String] {
    guard strokes.count == other.strokes.count else {
      return ["\(strokes.count) and \(other.strokes.count) strokes"]
    }
    return zip(strokes, other.strokes).enumerated().flatMap { index, pair in
      pair.0.differences(inLookOf: pair.1).map { "stroke \(index): \($0)" }
    }
  }
}

extension PKStroke {
  fileprivate func differences(inLookOf other: PKStroke) -> [String] {
    let facts: [(String, Bool)] = [
      ("name", id == other.id && rootID == other.rootID),
      ("seed", randomSeed == other.randomSeed),
      ("group", renderGroupID == other.renderGroupID),
      ("transform", transform.inFloats == other.transform.inFloats),
      ("kind of ink", ink.inkType == other.ink.inkType),
      ("colour", ink.color.isClose(to: other.ink.color)),
      ("path", isAlong(other)),
      ("bounds", renderBounds.isNull || renderBounds == other.renderBounds),
      ("mask", (mask == nil && !isPartial) == (other.mask == nil && !other.isPartial)),
      ("visible area", shows(as: other)),
    ]
    return facts.filter { !$0.1 }.map(\.0)
  }

  /// Whether both are drawn along the same points with nibs of the same size.
  private func isAlong(_ other: PKStroke) -> Bool {
    if ink.widthLaw == other.ink.widthLaw { return path == other.path }
    return path.creationDate == other.path.creationDate
      && path.elementsEqual(other.path) { a, b in
        let (size, otherSize) = (ink.drawnSize(of: a.size), other.ink.drawnSize(of: b.size))
        var copy = b
        copy.size = a.size
        copy.secondaryScale = a.secondaryScale
        return a == copy && abs(size.width - otherSize.width) < 0.1
          && abs(size.height - otherSize.height) < 0.1
      }
  }

  /// Whether the same ink is visible, to the precision of outlines: a twentieth of a point. A part
  /// is read back with a mask that leaves a margin for texture at its sides.
  private func shows(as other: PKStroke) -> Bool {
    if mask == other.mask, isPartial == other.isPartial { return true }
    let (ours, theirs) = (shownArea(margin: 0), other.shownArea(margin: 0))
    let most = isPartial ? shownArea(margin: 4) : ours
    // Outlines are less exact where ink swells fast; the half point covers the seeds in use.
    let sliver = 0.5 + 0.05 * ours.perimeter
    return abs(ours.subtracting(theirs).signedArea) < sliver
      && abs(theirs.subtracting(most).signedArea) < sliver
  }

  /// The area of the visible ink, before the transform.
  private func shownArea(margin: Double) -> Path {
    let ink = outline(margin: margin)
    return mask.map { ink.intersection($0) } ?? ink.union(Path())
  }
}

extension AffineTransform {
  fileprivate var inFloats: [Float] { [a, b, c, d, tx, ty].map { Float($0) } }
}

extension Path {
  fileprivate var perimeter: Double {
    flattened().reduce(0) { sum, polygon in
      zip(polygon, polygon.dropFirst() + polygon.prefix(1)).reduce(sum) {
        $0 + $1.0.distance(to: $1.1)
      }
    }
  }
}

extension Color {
  /// Whether a colour is the same in sRGB, up to the rounding to 32-bit floats.
  fileprivate func isClose(to other: Color) -> Bool {
    let (a, b) = (converted(to: .sRGB), other.converted(to: .sRGB))
    return zip([a.red, a.green, a.blue, a.alpha], [b.red, b.green, b.blue, b.alpha]).allSatisfy {
      abs($0 - $1) < 1e-6
    }
  }
}
