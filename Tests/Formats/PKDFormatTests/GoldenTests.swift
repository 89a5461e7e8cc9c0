import Foundation
import Graphics
import Strokes
import TestSupport
import Testing

@testable import PKDFormat

/// A file of the latest version with fixed values: the writer must write these bytes, and every
/// later reader must read them.
struct GoldenTests {
  /// The bytes may change only before the first release, or when a new set of statistics is added
  /// beside the old one. To update them, run this suite and copy the bytes that the failure prints.
  private static let bytes = hex(
    """
    89504b440d0a1a0ac701000050414745014b02000002030000100084d7c74100000000000088400000000000
    009040000000000000f03f000000000000f03f000000000000f03f000000000000f03f01057469746c650647
    6f6c64656e02470002001fff3f0c03030b1304000000010101010003ff3f0c01010011110000000101010102
    310000803f0000003f0000803e0000803f12000000ff03010019020188100000d1040372061530b0be0600f1
    7b2c9943cd3830cc7d21f36b03bc701307000000070000000005000101010401000000000000000000007041
    00000000000070410000204200000000000020425ec120000001020100e007be1fc20e000000101d00000000
    00004f64344038df4e541aea9e082f90465b052a000000010200030403040000000000000001000000000000
    000200000000000000030000000000000004048e0106080014636f6d2e6170706c652e696e6b2e6d61726b65
    7200000000000000000000000000000000000000000000000000000000000000f03f00000000000024408000
    00500084d7c74182cdcc5c0084d7c7410103020000000000002040010101860000900184d7c7410103010000
    803f00000000000000000000803f0000a0400000d040840000100284d7c7413e86dc08
    """)

  private static var recording: Recording {
    let start = Timestamp(secondsSinceReferenceDate: 800_000_000.125)
    func point(_ x: Double, _ y: Double, _ time: Double, _ width: Double) -> PKStrokePoint {
      PKStrokePoint(
        location: Point(x: x, y: y), timeOffset: time, size: Size(width: width, height: width),
        opacity: 1, force: 0.5, azimuth: 0, altitude: .pi / 4)
    }
    let stroke = PKStroke(
      ink: PKInk(.marker, color: Color(red: 1, green: 0.5, blue: 0.25)),
      path: PKStrokePath(
        controlPoints: [
          point(10, 20, 0, 4), point(12.5, 21, 0.004, 4.5), point(16, 20.25, 0.012, 5),
          point(20, 18, 0.016, 4),
        ], creationDate: start), randomSeed: 7, id: Identifier(high: 1, low: 2))
    var piece = PKStroke(
      ink: stroke.ink, path: stroke.path, mask: Path(Rect(x: 0, y: 0, width: 15, height: 40)),
      randomSeed: 7, id: Identifier(high: 3, low: 4))
    piece.parentID = stroke.id
    let eraser = PKEraserTool(.bitmap, width: 8)
    let events: [(Double, Recording.Action)] = [
      (0, .toolChanged(.inking(PKInkingTool(.marker, width: 10)))), (0.5, .strokeBegun(stroke)),
      (0.6, .strokeEnded(stroke.id)),
      (
        2,
        .erased(
          eraser,
          along: PKStrokePath(controlPoints: [point(18, 19, 0, 8)], creationDate: start + 2),
          changes: [StrokeChange(strokeID: stroke.id, replacements: [piece])])
      ),
      (3, .moved([piece.id], by: AffineTransform(translationX: 5, y: 6.5))), (4, .undone),
    ]
    return Recording(
      canvas: Recording.Canvas(
        size: Size(width: 768, height: 1024), background: .white, metadata: ["title": "Golden"]),
      events: events.map { Recording.Event(time: start + $0.0, action: $0.1) })
  }

  private static func hex(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map {
      UInt8(digits[$0] << 4 | digits[$0 + 1])
    }
  }

  private static func lines(_ bytes: [UInt8]) -> String {
    var text = ""
    for (index, byte) in bytes.enumerated() {
      text += (byte < 16 ? "0" : "") + String(byte, radix: 16) + (index % 44 == 43 ? "\n    " : "")
    }
    return text
  }

  @Test func `the golden recording is written as these bytes`() throws {
    let bytes = try PKDWriter.encode(Self.recording)
    if bytes != Self.bytes { Issue.record("the bytes are now\n    \(Self.lines(bytes))") }
  }

  @Test func `the description's example is written as its bytes`() throws {
    let url = Corpus.project.appendingPathComponent("docs/formats/pkd.md")
    let page = String(decoding: try Data(contentsOf: url), as: UTF8.self)
    let section = try #require(page.split(separator: "\n## 19. ").dropFirst().first)
    let block = try #require(section.split(separator: "```").dropFirst().first)
    // A line is an offset, bytes, and from column 47 on their meaning.
    let example = block.split(separator: "\n").flatMap {
      Self.hex(String($0.dropFirst(4).prefix(43)))
    }
    let points = [(10.0, 20.0), (11, 20.5), (12.5, 21.5), (14.5, 22.5)].enumerated().map {
      index, at in
      PKStrokePoint(
        location: Point(x: at.0, y: at.1), timeOffset: Double(index) / 240,
        size: Size(width: 3, height: 3), opacity: 1, force: 0.5, azimuth: 0, altitude: .pi / 2)
    }
    let stroke = PKStroke(
      ink: PKInk(.pen, color: Color(red: 0, green: 0, blue: 1)),
      path: PKStrokePath(
        controlPoints: points,
        creationDate: Timestamp(secondsSinceReferenceDate: 800_000_000.25)), randomSeed: 7)
    let bytes = try PKDWriter.encode(PKDrawing(strokes: [stroke]), options: .init(inkOnly: true))
    if bytes != example { Issue.record("the bytes are now\n    \(Self.lines(bytes))") }
  }

  @Test func `these bytes are read as the golden recording`() throws {
    let reader = try PKDReader(Self.bytes)
    #expect(reader.readRecording().value == Self.recording)
    #expect(reader.wholeDamage == nil && reader.isFinished)
    #expect(reader.canvas.metadata == ["title": "Golden"])
    let stroke = try reader.stroke(at: 0)
    #expect(stroke.path.map(\.location.x) == [10, 12.5, 16, 20])
    #expect(stroke.path.map(\.location.y) == [20, 21, 20.25, 18])
    #expect(stroke.path.creationDate.secondsSinceReferenceDate == 800_000_000.125)
    #expect(stroke.ink.inkType == .marker && stroke.ink.color.green == 0.5)
  }
}
