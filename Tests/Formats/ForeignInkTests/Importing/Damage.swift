import InkFiles
import Graphics
import ForeignInk
import Strokes
import TestSupport
import Testing

/// Damaged copies of a file, which an importer must refuse or read in part.
enum Damage {
  /// Reads the file cut at every byte, and with random changes.
  static func expectSurvival(
    of bytes: [UInt8], as format: DrawingFile.Format, changes: Int = 300
  ) {
    for end in bytes.indices { _ = strokes(of: Array(bytes[..<end]), as: format) }
    expectSurvival(ofChangesTo: bytes, as: format, changes: changes)
  }

  /// Reads the file with random changes.
  static func expectSurvival(
    ofChangesTo bytes: [UInt8], as format: DrawingFile.Format, changes: Int
  ) {
    var mutation = Mutation(seed: UInt64(bytes.count))
    for _ in 0..<changes { _ = strokes(of: mutation.mutated(bytes), as: format) }
  }

  /// The strokes of a damaged file's first pages; empty if the file is refused.
  static func strokes(of bytes: [UInt8], as format: DrawingFile.Format) -> [PKStroke] {
    var strokes: [PKStroke] = []
    do throws(DrawingFileError) {
      let file = try DrawingFile(bytes, as: format)
      for index in 0..<min(file.pageCount, 4) {
        strokes += try file.page(index).strokes().strokes
      }
    } catch {
      #expect(!"\(error)".isEmpty)
    }
    for stroke in strokes {
      // No path has a location that is not finite. A stroke without width draws nothing.
      let box = stroke.renderBounds
      guard !box.isNull else { continue }
      #expect(box.minX.isFinite && box.maxX.isFinite && box.minY.isFinite && box.maxY.isFinite)
    }
    return strokes
  }
}
