import InkFiles
import Graphics
import Strokes
import Testing

@testable import ForeignInk

/// Pieces of a stroke refer to the stroke instead of repeating the points that they share with it.
struct EventStreamSharingTests {
  private static let parent = Identifier(high: 1, low: 1)

  private static func stroke(_ columns: PointColumns, number: UInt64) -> PKStroke {
    PKStroke(
      ink: PKInk(.pen), path: PKStrokePath(columns: columns, creationDate: .referenceDate),
      id: Identifier(high: 1, low: number))
  }

  /// Points on a line, in columns that store a value for each point even if all are the same.
  private static func columns(x: Double = 1, hasWidths: Bool = false) -> PointColumns {
    let points = (0..<4).map { index in
      PKStrokePoint(
        location: Point(x: x + 8 * Double(index), y: 5), timeOffset: 0,
        size: Size(width: 3, height: 3), opacity: 1, force: 1, azimuth: 0, altitude: 1
      ).stored(in: .current)
    }
    let plain = PointColumns(points, scale: .current)
    guard hasWidths else { return plain }
    var floats: [Float] = []
    for channel in PointChannel.floats {
      let values = points.map { $0[float: channel] }
      floats += plain.varying.contains(channel) || channel == .width ? values : [values[0]]
    }
    return PointColumns(
      count: plain.count, scale: plain.scale,
      varying: PointChannels(rawValue: plain.varying.rawValue | PointChannels(.width).rawValue),
      present: plain.present, floats: floats, words: plain.words)
  }

  /// Writes a stroke and a piece of it, and reads them back. Returns whether the piece refers to
  /// its stroke's points.
  private static func isShared(_ columns: PointColumns, with whole: PointColumns) throws -> Bool {
    var piece = stroke(columns, number: 2)
    piece.parentID = parent
    let recording = Recording(PKDrawing(strokes: [stroke(whole, number: 1), piece]))
    let text = EventStreamWriter.encode(recording)
    var reader = EventStreamReader()
    reader.append(text)
    reader.end()
    var events: [Recording.Event] = []
    while let event = try reader.next() { events.append(event) }
    let again = Recording(canvas: try #require(reader.canvas), events: events)
    #expect(again == recording)
    let stored = again.drawing.strokes.map { $0.path.columns }
    #expect(stored.map(\.varying) == [whole.varying, columns.varying])
    #expect(stored.map(\.present) == [whole.present, columns.present])
    return String(decoding: text, as: UTF8.self).contains("\"pointsOf\"")
  }

  @Test func `a piece shares its points with its stroke only if they are stored alike`() throws {
    #expect(try Self.isShared(Self.columns(), with: Self.columns()))
    #expect(
      try Self.isShared(Self.columns(hasWidths: true), with: Self.columns(hasWidths: true)))
    #expect(try !Self.isShared(Self.columns(x: 2), with: Self.columns()))
    #expect(try !Self.isShared(Self.columns(hasWidths: true), with: Self.columns()))
    #expect(try !Self.isShared(Self.columns(), with: Self.columns(hasWidths: true)))
  }
}
