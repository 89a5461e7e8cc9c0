import Graphics
import Strokes

/// A jar of plums on a page of 640 × 720 points: erased construction lines, a word that was erased
/// and replaced, highlights erased from the glass; with masks, a transform, a part of a stroke, and
/// two strokes that are wet together.
func erased() -> Page {
  var page = Page(
    seed: 53, begun: Timestamp(secondsSinceReferenceDate: 816_958_800), unsteadiness: 0.7)
  page.constructJar()
  page.paintCloth()
  page.drawSpoon()
  page.fillJar()
  page.drawJar()
  page.writeLabel()
  page.drawLoosePlum()
  page.rubOut()
  return page
}

private let pen = Brush(.pen, Palette.ink, width: 1.2...3.2).moving(at: 260, step: 5)
private let pencil = Brush(.pencil, Palette.slate, width: 1.8...3).strong(0.3...0.6)
  .moving(at: 520, step: 8)
private let crayon = Brush(.crayon, Palette.plum, width: 14...20).strong(0.6...1)
  .moving(at: 420, step: 8)

// MARK: - Before the jar

extension Page {
  /// Construction lines. The vector eraser deletes each line that it touches, which is most of
  /// them.
  fileprivate mutating func constructJar() {
    draw(constructionLines, pencil, .even)
    artist.wait(1.2)
    let touches: [Guide] = [
      "124,204 128,218", "514,258 500,276", "192,120 208,124", "430,650 446,654",
    ]
    for touch in touches { erase(touch, PKEraserTool(.vector)) }
  }

  /// Two sweeps of marker that run into each other while wet.
  fileprivate mutating func paintCloth() {
    let marker = Brush(.marker, Palette.apricot.withAlpha(0.75), width: 54)
      .held(azimuth: 1.45).moving(at: 620, step: 14)
    let cloth = Identifier(using: &artist.dice)
    for sweep in sweeps {
      var stroke = artist.stroke(along: sweep, marker, .even)
      stroke.renderGroupID = cloth
      add(stroke)
    }
  }

  /// A spoon that leans behind the jar: its handle is drawn in full and shown up to the glass.
  fileprivate mutating func drawSpoon() {
    draw("566,196 560,160 574,124 602,112 618,134 608,174 578,202", pen, .even)
    for edge in handle {
      let whole = artist.stroke(along: edge, pen, .even)
      add(whole.substroke(range: 0...(whole.path.parameterRange.upperBound * 0.66)))
    }
  }
}

private let constructionLines: [Guide] = [
  "320,84 321,380 320,668", "120,212 320,210 520,213", "132,270 330,271 508,269",
  "110,566 300,565 540,566", "200,110 201,400 202,664", "440,108 439,380 440,666",
]
private let sweeps: [Guide] = ["70,618 240,612 420,616 580,610", "566,646 400,650 230,644 84,648"]
private let handle: [Guide] = [
  "566,196 520,292 474,390 420,500 372,600", "578,202 532,298 486,394 430,506 382,606",
]

// MARK: - The jar

extension Page {
  /// Plums in a light syrup.
  fileprivate mutating func fillJar() {
    let paint = Brush(.watercolor, Palette.lilac, width: 20...48).strong(0.4...0.6)
    draw(syrup, paint.moving(at: 700, step: 14))
    for (index, plum) in plums.enumerated() {
      let color = index % 3 == 1 ? Palette.deepBlue : Palette.plum
      fillPlum(at: Point(x: plum.x, y: plum.y), radius: plum.radius, color)
    }
  }

  /// A plum, scribbled freely and shown only inside its round mask.
  private mutating func fillPlum(at center: Point, radius: Double, _ color: Color) {
    let scribble = Guide(
      shadingFrom: "-42,-34 -42,36", to: "42,-36 42,34", turns: 4, using: &artist.dice)
    let way = scribble.placed(at: center, scale: radius / 40, turned: 0.06)
    var stroke = artist.stroke(along: way, crayon.colored(color), .even)
    let (rx, ry) = (radius, radius * 0.94)
    stroke.mask = Path(
      ellipseIn: Rect(x: center.x - rx, y: center.y - ry, width: 2 * rx, height: 2 * ry))
    add(stroke)
  }

