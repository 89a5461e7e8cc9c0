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

extension PKDrawing: StrokeSource {
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

  /// From a stroke's first point to its last.
  public func timeRange(ofStroke index: Int) -> ClosedRange<Timestamp> {
    strokes[index].path.timeRange
  }

  /// A stroke.
  public func stroke(at index: Int) throws(Never) -> PKStroke { strokes[index] }
}
