import Graphics
import Interchange
import Strokes
import TestSupport
import Testing

/// Damaged copies of a file, which an importer must refuse or read in part.
enum Damage {
  /// Reads the file cut at every byte, and random changes of it: bytes that are other ones, missing, doubled, or
  /// extreme numbers.
  static func expectSurvival(
    of bytes: [UInt8], as format: DrawingFile.Format, changes: Int = 1_000
  ) {
    for end in bytes.indices { read(Array(bytes[..<end]), as: format) }
    var random = SplitMix64(seed: UInt64(bytes.count))
    for _ in 0..<changes {
      var copy = bytes
      for _ in 0...Int(random.next() % 4) { change(&copy, &random) }
      read(copy, as: format)
    }
  }

  private static func change(_ bytes: inout [UInt8], _ random: inout SplitMix64) {
    guard !bytes.isEmpty else { return }
    let place = Int(random.next() % UInt64(bytes.count))
    switch random.next() % 6 {
    case 0: bytes[place] ^= 1 << UInt8(random.next() % 8)
    case 1: bytes[place] = UInt8(truncatingIfNeeded: random.next())
    case 2: bytes.remove(at: place)
    case 3: bytes.insert(bytes[place], at: place)
    case 4:
      let extreme: [UInt8] = [0, 0x7F, 0x80, 0xFF]
      let value = extreme[Int(random.next() % 4)]
      for index in place..<min(place + 4, bytes.count) { bytes[index] = value }
    default:
      let end = min(place + Int(random.next() % 64), bytes.count)
      bytes.removeSubrange(place..<end)
    }
  }

  private static func read(_ bytes: [UInt8], as format: DrawingFile.Format) {
    do throws(DrawingFileError) {
      let file = try DrawingFile(bytes, as: format)
      for index in 0..<min(file.pageCount, 4) {
        for stroke in try file.page(index).drawing().value.strokes {
          // No path has a place that is none.
          let box = stroke.renderBounds
          #expect(box.minX.isFinite && box.maxX.isFinite && box.minY.isFinite && box.maxY.isFinite)
        }
      }
    } catch {
      #expect(!"\(error)".isEmpty)
    }
  }
}
