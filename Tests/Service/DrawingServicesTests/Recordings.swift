import Graphics
import PKDFormat
import PencilKitArchive
import Strokes
import TestSupport
import Testing

@testable import DrawingServices
@testable import Storage

/// Small drawings in the form that apps submit.
enum Recordings {
  static func drawing(_ seed: UInt64) -> PKDrawing {
    var random = RandomInk(seed: seed)
    let strokes = (0..<2).map { index in
      var points: [PKStrokePoint] = []
      for step in 0..<4 {
        points.append(
          PKStrokePoint(
            location: Point(x: random.number(0...60), y: random.number(0...40)),
            timeOffset: 0.1 * Double(step), size: Size(width: 4, height: 4), opacity: 1, force: 1,
            azimuth: 0, altitude: .pi / 2))
      }
      let date = Timestamp(secondsSinceReferenceDate: 8e8 + Double(seed) * 1000 + Double(index))
      return PKStroke(
        ink: PKInk(.pen, color: random.color()),
        path: PKStrokePath(controlPoints: points, creationDate: date),
        randomSeed: UInt32(seed), id: random.identifier())
    }
    return PKDrawing(strokes: strokes)
  }

  /// A `.pkd` file.
  static func pkd(_ seed: UInt64) throws -> [UInt8] { try PKDWriter.encode(drawing(seed)) }

  /// A PencilKit archive.
  static func pencilKit(_ seed: UInt64) -> [UInt8] { drawing(seed).dataRepresentation() }

  /// A `.pkd` file without ink.
  static func empty() throws -> [UInt8] { try PKDWriter.encode(PKDrawing()) }

  /// A picture that an app has rendered.
  static func image(_ seed: UInt64, side: Int = 40) throws -> [UInt8] {
    var settings = ServiceSettings()
    settings.thumbnailSide = side
    return try PictureMaker(settings: settings).thumbnail(of: PictureMaker.open(try pkd(seed)))
  }

  /// A submission of a drawing.
  static func submission(
    _ seed: UInt64, id: String? = nil, image: [UInt8]? = nil
  ) throws -> DrawingService.Submission {
    var submission = DrawingService.Submission(
      recording: seed % 2 == 0 ? try pkd(seed) : pencilKit(seed))
    submission.id = id
    submission.image = image
    return submission
  }
}

extension Recordings {
  /// A `.pkd` file with more strokes.
  static func large() throws -> [UInt8] {
    try PKDWriter.encode(
      PKDrawing(strokes: (0..<20).flatMap { drawing(UInt64(100 + $0)).strokes }))
  }
}
