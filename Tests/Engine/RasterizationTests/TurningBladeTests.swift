import Graphics
import Strokes
import Testing

@testable import Rasterization

struct TurningBladeTests {
  @Test(arguments: [Size(width: 30, height: 8), Size(width: 40, height: 30)])
  func `a turning blade leaves no ink beyond its swept area`(_ size: Size) throws {
    let (turn, way) = (1.5, 20.0)
    let points = [0.0, 1].map { part in
      PKStrokePoint(
        location: Point(x: 40 + way * part, y: 40), timeOffset: part / 2, size: size, opacity: 1,
        force: 1, azimuth: turn * part, altitude: 1.1)
    }
    let stroke = PKStroke(
      ink: PKInk(.marker, color: .black, widthLaw: .plain),
      path: PKStrokePath(controlPoints: points))
    let picture = try Renderer(RenderOptions(extent: .scale(2))).picture(
      of: PKDrawing(strokes: [stroke]),
      on: Recording.Canvas(size: Size(width: 80, height: 80)))
    // The blade along its path, enlarged by a point on each side.
    let blades = (0...200).map { step in
      let part = Double(step) / 200
      let (sine, cosine) = Angle.sineAndCosine(turn * part)
      return (center: Point(x: 40 + way * part, y: 40), axis: Point(x: cosine, y: sine))
    }
    func isSwept(_ place: Point) -> Bool {
      blades.contains { blade in
        let from = place - blade.center
        let across = from.x * blade.axis.y - from.y * blade.axis.x
        return abs(from.dot(blade.axis)) < size.width / 2 + 1 && abs(across) < size.height / 2 + 1
      }
    }
    var drawn = 0
    for y in 0..<picture.height {
      for x in 0..<picture.width where picture[x, y].red < 64_000 {
        drawn += 1
        let place = Point(x: Double(x) + 0.5, y: Double(y) + 0.5) * 0.5
        #expect(isSwept(place), "\(x), \(y)")
      }
    }
    // The ink covers more than the blade itself; pixels are half a point.
    #expect(Double(drawn) > 4 * size.width * size.height)
  }
}
