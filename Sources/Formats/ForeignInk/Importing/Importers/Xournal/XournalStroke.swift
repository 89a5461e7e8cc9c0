import InkFiles
import Graphics
import Strokes
import XML

/// A stroke of a document: a polyline whose segments have widths.
struct XournalStroke: Sendable {
  private let ink: PKInk
  /// The width of the tool, in points.
  private let width: Double
  /// The width of each segment; empty if all are the tool's.
  private var segmentWidths: [Double]
  /// x and y alternating.
  private var coordinates: [Double] = []
  /// The offset of the element in the text.
  private let offset: Int

  /// The stroke of an element, still without points.
  init(_ element: XMLElement, notes: inout ImportNotes) {
    offset = element.offset
    var color = element["color"].flatMap { XournalPage.color($0, named: Self.colors) }
    if color == nil { notes.add("colors that are unknown become black") }
    let tool = element["tool"] ?? "pen"
    switch tool {
    case "highlighter":
      // Xournal++ draws them with this alpha, independent of the colour's, unless they are filled.
      let fill = element["fill"].flatMap { Int($0) } ?? 0
      color?.alpha =
        fill > 0 ? min(Double(fill) / 255, 1) : XournalMark.highlighterOpacity
      ink = ForeignBrush.highlighter.ink(color ?? .black)
    case "eraser":
      // Strokes of the white eraser are ink in their stated colour, or in white.
      notes.add("the strokes of the white eraser are drawn, as on paper")
      ink = ForeignBrush.evenPen.ink(color ?? .white)
    default:
      if tool != "pen" { notes.add("tools that are unknown become pens") }
      ink = ForeignBrush.pen.ink(color ?? .black)
    }
    var numbers = Self.numbers(element["width"] ?? "")
    width = numbers.first.flatMap { $0.isFinite && $0 > 0 ? $0 : nil } ?? Self.usualWidth
    if !numbers.isEmpty { numbers.removeFirst() }
    segmentWidths = numbers
    if let fill = element["fill"].flatMap({ Int($0) }), fill > 0 {
      notes.add("fills are left out; their outlines are drawn")
    }
    if let style = element["style"], style != "plain" {
      notes.add("dashed and dotted lines are drawn whole")
    }
    if let cap = element["capStyle"], cap != "round" { notes.add("flat ends are drawn round") }
    if let sound = element["fn"], !sound.isEmpty {
      notes.add("the sound that was recorded with the ink is left out")
    }
    let needless = segmentWidths.count { !($0.isFinite && $0 > 0) }
    if needless > 0 {
      notes.add("widths that are none are taken from their neighbours", count: needless)
    }
  }

  /// Reads the points. Returns the first error; the points before it are kept.
  mutating func readPoints(_ text: borrowing Span<UInt8>) -> ImportError? {
    coordinates.reserveCapacity(text.count / 10)
    var index = 0
    NumberText.skipSpace(in: text, at: &index)
    while index < text.count {
      guard let value = Self.number(in: text, at: &index) else {
        return finish(.expected("a number"))
      }
      coordinates.append(value)
      NumberText.skipSpace(in: text, at: &index)
    }
    return finish(coordinates.isEmpty ? .missing("the points of a stroke") : nil)
  }

  private mutating func finish(_ reason: ImportError.Reason?) -> ImportError? {
    var reason = reason
    if coordinates.count % 2 == 1 {
      coordinates.removeLast()
      reason = reason ?? .missing("the y of a stroke's last point")
    }
    fillWidths()
    return reason.map { ImportError($0, at: offset) }
  }

  /// Gives every segment a width.
  private mutating func fillWidths() {
    guard !segmentWidths.isEmpty else { return }
    let count = max(coordinates.count / 2 - 1, 1)
    if segmentWidths.count > count { segmentWidths.removeLast(segmentWidths.count - count) }
    var last = segmentWidths.first { $0.isFinite && $0 > 0 } ?? width
    for index in segmentWidths.indices {
      if segmentWidths[index].isFinite, segmentWidths[index] > 0 {
        last = segmentWidths[index]
      } else {
        segmentWidths[index] = last
      }
    }
  }

  /// The stroke with a width at each point: the mean of the adjacent segments.
  var foreign: ForeignStroke {
    var stroke = ForeignStroke(ink: ink)
    stroke.shape = isDrawnByHand ? .samples : .polygon
    let count = coordinates.count / 2
    stroke.points.reserveCapacity(count)
    for index in 0..<count {
      let width = width(at: index)
      stroke.points.append(
        PKStrokePoint(
          x: coordinates[2 * index], y: coordinates[2 * index + 1], width: width,
          force: segmentWidths.isEmpty ? 1 : width / self.width))
    }
    return stroke
  }

  /// Whether the stroke is hand-drawn. Lines of rulers and shapes have one width and few points,
  /// with straight lines between them.
  private var isDrawnByHand: Bool {
    guard segmentWidths.isEmpty else { return true }
    let count = coordinates.count / 2
    var length = 0.0
    for index in stride(from: 2, to: 2 * count, by: 2) {
      let x = coordinates[index] - coordinates[index - 2]
      let y = coordinates[index + 1] - coordinates[index - 1]
      length += (x * x + y * y).squareRoot()
    }
    return length <= Self.longStep * Double(count)
  }

  /// The upper bound of the average distance between hand-drawn points, in points.
  private static let longStep = 8.0

  private func width(at index: Int) -> Double {
    guard let last = segmentWidths.indices.last else { return width }
    return (segmentWidths[min(max(index - 1, 0), last)] + segmentWidths[min(index, last)]) / 2
  }

  /// The width of a medium pen.
  private static let usualWidth = 1.41

  private static func numbers(_ text: String) -> [Double] {
    var text = text
    return text.withUTF8 { bytes in
      let span = bytes.span
      var numbers: [Double] = []
      var index = 0
      NumberText.skipSpace(in: span, at: &index)
      while index < span.count, let value = number(in: span, at: &index) {
        numbers.append(value)
        NumberText.skipSpace(in: span, at: &index)
      }
      return numbers
    }
  }

  /// A number, or the words `nan` and `inf` with an optional sign.
  private static func number(in text: borrowing Span<UInt8>, at index: inout Int) -> Double? {
    if let value = NumberText.number(in: text, at: &index) { return value }
    var end = index
    while end < text.count, text[end] > 0x20 { end += 1 }
    let word = text.extracting(index..<min(end, index + 5)).withUnsafeBufferPointer {
      String(decoding: $0, as: UTF8.self).lowercased()
    }
    guard end - index <= 5, ["nan", "-nan", "inf", "-inf"].contains(word) else { return nil }
    index = end
    return .nan
  }

  /// The names of Xournal's colours of ink.
  private static let colors: [String: UInt32] = [
    "black": 0x000000, "blue": 0x3333CC, "red": 0xFF0000, "green": 0x008000, "gray": 0x808080,
    "lightblue": 0x00C0FF, "lightgreen": 0x00FF00, "magenta": 0xFF00FF, "orange": 0xFF8000,
    "yellow": 0xFFFF00, "white": 0xFFFFFF,
  ]
}
