import Graphics
import Strokes

/// A lake below mountains, drawn with all eight inks on a page of 1024 × 768 points.
func landscape() -> Page {
  var page = Page(
    seed: 23, begun: Timestamp(secondsSinceReferenceDate: 816_948_000), unsteadiness: 0.8)
  page.paintSky()
  page.drawMountains()
  page.paintHills()
  page.paintLake()
  page.drawHouse()
  page.colorPath()
  page.colorMeadow()
  page.drawPines()
  page.drawTree()
  page.drawReeds()
  page.drawFlowers()
  page.drawGrass()
  page.drawBirds()
  return page
}

private let wash = Brush(.watercolor, Palette.sky, width: 16...58)
  .strong(0.35...0.7).moving(at: 900, step: 19)
private let outliner = Brush(.pencil, Palette.graphite, width: 1.6...3.2)
  .strong(0.5...1).moving(at: 320, step: 6)
/// The side of the lead: a tool that lies flat.
private let shader = Brush(.pencil, Palette.slate, width: 7...12)
  .strong(0.16...0.34).held(azimuth: 0.9, altitude: 0.42).moving(at: 700, step: 12)
private let quill = Brush(.fountainPen, Palette.ink, width: 1.6...4.6)
  .held(azimuth: -0.7).moving(at: 170, step: 2.5)

// MARK: - Sky

extension Page {
  /// Washes that leave a cloud and the sun white.
  fileprivate mutating func paintSky() {
    draw(blueSky, wash, .washing)
    let glow = wash.colored(Palette.apricot).wide(14...40)
    draw("990,222 880,236 740,228 640,238 720,252 860,254 960,246", glow, .washing)
    let halo = Guide(arcAround: Point(x: 812, y: 154), 46, 46, from: 0.6, to: 1.62)
    draw(halo, wash.colored(Palette.sun).wide(24...30))
    let gold = Brush(.marker, Palette.sun.withAlpha(0.95), width: 18).held(azimuth: 0.8)
    draw(sunDisc, gold.moving(at: 240, step: 5))
    draw(cloud, outliner.colored(Palette.slate).strong(0.3...0.7))
  }

  fileprivate mutating func drawBirds() {
    for (x, y, scale) in [(470.0, 196.0, 1.0), (520, 176, 0.75), (560, 200, 0.62), (600, 170, 0.5)]
    {
      draw(bird.placed(at: Point(x: x, y: y), scale: scale, turned: 0.01), quill, .swelling)
    }
  }
}

private let blueSky: [Guide] = [
  """
  50,52 300,38 620,46 900,38 990,52 930,80 780,76 600,78 400,70 200,74 60,90 44,116
  130,112 200,120 150,152 64,150 60,182 130,186
  """,
  "396,98 520,102 650,94 706,112 600,134 470,126 404,148 500,166 640,158",
  "890,104 980,96 960,128 910,140 990,150",
]
private let sunDisc: Guide = """
  812,154 819,149 820,159 808,164 800,152 808,141 824,143 831,156 822,171 804,173 792,160 794,142
  """
private let cloud: [Guide] = [
  "222,142 234,122 258,126 272,102 306,96 326,116 352,110 374,126 368,144",
  "256,150 290,146 346,152",
]
private let bird: Guide = "-20,-4 -12,-9 -4,-4 0,2! 5,-6 13,-10 22,-3"

// MARK: - Mountains and hills

extension Page {
  /// A ridge in pencil above mist, its shaded sides drawn with the side of the lead.
  fileprivate mutating func drawMountains() {
    let mist = wash.colored(Palette.slate).wide(16...44).strong(0.2...0.4)
    draw("60,312 200,300 360,308 540,302 720,304 600,318 420,322", mist, .washing)
    draw(ridge, outliner)
    for face in shadedFaces {
      // A little lower on the left, so that the hatching rises to the right.
      shade(
        from: face.left.part(from: 0.12, to: 1), to: face.right.part(from: 0, to: 0.85),
        turns: face.turns, ragged: 5, shader)
    }
    draw(creases, outliner.strong(0.3...0.6))
  }

  fileprivate mutating func paintHills() {
    for hill in hills {
      let paint = wash.colored(hill.color).wide(hill.width).strong(0.5...0.8)
      draw(hill.guide, paint, .washing)
    }
  }
}

private let ridge: Guide = """
  40,298 84,262 112,270! 176,206! 196,222 222,214 258,256! 300,214! 352,150! 374,176 392,170
  430,222 448,216! 492,262! 540,224! 566,236 602,206! 650,254! 716,284 780,292
  """
private let shadedFaces: [(left: Guide, right: Guide, turns: Int)] = [
  ("176,206 196,246 214,292", "176,206 222,214 258,256 284,296", 14),
  ("352,150 368,204 380,262 392,306", "352,150 392,170 430,222 486,296", 22),
  ("602,206 606,244 612,294", "602,206 650,254 716,284 730,292", 12),
  ("492,262 496,280 498,300", "540,224 536,262 540,300", 7),
  ("84,262 92,286 98,306", "112,270 130,286 150,306", 5),
]
private let creases: [Guide] = [
  "340,166 346,190 336,214 346,236", "300,216 306,236 298,256", "168,216 172,236 160,256",
]
private let hills: [(guide: Guide, color: Color, width: ClosedRange<Double>)] = [
  (
    "990,314 900,300 800,304 690,326 560,352 700,352 840,338 990,350 940,366 800,362",
    Palette.moss, 14...42
  ),
  (
    "36,336 130,316 240,324 360,344 500,368 420,376 260,358 110,352 34,368 60,386 180,380",
    Palette.lime, 14...44
  ),
  ("994,388 860,376 740,384 620,396 780,402 960,402", Palette.leaf, 10...28),
  ("34,412 150,398 280,404 420,412 460,420 330,420 160,424", Palette.leaf, 12...34),
]

// MARK: - Lake

extension Page {
  /// Water from shore to shore in one long sweep, with ripples of the fountain pen.
  fileprivate mutating func paintLake() {
    let water = wash.colored(Palette.deepBlue).wide(8...28).strong(0.4...0.8)
    draw(lake, water, .washing)
    draw("660,518 820,514 984,520 900,536 760,530", water.colored(Palette.teal), .washing)
    let pen = quill.colored(Palette.deepBlue).wide(1.2...2.8).moving(at: 260, step: 6)
    for (x, y, scale) in ripples {
      draw(ripple.placed(at: Point(x: x, y: y), scale: scale), pen, .swelling)
    }
  }
}

private let lake: Guide = """
  500,424 640,418 820,422 990,426 900,442 700,440 540,446 640,460 820,458 996,462 880,480 700,476
  600,486 760,498 900,494 994,500
  """
private let ripple: Guide = "0,0 15,-2 30,1 45,-2 60,0"
private let ripples = [
  (600.0, 434.0, 0.7), (704, 452, 1), (830, 444, 0.8), (690, 490, 0.7), (790, 482, 1.1),
  (740, 520, 0.8),
]
