import ForeignSamples
import Graphics
import Rasterization
import Strokes

/// One drawing in all formats: first as our own model stores it, then as read from a file of each
/// format. If a format needs a scale, the scale is undone.
func contactSheet() throws -> [UInt8] {
  var sheet = Sheet(columnCount: 4, gap: 1, gapColor: Color(red: 0.72, green: 0.75, blue: 0.79))
  sheet.add(try cell("drawing", SampleDrawing.cup.drawing.strokes, scale: 1))
  for sample in try ForeignSample.all() {
    sheet.add(try cell(sample.name, sample.strokes(), scale: sample.scale))
  }
  while sheet.panelCount % 4 != 0 { sheet.add(try cell("", [], scale: 1)) }
  return try sheet.encoded()
}

/// The whole page below a title.
private func cell(_ title: String, _ strokes: [PKStroke], scale: Double) throws -> Pixmap {
  let page = SampleDrawing.size
  let (width, height) = (page.width * SampleDrawing.unit, page.height * SampleDrawing.unit)
  let strip = 20.0
  let size = AffineTransform(scale: scale)
  let letters = Lettering.strokes(title, at: Point(x: 8, y: -13)).map { stroke in
    var stroke = stroke
    stroke.transform = size
    return stroke
  }
  let options = RenderOptions(
    extent: .pixels(
      width: Int(clamping: Int64(1.25 * width)),
      height: Int(clamping: Int64(1.25 * (height + strip)))),
    region: Rect(x: 0, y: -strip * scale, width: width * scale, height: (height + strip) * scale),
    background: .color(.white))
  return try Renderer(options).picture(of: PKDrawing(strokes: letters + strokes))
}
