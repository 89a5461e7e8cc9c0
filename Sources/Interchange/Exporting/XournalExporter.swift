import Graphics
import Strokes

/// Writes Xournal++'s `.xopp`: gzipped XML of file version 4, which released programs read.
enum XournalExporter {
  static func encode(_ pages: [ExportedPage]) -> [UInt8] {
    var text = "<?xml version=\"1.0\" standalone=\"no\"?>\n"
    text += "<xournal creator=\"Pentimento\" fileversion=\"4\">\n"
    text += "<title>Xournal++ document - see https://xournalpp.github.io/</title>\n"
    for page in pages { write(page, into: &text) }
    text += "</xournal>\n"
    return Gzip.compress(Array(text.utf8))
  }

  private static let numbers = NumberWriter(decimals: 3)

  private static func write(_ page: ExportedPage, into text: inout String) {
    let frame = page.frame
    let (width, height) = (numbers.text(frame.width), numbers.text(frame.height))
    text += "<page width=\"\(width)\" height=\"\(height)\">\n"
    let background = (page.canvas.background ?? .white).withAlpha(1).clamped.hex.lowercased()
    // Old readers need the attributes in this order.
    text += "<background type=\"solid\" color=\"\(background.prefix(7))ff\" "
    text += "style=\"\(style(of: page))\"/>\n<layer>\n"
    for stroke in page.drawing.strokes {
      for curve in stroke.drawnCurves() { write(curve, frame, into: &text) }
    }
    text += "</layer>\n</page>\n"
  }

  private static func style(of page: ExportedPage) -> String {
    switch page.canvas.metadata["paper"] {
    case "lined", "cornell": "lined"
    case "grid", "graph": "graph"
    case "dotted": "dotted"
    case "isometric": "isograph"
    case "staves": "staves"
    default: "plain"
    }
  }

  private static func write(_ curve: DrawnCurve, _ frame: Rect, into text: inout String) {
    let isHighlighter = curve.ink.inkType == .marker
    // Xournal++ writes half of full opacity for its highlighter, and multiplies it with what is below.
    let alpha = isHighlighter ? 0x7F : Int(clamping: (curve.ink.cover * 255).rounded())
    let digits = String(alpha, radix: 16)
    let color = curve.ink.solidHex + (digits.count < 2 ? "0" : "") + digits
    var points = curve.points
    // A line needs two points.
    if points.count == 1 { points.append(points[0]) }
    var widths = [numbers.text(max(curve.maximumWidth, 0.01))]
    if curve.constantWidth == nil, !isHighlighter {
      widths += zip(points, points.dropFirst()).map { first, second in
        numbers.text(max((first.width + second.width) / 2, 0.01))
      }
    }
    text += "<stroke tool=\"\(isHighlighter ? "highlighter" : "pen")\" color=\"\(color)\" "
    text += "width=\"\(widths.joined(separator: " "))\" capStyle=\"round\">"
    for (index, point) in points.enumerated() {
      if index > 0 { text += " " }
      text += numbers.text(point.location.x - frame.minX) + " "
      text += numbers.text(point.location.y - frame.minY)
    }
    text += "</stroke>\n"
  }
}
