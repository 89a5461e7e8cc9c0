import Graphics
import InkFiles
import PNGFormat
import Strokes

/// Writes Xournal++'s `.xopp`: gzipped XML of file version 4, which released programs read.
enum XournalExporter {
  static func encode(
    _ pages: [InkContents], paints: PaintMeasure, _ notes: inout ImportNotes
  ) -> [UInt8] {
    var text: [UInt8] = []
    text += "<?xml version=\"1.0\" standalone=\"no\"?>\n".utf8
    text += "<xournal creator=\"Pentimento\" fileversion=\"4\">\n".utf8
    text += "<title>Xournal++ document - see https://xournalpp.github.io/</title>\n".utf8
    for page in pages { write(page, page.painted(by: paints, &notes), &notes, into: &text) }
    text += "</xournal>\n".utf8
    return DeflateStream.gzip(text)
  }

  private static func write(
    _ page: InkContents, _ strokes: [PaintedStroke],
    _ notes: inout ImportNotes, into text: inout [UInt8]
  ) {
    let frame = page.frame
    let (width, height) = (DecimalText.rounded(frame.width), DecimalText.rounded(frame.height))
    text += "<page width=\"\(width)\" height=\"\(height)\">\n".utf8
    let paper = (page.canvas.background ?? .white).withAlpha(1).clamped
    // Old readers need the attributes in this order.
    text += "<background type=\"solid\" color=\"\(paper.hex.lowercased().prefix(7))ff\" ".utf8
    text += "style=\"\(style(of: page, &notes))\"/>\n<layer>\n".utf8
    page.noteLosses(keeping: [.extent, .background, .paper], &notes)
    for (painted, mark) in marks(strokes, on: paper, &notes) {
      for curve in painted.stroke.drawnCurves(in: painted.ranges) {
        write(curve, mark, frame, into: &text)
      }
    }
    text += "</layer>\n</page>\n".utf8
  }

  private static func style(of page: InkContents, _ notes: inout ImportNotes) -> String {
    switch page.canvas.metadata["paper"] {
    case "lined", "cornell": return "lined"
    case "grid", "graph": return "graph"
    case "dotted": return "dotted"
    case "isometric": return "isograph"
    case "staves": return "staves"
    case nil, "blank": return "plain"
    default:
      notes.add("the lines of the paper are left out")
      return "plain"
    }
  }

  /// The marks of strokes from back to front. Notes the losses.
  private static func marks(
    _ strokes: [PaintedStroke], on paper: Color, _ notes: inout ImportNotes
  ) -> [(painted: PaintedStroke, mark: XournalMark)] {
    var marks: [(painted: PaintedStroke, mark: XournalMark, bounds: Rect)] = []
    for painted in strokes {
      let (stroke, paint) = (painted.stroke, painted.paint)
      let isEven = stroke.path.hasOneSize && !stroke.hasBlade
      let mark = XournalMark(paint, on: paper, isEven: isEven)
      if mark.isHighlighter, !isEven {
        notes.add("highlighters get one width")
      }
      if mark.isOpaque {
        notes.add("translucent ink becomes opaque, in the colour that it has on the paper")
      }
      let bounds = stroke.renderBounds
      var place = marks.count
      if mark.isOpaque, paint.mix == .darken {
        // The highlighter is inserted below marks that it would hide, if they are dark enough to
        // look the same above it.
        for next in marks.indices.reversed() where marks[next].bounds.intersects(bounds) {
          guard marks[next].mark.staysVisible(on: mark) else { break }
          place = next
        }
      }
      marks.insert((painted, mark, bounds), at: place)
    }
    return marks.map { ($0.painted, $0.mark) }
  }

