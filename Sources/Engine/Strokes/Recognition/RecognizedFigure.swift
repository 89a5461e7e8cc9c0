package import Graphics

/// A clean figure in place of a line that a hand drew.
package struct RecognizedFigure: Hashable, Sendable {
  /// The kinds of figures.
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    case line
    /// An open line with two to eight corners.
    case polyline
    /// A shaft with a head of two barbs.
    case arrow
    case circle, ellipse
    /// A rectangle or a square, rotated by any angle.
    case rectangle
    case triangle
    /// A star with five points: its outline, or five lines that cross.
    case star
    case heart
  }

  /// The kind of the figure.
  package let kind: Kind
  /// The figure as one contour of lines and cubics. It runs in the direction of the hand and starts
  /// near its start; closed figures end where they start.
  package let outline: Path
}

/// The figure that a hand meant to draw with one line; nil if it is none.
///
/// Size, rotation, direction, start and speed of the hand do not matter, except that figures are at
/// least 12 points large and that hearts are upright within about 30°. Lines, rectangles and
/// ellipses within 3° of the axes are rotated to them. Words and doodles give nil, and so do closed
/// polygons of other kinds.
///
/// The cost is linear in the number of points, after which the line is reduced to a fixed number of
/// samples. Points that are infinite or NaN are ignored.
package func recognizedFigure(of points: [Point]) -> RecognizedFigure? {
  guard let trace = HandTrace(points) else { return nil }
  let fits = StraightFits(trace.points)
  let candidate =
    trace.line(fits) ?? trace.arrow(fits) ?? trace.closedFigure(fits) ?? trace.polyline(fits)
  return candidate.map {
    RecognizedFigure(kind: $0.kind, outline: $0.outline.applying(trace.toCanvas))
  }
}

/// A figure in the coordinates of a trace, and the deviation of the hand from it.
struct FigureCandidate {
  let kind: RecognizedFigure.Kind
  let outline: Path
  /// The root of the mean squared distance of the samples from the figure.
  let error: Double

  init(_ kind: RecognizedFigure.Kind, _ outline: Path, error: Double) {
    (self.kind, self.outline, self.error) = (kind, outline, error)
  }

  /// A figure with straight sides.
  init(_ kind: RecognizedFigure.Kind, through corners: [Point], error: Double) {
    var outline = Path()
    for (index, corner) in corners.enumerated() {
      if index == 0 { outline.move(to: corner) } else { outline.addLine(to: corner) }
    }
    self.init(kind, outline, error: error)
  }
}