  /// The glass, and a lid of tin.
  fileprivate mutating func drawJar() {
    draw(glass, pen)
    shade(
      from: "214,150 214,196", to: "426,148 426,196", turns: 3,
      crayon.colored(Palette.coral).wide(9...12))
    draw(Guide(arcAround: Point(x: 320, y: 144), 110, 15, from: 0.55, to: 1.57), pen)
    draw(lid, pen)
    shade(
      from: "410,290 412,440", to: "432,276 432,430", turns: 12,
      pencil.wide(5...8).strong(0.15...0.3).held(azimuth: 0.8, altitude: 0.45))
  }

  /// The wrong fruit's name, erased, and the right one over the remains.
  fileprivate mutating func writeLabel() {
    draw("238,312! 402,308! 404,424! 236,426! 238,311", pen.wide(1...2), .even)
    let style = Penmanship(height: 21)
    let quill = pen.wide(0.9...2.8).moving(at: 180, step: 3.4)
    write("pear", at: Point(x: 282, y: 360), style, quill, isPassing: true)
    artist.wait(1.5)
    erase(
      "272,338! 362,340! 276,349! 364,352! 274,360! 358,364! 276,372! 300,374",
      PKEraserTool(.bitmap, width: 9))
    artist.wait(0.8)
    write("plum", at: Point(x: 274, y: 364), style, quill)
    write("jam", at: Point(x: 288, y: 404), style, quill)
  }
}

private let syrup: Guide = """
  226,456 300,450 380,454 414,458 408,490 320,486 232,492 230,528 320,524 410,528 404,566 310,564
  236,570 244,590 396,592
  """
private let plums: [(x: Double, y: Double, radius: Double)] = [
  (250, 566, 40), (320, 574, 40), (390, 565, 41), (284, 504, 39), (356, 506, 40), (404, 490, 26),
  (238, 500, 26),
]
private let glass: [Guide] = [
  """
  222,216 206,238 202,272 202,420 203,556 212,604 246,618 320,622 394,618 428,604 438,556 438,420
  438,272 434,238 418,216
  """,
  "216,206 250,216 320,220 390,216 424,206", "224,590 260,604 320,608 384,603 418,588",
]
private let lid: [Guide] = [
  "210,146 209,170 211,194", "430,146 431,170 429,194", "211,194 260,208 320,211 380,208 429,194",
]

// MARK: - After the jar

extension Page {
  /// A plum beside the jar. Its second leaf is the first one, mirrored and made smaller.
  fileprivate mutating func drawLoosePlum() {
    fillPlum(at: Point(x: 128, y: 592), radius: 44, Palette.plum)
    draw("130,552 134,530 146,512", pen.colored(Palette.sepia).wide(2...4))
    let place = Point(x: 136, y: 534)
    let leaf = draw(leafOutline.placed(at: place), pen.colored(Palette.pine).wide(1.4...3))
    let mirror = AffineTransform(translationX: -place.x, y: -place.y)
      .concatenating(AffineTransform(scaleX: -0.8, y: 0.8)).concatenating(rotation(0.03))
      .concatenating(AffineTransform(translationX: place.x - 2, y: place.y + 2))
    add(
      PKStroke(
        ink: leaf.ink, path: leaf.path.withCreationDate(artist.now), transform: mirror,
        randomSeed: leaf.randomSeed, id: Identifier(using: &artist.dice)))
  }

  /// Light on the plums and the glass, and an edge of the jar that fades away.
  fileprivate mutating func rubOut() {
    for light in lights { erase(light, PKEraserTool(.bitmap, width: 5)) }
    erase("220,280 218,400 221,540", PKEraserTool(.bitmap, width: 6))
    artist.wait(1)
    for swipe in swipes { erase(swipe, PKEraserTool(.bitmap, width: 16)) }
  }
}

private let leafOutline: Guide = "0,0 14,-16 36,-22 58,-14 44,4 22,8 2,1! 26,-6 48,-11"
private let lights: [Guide] = [
  "236,548 240,542 250,538", "304,556 310,549 320,546", "374,546 380,541 390,538",
  "268,486 274,480 284,477", "340,488 346,482 356,479", "106,574 114,564 126,560",
]
private let swipes: [Guide] = [
  "454,300 424,262 400,226", "460,360 436,342 420,318", "446,420 434,408 422,396",
]
