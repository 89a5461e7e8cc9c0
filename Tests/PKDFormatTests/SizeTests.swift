import PencilKitArchive
import Strokes
import TestSupport
import Testing

@testable import PKDFormat

/// The sizes of files, which the format exists for.
struct SizeTests {
  @Test(arguments: 0..<3)
  func `textured finger ink takes at most 8 bytes a point`(_ seed: UInt64) throws {
    var random = FingerInk(seed: seed)
    let drawing = random.drawing()
    let bytes = try PKDWriter.encode(drawing)
    let pointCount = drawing.strokes.reduce(0) { $0 + $1.path.count }
    #expect(Double(bytes.count) / Double(pointCount) < 8)
    #expect(try PKDReader(bytes).readDrawing().value == drawing)
  }
}
