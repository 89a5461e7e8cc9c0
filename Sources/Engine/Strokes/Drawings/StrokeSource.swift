public import Graphics

/// Strokes that are read one by one, with properties that are known before their points are read.
/// The source may be a recording in memory, or a file that is read as needed.
public protocol StrokeSource {
  /// The error if a stroke cannot be read.
  associatedtype Failure: Error

  /// The number of strokes, which are in the order of their beginnings.
  var strokeCount: Int { get }

  /// The box of a stroke's pixels on the canvas; null if nothing is drawn.
  func bounds(ofStroke index: Int) -> Rect

  /// Whether a stroke may have pixels inside a rectangle of the canvas. This is fast, and may be
  /// true for a stroke that just misses the rectangle.
  func mayDraw(stroke index: Int, in rect: Rect) -> Bool

  /// The ink of a stroke.
  func ink(ofStroke index: Int) -> PKInk

  /// The render group of a stroke, if it has one. Strokes of a group are wet together.
  func renderGroupID(ofStroke index: Int) -> Identifier?

  /// Whether a stroke has a mask, as an eraser leaves it.
  func isMasked(stroke index: Int) -> Bool

  /// The time in which a stroke was drawn: from its date on, for the duration of its path in
  /// milliseconds, rounded up. All sources give the same range, so that a replay does not depend on
  /// the source of strokes.
  func timeRange(ofStroke index: Int) -> ClosedRange<Timestamp>

  /// Reads a stroke with its points.
  func stroke(at index: Int) throws(Failure) -> PKStroke

  /// All strokes, if they are in memory; nil if each has to be read.
  var loadedStrokes: [PKStroke]? { get }
}

extension StrokeSource {
  /// No strokes in memory.
  public var loadedStrokes: [PKStroke]? { nil }

  /// Whether a stroke's box meets the rectangle.
  public func mayDraw(stroke index: Int, in rect: Rect) -> Bool {
    bounds(ofStroke: index).intersects(rect)
  }
}

/// A source whose strokes are in memory.
public protocol StrokeList: StrokeSource where Failure == Never {
  /// All strokes, in the order of their beginnings.
  var strokes: [PKStroke] { get }
}

extension StrokeList {
  /// The number of strokes.
  public var strokeCount: Int { strokes.count }

  /// The box of a stroke's pixels on the canvas.
  public func bounds(ofStroke index: Int) -> Rect { strokes[index].renderBounds }

  /// Whether the box around a stroke's control points meets the rectangle.
  public func mayDraw(stroke index: Int, in rect: Rect) -> Bool {
    strokes.span[index].controlBounds.intersects(rect)
  }

  // In place: to copy a stroke for one of its properties takes longer than the rest of the work.

  /// The ink of a stroke.
  public func ink(ofStroke index: Int) -> PKInk { strokes.span[index].ink }

  /// The render group of a stroke, if it has one.
  public func renderGroupID(ofStroke index: Int) -> Identifier? {
    strokes.span[index].renderGroupID
  }

  /// Whether a stroke has a mask, as an eraser leaves it.
  public func isMasked(stroke index: Int) -> Bool { strokes.span[index].mask != nil }

  /// The time in which a stroke was drawn, from its path.
  public func timeRange(ofStroke index: Int) -> ClosedRange<Timestamp> {
    strokes[index].path.timeRange
  }

  /// All strokes.
  public var loadedStrokes: [PKStroke]? { strokes }

  /// The stroke at an index.
  public func stroke(at index: Int) throws(Never) -> PKStroke { strokes[index] }
}

extension PKDrawing: StrokeList {}
