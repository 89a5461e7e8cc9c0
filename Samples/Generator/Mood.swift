import Graphics
import Strokes

/// A doodle of how the day feels, drawn with a fingertip on a page of 700 × 720 points.
func mood() -> Page {
  var page = Page(
    seed: 37, begun: Timestamp(secondsSinceReferenceDate: 816_951_600), unsteadiness: 1.4)
  page.drawSun()
  page.drawFace()
  page.drawClouds()
  page.drawSwirls()
  page.drawHearts()
  page.drawStars()
  let style = Penmanship(height: 27)
  let start = Point(x: middle.x - style.width(of: "sunny inside") / 2, y: 646)
  page.write("sunny inside", at: start, style, word)
  return page
}

private let line = Brush(.pen, Palette.ink, width: 5).moving(at: 420, step: 6).byFinger
private let word = Brush(.pen, Palette.ink, width: 4.4).moving(at: 260, step: 5).byFinger
private let crayon = Brush(.crayon, Palette.coral, width: 14).strong(0.7...0.7)
  .moving(at: 400, step: 7).byFinger
private let marker = Brush(.marker, Palette.sun.withAlpha(0.9), width: 32)
  .moving(at: 700, step: 12).byFinger
private let middle = Point(x: 350, y: 300)

// MARK: - The sun

extension Page {
  /// A disc of marker, an outline, and rays of alternating length and colour.
  fileprivate mutating func drawSun() {
    shade(
      from: Guide(arcAround: middle, 101, 101, from: 0.53, to: 0.97),
      to: Guide(arcAround: middle, 101, 101, from: 0.47, to: 0.03), turns: 7, rounded: true,
      ragged: 2, marker)
    let outline = Guide(arcAround: middle, 118, 114, from: 0.68, to: 1.71)
    draw(outline, line.colored(Palette.apricot).wide(7))
    for index in 0..<12 { drawRay(index) }
  }

  private mutating func drawRay(_ index: Int) {
    let isLong = index.isMultiple(of: 2)
    let turn = Double(index) / 12 + artist.dice.wobble(0.008)
    let out = Point(x: cosine(turn), y: sine(turn))
    let bow = out.perpendicular * artist.dice.wobble(7)
    let (near, far) = (142.0, isLong ? 196.0 : 176)
    let ray = [out * near, out * ((near + far) / 2) + bow, out * far]
    draw(
      Guide(through: ray.map { Guide.Knot(middle + $0) }),
      line.colored(isLong ? Palette.sun : Palette.apricot).wide(10))
  }

  fileprivate mutating func drawFace() {
    draw(eyes + [smile], line)
    for x in [278.0, 422] { draw(cheek.moved(x: x, y: 324), crayon) }
  }
}

private let eyes: [Guide] = ["292,286 302,268 318,264 332,282", "368,282 382,264 398,266 410,284"]
private let smile: Guide = "296,322 312,352 346,368 382,358 404,324"
private let cheek: Guide = "-12,-2 0,-9 11,-1 1,8 -9,3 -2,-3 6,1"

// MARK: - Around it

extension Page {
  fileprivate mutating func drawClouds() {
    for (place, scale) in [(Point(x: 132, y: 452), 1.0), (Point(x: 574, y: 468), 0.86)] {
      draw(
        cloudFilling.placed(at: place, scale: scale),
        marker.colored(Palette.sky.withAlpha(0.7)).wide(22))
      draw(cloud.placed(at: place, scale: scale), line.colored(Palette.deepBlue))
    }
  }

  fileprivate mutating func drawSwirls() {
    for (place, scale, turn, color) in swirls {
      draw(swirl.placed(at: place, scale: scale, turned: turn), line.colored(color))
    }
  }

  /// Four hearts, the first of them filled.
  fileprivate mutating func drawHearts() {
    for (place, scale, turn, color) in hearts {
      draw(heart.placed(at: place, scale: scale, turned: turn), line.colored(color))
    }
    let (place, scale, turn, _) = hearts[0]
    let (left, right): (Guide, Guide) = ("-20,-14 -24,-2 -12,12 -2,22", "20,-14 24,-2 12,12 2,22")
    shade(
      from: left.placed(at: place, scale: scale, turned: turn),
      to: right.placed(at: place, scale: scale, turned: turn), turns: 4,
      crayon.colored(Palette.rose).wide(12))
  }

  fileprivate mutating func drawStars() {
    for (x, y) in [(146.0, 372.0), (560, 392), (290, 66), (430, 62)] {
      let turn = artist.dice.wobble(0.04)
      draw(
        star.placed(at: Point(x: x, y: y), scale: 1.3, turned: turn),
        line.colored(Palette.apricot).wide(3.6))
    }
    for (x, y) in [(352.0, 500.0), (232, 84), (500, 88), (340, 556)] {
      tap(Point(x: x, y: y), line.colored(Palette.lilac).wide(7))
    }
  }
}

private let cloud: Guide = """
  -64,23 -84,10 -72,-14 -48,-10! -46,-34 -12,-50 16,-24! 36,-38 62,-24 58,0! 80,6 72,24 40,25
  0,23 -66,23
  """
private let cloudFilling: Guide = "-54,4 -30,-14 4,-24 44,-6 56,4 10,2 -46,10 20,12 54,8"
private let swirl: Guide = "70,30 40,44 2,40 -22,14 -16,-16 12,-28 34,-12 30,12 10,18 -2,4 6,-6"
private let swirls: [(Point, scale: Double, turn: Double, Color)] = [
  (Point(x: 82, y: 262), 0.85, 0.06, Palette.teal),
  (Point(x: 626, y: 280), 0.75, 0.42, Palette.lilac),
  (Point(x: 96, y: 108), 0.62, 0.12, Palette.lilac),
  (Point(x: 610, y: 112), 0.68, 0.55, Palette.teal),
]
private let heart: Guide = """
  0,-10! 8,-26 28,-26 32,-4 16,16 0,32! -16,16 -33,-4 -28,-26 -9,-26 0,-9
  """
private let hearts: [(Point, scale: Double, turn: Double, Color)] = [
  (Point(x: 196, y: 150), 0.9, -0.05, Palette.coral),
  (Point(x: 520, y: 164), 0.7, 0.06, Palette.rose),
  (Point(x: 262, y: 520), 0.62, -0.03, Palette.rose),
  (Point(x: 424, y: 528), 0.8, 0.04, Palette.coral),
]
private let star: Guide = "0,-13! 8,11! -13,-4! 13,-4! -8,11! 0,-12"
