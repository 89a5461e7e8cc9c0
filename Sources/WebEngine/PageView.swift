import Frames
import Graphics
import Rasterization
import Replay
import Strokes

/// A part of a document as pixels: of its replay, or of the page that the pen draws on.
final class PageView {
  private enum Source {
    case replay(FrameRenderer)
    case pen(PenCanvas)
  }

  let document: OpenDocument
  private let source: Source
  /// The rectangles that the last call changed: of each its left and upper edge, its width and its height.
  private(set) var changes = Block<Int32>([])
  private var isShown = false

  init(replaying document: OpenDocument, _ options: RenderOptions) throws(EngineError) {
    self.document = document
    source = .replay(try document.replay(options))
  }

  init(drawingOn document: OpenDocument, _ options: RenderOptions) throws(EngineError) {
    guard let pen = document.pen else { throw .wrongKind }
    self.document = document
    do throws(RenderError) {
      source = .pen(try PenCanvas(pen, options: options))
    } catch {
      throw EngineError(error)
    }
  }

  var picture: Pixmap {
    switch source {
    case .replay(let frames): frames.picture
    case .pen(let canvas): canvas.picture
    }
  }

  var scale: Double {
    switch source {
    case .replay(let frames): frames.scale
    case .pen(let canvas): canvas.scale
    }
  }

  var visible: Rect {
    switch source {
    case .replay(let frames): frames.visible
    case .pen(let canvas): canvas.visible
    }
  }

  /// Shows a moment of the replay. Returns the number of changed rectangles.
  func show(_ state: PageState) throws(EngineError) -> Int32 {
    guard case .replay(let frames) = source else { throw .wrongKind }
    do throws(RenderError) {
      return setChanges(try frames.show(state))
    } catch {
      throw EngineError(error)
    }
  }

  /// Shows the page of the pen as it is now. Returns the number of changed rectangles.
  func update() throws(EngineError) -> Int32 {
    guard case .pen(let canvas) = source, let pen = document.pen else { throw .wrongKind }
    do throws(RenderError) {
      return setChanges(try canvas.show(pen))
    } catch {
      throw EngineError(error)
    }
  }

  private func setChanges(_ rects: [PixelRect]) -> Int32 {
    let whole = PixelRect(width: picture.width, height: picture.height)
    // At first all pixels are new to the page.
    let rects = isShown ? rects.map { $0.intersection(whole) }.filter { !$0.isEmpty } : [whole]
    isShown = true
    changes = Block(
      rects.flatMap { rect in
        [rect.columns.lowerBound, rect.rows.lowerBound, rect.columns.count, rect.rows.count]
          .map { Int32($0) }
      })
    return Int32(rects.count)
  }
}
