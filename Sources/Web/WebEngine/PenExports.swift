import Graphics
import Rasterization
import Replay
import Strokes

// The pen, with which a page draws on a document.

/// Takes the pen of a document, to continue its recording: strokes of an archive are never undone, as
/// in an app. The session's 16 bytes must be random,
/// because the identifiers of new strokes are derived from them. Returns 0.
@_cdecl("penTake")
public func penTake(_ handle: Int32, _ session: UnsafePointer<UInt8>?) -> Int32 {
  result { () throws(EngineError) in
    let document = try document(handle)
    guard let session,
      let id = Identifier(bytes: UnsafeBufferPointer(start: session, count: 16))
    else { throw .invalidArgument }
    document.pen = PenPage(
      continuing: document.recording, session: id, canUndoAll: document.residue == nil)
    document.openPenView = { document, options throws(EngineError) in
      try PageView(drawingOn: document, options)
    }
    return 0
  }
}

/// Derives the identifiers of later strokes from another session, whose 16 bytes must be random: the
/// same calls then make the same strokes on the document that `documentWrite` has just written.
/// Returns 0.
@_cdecl("penBeginSession")
public func penBeginSession(_ handle: Int32, _ session: UnsafePointer<UInt8>?) -> Int32 {
  withPen(handle) { (pen, _) throws(EngineError) in
    guard let session,
      let id = Identifier(bytes: UnsafeBufferPointer(start: session, count: 16))
    else { throw .invalidArgument }
    pen.begin(id)
  }
}

/// Opens a view of the page that the pen of a document draws on, with `viewOptions`. Returns a handle.
@_cdecl("viewOpenLive")
public func viewOpenLive(
  _ handle: Int32, _ scale: Double, _ x: Double, _ y: Double, _ width: Double, _ height: Double,
  _ style: Int32, _ paper: Int32, _ background: Int32, _ backgroundColor: UInt32,
  _ earlier: Int32, _ earlierColor: UInt32, _ side: Int32 = 0, _ margin: Double = 0
) -> Int32 {
  result { () throws(EngineError) in
    let document = try document(handle)
    let options = try viewOptions(
      scale, x, y, width, height, style, paper, background, backgroundColor, earlier, earlierColor,
      side, margin)
    defer { shareMemory() }
    return views.add(try PageView(drawingOn: document, options))
  }
}

extension PageView {
  /// A view of the page that the pen draws on.
  fileprivate convenience init(
    drawingOn document: OpenDocument, _ options: RenderOptions
  ) throws(EngineError) {
    guard let pen = document.pen else { throw .wrongKind }
    do throws(RenderError) {
      let canvas = try PenCanvas(pen, options: options)
      self.init(
        of: document, page: canvas.page,
        pen: PenDrawing(
          update: { drawsAll throws(RenderError) in
            try document.pen.map { pen throws(RenderError) in
              try canvas.show(pen, drawsAll: drawsAll)
            } ?? []
          },
          drawBlock: { x, y throws(RenderError) in try canvas.drawBlock(nearestTo: x, y) },
          move: { canvas.move(right: $0, down: $1) },
          waitingCount: { canvas.waitingCount }, blockSide: canvas.blockSide))
    } catch {
      throw EngineError(error)
    }
  }
}

// Live views of large pages are drawn block by block, so that the pen does not wait.

/// Shows the pen's changes of the page. Blocks that are not drawn yet go on waiting, unless a
/// change meets them. Returns the number of rectangles that changed.
@_cdecl("viewUpdateDrawn")
public func viewUpdateDrawn(_ handle: Int32) -> Int32 {
  result { () throws(EngineError) in try views.find(handle).update(drawsAll: false) }
}

/// Draws the block nearest to a pixel that is not drawn yet. `viewUpdateDrawn` must have been called
/// after the last change. Returns the number of rectangles that changed: 1, or 0 if all blocks are
/// drawn.
@_cdecl("viewDrawBlock")
public func viewDrawBlock(_ handle: Int32, _ x: Int32, _ y: Int32) -> Int32 {
  result { () throws(EngineError) in
    guard abs(Int(x)) <= maximumSide, abs(Int(y)) <= maximumSide else { throw .invalidArgument }
    return try views.find(handle).drawBlock(nearestTo: Int(x), Int(y))
  }
}

