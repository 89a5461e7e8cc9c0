public import InkFiles
public import PKDFormat
import PencilKitArchive
public import Strokes

extension DrawingFile {
  /// Encodes a drawing in a format that represents ink as this package does. Formats of other
  /// programs need paints.
  public static func encode(
    _ drawing: PKDrawing, as format: Format
  ) throws(PKDContentError) -> [UInt8] {
    try encode([InkContents(drawing)], as: format)
  }

  /// Encodes pages in a format that represents ink as this package does. Formats of other programs
  /// need paints.
  public static func encode(
    _ pages: [InkContents], as format: Format
  ) throws(PKDContentError) -> [UInt8] {
    precondition(!format.needsPaints, "the format has one colour and one opacity for a stroke")
    return try encode(pages, as: format) { _ in ([], 0) }.bytes
  }

  /// Encodes pages in a format, and returns the losses, too. Several pages need a format that can
  /// hold several. `paints` is called only for formats that need paints; `form` applies to Quick,
  /// Draw!'s lines only.
  public static func encode(
    _ pages: [InkContents], as format: Format, form: QuickDrawWriter.Form = .raw,
    paints: PaintMeasure
  ) throws(PKDContentError) -> (bytes: [UInt8], notes: ImportNotes) {
    precondition(pages.count == 1 || format.holdsPages, "the format holds one page")
    let page = pages[0]
    var notes = ImportNotes()
    let bytes: [UInt8]
    switch format {
    case .pencilKit:
      bytes = page.drawing.dataRepresentation()
      page.noteLosses(keeping: [], &notes)
    case .json: bytes = JSONDrawingWriter.encode(page)
    case .pkd: bytes = try page.encodeRecording()
    case .events: bytes = EventStreamWriter.encode(page.recording)
    case .quickDraw:
      bytes = pages.flatMap { QuickDrawWriter.line(of: $0, as: form, &notes) }
    case .xournal: bytes = XournalExporter.encode(pages, paints: paints, &notes)
    case .excalidraw: bytes = ExcalidrawExporter.encode(page, paints: paints, &notes)
    case .inkML: bytes = InkMLExporter.encode(page, paints: paints, &notes)
    default: preconditionFailure("this format is only read")
    }
    return (bytes, notes)
  }
}

extension DrawingFile.Format {
  /// Whether the format stores one colour and one opacity for each stroke. They are measured if the
  /// ink has texture.
  public var needsPaints: Bool { [.xournal, .excalidraw, .inkML].contains(self) }
}
