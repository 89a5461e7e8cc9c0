import Graphics
import Rasterization
import Strokes

/// Every ink in marks that show its look: one row per ink.
///
/// The columns are: taps and a short stroke; a line of the opacity that fingers leave; a line that
/// swells; a loop; a dense zigzag; strokes of two colours over a pen's line; a broad stroke.
func inkSheet(_ style: RenderOptions.Style, scale: Double, columns: [Int]) throws -> [UInt8] {
  let cell = Size(width: 96, height: 64)
  var sheet = Sheet(
    columnCount: columns.count, gap: 1, gapColor: Color(red: 0.5, green: 0.54, blue: 0.58))
  let renderer = Renderer(RenderOptions(extent: .scale(scale), style: style))
  for ink in SheetInk.all {
    for column in columns {
      sheet.add(
        try renderer.picture(
          of: PKDrawing(strokes: ink.strokes(column)), on: Recording.Canvas(size: cell)))
    }
  }
  return try sheet.encoded()
}

/// An ink with its usual colour and width.
private struct SheetInk {
  let type: PKInkingTool.InkType
  let color: Color
  /// The drawn width in points.
  let width: Double

  static let all = [
    SheetInk(type: .pen, color: Color(red: 0.08, green: 0.1, blue: 0.2), width: 3),
    SheetInk(type: .monoline, color: Color(red: 0.1, green: 0.35, blue: 0.65), width: 2.4),
    SheetInk(type: .fountainPen, color: Color(red: 0.45, green: 0.15, blue: 0.42), width: 6),
    SheetInk(type: .reed, color: Color(red: 0.28, green: 0.18, blue: 0.13), width: 12),
    SheetInk(type: .marker, color: Color(red: 1, green: 0.8, blue: 0.2, alpha: 0.8), width: 13),
    SheetInk(type: .pencil, color: Color(red: 0.2, green: 0.2, blue: 0.23), width: 2.7),
    SheetInk(type: .crayon, color: Color(red: 0.85, green: 0.25, blue: 0.2), width: 8),
    SheetInk(type: .watercolor, color: Color(red: 0.15, green: 0.5, blue: 0.85), width: 17),
  ]

  /// The opacity that a file stores for ordinary pressure.
  private var opacity: Double {
    switch type {
    case .pencil, .crayon: 0.18
    case .watercolor: 0.4
    case .reed: 0.6
    default: 1
    }
  }

  /// The strokes of a column.
  func strokes(_ column: Int) -> [PKStroke] {
    switch column {
    case 0:
      [
        stroke([(18, 20)]), stroke([(46, 20), (46.2, 20.1)]), stroke([(72, 18), (78, 24)]),
        stroke([(18, 50), (30, 44), (44, 46), (60, 52), (80, 46)], width: 0.5 * width),
      ]
    case 1: [stroke(Self.wave, opacity: 0.15)]
    case 2: [stroke(Self.wave, swells: true)]
    case 3:
      [
        stroke([
          (10, 48), (30, 48), (58, 30), (56, 12), (42, 12), (38, 30), (60, 50), (86, 48),
        ])
      ]
    case 4:
      [stroke(Self.zigzag, width: 0.8 * width)]
    case 5:
      [
        Self.all[0].stroke([(8, 33), (20, 26), (34, 38), (48, 26), (62, 38), (76, 26), (90, 34)]),
        stroke([(14, 12), (50, 30), (84, 54)]),
        stroke([(14, 54), (48, 34), (84, 12)], color: Color(red: 0.25, green: 0.6, blue: 0.9)),
      ]
    default: [stroke([(18, 40), (40, 24), (60, 40), (80, 26)], width: 2 * width)]
    }
  }

  private static let wave = [(10.0, 44.0), (26, 26), (44, 22), (58, 40), (72, 44), (86, 20)]

  private static let zigzag = (0..<15).map { index -> (Double, Double) in
    (12 + 5 * Double(index), index % 2 == 0 ? 14 : 52)
  }

  /// A stroke through points, of the ink's colour, width and opacity unless others are given.
  private func stroke(
    _ points: [(Double, Double)], color: Color? = nil, width: Double? = nil,
    opacity: Double? = nil, swells: Bool = false
  ) -> PKStroke {
    let controls = points.enumerated().map { index, point in
      let part = swells ? 0.15 + 1.1 * Double(index) / Double(points.count - 1) : 1
      let drawn = part * (width ?? self.width)
      let ratio = type == .reed ? 0.17 : type == .fountainPen ? 0.3 : 1
      return PKStrokePoint(
        location: Point(x: point.0, y: point.1), timeOffset: 0.1 * Double(index),
        size: type == .marker
          ? Size(width: 0.36 * drawn, height: drawn)
          : Size(width: drawn, height: ratio * drawn),
        opacity: (opacity ?? self.opacity) * (swells ? min(part, 1) : 1), force: 1,
        azimuth: type == .reed || type == .fountainPen ? -0.75 : 0, altitude: 1.2)
    }
    var ink = color ?? self.color
    ink.alpha = self.color.alpha
    return PKStroke(
      ink: PKInk(type, color: ink, widthLaw: .plain), path: PKStrokePath(controlPoints: controls),
      randomSeed: 7)
  }
}
