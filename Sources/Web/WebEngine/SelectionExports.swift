import Graphics
import PKDFormat
import Strokes

// Strokes that the pen has selected, and changes of them. They stay selected until the next change
// of the page that is not one of theirs.

/// Selects the finished strokes with more than half of their ink inside a closed polygon. Its
/// corners are two numbers each, in points; without corners, nothing is selected. With `isAdding`
/// 1, strokes that are selected stay so. Returns the number of selected strokes.
@_cdecl("penSelect")
public func penSelect(
  _ handle: Int32, _ corners: UnsafePointer<Double>?, _ count: Int32, _ isAdding: Int32
) -> Int32 {
  selecting(handle) { (pen, _) throws(EngineError) in
    guard 0...maximumSampleCount ~= Int(count) else { throw .invalidArgument }
    var polygon: [Point] = []
    if count > 0 {
      guard let corners else { throw .invalidArgument }
      polygon = (0..<Int(count)).map { Point(x: corners[2 * $0], y: corners[2 * $0 + 1]) }
    }
    pen.select(inside: polygon, adding: isAdding == 1)
  }
}

/// Selects the front stroke with ink within a distance of a point, in points. With `isAdding` 1,
/// the others stay selected, and a selected one is deselected. Returns the number of selected
/// strokes.
@_cdecl("penSelectAt")
public func penSelectAt(
  _ handle: Int32, _ x: Double, _ y: Double, _ reach: Double, _ isAdding: Int32
) -> Int32 {
  selecting(handle) { (pen, _) throws(EngineError) in
    guard 0...1e3 ~= reach else { throw .invalidArgument }
    pen.select(at: try distance(x, y), within: reach, adding: isAdding == 1)
  }
}

/// Selects all strokes. Returns their number.
@_cdecl("penSelectAll")
public func penSelectAll(_ handle: Int32) -> Int32 {
  selecting(handle) { pen, _ in pen.selectAll() }
}

/// The number of selected strokes.
@_cdecl("penSelectionCount")
public func penSelectionCount(_ handle: Int32) -> Int32 { selecting(handle) { _, _ in } }

/// Calls a body as `withPen` does. Returns the number of selected strokes after it.
private func selecting(
  _ handle: Int32, at time: Double = 0,
  _ body: (inout PenPage, Timestamp) throws(EngineError) -> Void
) -> Int32 {
  var count: Int32 = 0
  let failure = withPen(handle, at: time) { (pen, time) throws(EngineError) in
    try body(&pen, time)
    count = Int32(pen.selectionCount)
  }
  return failure < 0 ? failure : count
}

/// The bounding box of the selected strokes' ink at its displayed position: x, y, width and height
/// in points. Nil if there is no ink. Valid until the next call.
@_cdecl("penSelectionBounds")
public func penSelectionBounds(_ handle: Int32) -> UnsafePointer<Double>? {
  bounds(handle) { $0.selectionBounds }
}

/// A box around all finished ink, on the page and beyond its edges, as `penSelectionBounds`.
@_cdecl("penInkBounds")
public func penInkBounds(_ handle: Int32) -> UnsafePointer<Double>? {
  bounds(handle) { $0.inkBounds }
}

private func bounds(_ handle: Int32, _ box: (PenPage) -> Rect) -> UnsafePointer<Double>? {
  guard let document = try? document(handle), let box = document.pen.map(box), !box.isNull else {
    return nil
  }
  document.bounds = Block([box.minX, box.minY, box.width, box.height])
  return document.bounds.start
}

/// Begins to drag the selected strokes.
@_cdecl("penBeginDrag")
public func penBeginDrag(_ handle: Int32) -> Int32 {
  withPen(handle) { pen, _ in pen.beginDrag() }
}

/// Shows the selected strokes as a transform places them that is applied after their own at the
/// start of the drag: x' = a·x + c·y + tx, y' = b·x + d·y + ty. `penEnd` records the last one as one
/// event, `penCancel` restores the strokes.
@_cdecl("penDrag")
public func penDrag(
  _ handle: Int32, _ a: Double, _ b: Double, _ c: Double, _ d: Double, _ tx: Double, _ ty: Double
) -> Int32 {
  withPen(handle) { (pen, _) throws(EngineError) in
    pen.drag(by: try transform(a, b, c, d, tx, ty))
  }
}

/// Moves, scales, turns or mirrors the selected strokes by a transform of the form of `penDrag`.
@_cdecl("penTransform")
public func penTransform(
  _ handle: Int32, _ a: Double, _ b: Double, _ c: Double, _ d: Double, _ tx: Double, _ ty: Double,
  _ time: Double
) -> Int32 {
  withPen(handle, at: time) { (pen, time) throws(EngineError) in
    pen.transformSelection(by: try transform(a, b, c, d, tx, ty), at: time)
  }
}

/// Removes the selected strokes.
@_cdecl("penDeleteSelection")
public func penDeleteSelection(_ handle: Int32, _ time: Double) -> Int32 {
  withPen(handle, at: time) { pen, time in pen.deleteSelection(at: time) }
}

