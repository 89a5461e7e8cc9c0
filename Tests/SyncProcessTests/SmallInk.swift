import Graphics
import Interchange
import PKDFormat
import Storage
import Strokes
import TestSupport

/// Recordings of a few small strokes.
enum SmallInk {
  static func stroke(_ chance: inout Chance, at moment: Moment) -> PKStroke {
    chance.smallStroke(
      at: Timestamp(secondsSince1970: Double(moment.microseconds / 1_000_000)))
  }

  /// A stroke whose points nothing predicts, so that each takes many bytes.
  static func noise(_ chance: inout Chance, points count: Int) -> PKStroke {
    let points = (0..<count).map { step in
      PKStrokePoint(
        location: Point(x: chance.number(0...100), y: chance.number(0...100)),
        timeOffset: Double(step) / 100,
        size: Size(width: chance.number(1...2), height: chance.number(1...2)),
        opacity: chance.number(), force: chance.number(), azimuth: chance.number(-3...3),
        altitude: chance.number(0...1.5))
    }
    return PKStroke(
      ink: PKInk(.pen, color: .black),
      path: PKStrokePath(
        controlPoints: points, creationDate: Timestamp(secondsSince1970: 1_780_000_000)),
      id: chance.identifier())
  }

  static func bytes(_ strokes: [PKStroke]) throws -> [UInt8] {
    try PKDWriter.encode(PKDrawing(strokes: strokes))
  }

  static func strokes(_ bytes: [UInt8]) throws -> [PKStroke] {
    try DrawingFile(bytes).everything().drawing.strokes
  }

  /// The names of the strokes in a recording.
  static func names(_ bytes: [UInt8]) throws -> [String] { try strokes(bytes).map { "\($0.id)" } }
}
