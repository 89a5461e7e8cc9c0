public import PKDFormat
import PencilKitArchive
public import Strokes

extension DrawingFile {
  /// Encodes a drawing in a format.
  public static func encode(
    _ drawing: PKDrawing, as format: Format
  ) throws(PKDContentError) -> [UInt8] {
    try encode([ExportedPage(drawing: drawing, recording: Recording(drawing))], as: format)
  }

  /// Encodes pages in a format. Of several pages, the format must hold several.
  public static func encode(
    _ pages: [ExportedPage], as format: Format
  ) throws(PKDContentError) -> [UInt8] {
    precondition(pages.count == 1 || format.holdsPages, "the format holds one page")
    let page = pages[0]
    switch format {
    case .pencilKit: return page.drawing.dataRepresentation()
    case .json: return JSONDrawingWriter.encode(page.drawing, recording: page.recording)
    case .pkd:
      return try PKDWriter.encode(
        page.recording, residue: page.drawing.residue, options: PKDWriter.Options())
    case .events: return EventStreamWriter.encode(page.recording)
    case .quickDraw:
      return pages.flatMap { QuickDrawWriter.line($0.drawing, on: $0.canvas) }
    case .xournal: return XournalExporter.encode(pages)
    case .excalidraw: return ExcalidrawExporter.encode(page)
    case .inkML: return InkMLExporter.encode(page)
    default: preconditionFailure("this format is only read")
    }
  }
}

extension DrawingFile.Everything {
  /// Encodes the content as a `.pkd` file.
  public func encodeRecording(options: PKDWriter.Options) throws(PKDContentError) -> [UInt8] {
    try PKDWriter.encode(recording, residue: drawing.residue, options: options)
  }

  /// The content as a page to write.
  public func page(named name: String = "") -> ExportedPage {
    ExportedPage(name: name, drawing: drawing, recording: recording)
  }
}
