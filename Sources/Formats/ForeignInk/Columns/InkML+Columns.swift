import InkFiles
import XML

extension InkMLImporter {
  /// Reads a text into columns: traces as they are, without a brush or a fit. The text is one
  /// drawing. In a message from OneNote, each further part is a drawing, too.
  static func read(_ text: UnsafeBufferPointer<UInt8>, into columns: inout InkColumns) {
    let bytes = Array(text)
    for part in OneNotePage.inkParts(of: bytes) ?? [0..<bytes.count] {
      let isWhole = part.count == bytes.count
      readDrawing(isWhole ? bytes : Array(bytes[part]), at: part.lowerBound, into: &columns)
    }
  }

  private static func readDrawing(
    _ text: [UInt8], at start: Int, into columns: inout InkColumns
  ) {
    let document = InkMLDocument()
    do throws(XMLError) {
      try XMLReader.read(text, into: document)
      if !document.isInkML { columns.addDamage("an element ink is missing at byte \(start)") }
    } catch {
      columns.addDamage("\(ImportError(.syntax(error.reason), at: start + error.offset))")
    }
    document.endTrace()
    let hasTimes = InkMLTraces(document).append(to: &columns, start: start)
    columns.endDrawing(label: document.name, key: document.key, hasTimes: hasTimes)
  }
}
