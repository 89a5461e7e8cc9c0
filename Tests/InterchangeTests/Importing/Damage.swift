import Graphics
import Interchange
import Strokes
import TestSupport
import Testing

/// Damaged copies of a file, which an importer must refuse or read in part.
enum Damage {
  /// Reads the file cut at every byte, and with random changes.
  static func expectSurvival(
    of bytes: [UInt8], as format: DrawingFile.Format, changes: Int = 300
  ) {
    for end in bytes.indices { read(Array(bytes[..<end]), as: format) }
    var mutation = Mutation(seed: UInt64(bytes.count))
    for _ in 0..<changes { read(mutation.mutated(bytes), as: format) }
  }

  private static func read(_ bytes: [UInt8], as format: DrawingFile.Format) {
    do throws(DrawingFileError) {
      let file = try DrawingFile(bytes, as: format)
      for index in 0..<min(file.pageCount, 4) {
        for stroke in try file.page(index).drawing().value.strokes {
          // No path has a place that is none. A stroke without width draws nothing.
          let box = stroke.renderBounds
          guard !box.isNull else { continue }
          #expect(box.minX.isFinite && box.maxX.isFinite && box.minY.isFinite && box.maxY.isFinite)
        }
      }
    } catch {
      #expect(!"\(error)".isEmpty)
    }
  }
}
