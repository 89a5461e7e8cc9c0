import Graphics
import Strokes
import XML

/// Writes InkML with all values of the pen: places in points of 1/72 inch, drawn widths, pressure, direction and
/// elevation in degrees, and times in milliseconds.
enum InkMLExporter {
  private static let decimals = NumberWriter(decimals: 3)

  /// A brush: an ink, and the paint that programs draw which do not know it.
  private struct Brush: Hashable {
    let ink: PKInk
    let paint: InkPaint
  }

  static func encode(
    _ page: ExportedPage, paints: PaintMeasure, _ notes: inout ImportNotes
  ) -> [UInt8] {
    let strokes = page.painted(by: paints, &notes)
    let start = strokes.map(\.stroke.path.creationDate).min() ?? .referenceDate
    var brushes: [Brush] = []
    var numbers: [Brush: Int] = [:]
    for (stroke, paint) in strokes {
      let brush = Brush(ink: stroke.ink, paint: paint)
      guard numbers[brush] == nil else { continue }
      numbers[brush] = brushes.count
      brushes.append(brush)
    }
    let hasOpacity = strokes.contains { stroke, _ in
      stroke.path.contains { abs($0.opacity - 1) > 0.001 }
    }
    // The standard has no channel for it, and allows others.
    let opacityChannel =
      hasOpacity
      ? "\n<channel name=\"\(InkMLChannel.opacityName)\" type=\"decimal\" min=\"0\" max=\"2\"/>"
      : ""
    var text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <ink xmlns="http://www.w3.org/2003/InkML">
      <definitions>
      <context xml:id="page" timestampRef="#start">
      <inkSource xml:id="pen" manufacturer="Pentimento">
      <traceFormat>
      <channel name="X" type="decimal" units="pt"/>
      <channel name="Y" type="decimal" units="pt"/>
      <channel name="W" type="decimal" units="pt"/>
      <channel name="F" type="decimal" min="0" max="1"/>
      <channel name="OA" type="decimal" units="deg"/>
      <channel name="OE" type="decimal" units="deg"/>
      <channel name="T" type="decimal" units="ms" respectTo="#start"/>\(opacityChannel)
      </traceFormat>
      <channelProperties>
      <channelProperty channel="X" name="resolution" value="72" units="1/in"/>
      <channelProperty channel="Y" name="resolution" value="72" units="1/in"/>
      <channelProperty channel="W" name="resolution" value="72" units="1/in"/>
      <channelProperty channel="OA" name="resolution" value="1" units="1/deg"/>
      <channelProperty channel="OE" name="resolution" value="1" units="1/deg"/>
      </channelProperties>
      </inkSource>\(canvas(of: page))
      </context>

      """
    let milliseconds = (start.secondsSince1970 * 1000).rounded()
    text += "<timestamp xml:id=\"start\" time=\"\(decimals.text(milliseconds))\"/>\n"
    for (number, brush) in brushes.enumerated() { write(brush, number, into: &text) }
    text += "</definitions>\n"
    for (type, value) in annotations(of: page) where !value.isEmpty {
      text += "<annotation type=\"\(type)\">\(value.xmlEscaped)</annotation>\n"
    }
    for (stroke, paint) in strokes {
      let brush = numbers[Brush(ink: stroke.ink, paint: paint)] ?? 0
      for curve in stroke.drawnCurves(tolerance: 0.02, endsAtPen: true) {
        text += "<trace contextRef=\"#page\" brushRef=\"#brush\(brush)\">"
        write(
          curve, offset: stroke.path.creationDate - start, hasOpacity: hasOpacity, into: &text)
        text += "</trace>\n"
      }
    }
    text += "</ink>\n"
    return Array(text.utf8)
  }

  /// The extent of the page, if it has one.
  private static func canvas(of page: ExportedPage) -> String {
    guard let size = page.canvas.size, size.width > 0, size.height > 0 else { return "" }
    return """

      <canvas xml:id="paper">
      <traceFormat>
      <channel name="X" type="decimal" min="0" max="\(decimals.text(size.width))" units="pt"/>
      <channel name="Y" type="decimal" min="0" max="\(decimals.text(size.height))" units="pt"/>
      </traceFormat>
      </canvas>
      """
  }

  /// What is said about the page.
  private static func annotations(of page: ExportedPage) -> [(type: String, value: String)] {
    let metadata = page.canvas.metadata
    return InkMLDocument.pageTexts.map { type in
      switch type {
      case "title": (type, metadata[type] ?? page.name)
      case "background": (type, page.canvas.background?.clamped.hex.lowercased() ?? "")
      default: (type, metadata[type] ?? "")
      }
    }
  }

  private static func write(_ brush: Brush, _ number: Int, into text: inout String) {
    let paint = brush.paint
    let transparency = Int(clamping: ((1 - paint.opacity) * 255).rounded())
    text += """
      <brush xml:id="brush\(number)">
      <annotation type="\(InkMLBrush.inkAnnotation)">\(brush.ink.inkType.name.xmlEscaped)</annotation>
      <annotation type="\(InkMLBrush.colorAnnotation)">\(brush.ink.color.inkMLText)</annotation>
      <brushProperty name="color" value="\(paint.hex)"/>
      <brushProperty name="transparency" value="\(transparency)"/>
      <brushProperty name="tip" value="ellipse"/>
      <brushProperty name="rasterOp" value="\(paint.mix == .over ? "copyPen" : "maskPen")"/>
      <brushProperty name="ignorePressure" value="true"/>
      </brush>

      """
  }

  private static func write(
    _ curve: DrawnCurve, offset: Double, hasOpacity: Bool, into text: inout String
  ) {
    let degrees = 180 / Double.pi
    for (index, point) in curve.points.enumerated() {
      if index > 0 { text += ", " }
      let pen = curve.pen(at: point)
      var values = [
        point.location.x, point.location.y, point.width,
        // An average touch is half of the greatest pressure.
        min(max(pen.force / 2, 0), 1), pen.azimuth * degrees, pen.altitude * degrees,
        (offset + pen.timeOffset) * 1000,
      ]
      if hasOpacity { values.append(pen.opacity) }
      for (channel, value) in values.enumerated() {
        if channel > 0 { text += " " }
        text += decimals.text(value)
      }
    }
  }
}
