import InkFiles
import Graphics
import Strokes
import Testing

@testable import ForeignInk

struct EventStreamPointTests {
  private static func roundTrip(_ point: StoredPoint) throws -> Recording? {
    let path = PKStrokePath(storedPoints: [point, point], creationDate: .referenceDate)
    let recording = Recording(PKDrawing(strokes: [PKStroke(ink: PKInk(.pen), path: path)]))
    var reader = EventStreamReader()
    reader.append(EventStreamWriter.encode(recording))
    reader.end()
    var events: [Recording.Event] = []
    while let event = try reader.next() { events.append(event) }
    let again = Recording(canvas: try #require(reader.canvas), events: events)
    #expect(again == recording)
    return again
  }

  @Test(arguments: [UInt16(0), 250, 1000, 1001, 65_535])
  func `event streams keep ratios to the width of points without width`(aspect: UInt16) throws {
    for secondary in [Float(0), 3] {
      var point = StoredPoint(defaultsIn: .current)
      point[word: .aspect] = aspect
      point[float: .secondaryWidth] = secondary
      let columns = try Self.roundTrip(point)?.drawing.strokes.first?.path.columns
      #expect(columns?[0][word: .aspect] == aspect)
      #expect(columns?[1][float: .secondaryWidth] == secondary)
    }
  }
}
