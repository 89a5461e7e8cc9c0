import InkFiles
import Graphics
import JSON
public import Strokes
import System

/// Writes drawings as lines of Quick, Draw!'s JSON: one line a drawing.
///
/// Only middle lines are written, as the format has neither widths nor colours. A page's metadata
/// may have `title` (the word), `key_id`, `countrycode` and `recognized`, as the importer sets
/// them.
public enum QuickDrawWriter {
  /// The two forms of the dataset.
  public enum Form: String, Hashable, Sendable, CaseIterable {
    /// Positions in pixels with times.
    case raw
    /// Positions from 0 to 255 without times, by `QuickDrawRecipe`.
    case simplified
  }

  /// The line of a drawing, with its line break.
  public static func line(
    _ drawing: PKDrawing, on canvas: Recording.Canvas = Recording.Canvas(), as form: Form = .raw
  ) -> [UInt8] {
    var notes = ImportNotes()
    return line(of: InkContents(drawing, on: canvas), as: form, &notes)
  }

  /// The line of a page. Notes the losses.
  static func line(
    of page: InkContents, as form: Form, _ notes: inout ImportNotes
  ) -> [UInt8] {
    let drawing = page.drawing
    let looks = drawing.strokes.count { !$0.isQuickDrawn }
    if looks > 0 { notes.add("colors, widths and textures are left out", count: looks) }
    page.noteLosses(
      keeping: .title, texts: ["key_id", "countrycode", "recognized"], &notes)
    var visible = VisibleRanges()
    let traces = drawing.strokes.flatMap { stroke in
      visible.ranges(of: stroke).map { Trace(stroke, in: $0) }
    }
    visible.addNotes(to: &notes)
    let texts = page.canvas.metadata
    var line = Line()
    line.field("word", texts["title"] ?? (page.name == texts["key_id"] ? "" : page.name))
    line.field("countrycode", texts["countrycode"] ?? "")
    if let date = traces.first?.start.iso8601 {
      line.field("timestamp", date.exchanging("T", for: " ").exchanging("Z", for: " UTC"))
    }
    // `recognized` is true by default: training scripts skip other lines.
    line.field("recognized", isTrue: texts["recognized"] != "false")
    line.field("key_id", texts["key_id"] ?? key(of: drawing))
    line.key("drawing")
    switch form {
    case .raw: line.list(traces) { $0.raw($1) }
    case .simplified:
      line.list(QuickDrawRecipe.simplified(traces.map(\.places))) { $0.simplified($1) }
    }
    return line.ended()
  }

  /// A number of 16 digits that is constant for a drawing.
  private static func key(of drawing: PKDrawing) -> String {
    let hash = drawing.strokes.first?.id.low ?? 0
    return String(1_000_000_000_000_000 + hash % 9_000_000_000_000_000)
  }
}

extension PKStroke {
  /// Whether the stroke is like those of the dataset: of one width, in black.
  fileprivate var isQuickDrawn: Bool {
    let width = QuickDrawRecord.penWidth * QuickDrawRecord.unit
    return ink == ForeignBrush.evenPen.ink(.black)
      && path.widths.allSatisfy { abs(Double($0) - width) < 0.1 }
  }
}

/// The pen's movement: positions in pixels of 96 an inch, and times in milliseconds since its
/// start.
private struct Trace {
  let start: Timestamp
  private(set) var places: [Point] = []
  private(set) var times: [Double] = []
  /// The offset of the times: the start of the trace since that of the drawing.
  private let stroke: PKStroke

  /// The maximum distance between positions on the curve, in pixels.
  private static let step = 8.0
  private static let pixel = 72.0 / 96

  /// A visible part of a stroke.
  init(_ stroke: PKStroke, in range: ClosedRange<Double>) {
    self.stroke = stroke
    start = stroke.path.creationDate
    var parameter = range.lowerBound
    append(parameter)
    while parameter < range.upperBound {
      // To the next control point, in even steps.
      let end = min(parameter.rounded(.down) + 1, range.upperBound)
      let length = place(parameter).distance(to: place(end))
      let count = max(1, min((length / Self.step).rounded(.up), 1_000))
      for number in stride(from: 1, through: count, by: 1) {
        append(parameter + (end - parameter) * (number / count))
      }
      parameter = end
    }
  }

  private func place(_ parameter: Double) -> Point {
    let place = stroke.path.interpolatedLocation(at: parameter).applying(stroke.transform)
    func pixels(_ value: Double) -> Double { min(max(value / Self.pixel, -1e9), 1e9) }
    return Point(x: pixels(place.x), y: pixels(place.y))
  }

  /// Adds the position at a parameter value, unless the pen has not moved.
  private mutating func append(_ parameter: Double) {
    let place = place(parameter)
    guard places.last != place else { return }
    places.append(place)
    times.append(stroke.path.interpolatedPoint(at: parameter).timeOffset)
  }
}

/// A line of JSON, without any blanks.
private struct Line {
  private var bytes = Array("{".utf8)
  private var origin: Timestamp?

  mutating func key(_ name: StaticString) {
    if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
    bytes += "\"\(name)\":".utf8
  }

  mutating func field(_ name: StaticString, _ text: String) {
    key(name)
    var json = JSONWriter()
    json.value(text)
    bytes += json.bytes
  }

  mutating func field(_ name: StaticString, isTrue: Bool) {
    key(name)
    bytes += (isTrue ? "true" : "false").utf8
  }

  mutating func list<Value>(
    _ values: [Value], _ write: (inout Line, Value) -> Void
  ) {
    bytes.append(UInt8(ascii: "["))
    for (index, value) in values.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      write(&self, value)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  /// A stroke with times since the first one began.
  mutating func raw(_ trace: Trace) {
    let origin = origin ?? trace.start + (trace.times.first ?? 0)
    self.origin = origin
    let offset = trace.start - origin
    let times = trace.times.map { (($0 + offset) * 1000).rounded() }
    list([
      trace.places.map { ($0.x * 100).rounded() / 100 },
      trace.places.map { ($0.y * 100).rounded() / 100 }, times,
    ]) { $0.numbers($1) }
  }

  mutating func simplified(_ places: [Point]) {
    list([places.map(\.x), places.map(\.y)]) { $0.numbers($1) }
  }

  private mutating func numbers(_ values: [Double]) {
    list(values) { line, value in
      if let whole = Int(exactly: value) {
        line.bytes += String(whole).utf8
      } else {
        line.bytes += value.description.utf8
      }
    }
  }

  consuming func ended() -> [UInt8] { bytes + "}\n".utf8 }
}
