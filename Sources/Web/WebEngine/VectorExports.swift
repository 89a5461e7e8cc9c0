import Rasterization
import Strokes
import VectorExport

// Documents as files of vectors. Players have no such functions.

/// Writes what is to be seen at the end as a file, as `pkd convert` does: 0 SVG, 1 PDF. Inks with texture become pictures
/// with `pixelsPerPoint`, 0.1 to 10; 2.5 is usual, and less takes less memory. Returns the number of the file's bytes,
/// which `documentBytes` gives.
@_cdecl("documentWriteVectors")
public func documentWriteVectors(
  _ handle: Int32, _ form: Int32, _ pixelsPerPoint: Double
) -> Int32 {
  result { () throws(EngineError) in
    guard 0...1 ~= form, 0.1...10 ~= pixelsPerPoint else { throw .invalidArgument }
    let document = try document(handle)
    let (drawing, canvas) = document.page
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

extension OpenDocument {
  /// What is to be seen at the end.
  fileprivate var page: (PKDrawing, Recording.Canvas) {
    if let pen { return (PKDrawing(strokes: pen.shown.map { $0.stroke }), pen.recording.canvas) }
    let recording = recording
    return (recording.drawing, recording.canvas)
  }
}
