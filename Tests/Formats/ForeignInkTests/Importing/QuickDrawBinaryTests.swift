import InkFiles
import Graphics
import Strokes
import TestSupport
import Testing

@testable import ForeignSamples
@testable import ForeignInk

struct QuickDrawBinaryTests {
  private static let first = QuickDrawBytes.record([([0, 255], [4, 8]), ([3], [9])])
  private static let second = QuickDrawBytes.record(
    key: .max, country: "US", recognized: 0, seconds: 1_490_000_000, [([7, 8, 9], [1, 1, 5])])

  @Test func `binary Quick, Draw! records are pages with simplified strokes`() throws {
    let file = try DrawingFile(Self.first + Self.second)
    #expect(file.format == .quickDrawBinary && file.pageCount == 2)
    #expect(
      file.canvas.metadata == [
        "key_id": "72623859790382856", "countrycode": "CH", "recognized": "true",
      ])
    #expect(file.page?.name == "72623859790382856")
    let strokes = file.strokes().strokes
    try #require(strokes.count == 2)
    #expect(strokes[0].path.map(\.location) == [Point(x: 0, y: 3), Point(x: 191.25, y: 6)])
    #expect(strokes[0].path.creationDate == Timestamp(secondsSince1970: 1_488_000_000))
    #expect(strokes[1].path.map(\.location) == [Point(x: 2.25, y: 6.75)])
    let other = try file.page(1)
    #expect(other.canvas.metadata["key_id"] == "18446744073709551615")
    #expect(other.canvas.metadata["recognized"] == "false" && other.damage.isEmpty)
    #expect(other.page?.source.points == 3)
  }

  @Test func `only plausible binary Quick, Draw! records are recognized`() {
    func format(_ bytes: [UInt8]) -> DrawingFile.Format? { DrawingFile.Format(recognizing: bytes) }
    #expect(format(Self.first) == .quickDrawBinary)
    #expect(format(Self.first + Self.second.dropLast()) == nil)
    #expect(format(Self.first + Self.second + Self.first.dropLast()) == .quickDrawBinary)
    #expect(format(QuickDrawBytes.record(country: "c1", [([1], [1])])) == nil)
    #expect(format(QuickDrawBytes.record(recognized: 2, [([1], [1])])) == nil)
    #expect(format(QuickDrawBytes.record(seconds: 5, [([1], [1])])) == nil)
    #expect(format(QuickDrawBytes.record([])) == nil)
    #expect(format(QuickDrawBytes.record([([], [])])) == nil)
    #expect(format(Self.first + [0]) == nil)
    #expect(format([UInt8](repeating: 0, count: 500)) == nil)
  }

  @Test func `a cut Quick, Draw! record keeps its whole strokes`() throws {
    let file = try DrawingFile(Self.second + Self.first.dropLast(), as: .quickDrawBinary)
    #expect(file.pageCount == 2 && file.damage.isEmpty)
    let page = try file.page(1)
    #expect(page.strokes().strokes.count == 1)
    #expect(
      page.damage == [
        .imported(
          .quickDrawBinary,
          ImportError(.truncated, at: Self.second.count + Self.first.count - 1))
      ])
    #expect(throws: DrawingFileError.self) {
      try DrawingFile(Self.first.prefix(16), as: .quickDrawBinary)
    }
  }
}
