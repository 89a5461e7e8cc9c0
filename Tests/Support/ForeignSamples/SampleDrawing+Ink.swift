import InkFiles
import Graphics
import ForeignInk
public import Strokes

extension SampleDrawing {
  /// Points (1/72 inch) per pixel.
  public static let unit = 72.0 / 96

  /// The drawing in our own model, for our own writers.
  public var drawing: PKDrawing {
    PKDrawing(strokes: strokes.enumerated().map { $1.ink(number: $0) })
  }

  /// The drawing on its page, for our writers of other formats.
  var page: InkContents {
    let size = Size(width: Self.size.width * Self.unit, height: Self.size.height * Self.unit)
    var page = InkContents(drawing, on: Recording.Canvas(size: size))
    page.name = "Tea"
    return page
  }
}

extension SampleDrawing.Stroke {
  fileprivate func ink(number: Int) -> PKStroke {
    let isHighlighter = pen == .highlighter
    let points = points.map { point in
      let width = width(point) * SampleDrawing.unit
      return PKStrokePoint(
        location: point.location * SampleDrawing.unit, timeOffset: Double(point.time) / 1000,
        size: Size(width: isHighlighter ? 0.36 * width : width, height: width), opacity: 1,
        force: 2 * point.pressure, azimuth: 0, altitude: .pi / 2)
    }
    let date = Timestamp(secondsSince1970: Double(SampleDrawing.date + start) / 1000)
    return PKStroke(
      ink: PKInk(isHighlighter ? .marker : .pen, color: pen.color, widthLaw: .plain),
      path: PKStrokePath(
        controlPoints: CurveFit().controlPoints(through: points), creationDate: date),
      randomSeed: 0, id: Identifier.zero.derived("sample", number))
  }
}

extension SampleDrawing.Pen {
  fileprivate var color: Color {
    let parts = components.map { Double($0) / 255 }
    return Color(red: parts[0], green: parts[1], blue: parts[2], alpha: parts[3])
  }
}
