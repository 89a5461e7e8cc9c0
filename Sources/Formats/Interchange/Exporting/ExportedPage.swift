import Graphics
public import Strokes

/// A page to write in a foreign format.
public struct ExportedPage: Sendable {
  /// What the page is called; empty if it has no name.
  public var name: String
  /// The ink.
  public var drawing: PKDrawing
  /// The ink as it was drawn.
  public var recording: Recording

  /// A page.
  public init(name: String = "", drawing: PKDrawing, recording: Recording) {
    self.name = name
    self.drawing = drawing
    self.recording = recording
  }

  var canvas: Recording.Canvas { recording.canvas }

  /// The part of the canvas that a format with pages shows: the page, or what is drawn with some space around it.
  var frame: Rect {
    if let size = canvas.size, size.width > 0, size.height > 0 {
      return Rect(origin: Point(x: 0, y: 0), size: size)
    }
    let bounds = drawing.bounds
    guard !bounds.isNull else { return Rect(x: 0, y: 0, width: 595, height: 842) }
    let margin = 18.0
    return Rect(
      x: bounds.minX - margin, y: bounds.minY - margin, width: bounds.width + 2 * margin,
      height: bounds.height + 2 * margin)
  }
}

/// Finds the paint of each stroke of a drawing. Formats of other programs have one colour and one opacity for a stroke;
/// those of ink with texture are measured on its picture (`InkPaint.measured(of:)` in `VectorExport`).
public typealias PaintMeasure = (PKDrawing) -> [InkPaint]

extension ExportedPage {
  /// The strokes with their paints, from back to front. Notes what no format of other programs holds.
  func painted(
    by measure: PaintMeasure, _ notes: inout ImportNotes
  ) -> [(stroke: PKStroke, paint: InkPaint)] {
    let paints = measure(drawing)
    precondition(paints.count == drawing.strokes.count, "a stroke has no paint")
    let count = paints.count { $0.texture != .flat }
    if count > 0 {
      notes.add("grain, rims and changing opacity become one opacity for a stroke", count: count)
    }
    let blades = drawing.strokes.count(where: \.hasBlade)
    if blades > 0 {
      notes.add("blades become round tips, as wide as they are drawn", count: blades)
    }
    let shown = Set(drawing.strokes.flatMap { [$0.id, $0.parentID ?? $0.id] })
    let gone = recording.events.count { event in
      if case .strokeBegun(let stroke) = event.action { !shown.contains(stroke.id) } else { false }
    }
    if gone > 0 { notes.add("strokes that were erased or undone are left out", count: gone) }
    return Array(zip(drawing.strokes, paints).map { ($0, $1) })
  }
}

extension InkPaint {
  /// The colour as `#rrggbb`.
  var hex: String { String(color.withAlpha(1).clamped.hex.prefix(7)).lowercased() }
}

/// Texts of numbers for files: the shortest with at most some decimals.
struct NumberWriter {
  let decimals: Int

  func text(_ value: Double) -> String {
    var factor = 1.0
    for _ in 0..<decimals { factor *= 10 }
    let scaled = (value * factor).rounded()
    guard abs(scaled) < 1e15 else { return value.isFinite ? value.description : "0" }
    let whole = Int64(scaled)
    let digits = String(whole.magnitude)
    let padded = String(repeating: "0", count: max(decimals + 1 - digits.count, 0)) + digits
    var text = padded.dropLast(decimals) + (decimals > 0 ? "." : "") + padded.suffix(decimals)
    if decimals > 0 {
      while text.last == "0" { text.removeLast() }
      if text.last == "." { text.removeLast() }
    }
    return (whole < 0 ? "-" : "") + text
  }
}
