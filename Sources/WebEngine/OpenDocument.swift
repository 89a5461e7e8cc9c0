import CMemory
import Graphics
import PKDFormat
import Rasterization
import Strokes

/// Why a call failed, as the negative number that the page gets.
package enum EngineError: Int32, Error {
  /// No document has this handle.
  case unknownHandle = -1
  /// The bytes are no recording.
  case notARecording = -2
  /// The scale is no positive number, or the picture has nothing to show or too many pixels.
  case noPicture = -3
  /// The memory is used up.
  case noMemory = -4
  /// An address or a count is invalid.
  case invalidArgument = -5
}

/// A recording that a page has opened, and the picture that was drawn of it last.
final class OpenDocument {
  /// The size of the page in points; zero if the recording has none.
  let pageSize: Size
  /// Whether a part of the recording is damaged and left out.
  let isDamaged: Bool
  private(set) var picture: PictureBytes?
  private let drawing: PKDrawing
  private let canvas: Recording.Canvas

  init(_ bytes: [UInt8]) throws(EngineError) {
    do throws(PKDError) {
      let reader = try PKDReader(bytes)
      // Without the residue of an archive, which draws nothing.
      let (recording, damage) = reader.readRecording()
      (drawing, canvas) = (recording.drawing, reader.canvas)
      isDamaged = reader.damage != nil || damage != nil
      pageSize = reader.canvas.size ?? .zero
    } catch {
      throw .notARecording
    }
  }

  /// Draws the drawing with so many pixels per point.
  func render(scale: Double) throws(EngineError) -> PictureBytes {
    // The memory of the last picture is free for this one.
    picture = nil
    let rendering: Rendering
    do throws(RenderError) {
      let options = RenderOptions(extent: .scale(scale), maximumPixels: Self.maximumPixels)
      rendering = try Renderer(options).rendering(of: drawing, on: canvas)
    } catch {
      throw .noPicture
    }
    guard let picture = PictureBytes(rendering) else { throw .noMemory }
    self.picture = picture
    return picture
  }

  /// A canvas in a browser has at most about as many pixels.
  private static let maximumPixels = 1 << 26
}

/// The pixels of a picture, row after row without gaps: premultiplied RGBA, four bytes each.
final class PictureBytes {
  let width: Int
  let height: Int
  let start: UnsafeMutableRawPointer

  /// Draws a picture; nil if there is no memory for it.
  init?(_ rendering: Rendering) {
    (width, height) = (rendering.width, rendering.height)
    let bytesPerRow = 4 * width
    guard let memory = lazyMemoryCreate(bytesPerRow * height) else { return nil }
    start = memory
    rendering.forEachBand { band in
      for row in 0..<band.rowCount {
        let target = memory + (band.firstRow + row) * bytesPerRow
        target.copyMemory(from: band.start(ofRow: row), byteCount: bytesPerRow)
      }
    }
  }

  deinit { lazyMemoryFree(start, 4 * width * height) }
}
