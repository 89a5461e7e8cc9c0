import InkFiles
import JSON
import ForeignInk
import Strokes

/// decode → encode → decode gives an equal drawing.
func checkJSON(of drawing: PKDrawing) {
  let text = JSONDrawingWriter.encode(drawing)
  let again: PKDrawing
  do throws(JSONError) {
    again = try JSONDrawingReader.decode(text)
  } catch {
    violated("JSON that was written cannot be read: \(error)")
  }
  guard again == drawing else {
    violated("a drawing changes when it is written as JSON: " + difference(drawing, again))
  }
}
