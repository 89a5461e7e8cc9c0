import InkFiles
import CMath
import Graphics
import Strokes
import XML

/// Writes InkML with all values of the pen: positions in points of 1/72 inch, drawn widths,
/// pressure, direction and elevation in degrees, and times in milliseconds.
enum InkMLExporter {
  /// A brush: an ink, and the paint for programs that do not know the ink.
  private struct Brush: Hashable {
    let ink: PKInk
    let paint: InkPaint
  }

  static func encode(
    _ page: InkContents, paints: PaintMeasure, _ notes: inout ImportNotes
  ) -> [UInt8] {
    let strokes = page.painted(by: paints, &notes)
    page.noteLosses(
      keeping: [.extent, .background, .paper, .title], texts: InkMLDocument.pageTexts, &notes)
    let start = strokes.map(\.stroke.path.creationDate).min() ?? .referenceDate
    var brushes: [Brush] = []
    var numbers: [Brush: Int] = [:]
    for painted in strokes {
      let brush = Brush(ink: painted.stroke.ink, paint: painted.paint)
      guard numbers[brush] == nil else { continue }
      numbers[brush] = brushes.count
      brushes.append(brush)
    }
    let hasOpacity = strokes.contains { painted in
      painted.stroke.path.contains { abs($0.opacity - 1) > 0.001 }
    }
    let hasTips = strokes.contains { $0.stroke.hasBlade }
    // The standard has no channels for these, and allows others.
    var moreChannels =
      hasOpacity
      ? "\n<channel name=\"\(InkMLChannel.opacityName)\" type=\"decimal\" min=\"0\" max=\"2\"/>"
      : ""
    if hasTips {
      for name in [InkMLChannel.tipNames.width, InkMLChannel.tipNames.height] {
        moreChannels += "\n<channel name=\"\(name)\" type=\"decimal\" units=\"pt\"/>"
      }
    }
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
      <channel name="T" type="decimal" units="ms" respectTo="#start"/>\(moreChannels)
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
    text += "<timestamp xml:id=\"start\" time=\"\(DecimalText.rounded(milliseconds))\"/>\n"
    for (number, brush) in brushes.enumerated() { write(brush, number, into: &text) }
    text += "</definitions>\n"
    for (type, value) in annotations(of: page) where !value.isEmpty {
      text += "<annotation type=\"\(type)\">\(value.xmlEscaped)</annotation>\n"
    }
    for painted in strokes {
      let stroke = painted.stroke
      let brush = numbers[Brush(ink: stroke.ink, paint: painted.paint)] ?? 0
      let curves = stroke.drawnCurves(in: painted.ranges, tolerance: 0.02, endsAtPen: true)
      for curve in curves {
        text += "<trace contextRef=\"#page\" brushRef=\"#brush\(brush)\">"
        write(
          curve, of: stroke, offset: stroke.path.creationDate - start, hasOpacity: hasOpacity,
          hasTips: hasTips, into: &text)
        text += "</trace>\n"
      }
    }
    text += "</ink>\n"
    return Array(text.utf8)
  }

  /// The extent of the page, if it has one.
  private static func canvas(of page: InkContents) -> String {
    guard let size = page.canvas.size, size.width > 0, size.height > 0 else { return "" }
    return """

      <canvas xml:id="paper">
      <traceFormat>
      <channel name="X" type="decimal" min="0" max="\(DecimalText.rounded(size.width))" units="pt"/>
      <channel name="Y" type="decimal" min="0" max="\(DecimalText.rounded(size.height))" units="pt"/>
      </traceFormat>
      </canvas>
      """
  }

  /// The annotations of the page.
  private static func annotations(of page: InkContents) -> [(type: String, value: String)] {
    let metadata = page.canvas.metadata
    return InkMLDocument.pageTexts.map { type in
      switch type {
      case "title": (type, page.title)
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
    _ curve: DrawnCurve, of stroke: PKStroke, offset: Double, hasOpacity: Bool, hasTips: Bool,
    into text: inout String
  ) {
    let degrees = 180 / Double.pi
    for (index, point) in curve.points.enumerated() {
      if index > 0 { text += ", " }
      let pen = curve.pen(at: point)
      var values = [
        point.location.x, point.location.y, point.width,
        // An average touch has half of the maximum pressure.
        min(max(pen.force / 2, 0), 1), stroke.turned(pen.azimuth) * degrees,
        pen.altitude * degrees,
        (offset + pen.timeOffset) * 1000,
      ]
      if hasOpacity { values.append(pen.opacity) }
      if hasTips {
        let tip = stroke.tip(at: pen) ?? Size(width: point.width, height: point.width)
        values += [tip.width, tip.height]
      }
      for (channel, value) in values.enumerated() {
        if channel > 0 { text += " " }
        text += DecimalText.rounded(value)
      }
    }
  }
}

extension PKStroke {
  /// A direction before the transform, in radians, as it is on the canvas.
  fileprivate func turned(_ angle: Double) -> Double {
    guard transform.b != 0 || transform.c != 0 || transform.a < 0 || transform.d < 0 else {
      return angle
    }
    let way = Point(x: mathCosine(angle), y: mathSine(angle)).applyingLinearPart(of: transform)
    return mathArcTangent(way.y, way.x)
  }

  /// The extents of the nib at a point along its own axes, on the canvas; nil if no nib of the ink
  /// has its shape there.
  fileprivate func tip(at pen: PKStrokePoint) -> Size? {
    guard let nib = Nib(ink, at: pen) else { return nil }
    let (a, b, c, d) = (transform.a, transform.b, transform.c, transform.d)
    let scale = transform.meanScale
    let error = 1e-6 * scale
    let isUpright = abs(b) <= error && abs(c) <= error
    let isSimilar =
      max(abs(a - d), abs(b + c)) <= error || max(abs(a + d), abs(b - c)) <= error
    // The nibs of some inks are always upright.
    guard isSimilar, isUpright || nibShape.isTurnedByAzimuth else { return nil }
    return nib.halfExtent * (2 * scale)
  }
}
