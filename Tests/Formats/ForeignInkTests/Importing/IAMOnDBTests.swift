import InkFiles
import Graphics
import ForeignInk
import Strokes
import TestSupport
import Testing

struct IAMOnDBTests {
  private func session(_ strokes: String) -> [UInt8] {
    let description =
      "<WhiteboardDescription><SensorLocation corner='top_left'/><DiagonallyOppositeCoords x='5000' y='3000'/>"
      + "<VerticallyOppositeCoords x='0' y='3000'/><HorizontallyOppositeCoords x='5000' y='0'/></WhiteboardDescription>"
    return Array(
      "<?xml version='1.0'?><WhiteboardCaptureSession>\(description)<StrokeSet>\(strokes)</StrokeSet></WhiteboardCaptureSession>"
        .utf8)
  }

  private func open(_ strokes: String) throws -> DrawingFile { try open(session(strokes)) }

  private func open(_ bytes: [UInt8]) throws -> DrawingFile {
    var options = ImportOptions()
    options.fit = nil
    return try DrawingFile(bytes, options: options)
  }

  private let first =
    "<Stroke colour='blue' start_time='10.5' end_time='10.75'><Point x='100' y='200' time='10.5'/>"
    + "<Point x='150' y='250' time='10.75'/></Stroke>"

  @Test func `IAM-OnDB strokes have locations, times and colours`() throws {
    let file = try open(first + "<Stroke colour='black'><Point x='1000' y='0' time='12'/></Stroke>")
    #expect(file.format == .iamOnDB)
    #expect(file.canvas.size == Size(width: 500, height: 300))
    let strokes = file.strokes().strokes
    #expect(
      strokes.map { $0.path.map(\.location) } == [
        [Point(x: 10, y: 20), Point(x: 15, y: 25)], [Point(x: 100, y: 0)],
      ])
    #expect(strokes.map(\.path.creationDate.secondsSinceReferenceDate) == [10.5, 12])
    #expect(strokes[0].path.map(\.timeOffset) == [0, 0.25])
    #expect(strokes[0].path.map(\.size.width) == [2.5, 2.5])
    #expect(strokes.map(\.ink.color) == [Color(red: 0, green: 0, blue: 1), .black])
    #expect(file.page?.source.points == 3)
    #expect(file.page?.source.bounds?.maxX == 1000)
  }

  @Test func `IAM-OnDB times count from 1970, and never run back`() throws {
    let file = try open(
      "<Stroke><Point x='1' y='1' time='978307210'/><Point x='2' y='2' time='978307209'/>"
        + "<Point x='3' y='3' time='978307211'/></Stroke>")
    let path = try #require(file.strokes().strokes.first?.path)
    #expect(path.creationDate == .referenceDate + 10)
    #expect(path.map(\.timeOffset) == [0, 0, 1])
    #expect(file.page?.notes.counts.contains { $0.text == "times that run back are held" } == true)
  }

  @Test(arguments: ["x='1'", "x='a' y='1'", "x='1' y=''", "x='1' y='1e999'", "x='1 2' y='3'"])
  func `IAM-OnDB points without coordinates lose no other points`(point: String) throws {
    let file = try open(
      "<Stroke><Point x='1' y='1' time='1'/><Point \(point) time='2'/></Stroke>" + first)
    #expect(file.strokes().strokes.map(\.path.count) == [1, 2])
    #expect("\(file.damage)".contains("a point with x and y is expected"))
  }

  @Test func `a cut IAM-OnDB file keeps the strokes before the cut`() throws {
    let bytes = session(first + first)
    let file = try open(Array(bytes.prefix(bytes.count - 80)))
    #expect(file.strokes().strokes.map(\.path.count) == [2, 1])
    #expect(file.damage.count == 1)
    #expect(throws: DrawingFileError.self) { try open(Array(bytes.prefix(200))) }
  }
}
