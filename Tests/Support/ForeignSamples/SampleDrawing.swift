public import Graphics
import Strokes

/// A drawing of a cup of tea, which is written as files of foreign formats.
///
/// Its strokes differ in all values that formats store: locations, pressure, times, width and
/// colour. It is far from symmetric, so that a mirrored copy is obvious. Coordinates and widths are
/// in pixels of 1/96 inch and between 0 and 255, because most formats use pixels, and one of them
/// uses a byte for each.
public struct SampleDrawing: Sendable {
  /// A stroke.
  public struct Stroke: Sendable {
    /// The pen of the stroke.
    public let pen: Pen
    /// Its points.
    public let points: [SamplePoint]
    /// The milliseconds from the start of the drawing to that of the stroke.
    public let start: Int

    /// The colour as red, green, blue and alpha from 0 to 255.
    public var components: [Int] { pen.components }

    /// The smallest box with all points.
    public var bounds: Rect { Rect(around: points.lazy.map(\.location)) }
  }

  /// A sample of the pen.
  public struct SamplePoint: Sendable {
    /// Pixels from the left, with one decimal place.
    public let x: Double
    /// Pixels from above, with one decimal place.
    public let y: Double
    /// From 0 to 1, with two decimal places.
    public let pressure: Double
    /// Milliseconds since the start of the stroke.
    public let time: Int

    /// The location on the page.
    public var location: Point { Point(x: x, y: y) }
  }

  /// A pen. Formats with a fixed palette use the most similar colour.
  public enum Pen: Sendable {
    case black, blue, red, highlighter
  }

  /// The strokes from the lowest to the uppermost. The highlighter is the lowest: some formats
  /// always draw it there.
  public let strokes: [Stroke]

  /// The size of the page.
  public static let size = Size(width: 256, height: 176)
  /// The start of the drawing: 2026-01-01, in milliseconds since 1970.
  static let date = 1_767_225_600_000
  /// The width of the highlighter, and of the pens at full pressure; pens' widths are in proportion
  /// to pressure.
  static let highlighterWidth = 18.0
  static let penWidth = 8.0

  /// The whole drawing: nine strokes of 253 points.
  public static let cup = SampleDrawing(SampleLines.all, steps: 4)
  /// Only the marked word, with few points, for tests that read it thousands of times.
  public static let word = SampleDrawing(SampleLines.word, steps: 1)
  /// The mark and the bar of the letter t: seven points.
  public static let mark = SampleDrawing(SampleLines.mark, steps: 1)

  /// Draws lines, with a number of points from each knot to the next.
  init(_ lines: [SampleLines.Line], steps: Int) {
    var start = 0
    var strokes: [Stroke] = []
    for line in lines {
      let interval = 48 / steps
      let places = line.places(steps: steps)
      let points = places.enumerated().map { index, place in
        let pressure = line.pressure(at: Double(index) / Double(max(places.count - 1, 1)))
        return SamplePoint(
          x: (place.x * 10).rounded() / 10, y: (place.y * 10).rounded() / 10,
          pressure: (pressure * 100).rounded() / 100, time: index * interval)
      }
      strokes.append(Stroke(pen: line.pen, points: points, start: start))
      start += points.count * interval + 200
    }
    self.strokes = strokes
  }
}

extension SampleDrawing.Stroke {
  /// The width that is drawn at a point.
  public func width(_ point: SampleDrawing.SamplePoint) -> Double {
    pen == .highlighter ? SampleDrawing.highlighterWidth : SampleDrawing.penWidth * point.pressure
  }
}

extension SampleDrawing.Pen {
  /// The colour as red, green, blue and alpha from 0 to 255.
  var components: [Int] {
    switch self {
    case .black: [29, 33, 48, 255]
    case .blue: [60, 105, 205, 255]
    case .red: [200, 45, 50, 255]
    case .highlighter: [255, 225, 60, 160]
    }
  }

  /// The colour as one number, red in the highest byte.
  var rgba: Int { components.reduce(0) { $0 << 8 | $1 } }
}
