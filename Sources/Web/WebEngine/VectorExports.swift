import Rasterization
import Strokes
import VectorExport

// Documents as vector files. Playback-only engines do not contain these functions.

/// Writes the finished drawing as a file, as `pkd convert` does: 0 SVG, 1 PDF. Textured inks become
/// pictures with `pixelsPerPoint`, 0.1 to 10; the default is 2.5, and lower values need less
/// memory. Returns the number of the file's bytes, which `documentBytes` returns.
@_cdecl("documentWriteVectors")
public func documentWriteVectors(
  _ handle: Int32, _ form: Int32, _ pixelsPerPoint: Double
) -> Int32 {
  result { () throws(EngineError) in
    guard 0...1 ~= form, 0.1...10 ~= pixelsPerPoint else { throw .invalidArgument }
    let document = try document(handle)
    let (drawing, canvas) = (document.drawing, document.page)
    var options = VectorOptions(
      pixelsPerPoint: pixelsPerPoint,
      information: DocumentInformation(
        title: canvas.text(named: "title"), author: canvas.text(named: "author"),
        subject: canvas.text(named: "description")))
    options.picture.maximumPixels = maximumPixels
    do throws(RenderError) {
      document.bytes = Block(
        form == 0
          ? try SVGExporter(options).svg(of: drawing, on: canvas)
          : try PDFExporter(options).pdf(of: [.init(drawing, on: canvas)]))
    } catch {
      throw EngineError(error)
    }
    return Int32(document.bytes.count)
  }
}
