import Graphics
import Strokes

@testable import Rasterization

/// Every ink along every figure.
extension PictureScene {
  static let figures = SceneInk.all.flatMap { ink in
    [ramp(ink), curve(ink), loop(ink), overlaps(ink), taps(ink), zigzag(ink)]
  }

  private static func ramp(_ ink: SceneInk) -> PictureScene {
    PictureScene("\(ink.type.name) ramp", [ink.stroke(Figure.line) { 0.2 + 0.3 * Double($0) }])
  }

  private static func curve(_ ink: SceneInk) -> PictureScene {
    PictureScene("\(ink.type.name) curve", [ink.stroke(Figure.curve)])
  }

  private static func loop(_ ink: SceneInk) -> PictureScene {
    PictureScene("\(ink.type.name) loop", [ink.stroke(Figure.loop)])
  }

  /// A pen's line below a line of another colour.
  private static func overlaps(_ ink: SceneInk) -> PictureScene {
    PictureScene(
      "\(ink.type.name) overlaps",
      [
        SceneInk.of(.pen).stroke(Figure.points((40, 8), (42, 72))),
        ink.stroke(Figure.line), ink.stroke(Figure.points((14, 66), (66, 16)), seed: 8),
        ink.stroke(
          Figure.points((18, 20), (62, 60)),
          color: Color(red: 0.2, green: 0.6, blue: 0.3, alpha: ink.color.alpha), seed: 9),
      ])
  }

  private static func taps(_ ink: SceneInk) -> PictureScene {
    PictureScene(
      "\(ink.type.name) taps",
      [
        ink.stroke(Figure.points((20, 24))),
        ink.stroke(Figure.points((60.3, 20.7), (60.3, 20.7)), seed: 8),
        ink.stroke(Figure.points((40, 60), (40.4, 60.1))) { _ in 1.7 },
      ])
  }

  private static func zigzag(_ ink: SceneInk) -> PictureScene {
    let isPencil = ink.type == .pencil
    return PictureScene(
      "\(ink.type.name) zigzag",
      [
        ink.stroke(
          Figure.zigzag, part: { _ in isPencil ? 2 : 0.8 },
          change: { index, point in
            // Shading with a flat pencil, and a reed that runs dry.
            if isPencil { point.altitude = 0.5 }
            if ink.type == .reed { point.opacity = 1 - 0.1 * Double(index) }
          })
      ])
  }
}