/// The number of blocks that are not drawn yet.
@_cdecl("viewWaitingCount")
public func viewWaitingCount(_ handle: Int32) -> Int32 {
  result { () throws(EngineError) in
    Int32(try views.find(handle).penDrawing.waitingCount())
  }
}

/// The number of pixels along a side of a block.
@_cdecl("viewBlockSide")
public func viewBlockSide(_ handle: Int32) -> Int32 {
  result { () throws(EngineError) in Int32(try views.find(handle).penDrawing.blockSide) }
}

/// Shows the part of the page that lies a number of blocks to the right and below. Blocks that were
/// shown before keep their pixels, and the others wait; so do all in the last column and row if the
/// picture ends inside of them. Returns 0.
@_cdecl("viewMove")
public func viewMove(_ handle: Int32, _ right: Int32, _ down: Int32) -> Int32 {
  result { () throws(EngineError) in
    let view = try views.find(handle)
    // Coordinates stay exact: far from the origin, a region would not have the page's pixels.
    let pixels = Int64(try view.penDrawing.blockSide)
    guard abs(Int64(right) * pixels) <= 1 << 24, abs(Int64(down) * pixels) <= 1 << 24 else {
      throw .invalidArgument
    }
    try view.penDrawing.move(Int(right), Int(down))
    return 0
  }
}

extension PageView {
  fileprivate var penDrawing: PenDrawing {
    get throws(EngineError) {
      guard let pen else { throw .wrongKind }
      return pen
    }
  }
}

/// The greatest coordinate of a pixel in a call.
private let maximumSide = 1 << 20

/// Calls a body with the pen and a moment, in seconds since 1970. Returns 0.
func withPen(
  _ handle: Int32, at time: Double = 0,
  _ body: (inout PenPage, Timestamp) throws(EngineError) -> Void
) -> Int32 {
  result { () throws(EngineError) in
    let document = try document(handle)
    guard var pen = document.pen else { throw .wrongKind }
    // Times are milliseconds in files, whose range is some thousand years.
    guard abs(time) < 1e11 else { throw .invalidArgument }
    document.pen = nil  // so that changes do not copy the page
    defer { document.pen = pen }
    try body(&pen, Timestamp(secondsSince1970: time))
    return 0
  }
}

/// Sets the maximum distance of later strokes' curves from the pen's samples, in points: 0.1 by
/// default, 0 to keep the samples as control points. Returns 0.
@_cdecl("penSetTolerance")
public func penSetTolerance(_ handle: Int32, _ tolerance: Double) -> Int32 {
  withPen(handle) { (pen, _) throws(EngineError) in
    guard tolerance == 0 || 1e-3...1e3 ~= tolerance else { throw .invalidArgument }
    pen.tolerance = tolerance == 0 ? nil : tolerance
  }
}

/// Begins a stroke. The ink is its index in `InkType.known`, the colour 0xRRGGBBAA, the width in
/// points.
@_cdecl("penBegin")
public func penBegin(
  _ handle: Int32, _ ink: Int32, _ color: UInt32, _ width: Double, _ time: Double
) -> Int32 {
  withPen(handle, at: time) { (pen, time) throws(EngineError) in
    let inks = PKInkingTool.InkType.known
    guard inks.indices.contains(Int(ink)), width.isFinite else { throw .invalidArgument }
    pen.beginStroke(
      with: PKInkingTool(inks[Int(ink)], color: Color(rgba: color), width: width), at: time)
  }
}

/// Continues the stroke with samples of six numbers: x and y in points, seconds since the stroke
/// began, force, azimuth and altitude in radians. Predicted samples follow; they are shown until
/// the next call and never recorded.
@_cdecl("penDraw")
public func penDraw(
  _ handle: Int32, _ samples: UnsafePointer<Double>?, _ count: Int32, _ predictedCount: Int32
) -> Int32 {
  withPen(handle) { (pen, _) throws(EngineError) in
    // Each must be small, so that their sum does not overflow.
    guard 0...maximumSampleCount ~= Int(count), 0...maximumSampleCount ~= Int(predictedCount)
    else { throw .invalidArgument }
    let all = try read(samples, Int(count) + Int(predictedCount))
    pen.draw(Array(all.prefix(Int(count))), predicted: Array(all.dropFirst(Int(count))))
  }
}

