import InkFiles
import Graphics
import ForeignInk
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

  static func bytes(_ strokes: [PKStroke]) throws -> [UInt8] {
    try PKDWriter.encode(PKDrawing(strokes: strokes))
  }

  static func strokes(_ bytes: [UInt8]) throws -> [PKStroke] {
    try DrawingFile(bytes).contents().drawing.strokes
  }

  /// The identifiers of the strokes in a recording.
  static func names(_ bytes: [UInt8]) throws -> [String] { try strokes(bytes).map { "\($0.id)" } }
}
