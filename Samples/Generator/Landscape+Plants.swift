import Graphics
import Strokes

private let crayon = Brush(.crayon, Palette.leaf, width: 12...24)
  .strong(0.35...0.8).moving(at: 620, step: 18)
private let needles = Brush(.pencil, Palette.pine, width: 2...6)
  .strong(0.6...1).moving(at: 420, step: 8)
private let reed = Brush(.reed, Palette.pine, width: 3...10)
  .strong(0.75...1).held(azimuth: -0.5).moving(at: 360, step: 10)
private let bark = Brush(.reed, Palette.bark, width: 5...15)
  .held(azimuth: -0.35).moving(at: 260, step: 7)
private let foliage = Brush(.watercolor, Palette.leaf, width: 40...56)
  .strong(0.75...1).moving(at: 500, step: 14)
private let pen = Brush(.pen, Palette.pine, width: 1.4...2.6).moving(at: 180, step: 5)

// MARK: - Meadow

extension Page {
  mutating func colorMeadow() {
    for patch in patches {
      shade(
        from: patch.left, to: patch.right, turns: patch.turns, rounded: true, ragged: 26,
        crayon.colored(patch.color))
    }
  }

  mutating func drawFlowers() {
    for (x, y, color) in flowers { drawFlower(at: Point(x: x, y: y), color) }
  }

  /// A stalk, and five petals in one stroke, out from the middle and back.
  private mutating func drawFlower(at place: Point, _ color: Color) {
    draw(Guide("0,6 -3,20 1,38").moved(x: place.x, y: place.y), pen)
    let knots = (0..<10).map { index in
      let isTip = index.isMultiple(of: 2)
      let turn = Double(index) / 10 + artist.dice.wobble(0.02)
      let way = Point(x: cosine(turn), y: sine(turn)) * (isTip ? 13 : 4)
      return Guide.Knot(place + way, isCorner: isTip)
    }
    let petal = Brush(.crayon, color, width: 8...11).strong(0.9...1).moving(at: 240, step: 5)
    draw(Guide(through: knots), petal, .even)
    tap(place, pen.colored(color == Palette.sun ? Palette.coral : Palette.sun).wide(7...9))
  }

  /// Tufts of grass along the lower edge, except on the path.
  mutating func drawGrass() {
    let quill = Brush(.fountainPen, Palette.pine, width: 1.4...4).held(azimuth: -0.6)
    for x in stride(from: 60.0, through: 960, by: 60) where abs(x - 440) > 60 {
      let foot = Point(x: x + artist.dice.wobble(16), y: 726 + artist.dice.wobble(16))
      for lean in [-0.5, 0.05, 0.6] {
        let sway = lean + artist.dice.wobble(0.25)
        let tip = Point(x: 24 * sway, y: -artist.dice.number(in: 22...40))
        let bow = Point(x: tip.x * 0.25, y: tip.y * 0.6)
        let blade = Guide(through: [.zero, bow, tip].map { Guide.Knot(foot + $0) })
        draw(blade, quill.moving(at: 320, step: 6), .flicked)
      }
    }
  }
}

private let patches: [(left: Guide, right: Guide, turns: Int, color: Color)] = [
  ("52,446 56,520", "286,436 270,498", 3, Palette.lime),
  ("60,500 44,610", "274,488 330,606", 4, Palette.leaf),
  ("150,560 60,700", "300,566 400,700", 5, Palette.lime),
  ("46,620 52,736", "340,640 424,738", 4, Palette.moss),
  ("350,450 346,520", "470,440 600,532", 3, Palette.lime),
  ("352,520 420,624", "560,520 930,600", 4, Palette.leaf),
  ("430,600 500,720", "760,560 900,700", 5, Palette.lime),
  ("480,650 530,738", "964,600 970,736", 5, Palette.moss),
]
private let flowers: [(Double, Double, Color)] = [
  (150, 690, Palette.coral), (196, 664, Palette.rose), (236, 700, Palette.lilac),
  (284, 676, Palette.coral), (330, 716, Palette.rose), (560, 704, Palette.lilac),
  (612, 676, Palette.coral), (664, 712, Palette.sun), (720, 684, Palette.rose),
  (776, 716, Palette.lilac), (84, 712, Palette.sun), (560, 640, Palette.rose),
]

// MARK: - Trees

extension Page {
  mutating func drawPines() {
    for (x, y, height) in pines { drawPine(at: Point(x: x, y: y), height: height) }
  }

