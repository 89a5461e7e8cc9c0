import InkFiles
import Graphics
public import Strokes

extension InkContents {
  /// The part of the canvas for formats with pages: the page, or the box of the ink with some space
  /// around it.
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

/// Finds the paint of each stroke of a drawing. Formats of other programs store one colour and one
/// opacity for each stroke. For textured inks, both are measured on a picture of the stroke
/// (`InkPaint.measured(of:)` in `VectorExport`). If measuring all strokes takes too much work, the
/// opacities of some are estimated.
public typealias PaintMeasure = (PKDrawing) -> (paints: [InkPaint], estimatedCount: Int)

/// A stroke in the form of other programs.
struct PaintedStroke {
  let stroke: PKStroke
  let paint: InkPaint
  /// The visible parts of the path.
  let ranges: [ClosedRange<Double>]
}

extension InkContents {
  /// The strokes with their paints, from back to front. Notes the parts that no format of other
  /// programs keeps.
  func painted(by measure: PaintMeasure, _ notes: inout ImportNotes) -> [PaintedStroke] {
    let (paints, estimatedCount) = measure(drawing)
    precondition(paints.count == drawing.strokes.count, "a stroke has no paint")
    let count = paints.count { $0.texture != .flat }
    if count > 0 {
      notes.add("grain, rims and changing opacity become one opacity for a stroke", count: count)
    }
    if estimatedCount > 0 {
      notes.add(
        "strokes that take too much work to measure have an estimated opacity",
        count: estimatedCount)
    }
    let blades = drawing.strokes.count(where: \.hasBlade)
    if blades > 0 {
      notes.add("blades become round tips, as wide as they are drawn", count: blades)
    }
    var visible = VisibleRanges()
    let strokes = zip(drawing.strokes, paints).map { stroke, paint in
      PaintedStroke(stroke: stroke, paint: paint, ranges: visible.ranges(of: stroke))
    }
    visible.addNotes(to: &notes)
    return strokes
  }
}

extension InkPaint {
  /// The colour as `#rrggbb`.
  var hex: String { String(color.withAlpha(1).clamped.hex.prefix(7)).lowercased() }
}

extension DecimalText {
  /// A number with at most three decimals, which are a fortieth of a pixel at any zoom that programs
  /// have; numbers from 10^12 are as Swift writes them.
  static func rounded(_ value: Double) -> String {
    value.magnitude < 1e12
      ? DecimalText(decimals: 3, hasLeadingZero: true, limit: 1e12).text(value)
      : value.isFinite ? value.description : "0"
  }
}
