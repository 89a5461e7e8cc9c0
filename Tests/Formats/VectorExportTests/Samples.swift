import Glibc
import Graphics
import Strokes

/// Strokes for tests, on a canvas of 220 × 160 points.
enum Samples {
  static let canvas = Recording.Canvas(size: Size(width: 220, height: 160), background: .white)

  /// The inks that this package knows, and an unknown one.
  static let inks: [PKInk.InkType] = [
    .pen, .monoline, .fountainPen, .marker, .pencil, .crayon, .watercolor, .reed,
  ]

  /// A path of locations with drawn widths.
  static func path(_ points: [(x: Double, y: Double, width: Double)]) -> PKStrokePath {
    PKStrokePath(
      controlPoints: points.enumerated().map { index, point in
        PKStrokePoint(
          location: Point(x: point.x, y: point.y), timeOffset: Double(index) / 100,
          size: Size(width: point.width, height: point.width), opacity: 1, force: 1, azimuth: 0.6,
          altitude: .pi / 3)
      })
  }

  /// A wave with a loop, whose width swells and shrinks.
  static func wave(
    y: Double, width: Double, swelling: Double = 0.4, count: Int = 60
  ) -> PKStrokePath {
    path(
      (0..<count).map { index in
        let t = Double(index) / Double(count - 1)
        return (
          20 + 180 * t + 14 * sin(25 * t), y + 18 * cos(25 * t) * (1 - t / 2),
          width * (1 + swelling * sin(9 * t))
        )
      })
  }

  /// A stroke whose sizes are the drawn widths.
  static func stroke(
    _ type: PKInk.InkType, _ path: PKStrokePath, color: Color = .black,
    transform: AffineTransform = .identity
  ) -> PKStroke {
    PKStroke(
      ink: PKInk(type, color: color, widthLaw: .plain), path: path, transform: transform,
      randomSeed: 7, id: .zero)
  }

  /// Three strokes of an ink, one of which crosses the others.
  static func drawing(of type: PKInk.InkType) -> PKDrawing {
    let isBroad = [.marker, .crayon, .watercolor, .reed].contains(type)
    let width = isBroad ? 12.0 : 3.0
    let (blue, red) = (
      Color(red: 0.1, green: 0.2, blue: 0.7), Color(red: 0.9, green: 0.4, blue: 0.3, alpha: 0.8)
    )
    return PKDrawing(strokes: [
      stroke(type, wave(y: 45, width: width), color: blue),
      stroke(type, wave(y: 110, width: width, swelling: 0), color: blue),
      stroke(type, path([(30, 20, width), (110, 90, width), (190, 140, width)]), color: red),
    ])
  }

  /// Points on a circle, as the corners of a polygon.
  static func circle(_ count: Int, radius: Double, around center: Point = .zero) -> [Point] {
    (0..<count).map { index in
      let angle = 2 * .pi * Double(index) / Double(count)
      return center + Point(x: radius * cos(angle), y: radius * sin(angle))
    }
  }
}