  /// Branches to and fro, wider towards the ground, and a shadow on the side away from the sun.
  private mutating func drawPine(at foot: Point, height: Double) {
    let tiers = Int(height / 5)
    let knots = (0...tiers).map { tier in
      let down = Double(tier) / Double(tiers)
      let reach = (2 + height * 0.24 * down) * (1 + artist.dice.wobble(0.2))
      let tip = Point(x: tier.isMultiple(of: 2) ? -reach : reach, y: height * (0.92 * down - 1))
      return Guide.Knot(foot + tip, isCorner: true)
    }
    draw(Guide(through: knots), needles, .even)
    draw(Guide("0,-6 0.5,6").placed(at: foot), needles)
    let (top, root) = (Point(x: -1, y: -height * 0.8), Point(x: -2, y: -5))
    let side = Point(x: -height * 0.2, y: 0)
    shade(
      from: Guide(along: [foot + top, foot + root]),
      to: Guide(along: [foot + top + side * 0.1, foot + root + side]), turns: 5,
      needles.wide(5...8).strong(0.3...0.5).held(azimuth: 0.8, altitude: 0.45))
  }

  /// A trunk of reed ink under a crown of watercolor, with dabs of crayon for leaves.
  mutating func drawTree() {
    draw("98,620 108,570 106,510 112,452 120,410", bark, Touch(from: 1, to: 0.35, leaving: 30))
    draw(branches, bark.wide(2...9), Touch(from: 0.8, to: 0.1, leaving: 30))
    draw(crown, foliage)
    draw("70,350 96,326 132,332 150,354", foliage.colored(Palette.lime).wide(34...46))
    draw("60,428 100,444 150,436", foliage.colored(Palette.pine).wide(22...30).strong(0.35...0.5))
    let dab = Brush(.crayon, Palette.leaf, width: 9...14).strong(0.5...0.8)
      .moving(at: 300, step: 7)
    for index in 0..<16 {
      let turn = Double(index) / 16 + artist.dice.wobble(0.03)
      let reach = artist.dice.number(in: 0.25...0.95).squareRoot()
      let place = Point(x: 110 + 70 * reach * cosine(turn), y: 388 + 54 * reach * sine(turn))
      let scale = artist.dice.number(in: 0.7...1.2)
      draw(
        leaves.placed(at: place, scale: scale, turned: artist.dice.wobble(0.1)),
        dab.colored([Palette.moss, Palette.leaf, Palette.lime][index % 3]))
    }
  }
}

private let pines: [(Double, Double, Double)] = [
  (612, 392, 54), (656, 384, 66), (702, 378, 58), (742, 386, 76), (800, 378, 92),
  (846, 384, 70), (894, 380, 98), (944, 388, 80), (980, 394, 62),
]
private let branches: [Guide] = [
  "108,500 90,470 72,448", "110,478 134,446 160,424", "114,450 104,420 96,392",
]
private let crown: Guide =
  "56,440 44,404 70,372 104,356 142,366 172,396 164,428 128,434 96,424 84,400 120,392"
private let leaves: Guide = "-12,2 0,-7 10,-1 0,5 6,10"

// MARK: - Reeds

extension Page {
  mutating func drawReeds() {
    for (index, blade) in blades.enumerated() {
      draw(
        blade, reed.colored(index % 3 == 1 ? Palette.moss : Palette.pine),
        Touch(from: 1, to: 0.5, landing: 12, leaving: 60, tip: 0.05))
    }
    for cattail in cattails {
      draw(cattail.stalk, pen.colored(Palette.moss).wide(1.6...2.4), .even)
      draw(cattail.head, pen.colored(Palette.sepia).wide(7...9), .even)
    }
  }
}

private let blades: [Guide] = [
  "850,650 846,590 826,520 790,470", "866,656 872,580 866,500 880,436",
  "884,660 892,600 920,530 964,486", "900,664 900,590 888,520 856,470",
  "920,662 930,600 936,540 926,474", "936,664 950,610 980,570 1000,560",
  "834,652 820,610 790,580 764,570", "876,660 880,620 860,560 836,540",
]
private let cattails: [(stalk: Guide, head: Guide)] = [
  ("862,654 866,560 858,440", "858,436 857,408"),
  ("910,660 914,560 922,420", "922,416 924,386"),
  ("892,660 896,580 906,498", "906,492 908,466"),
]
