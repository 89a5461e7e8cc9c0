import InkFiles
import CMath
import Graphics
import JSON
import Strokes

/// Writes Excalidraw's `.excalidraw` files. Strokes become freedraw elements, whose pressures
/// express the widths.
enum ExcalidrawExporter {
  /// Pixels of 1/96 inch in a point.
  private static let scale = 96.0 / 72

  static func encode(
    _ page: InkContents, paints: PaintMeasure, _ notes: inout ImportNotes
  ) -> [UInt8] {
    let strokes = page.painted(by: paints, &notes)
    let mixing = strokes.count { $0.paint.mix != .over }
    if mixing > 0 {
      notes.add("ink that what lies below shows through is laid over it", count: mixing)
    }
    page.noteLosses(keeping: .background, &notes)
    var json = JSONWriter()
    json.object(long: true) { json in
      json.field("type", "excalidraw")
      json.field("version", 2)
      json.field("source", "pentimento")
      json.list("elements", long: true) { json in
        var number = 0
        for painted in strokes {
          for curve in painted.stroke.drawnCurves(in: painted.ranges) {
            number += 1
            write(curve, painted.paint, number, into: &json)
          }
        }
      }
      json.object("appState") { json in
        let background = page.canvas.background ?? .white
        json.field("viewBackgroundColor", background.clamped.hex.lowercased())
      }
      json.object("files") { _ in }
    }
    json.finish()
    return json.bytes
  }

  private static func write(
    _ curve: DrawnCurve, _ paint: InkPaint, _ number: Int, into json: inout JSONWriter
  ) {
    let places = curve.points.map { $0.location * scale }
    let origin = places[0]
    let box = places.reduce(into: (low: origin, high: origin)) { box, place in
      box.low = Point(x: min(box.low.x, place.x), y: min(box.low.y, place.y))
      box.high = Point(x: max(box.high.x, place.x), y: max(box.high.y, place.y))
    }
    let pen = PressurePen(drawing: curve.maximumWidth * scale, isEven: curve.constantWidth != nil)
    json.object { json in
      json.field("id", "stroke-\(number)")
      json.field("type", "freedraw")
      json.field("x", origin.x, decimals: 3)
      json.field("y", origin.y, decimals: 3)
      json.field("width", box.high.x - box.low.x, decimals: 3)
      json.field("height", box.high.y - box.low.y, decimals: 3)
      json.field("angle", 0)
      json.field("strokeColor", paint.hex)
      json.field("backgroundColor", "transparent")
      json.field("fillStyle", "solid")
      json.field("strokeWidth", pen.strokeWidth, decimals: 4)
      json.field("strokeStyle", "solid")
      json.field("roughness", 0)
      json.field("opacity", Int(clamping: (paint.opacity * 100).rounded()))
      for name in ["groupIds", "boundElements"] {
        json.list(name) { _ in }
      }
      for name in ["frameId", "index", "roundness", "link", "lastCommittedPoint"] {
        json.key(name)
        json.null()
      }
      json.field("seed", number)
      json.field("version", 1)
      json.field("versionNonce", number)
      json.field("updated", 1)
      json.field("isDeleted", false)
      json.field("locked", false)
      json.field("simulatePressure", false)
      json.list("points", places) { json, place in
        json.list([place.x - origin.x, place.y - origin.y].map { $0.rounded(decimals: 3) })
      }
      json.key("pressures")
      json.list(
        curve.points.map { pen.pressure(for: $0.width * scale).rounded(decimals: 4) })
    }
  }
}

/// The relation of pressure and width in Excalidraw's pen.
struct PressurePen {
  /// The width of the tool.
  let strokeWidth: Double
  private let isEven: Bool

  /// The radius of perfect-freehand's outline before pressure, relative to the tool's width.
  private static let sizeFactor = 4.25
  private static let thinning = 0.6

  /// A pen whose widest line is `width` pixels wide.
  init(drawing width: Double, isEven: Bool) {
    self.isEven = isEven
    strokeWidth = max(width, 1e-3) / Self.diameter(at: isEven ? 0.5 : 1)
  }

  /// The diameter at a pressure for a tool of width 1.
  static func diameter(at pressure: Double) -> Double {
    2 * sizeFactor * mathSine(.pi / 2 * (0.5 - thinning * (0.5 - pressure)))
  }

  /// The pressure that gives a width. The thinnest line is a third of the widest one.
  func pressure(for width: Double) -> Double {
    guard !isEven else { return 0.5 }
    var (low, high) = (0.0, 1.0)
    // The sine rises with the pressure.
    for _ in 0..<24 {
      let middle = (low + high) / 2
      if Self.diameter(at: middle) * strokeWidth < width { low = middle } else { high = middle }
    }
    return (low + high) / 2
  }
}

extension JSONWriter {
  fileprivate mutating func field(_ name: String, _ number: Double, decimals: Int) {
    key(name)
    value(number.rounded(decimals: decimals))
  }
}

extension Double {
  func rounded(decimals: Int) -> Double {
    let factor = (0..<decimals).reduce(1.0) { factor, _ in factor * 10 }
    return (self * factor).rounded() / factor
  }
}