/// Gives the selected strokes another ink, its index in `InkType.known` or -1; with `isColored` 1
/// another colour, 0xRRGGBBAA; and a mean width in points, or 0 and widths that are multiplied by a
/// factor. Returns their number.
@_cdecl("penRestyle")
public func penRestyle(
  _ handle: Int32, _ ink: Int32, _ isColored: Int32, _ color: UInt32, _ widthFactor: Double,
  _ time: Double, _ width: Double = 0
) -> Int32 {
  selecting(handle, at: time) { (pen, time) throws(EngineError) in
    let inks = PKInkingTool.InkType.known
    guard ink == -1 || inks.indices.contains(Int(ink)), 0.01...100 ~= widthFactor,
      width.isNaN || width == 0 || 0.01...1000 ~= width
    else {
      throw .invalidArgument
    }
    try pen.mayAdd(pen.selectedStrokes)
    pen.restyleSelection(
      ink: ink == -1 ? nil : inks[Int(ink)],
      color: isColored == 1 ? Color(rgba: color) : nil, width: width > 0 ? width : nil,
      widthFactor: widthFactor, at: time)
  }
}

/// The ink of the front selected stroke, its index in `InkType.known`; -1 without one.
@_cdecl("penSelectionInk")
public func penSelectionInk(_ handle: Int32) -> Int32 {
  let ink = (try? document(handle))?.pen?.selectedInk?.inkType
  return PKInkingTool.InkType.known.firstIndex { $0 == ink }.map { Int32($0) } ?? -1
}

/// Brings the selected strokes to the front with `isToFront` 1, or to the back. Returns their
/// number.
@_cdecl("penReorder")
public func penReorder(_ handle: Int32, _ isToFront: Int32, _ time: Double) -> Int32 {
  selecting(handle, at: time) { (pen, time) throws(EngineError) in
    try pen.mayAdd(pen.selectedStrokes)
    pen.reorderSelection(toFront: isToFront == 1, at: time)
  }
}

/// Adds a copy of the selected strokes at an offset in points, and selects it. Returns the number of
/// its strokes.
@_cdecl("penDuplicate")
public func penDuplicate(_ handle: Int32, _ x: Double, _ y: Double, _ time: Double) -> Int32 {
  selecting(handle, at: time) { (pen, time) throws(EngineError) in
    let offset = try distance(x, y)
    try pen.mayAdd(pen.selectedStrokes)
    pen.duplicateSelection(by: AffineTransform(translationX: offset.x, y: offset.y), at: time)
  }
}

/// Adds the strokes of a file, of the kinds that `documentOpen` reads, with the middle of their ink
/// at a point, and selects them. Returns their number.
@_cdecl("penInsert")
public func penInsert(
  _ handle: Int32, _ bytes: UnsafePointer<UInt8>?, _ count: Int32, _ x: Double, _ y: Double,
  _ time: Double
) -> Int32 {
  selecting(handle, at: time) { (pen, time) throws(EngineError) in
    let place = try distance(x, y)
    guard let bytes, count > 0 else { throw .notARecording }
    guard count <= OpenDocument.maximumByteCount else { throw .tooLarge }
    let file = Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
    let strokes = try OpenDocument(file).recording.drawing.strokes
    try pen.mayAdd(strokes)
    let box = strokes.reduce(Rect.null) { $0.union($1.inkBounds()) }
    let middle =
      box.isNull ? place : Point(x: (box.minX + box.maxX) / 2, y: (box.minY + box.maxY) / 2)
    let offset = place - middle
    pen.insert(strokes, by: AffineTransform(translationX: offset.x, y: offset.y), at: time)
  }
}

/// Writes the selected strokes as a `.pkd` file of their own. Returns the number of its bytes, which
/// `documentBytes` returns.
@_cdecl("documentWriteSelection")
public func documentWriteSelection(_ handle: Int32) -> Int32 {
  result { () throws(EngineError) in
    let document = try document(handle)
    guard let pen = document.pen else { throw .wrongKind }
    do throws(PKDContentError) {
      document.bytes = Block(
        try PKDWriter.encode(Recording(PKDrawing(strokes: pen.selectedStrokes))))
    } catch {
      throw .notWritable
    }
    return Int32(document.bytes.count)
  }
}

extension PenPage {
  /// Throws if more strokes would make a file that no page can open.
  fileprivate func mayAdd(_ strokes: [PKStroke]) throws(EngineError) {
    let (limits, count) = (OpenDocument.limits, recordedCount)
    let points = strokes.reduce(0) { $0 + $1.path.count }
    guard count.strokes + strokes.count <= limits.strokes, count.points + points <= limits.points
    else { throw .tooLarge }
  }
}

private func distance(_ x: Double, _ y: Double) throws(EngineError) -> Point {
  guard x.isFinite, y.isFinite else { throw .invalidArgument }
  return Point(x: x, y: y)
}

private func transform(
  _ a: Double, _ b: Double, _ c: Double, _ d: Double, _ tx: Double, _ ty: Double
) throws(EngineError) -> AffineTransform {
  let transform = AffineTransform(a: a, b: b, c: c, d: d, tx: tx, ty: ty)
  guard transform.isFinite else { throw .invalidArgument }
  return transform
}
