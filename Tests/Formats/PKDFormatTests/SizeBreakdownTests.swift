import Strokes
import TestSupport
import Testing

@testable import PKDFormat

struct SizeBreakdownTests {
  @Test(arguments: 0..<20) func `the sizes of all parts add up to the file's`(_ seed: UInt64) throws
  {
    var random = RandomInk(seed: seed)
    let bytes = try PKDWriter.encode(random.drawing(strokeCount: 1...60))
    let sizes = SizeBreakdown(try PKDReader(bytes))
    #expect(sizes.parts.values.reduce(0, +) == bytes.count)
    let points = Double(sizes.parts[.points] ?? 0)
    #expect(abs(sizes.channels.values.reduce(0, +) + sizes.rest - points) < 1e-6)
    #expect(
      sizes.pointCount
        == (try PKDReader(bytes).readStrokes().value.reduce(0) { $0 + $1.path.count }))
  }

  @Test func `channels get sizes, and the rest of a block is below 20 bytes`() throws {
    var random = RandomInk(seed: 7)
    let bytes = try PKDWriter.encode(random.drawing(strokeCount: 50...50, pointCount: 30...60))
    let sizes = SizeBreakdown(try PKDReader(bytes))
    let blocks = Double(try PKDReader(bytes).chunks.count { $0.type == .strokes })
    // Four coder states of four bytes, which carry information only in part.
    #expect(sizes.rest > 0 && sizes.rest < 20 * blocks)
    #expect((sizes.channels[.x] ?? 0) > 100 && (sizes.channels[.y] ?? 0) > 100)
  }

  @Test func `bytes behind damage count as unread`() throws {
    var random = RandomInk(seed: 3)
    let bytes = try PKDWriter.encode(random.drawing(strokeCount: 40...40))
    let sizes = SizeBreakdown(try PKDReader(Array(bytes.dropLast(30))))
    #expect(sizes.parts.values.reduce(0, +) == bytes.count - 30)
    #expect((sizes.parts[.unread] ?? 0) > 0)
  }
}