/// Replaces all samples of the stroke by others, of the form of `penDraw`.
@_cdecl("penRedraw")
public func penRedraw(
  _ handle: Int32, _ samples: UnsafePointer<Double>?, _ count: Int32
) -> Int32 {
  withPen(handle) { (pen, _) throws(EngineError) in pen.redraw(try read(samples, Int(count))) }
}

/// Ends the stroke if it is a figure, and puts a clean one in its place, which undo takes back.
/// Returns 1 and the kind's index in `RecognizedFigure.Kind`, or 0 if it is none.
@_cdecl("penTidy")
public func penTidy(_ handle: Int32, _ time: Double) -> Int32 {
  var found: Int32 = 0
  let failure = withPen(handle, at: time) { pen, time in
    let kinds = RecognizedFigure.Kind.allCases
    found = pen.tidy(at: time).flatMap { kinds.firstIndex(of: $0) }.map { Int32($0) + 1 } ?? 0
  }
  return failure < 0 ? failure : found
}

/// Begins to erase: 0 erases whole strokes, 1 the ink under the eraser, 2 the same with a width
/// that does not depend on the zoom. The width is in points.
@_cdecl("penBeginErasing")
public func penBeginErasing(
  _ handle: Int32, _ kind: Int32, _ width: Double, _ time: Double
) -> Int32 {
  withPen(handle, at: time) { (pen, time) throws(EngineError) in
    let kinds = PKEraserTool.EraserType.allCases
    guard kinds.indices.contains(Int(kind)), width.isFinite else { throw .invalidArgument }
    pen.beginErasing(with: PKEraserTool(kinds[Int(kind)], width: width), at: time)
  }
}

/// Moves the eraser along samples of the form of `penDraw`.
@_cdecl("penErase")
public func penErase(
  _ handle: Int32, _ samples: UnsafePointer<Double>?, _ count: Int32
) -> Int32 {
  withPen(handle) { (pen, _) throws(EngineError) in pen.erase(try read(samples, Int(count))) }
}

/// Ends the stroke, the erasure or the drag, and records it.
@_cdecl("penEnd")
public func penEnd(_ handle: Int32, _ time: Double) -> Int32 {
  withPen(handle, at: time) { pen, time in pen.end(at: time) }
}

/// Ends the stroke, the erasure or the drag without recording it.
@_cdecl("penCancel")
public func penCancel(_ handle: Int32) -> Int32 { withPen(handle) { pen, _ in pen.cancel() } }

/// Undoes the last change.
@_cdecl("penUndo")
public func penUndo(_ handle: Int32, _ time: Double) -> Int32 {
  withPen(handle, at: time) { pen, time in pen.undo(at: time) }
}

/// Redoes the change that was undone last.
@_cdecl("penRedo")
public func penRedo(_ handle: Int32, _ time: Double) -> Int32 {
  withPen(handle, at: time) { pen, time in pen.redo(at: time) }
}

/// Removes all strokes.
@_cdecl("penClear")
public func penClear(_ handle: Int32, _ time: Double) -> Int32 {
  withPen(handle, at: time) { pen, time in pen.clear(at: time) }
}

/// 1 if there is something to undo, plus 2 if there is something to redo.
@_cdecl("penChoices")
public func penChoices(_ handle: Int32) -> Int32 {
  result { () throws(EngineError) in
    guard let pen = try document(handle).pen else { throw .wrongKind }
    return (pen.canUndo ? 1 : 0) + (pen.canRedo ? 2 : 0)
  }
}

let maximumSampleCount = 1 << 16

func read(
  _ samples: UnsafePointer<Double>?, _ count: Int
) throws(EngineError) -> [PenSample] {
  guard count != 0 else { return [] }
  guard let samples, 1...2 * maximumSampleCount ~= count else { throw .invalidArgument }
  return (0..<count).map { number in
    let values = UnsafeBufferPointer(start: samples + 6 * number, count: 6)
    return PenSample(
      location: Point(x: values[0], y: values[1]), time: values[2], force: values[3],
      azimuth: values[4], altitude: values[5])
  }
}