  private static func write(
    _ curve: DrawnCurve, _ mark: XournalMark, _ frame: Rect, into text: inout [UInt8]
  ) {
    var points = curve.points
    // A line needs two points.
    if points.count == 1 { points.append(points[0]) }
    text += "<stroke tool=\"\(mark.isHighlighter ? "highlighter" : "pen")\" ".utf8
    text += "color=\"\(mark.hex)\" width=\"".utf8
    func add(_ width: Double) { text += DecimalText.rounded(max(width, 0.01)).utf8 }
    if mark.isHighlighter {
      add(curve.meanWidth)
    } else {
      add(curve.maximumWidth)
      if curve.constantWidth == nil {
        for (first, second) in zip(points, points.dropFirst()) {
          text.append(UInt8(ascii: " "))
          add((first.width + second.width) / 2)
        }
      }
    }
    text += "\" capStyle=\"round\">".utf8
    for (index, point) in points.enumerated() {
      if index > 0 { text.append(UInt8(ascii: " ")) }
      text += DecimalText.rounded(point.location.x - frame.minX).utf8
      text.append(UInt8(ascii: " "))
      text += DecimalText.rounded(point.location.y - frame.minY).utf8
    }
    text += "</stroke>\n".utf8
  }
}

/// A tool of Xournal++ that draws a stroke.
///
/// Its pens are opaque for every alpha of their colours. Its highlighters multiply a colour with
/// the page, always with the same opacity, and have one width. So an ink that lets 53 % of the
/// light through or more in every channel becomes a highlighter whose colour compensates for the
/// opacity. Any other translucent ink becomes a pen in the colour that it has on the paper.
struct XournalMark {
  let isHighlighter: Bool
  /// Whether a translucent ink covers the content below it.
  let isOpaque: Bool
  /// The written colour, which is opaque.
  let color: Color

  /// The opacity of highlighters in Xournal++ 1.1 and 1.2.
  static let highlighterOpacity = 120.0 / 255

  /// The mark of a paint on a paper. A highlighter only draws inks of constant width well, but it
  /// also serves others through which the content below shows.
  init(_ paint: InkPaint, on paper: Color, isEven: Bool) {
    let opacity = min(max(paint.opacity, 0), 1)
    func shown(_ ink: Double, _ ground: Double) -> Double {
      let mixed =
        switch paint.mix {
        case .over: ink
        case .darken: min(ink, ground)
        case .lighten: max(ink, ground)
        case .multiply: ink * ground
        case .screen: 1 - (1 - ink) * (1 - ground)
        }
      return ground * (1 - opacity) + mixed * opacity
    }
    let ink = paint.color.clamped
    let result = [
      (shown(ink.red, paper.red), paper.red), (shown(ink.green, paper.green), paper.green),
      (shown(ink.blue, paper.blue), paper.blue),
    ]
    guard opacity < 0.995 || paint.mix != .over else {
      (isHighlighter, isOpaque, color) = (false, false, ink.withAlpha(1))
      return
    }
    let rest = 1 - Self.highlighterOpacity
    // The share of the paper's light that a highlighter of a colour must transmit.
    let colors = result.map { shown, ground in
      // No highlighter is visible on black.
      ground > 1e-3 ? (shown / ground - rest) / (1 - rest) : shown > 1e-2 ? 2 : 0
    }
    // A twentieth beyond a highlighter's range is hardly visible.
    let fits = colors.allSatisfy { (-0.05...1.05).contains($0) }
    isHighlighter = fits && (isEven || paint.mix != .over)
    isOpaque = !isHighlighter
    let parts = isHighlighter ? colors : result.map(\.0)
    color = Color(red: parts[0], green: parts[1], blue: parts[2]).clamped
  }

  /// The colour as Xournal++ writes it: half of full opacity for highlighters.
  var hex: String {
    color.withAlpha(1).hex.prefix(7).lowercased() + (isHighlighter ? "7f" : "ff")
  }

  /// Whether this looks the same on top of a highlighter that became opaque as below one that
  /// darkens.
  func staysVisible(on other: XournalMark) -> Bool {
    guard !isHighlighter, !isOpaque else { return false }
    return color.red <= other.color.red && color.green <= other.color.green
      && color.blue <= other.color.blue
  }
}

extension PKStrokePath {
  /// Whether the stroke has a visibly constant width.
  fileprivate var hasOneSize: Bool {
    let all = widths
    guard let low = all.min(), let high = all.max() else { return true }
    return high - low <= 0.1 * high
  }
}
