import PencilKitArchive
import Strokes
import TestSupport
import Testing

@testable import PKDFormat

/// The sizes of files; small files are the purpose of the format.
struct SizeTests {
  @Test(arguments: 0..<3)
  func `textured finger ink takes at most 7.5 bytes a point`(_ seed: UInt64) throws {
    var random = FingerInk(seed: seed)
    let drawing = random.drawing()
    let bytes = try PKDWriter.encode(drawing)
    let pointCount = drawing.strokes.reduce(0) { $0 + $1.path.count }
    #expect(Double(bytes.count) / Double(pointCount) < 7.5)
    #expect(try PKDReader(bytes).readDrawing().value == drawing)
  }

  /// The maximum size of the files of real archives, whole and of ink only. An archive of a few
  /// strokes may grow by at most 2 %.
  private static let limits: [(name: String, whole: Int, inkOnly: Int)] = [
    ("apple-notes-color", 118_439, 85_583), ("inpaint-pencil", 8123, 7850),
    ("finger-single-2019", 1126 * 6 / 10, 809 * 6 / 10), ("inkterop-case01-dot", 287, 287),
    ("inkterop-case04-pressure-ramp", 402, 402), ("carve-erase0-before", 702, 702),
    ("carve-erase1-partial", 1290, 1290), ("libfreeform-ink-pen", 590, 590),
    ("empty-2019", 61, 42),
  ]

  @Test(.enabled(if: Corpus.isPresent, Comment(rawValue: Corpus.absence)))
  func `files of real archives do not exceed their recorded sizes`() throws {
    for (name, whole, inkOnly) in Self.limits {
      let drawing = try PKDrawing(data: try Corpus.bytes("pkdrawing/\(name).drawing"))
      let size = try PKDWriter.encode(drawing).count
      let inkSize = try PKDWriter.encode(drawing, options: .init(inkOnly: true)).count
      print("\(name): \(size) bytes, ink only \(inkSize)")
      #expect(size <= whole, "\(name)")
      #expect(inkSize <= inkOnly, "\(name)")
    }
  }
}
