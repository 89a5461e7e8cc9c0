import Strokes
import Testing

@testable import PKDFormat

struct WordStepTests {
  /// The damage of a file whose table contains a shape with these steps for a channel.
  private static func fault(
    _ step: Double, offset: Double, of channel: PointChannel
  ) throws -> PKDError? {
    var writer = ByteWriter()
    writer.count(1)
    writer.byte(offset == 0 ? 1 : 2)
    writer.double(step)
    if offset != 0 { writer.double(offset) }
    writer.count(1)
    writer.byte(0)
    let varying = PointChannels([.x, .y])
    writer.varint(UInt64(varying.rawValue))
    writer.varint(UInt64(varying.rawValue))
    writer.count(channel.rawValue + 1)
    // The row after those that every file has.
    let row = ShapeTable().steps.count
    for other in PointChannel.allCases.prefix(channel.rawValue + 1) {
      let kind =
        varying.contains(other)
        ? ChannelShape.Kind.firstDifferences
        : other == channel ? .constant : .default
      let steps = other == channel ? row : 0
      writer.varint(UInt64(kind.rawValue) + UInt64(FormatVersion.latest.rowKindCount * steps))
    }
    // No inks, and no forms.
    writer.count(0)
    writer.count(0)
    let file = try #require(ChunkedFile(SampleFiles.drawing)).replacing(.table) {
      $0 = writer.bytes
    }
    do throws(PKDError) {
      return try PKDReader(file.bytes).wholeDamage
    } catch {
      return error
    }
  }

  @Test(arguments: [PointChannel.force, .opacity])
  func `16-bit channels need whole steps from 0 on`(_ word: PointChannel) throws {
    let refused = PKDError.Reason.unknownValue("shape", 0)
    let cases: [(step: Double, offset: Double, isWord: Bool)] = [
      (1, 0, true), (2, 0, true), (65_535, 0, true), (0.5, 0, false), (1.5, 0, false),
      (65_536, 0, false), (2, 1, false), (0.5, 1, false), (65_536, -3, false),
    ]
    for (step, offset, isWord) in cases {
      let fault = try Self.fault(step, offset: offset, of: word)
      #expect((fault?.reason == refused) == !isWord, "\(step) from \(offset)")
      // Floats may have any step.
      let float = try Self.fault(step, offset: offset, of: .width)
      #expect(float?.reason != refused, "\(step) from \(offset)")
    }
  }
}
