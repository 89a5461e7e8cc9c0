public import Graphics

/// The properties of one kind of ink apart from its look: its names, the widths of its tool, and
/// the shape of its nib. `table` holds all inks; `Rasterization/Inks` defines their looks.
struct InkModel {
  /// The name in this package's texts and files.
  let name: String
  /// The identifier in archives, after `com.apple.ink.`.
  let identifier: String
  /// The oldest content version whose readers know the ink.
  let contentVersion: PKContentVersion
  /// The widths that the tool can be set to, in points. They were measured on iOS 26.5, but the
  /// reed's are assumed.
  let toolWidths: ClosedRange<Double>
  /// The width of a new tool, in points.
  let defaultWidth: Double
  /// The law for the width of the mark that a point of a size leaves.
  let markSize: MarkSize
  let nib: NibShape

  /// The known inks, in the order of `InkType.known`.
  static let table = [
    InkModel(
      name: "pen", identifier: "pen", contentVersion: .version1, toolWidths: 0.88...25.66,
      defaultWidth: 2.68, markSize: .line, nib: NibShape()),
    InkModel(
      name: "pencil", identifier: "pencil", contentVersion: .version1, toolWidths: 2.4...16,
      defaultWidth: 4, markSize: .soft, nib: NibShape(wander: 0.14, wanderLimit: 0.22, bleed: 0.5)),
    InkModel(
      name: "marker", identifier: "marker", contentVersion: .version1, toolWidths: 7.5...60,
      defaultWidth: 15, markSize: .blade,
      nib: NibShape(exponent: 7, isTurnedByAzimuth: true, bleed: 0.5)),
    InkModel(
      name: "monoline", identifier: "monoline", contentVersion: .version2, toolWidths: 0.5...4,
      defaultWidth: 1, markSize: .line, nib: NibShape()),
    InkModel(
      name: "fountainPen", identifier: "fountainpen", contentVersion: .version2,
      toolWidths: 1.5...14, defaultWidth: 4, markSize: .line,
      nib: NibShape(squareRatio: 0.3, isTurnedByAzimuth: true)),
    InkModel(
      name: "watercolor", identifier: "watercolor", contentVersion: .version2, toolWidths: 10...80,
      defaultWidth: 30, markSize: .soft, nib: NibShape(bleed: 2.5)),
    InkModel(
      name: "crayon", identifier: "crayon", contentVersion: .version2, toolWidths: 10...50,
      defaultWidth: 20, markSize: .soft, nib: NibShape(wander: 0.05, wanderLimit: 0.3, bleed: 0.5)),
    InkModel(
      name: "reed", identifier: "reedcalligraphy", contentVersion: .version4, toolWidths: 1.5...30,
      defaultWidth: 8, markSize: .line,
      nib: NibShape(squareRatio: 0.17, exponent: 5, isTurnedByAzimuth: true, bleed: 0.5)),
  ]
}

/// The law for the extent of the mark that a point of a size leaves, in points. PencilKit's laws
/// were measured on iPadOS 26.5 and 27.
@usableFromInline
package enum MarkSize: Sendable {
  /// The size itself; for ink from other sources.
  case plain
  /// `2·size − 4`, and nothing up to size 2.
  case line
  /// An upright blade, `1.225·height` wide and `0.4375·width` tall.
  case blade
  /// `1.75·size`.
  case soft

  /// The extent of the mark; zero where nothing is drawn.
  @inlinable @inline(__always)
  package func drawn(_ size: Size) -> Size {
    switch self {
    case .plain: return size
    case .line:
      let width = max(2 * size.width - 4, 0)
      return Size(width: width, height: size.width > 0 ? width * size.height / size.width : 0)
    case .blade: return Size(width: 1.225 * size.height, height: 0.4375 * size.width)
    case .soft: return size * 1.75
    }
  }
}

/// The shape of an ink's nibs.
package struct NibShape {
  /// The ratio of the second extent to the first where a file gives both as equal.
  package var squareRatio = 1.0
  /// The exponent of the superellipse: 2 for an ellipse; the greater, the nearer to a rectangle.
  package var exponent = 2.0
  /// Whether the nib's first axis points in the direction of the pen's azimuth.
  package var isTurnedByAzimuth = false
  /// The distance by which the rim of a textured ink wanders beyond the nib, as a fraction of the
  /// half extent.
  package var wander = 0.0
  /// The maximum of `wander`, in points. Without it, the rim of a wide stroke would look like fur.
  package var wanderLimit = 0.0
  /// The further reach of the texture beyond that, in points.
  var bleed = 0.0
}

extension PKInkingTool.InkType {
  /// The index in the table of inks; one past its end for an unknown ink.
  var ordinal: Int {
    switch self {
    case .pen: 0
    case .pencil: 1
    case .marker: 2
    case .monoline: 3
    case .fountainPen: 4
    case .watercolor: 5
    case .crayon: 6
    case .reed: 7
    case .other: 8
    }
  }

  /// The properties of the ink; nil for one that this package does not know.
  var model: InkModel? { ordinal < InkModel.table.count ? InkModel.table[ordinal] : nil }

  /// The shape of the ink's nibs. An unknown ink is drawn as a pen.
  package var nibShape: NibShape { InkModel.table[drawnOrdinal].nib }

  var markSize: MarkSize { InkModel.table[drawnOrdinal].markSize }

  private var drawnOrdinal: Int { ordinal < InkModel.table.count ? ordinal : 0 }
}
