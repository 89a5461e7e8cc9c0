import Graphics
import Strokes
import Testing

@testable import Rasterization

/// A small drawing that shows one feature, with its canvas and options.
struct PictureScene: Sendable, CustomTestStringConvertible {
  let name: String
  let strokes: [PKStroke]
  var canvas = Recording.Canvas(size: Size(width: 80, height: 80))
  /// Pictures are two tiles wide and high.
  var options = RenderOptions(extent: .scale(2))

  init(_ name: String, _ strokes: [PKStroke], _ change: (inout PictureScene) -> Void = { _ in }) {
    self.name = name
    self.strokes = strokes
    change(&self)
  }

  var testDescription: String { name }

  func picture(_ change: (inout RenderOptions) -> Void = { _ in }) throws -> Pixmap {
    var options = options
    change(&options)
    return try Renderer(options).picture(of: PKDrawing(strokes: strokes), on: canvas)
  }

  func rendering(_ change: (inout RenderOptions) -> Void) throws -> Rendering {
    var options = options
    change(&options)
    return try Renderer(options).rendering(of: PKDrawing(strokes: strokes), on: canvas)
  }

  static let all = figures + features
}

extension Pixmap {
  /// The bytes of a row.
  func bytes(ofRow y: Int) -> [UInt8] { withRow(y, Array.init) }

  /// FNV-1a of all pixels.
  var hash: UInt64 {
    (0..<height).reduce(0xCBF2_9CE4_8422_2325) { hash, y in
      withRow(y) { row in row.reduce(hash) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 } }
    }
  }
}

/// An ink with its usual colour and width.
struct SceneInk: Sendable {
  let type: PKInkingTool.InkType
  let color: Color
  /// The drawn width in points.
  let width: Double

  static let all = [
    SceneInk(type: .pen, color: .black, width: 3.2),
    SceneInk(type: .monoline, color: Color(red: 0.1, green: 0.2, blue: 0.7), width: 2.6),
    SceneInk(type: .fountainPen, color: Color(red: 0, green: 0.15, blue: 0.3), width: 7.5),
    SceneInk(type: .reed, color: Color(red: 0.15, green: 0.1, blue: 0.05), width: 14),
    SceneInk(type: .marker, color: Color(red: 1, green: 0.8, blue: 0, alpha: 0.8), width: 15),
    SceneInk(type: .pencil, color: Color(red: 0.2, green: 0.2, blue: 0.22), width: 4.2),
    SceneInk(type: .crayon, color: Color(red: 0.8, green: 0.2, blue: 0.15), width: 10),
    SceneInk(type: .watercolor, color: Color(red: 0.1, green: 0.45, blue: 0.8), width: 19),
  ]

  static func of(_ type: PKInkingTool.InkType) -> SceneInk {
    all.first { $0.type == type } ?? all[0]
  }

  var ink: PKInk { PKInk(type, color: color) }

  /// A stroke through points. `part` is its width as a fraction of the ink's usual width.
  func stroke(
    _ points: [Point], color: Color? = nil, part: (Int) -> Double = { _ in 1 },
    seed: UInt32 = 7, transform: AffineTransform = .identity, mask: Path? = nil,
    group: Identifier? = nil, change: (Int, inout PKStrokePoint) -> Void = { _, _ in }
  ) -> PKStroke {
    let ink = PKInk(type, color: color ?? self.color)
    let controls = points.enumerated().map { index, location in
      let drawn = width * part(index)
      var size = ink.pencilKitSize(drawing: Size(width: drawn, height: drawn * 0.36))
      // Equal sides are drawn as the ink's own nib.
      if type != .marker { size.height = size.width }
      var point = PKStrokePoint(
        location: location, timeOffset: 0.01 * Double(index), size: size, opacity: 1, force: 1,
        azimuth: -0.75,
        altitude: 1.1)
      change(index, &point)
      return point
    }
    return PKStroke(
      ink: ink, path: PKStrokePath(controlPoints: controls), transform: transform, mask: mask,
      randomSeed: seed, renderGroupID: group)
  }
}

/// Control points of figures on a page of 80 by 80 points.
enum Figure {
  static let line = points((10, 42), (25, 41), (40, 40), (55, 39), (70, 38))
  static let curve = points((14, 14), (40, 8), (62, 20), (30, 44), (18, 62), (48, 72), (68, 64))
  static let loop = points(
    (10, 58), (28, 50), (54, 30), (48, 14), (32, 14), (27, 30), (52, 54), (70, 60))
  static let zigzag = points(
    (12, 16), (66, 20), (14, 27), (68, 32), (12, 38), (66, 44), (16, 51), (68, 58), (14, 64))

  static func points(_ coordinates: (Double, Double)...) -> [Point] {
    coordinates.map { Point(x: $0, y: $1) }
  }
}
