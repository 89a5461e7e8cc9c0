import Graphics
import Strokes

private let drafter = Brush(.monoline, Palette.ink, width: 1.7).moving(at: 150, step: 8)
private let pen = Brush(.pen, Palette.ink, width: 0.7...2.2).moving(at: 180, step: 5)
private let sand = Brush(.marker, Palette.sand.withAlpha(0.9), width: 10...62)
  .held(azimuth: 0.05).moving(at: 420, step: 6)

extension Page {
  /// A house in monoline with a roof of marker, pen windows and a little smoke.
  mutating func drawHouse() {
    let tiles = Brush(.marker, Palette.coral.withAlpha(0.8), width: 9).held(azimuth: 0.9)
    shade(
      from: "250,329 312,327", to: "273,353 335,354", turns: 9, tiles.moving(at: 260, step: 5))
    draw(walls, drafter, .even)
    for x in [284.0, 310] { draw(window.map { $0.moved(x: x, y: 367) }, pen, .even) }
    tap(Point(x: 251, y: 387), pen)
    let lead = Brush(.pencil, Palette.slate, width: 2.4...6).strong(0.25...0.6)
    draw(smoke, lead.moving(at: 200, step: 4))
    drawFence()
  }

  private mutating func drawFence() {
    draw([upperRail, lowerRail], drafter, .even)
    for index in 0...10 {
      let foot = lowerRail.point(at: Double(index) / 10)
      let (below, top) = (Point(x: 0, y: 5), Point(x: artist.dice.wobble(1.2), y: -15))
      draw(Guide(along: [foot + below, foot + top]), drafter, .even)
    }
  }

  /// Two sweeps of a blade, with more pressure towards the viewer.
  mutating func colorPath() {
    draw(way, sand, .growing)
    draw(
      way.part(from: 0.3, to: 1).moved(x: 4, y: 4),
      sand.colored(Palette.sand.withAlpha(0.7)).wide(8...26), .growing)
  }
}

private let walls: [Guide] = [
  "222,398 222,357! 246,326! 270,357! 270,398! 222,398",
  "246,326 314,324! 340,357! 270,357",
  "270,398 337,396! 337,357",
  "299,324 299,308! 311,308! 311,324",
  "239,398 239,374! 254,374! 254,398",
  "216,360 246,322! 276,360",
]
private let window: [Guide] = ["0,0 14,0! 14,15! 0,15! 0,0", "7,0 7,15", "0,7 14,7"]
private let smoke: Guide = """
  305,303 301,294 310,287 318,279 311,270 317,260 330,257 334,248 328,243 324,249 332,254 344,248
  """
private let upperRail: Guide = "342,388 400,393 470,402 540,414"
private let lowerRail: Guide = "342,396 400,401 470,410 540,422"
private let way: Guide = "247,402 254,420 296,438 322,466 298,506 310,556 372,616 432,672 462,742"
