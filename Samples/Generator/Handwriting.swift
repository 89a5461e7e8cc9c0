import Graphics
import Strokes

/// Four handwritten lines and an underline in another colour.
func handwriting() -> Page {
  var page = Page(
    seed: 11, begun: Timestamp(secondsSinceReferenceDate: 816_944_400), unsteadiness: 0.25)
  let lines: [(text: String, start: Point)] = [
    ("Every line remembers", Point(x: 64, y: 96)),
    ("the hand that drew it.", Point(x: 92, y: 166)),
    ("Even what was rubbed out", Point(x: 64, y: 262)),
    ("is still there, underneath.", Point(x: 88, y: 334)),
  ]
  for line in lines {
    page.write(line.text, at: line.start, Penmanship(height: 19), pen)
    page.artist.wait(page.artist.dice.number(in: 0.6...1.4))
  }
  page.draw("242,184 312,180 376,183 430,177 378,189 330,189", underliner)
  return page
}

private let pen = Brush(.pen, Palette.ink, width: 0.9...3.4).moving(at: 190, step: 2.8)
private let underliner = Brush(.pen, Palette.coral, width: 1.6...3.4).moving(at: 420, step: 4)
