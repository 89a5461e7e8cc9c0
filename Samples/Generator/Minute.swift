import Graphics
import Strokes

/// A minute of drawing: a word and a flower, with an undo, an erasure and a move.
func minute() -> Recording {
  var session = Session(
    on: Recording.Canvas(size: Size(width: 640, height: 640), metadata: ["title": "One minute"]),
    by: Artist(
      seed: 67, begun: Timestamp(secondsSinceReferenceDate: 816_962_400), unsteadiness: 0.5))
  for step in script { session.play(step) }
  var recording = session.recording
  recording.words = RecognizedText(session.words, in: recording.drawing)
  return recording
}

private let pen = Brush(.pen, Palette.ink, width: 1...3.4).moving(at: 180, step: 3)
private let stalk = Brush(.pen, Palette.pine, width: 1.6...4.4).moving(at: 220, step: 4)
private let wash = Brush(.watercolor, Palette.rose, width: 14...38).strong(0.5...0.9)
  .moving(at: 300, step: 7)
private let outline = Brush(.pen, Palette.plum, width: 1...2.8).moving(at: 240, step: 4)
private let crayon = Brush(.crayon, Palette.sun, width: 8...12).strong(0.7...1)
  .moving(at: 200, step: 5)
private let heart = Point(x: 330, y: 210)

private let script: [Session.Step] =
  [
    .write("word", text: "bloom", at: Point(x: 196, y: 330), Penmanship(height: 30), pen),
    .look(1.1),
    // The word moves to make space for the flower.
    .move(["word"], x: 75, y: 206),
    .look(1.2),
    .draw("stem", "330,240 324,300 334,360 322,430 326,472", stalk, .even),
  ] + petals + [
    .draw(
      "middle", "330,210 336,204 340,212 332,220 322,214 324,202 338,196 348,208 340,222",
      crayon),
    .look(1.4),
    // A leaf in the wrong direction is undone at once.
    .draw("leaf", "328,330 350,350 392,352 420,334 384,324 330,332", stalk),
    .look(0.9),
    .undo,
    .draw("leaf", "330,372 352,338 394,318 434,322 410,352 368,372 332,374", stalk),
    .draw("leaf", "334,370 372,346 414,330", stalk.wide(1...2)),
    .look(1.6),
    // One petal is too long: its end is erased along an arc, and drawn again on the edge of the
    // rest.
    .erase(arcOfLongPetal(radius: 53, from: -0.225, to: 0.225), PKEraserTool(.bitmap, width: 26)),
    .look(1),
    .draw("petal", arcOfLongPetal(radius: 40, from: -0.265, to: 0.265), outline),
    .look(1.2),
    .draw("leaf", "324,424 296,388 254,374 220,384 244,412 288,424 322,426", stalk),
    .draw("leaf", "320,422 282,404 242,390", stalk.wide(1...2)),
    .look(1.5),
    .draw("ground", "220,474 268,470 326,475 380,470 432,476", stalk.wide(1...3)),
    .draw("grass", "258,470 254,456 246,446", stalk.wide(1...3), .flicked),
    .draw("grass", "266,471 268,456 274,444", stalk.wide(1...3), .flicked),
    .draw("grass", "396,471 392,458 386,448", stalk.wide(1...3), .flicked),
    .draw("grass", "404,472 408,456 416,446", stalk.wide(1...3), .flicked),
    .look(1.3),
    .draw(
      "underline", "262,566 320,560 380,563 424,558 392,567 350,568", outline.wide(1.4...3.2)
    ),
    .tap("dots", Point(x: 244, y: 524), outline.wide(6)),
    .tap("dots", Point(x: 452, y: 524), outline.wide(6)),
  ]

/// Six petals round the flower's heart, each painted and then outlined; the second is too long.
private let petals: [Session.Step] = (0..<6).flatMap { index -> [Session.Step] in
  let turn = turn(ofPetal: index)
  let scale = index == longPetal ? 1.35 : 1
  let paint: Guide = "22,0 54,-12 88,-6 92,8 60,12 40,4"
  let edge: Guide = "18,-4 46,-28 88,-26 108,-2 90,24 50,28 18,6"
  return [
    .draw("petal", paint.placed(at: heart, scale: scale, turned: turn), wash),
    .draw("petal", edge.placed(at: heart, scale: scale, turned: turn), outline),
    .look(0.3),
  ]
}

private let longPetal = 1

private func turn(ofPetal index: Int) -> Double { Double(index) / 6 - 0.25 }

/// An arc around the end that the long petal should have; angles are in turns from its axis.
private func arcOfLongPetal(radius: Double, from start: Double, to end: Double) -> Guide {
  Guide(arcAround: Point(x: 84, y: -1), radius, radius, from: start, to: end)
    .placed(at: heart, turned: turn(ofPetal: longPetal))
}
