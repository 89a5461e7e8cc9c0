import InkFiles
import ForeignInk
import Testing

@testable import ForeignSamples

struct ISFTagTests {
  /// A stream with one stroke behind some other tags.
  private static func stream(_ add: (inout ISFBytes) -> Void) -> [UInt8] {
    var ink = ISFBytes()
    add(&ink)
    ink.addStroke(2, [ISFBytes.packed([0, 254]), ISFBytes.packed([0, 90])])
    return ink.stream()
  }

  @Test(arguments: [50, 51, 87])
  func `the bytes of an unknown ISF property are skipped`(number: Int) throws {
    // The size does not include the byte of the compression type.
    let bytes = Self.stream { $0.add(number, [2, 0, 1, 2]) }
    let file = try DrawingFile(bytes)
    #expect(file.format == .isf && file.damage.isEmpty)
    #expect(file.page?.source.points == 2)
    #expect(
      file.page?.notes.counts.contains { $0.text.contains("properties that programs") } == true)
    #expect(
      file.page?.notes.counts.contains { $0.text.contains("unknown kind") } == false)
  }

  @Test func `ISF is recognized by its first sixteen tags`() throws {
    let bytes = Self.stream {
      for _ in 0..<16 { $0.add(51, [2, 0, 1, 2]) }
      $0.add(40, sized: [1, 2, 3])
    }
    #expect(DrawingFile.Format(recognizing: bytes) == .isf)
    let file = try DrawingFile(bytes)
    #expect(file.damage.isEmpty && file.page?.source.points == 2)
    #expect(file.page?.notes.counts.contains { $0.text.contains("unknown kind") } == true)
    // Among the first tags, a tag that ink never has indicates another format.
    let early = Self.stream { $0.add(40, sized: [1, 2, 3]) }
    #expect(DrawingFile.Format(recognizing: early) == nil)
  }
}
