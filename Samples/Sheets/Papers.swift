import Graphics
import Rasterization
import Strokes

/// A word on all papers, light and dark.
func papers(_ minute: PKDrawing) throws -> [UInt8] {
  let side = 240.0
  let text = minute.strokes.filter { $0.renderBounds.minY > 462 && $0.renderBounds.width < 200 }
  let box = text.reduce(Rect.null) { $0.union($1.renderBounds) }
  let middle = AffineTransform(
    translationX: side / 2 - box.center.x, y: side / 2 - box.center.y)
  let word = PKDrawing(
    strokes: text.map { stroke in
      var stroke = stroke
      stroke.transform = stroke.transform.concatenating(middle)
      return stroke
    })
  // Higher than its picture, so that the word is between the title and the summary of Cornell.
  let page = Recording.Canvas(size: Size(width: side, height: 316))
  let region = Rect(x: 0, y: 0, width: side, height: side)
  var sheet = Sheet(
    columnCount: 4, gap: 8, gapColor: Color(red: 0.5, green: 0.54, blue: 0.58))
  for style in [RenderOptions.Style.light, .dark] {
    for paper in RenderOptions.Paper.allCases {
      let options = RenderOptions(region: region, paper: paper, style: style)
      sheet.add(try Renderer(options).picture(of: word, on: page))
    }
  }
  return try sheet.encoded()
}
