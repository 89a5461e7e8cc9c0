import Graphics
import PencilKitArchive
import Strokes
import Testing

/// Records without the fields that have defaults.
struct SparseRecordTests {
  /// An ink, and a stroke without an ink index, whose path declares channels 0 and 1 for each point
  /// but has no points.
  private static let archive: [UInt8] =
    Array("wrd".utf8) + [0xF0, 1, 0]
    + [0x22, 5, 0x12, 3] + Array("pen".utf8)
    + [0x2A, 10, 0x2A, 8, 0x20, 3, 0x28, 32, 0x32, 2, 77, 0]

  @Test func `a record without an ink index uses the first ink and keeps its bytes`() throws {
    let drawing = try PKDrawing(data: Self.archive)
    #expect(drawing.strokes.map(\.ink.inkType) == [.pen])
    #expect(drawing.dataRepresentation() == Self.archive)
  }

  @Test func `a record without an ink index gets that of a changed ink`() throws {
    var drawing = try PKDrawing(data: Self.archive)
    drawing.strokes[0].ink = PKInk(.marker, color: Color(red: 1, green: 0.5, blue: 0))
    let again = try PKDrawing(data: drawing.dataRepresentation())
    #expect(again == drawing)
    #expect(again.strokes.map(\.ink.inkType) == [.marker])
  }

  @Test func `a record without points is written with new points`() throws {
    var drawing = try PKDrawing(data: Self.archive)
    let points = (0..<5).map { index in
      PKStrokePoint(
        location: Point(x: Double(index), y: 3), timeOffset: Double(index) / 8,
        size: Size(width: 2 + Double(index), height: 2), opacity: 1, force: 1, azimuth: 0,
        altitude: 1)
    }
    drawing.strokes[0].path = PKStrokePath(
      controlPoints: points, creationDate: drawing.strokes[0].path.creationDate)
    let again = try PKDrawing(data: drawing.dataRepresentation())
    #expect(again == drawing)
    #expect(again.strokes[0].path.map(\.location) == points.map(\.location))
  }
}
