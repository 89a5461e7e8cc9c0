public import Graphics

/// Strokes that can be asked for one by one, with what can be told of each before its points are
/// known: a recording in memory, or a file that is read as needed.
public protocol StrokeSource {
  /// Why a stroke cannot be given.
  associatedtype Failure: Error

  /// How many strokes there are, in the order of their beginnings.
  var strokeCount: Int { get }

  /// The box of a stroke's pixels on the canvas; null where nothing is drawn.
  func bounds(ofStroke index: Int) -> Rect

  /// Whether a stroke may have pixels inside a rectangle of the canvas: a quick answer, which may be
  /// yes for one that just misses it.
  func mayDraw(stroke index: Int, in rect: Rect) -> Bool

  /// The ink of a stroke.
  func ink(ofStroke index: Int) -> PKInk

  /// The group that a stroke is wet together with, if it has one.
  func renderGroupID(ofStroke index: Int) -> Identifier?

  /// Whether a mask hides parts of a stroke, as an eraser leaves it.
  func isMasked(stroke index: Int) -> Bool

  /// When a stroke was drawn: from its date on, for as many milliseconds as its path takes, rounded
  /// up. All sources tell it alike, so that a replay does not depend on where strokes come from.
  func timeRange(ofStroke index: Int) -> ClosedRange<Timestamp>

  /// A stroke.
  func stroke(at index: Int) throws(Failure) -> PKStroke
}

extension StrokeSource {
  /// Whether a stroke's box meets the rectangle.
  public func mayDraw(stroke index: Int, in rect: Rect) -> Bool {
    bounds(ofStroke: index).intersects(rect)
  }
}

extension StrokeSource {
  /// Whether a stroke is drawn as one with the stroke right below it, as if both were wet: they have
  /// one render group and one ink, and no eraser has cut them.
  package func isWet(_ upper: Int, on lower: Int) -> Bool {
    guard let group = renderGroupID(ofStroke: upper) else { return false }
    return group == renderGroupID(ofStroke: lower) && ink(ofStroke: upper) == ink(ofStroke: lower)
      && !isMasked(stroke: upper) && !isMasked(stroke: lower)
  }
}

/// Strokes in memory.
public protocol StrokeList: StrokeSource where Failure == Never {
  /// The strokes.
  var strokes: [PKStroke] { get }
}

extension StrokeList {
  /// How many strokes there are.
  public var strokeCount: Int { strokes.count }

  /// The box of a stroke's pixels on the canvas.
  public func bounds(ofStroke index: Int) -> Rect { strokes[index].renderBounds }

  /// Whether the box around a stroke's control points meets the rectangle.
  public func mayDraw(stroke index: Int, in rect: Rect) -> Bool {
    strokes[index].controlBounds.intersects(rect)
  }

  /// The ink of a stroke.
  public func ink(ofStroke index: Int) -> PKInk { strokes[index].ink }

  /// The group that a stroke is wet together with, if it has one.
  public func renderGroupID(ofStroke index: Int) -> Identifier? { strokes[index].renderGroupID }

  /// Whether a mask hides parts of a stroke, as an eraser leaves it.
  public func isMasked(stroke index: Int) -> Bool { strokes[index].mask != nil }

  /// From a stroke's first point to its last.
  public func timeRange(ofStroke index: Int) -> ClosedRange<Timestamp> {
    strokes[index].path.timeRange
  }

  /// A stroke.
  public func stroke(at index: Int) throws(Never) -> PKStroke { strokes[index] }
}

extension PKDrawing: StrokeList {}
