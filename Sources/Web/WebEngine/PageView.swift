import Graphics
import Rasterization
import Replay

/// A part of a document as pixels: of its replay, or of the page that the pen draws on.
final class PageView {
  let document: OpenDocument
  /// The rectangles that the last call changed: for each its left and upper edge, its width and its
  /// height.
  private(set) var changes = Block<Int32>([])
  private let page: PaintedPage
  private let drawState: ((PageState) throws(RenderError) -> [PixelRect])?
  let pen: PenDrawing?
  private let setCacheLimit: ((Int) -> Void)?
  private var isShown = false

  init(replaying document: OpenDocument, _ options: RenderOptions) throws(EngineError) {
    let frames = try document.replay(options)
    self.document = document
    page = frames.bands
    drawState = { state throws(RenderError) in try frames.show(state) }
    pen = nil
    setCacheLimit = { frames.cacheLimit = $0 }
  }

  /// A view of the page of a document's pen.
  init(of document: OpenDocument, page: PaintedPage, pen: PenDrawing) {
    self.document = document
    self.page = page
    drawState = nil
    self.pen = pen
    setCacheLimit = nil
  }

  /// A view stores its pixels twice: as a picture, and as a layer without the unfinished ink.
  static let bytesPerPixel = 8
  var byteCount: Int { Self.bytesPerPixel * page.width * page.height }
  /// Sets the maximum number of bytes for copies of layers.
  func limitCache(to limit: Int) { setCacheLimit?(limit) }

  var picture: Pixmap { page.picture }
  var visible: Rect { page.visible }
  var background: Color { page.background }

  /// Shows a moment of the replay. Returns the number of changed rectangles.
  func show(_ state: PageState) throws(EngineError) -> Int32 {
    guard let drawState else { throw .wrongKind }
    return try setChanges { () throws(RenderError) in try drawState(state) }
  }

  /// Shows the current page of the pen, with all blocks that are not drawn yet or without them.
  /// Returns the number of changed rectangles.
  func update(drawsAll: Bool = true) throws(EngineError) -> Int32 {
    guard let pen else { throw .wrongKind }
    return try setChanges { () throws(RenderError) in try pen.update(drawsAll) }
  }

  /// Draws the block nearest to a pixel that is not drawn yet. Returns the number of changed
  /// rectangles: 1, or 0 if all blocks are drawn.
  func drawBlock(nearestTo x: Int, _ y: Int) throws(EngineError) -> Int32 {
    guard let pen else { throw .wrongKind }
    return try setChanges { () throws(RenderError) in
      try pen.drawBlock(x, y).map { [$0] } ?? []
    }
  }

  private func setChanges(
    _ draw: () throws(RenderError) -> [PixelRect]
  ) throws(EngineError) -> Int32 {
    let whole = PixelRect(width: picture.width, height: picture.height)
    var rects: [PixelRect]
    do throws(RenderError) {
      rects = try draw()
    } catch {
      throw EngineError(error)
    }
    // The first moment of a replay changes all pixels.
    rects =
      isShown || pen != nil ? rects.map { $0.intersection(whole) }.filter { !$0.isEmpty } : [whole]
    isShown = true
    changes = Block(
      rects.flatMap { rect in
        [rect.columns.lowerBound, rect.rows.lowerBound, rect.columns.count, rect.rows.count]
          .map { Int32($0) }
      })
    return Int32(rects.count)
  }
}

/// The functions that draw a pen's page. Functions, so that players without a pen do not contain its
/// code.
struct PenDrawing {
  /// Shows the page as it is now, with all blocks that are not drawn yet or without them.
  let update: (_ drawsAll: Bool) throws(RenderError) -> [PixelRect]
  /// Draws the block nearest to a pixel that is not drawn yet.
  let drawBlock: (_ x: Int, _ y: Int) throws(RenderError) -> PixelRect?
  /// Shows the part of the page that lies some blocks to the right and below.
  let move: (_ right: Int, _ down: Int) -> Void
  let waitingCount: () -> Int
  let blockSide: Int
}
