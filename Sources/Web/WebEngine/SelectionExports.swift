import Graphics
import Strokes

// Strokes that the pen has selected. They stay selected until the next change of the page that does
// not move them.

/// Selects the finished strokes with more than half of their ink inside a closed polygon. Its
/// corners are two numbers each, in points; without corners, nothing is selected. Returns the
/// number of selected strokes.
@_cdecl("penSelect")
public func penSelect(
  _ handle: Int32, _ corners: UnsafePointer<Double>?, _ count: Int32
) -> Int32 {
  var selected: Int32 = 0
  let failure = withPen(handle) { (pen, _) throws(EngineError) in
    guard 0...maximumSampleCount ~= Int(count) else { throw .invalidArgument }
    var polygon: [Point] = []
    if count > 0 {
      guard let corners else { throw .invalidArgument }
      polygon = (0..<Int(count)).map { Point(x: corners[2 * $0], y: corners[2 * $0 + 1]) }
    }
    pen.select(inside: polygon)
    selected = Int32(pen.selectionCount)
  }
  return failure < 0 ? failure : selected
}

/// The bounding box of the selected strokes' ink at its displayed position: x, y, width and height
/// in points. Nil if there is no ink. Valid until the next call.
@_cdecl("penSelectionBounds")
public func penSelectionBounds(_ handle: Int32) -> UnsafePointer<Double>? {
  guard let document = try? document(handle), let box = document.pen?.selectionBounds, !box.isNull
  else { return nil }
  document.selectionBounds = Block([box.minX, box.minY, box.width, box.height])
  return document.selectionBounds.start
}

/// Begins to drag the selected strokes.
@_cdecl("penBeginDrag")
public func penBeginDrag(_ handle: Int32) -> Int32 {
  withPen(handle) { pen, _ in pen.beginDrag() }
}

/// Shows the selected strokes at an offset in points from the start of the drag. `penEnd` records
/// the last offset as one event, `penCancel` restores the strokes.
@_cdecl("penDrag")
public func penDrag(_ handle: Int32, _ x: Double, _ y: Double) -> Int32 {
  withPen(handle) { (pen, _) throws(EngineError) in pen.drag(by: try distance(x, y)) }
}

/// Moves the selected strokes by an offset in points.
@_cdecl("penMove")
public func penMove(_ handle: Int32, _ x: Double, _ y: Double, _ time: Double) -> Int32 {
  withPen(handle, at: time) { (pen, time) throws(EngineError) in
    pen.move(by: try distance(x, y), at: time)
  }
}

/// Removes the selected strokes.
@_cdecl("penDeleteSelection")
public func penDeleteSelection(_ handle: Int32, _ time: Double) -> Int32 {
  withPen(handle, at: time) { pen, time in pen.deleteSelection(at: time) }
}

private func distance(_ x: Double, _ y: Double) throws(EngineError) -> Point {
  guard x.isFinite, y.isFinite else { throw .invalidArgument }
  return Point(x: x, y: y)
}
