import InkFiles
import Graphics
import ForeignInk
import Strokes
import Testing

struct FreehandTests {
  private static func open(_ text: String) throws -> DrawingFile {
    var options = ImportOptions()
    options.fit = nil
    return try DrawingFile(Array(text.utf8), options: options)
  }

  private static let lists =
    #"{"none":[],"pairs":[[0,4],[8,4]],"objects":[{"x":4,"y":8,"pressure":1},[8,8,0.25],{"y":8,"x":12}]}"#

  @Test func `freehand lists are named pages with points in all notations`() throws {
    let file = try Self.open(Self.lists)
    #expect(file.format == .freehand)
    #expect(file.pageCount == 3)
    #expect(file.page?.name == "none")
    #expect(file.strokes().strokes.isEmpty)
    let pairs = try file.page(1)
    #expect(pairs.page?.name == "pairs")
    #expect(
      pairs.strokes().strokes[0].path.map(\.location) == [
        Point(x: 0, y: 3), Point(x: 6, y: 3),
      ])
    let path = try file.page(2).strokes().strokes[0].path
    // A pen of 16 pixels whose radius grows from a quarter to three quarters of the size.
    #expect(path.map(\.size.width) == [18, 9, 12])
    #expect(path.map { ($0.force * 1000).rounded() } == [2000, 500, 1000])
  }

  @Test func `freehand points with half pressure everywhere have no sensor`() throws {
    let file = try Self.open("[[0,0,0.5,0],[100,0,0.5,40],[200,0,0.5,50]]")
    #expect(file.pageCount == 1)
    #expect(file.page?.name == "")
    let path = file.strokes().strokes[0].path
    #expect(path.map { ($0.timeOffset * 1000).rounded() } == [0, 40, 50])
    // Long steps reduce the pressure, so the line is thinner than at half pressure.
    #expect(path.allSatisfy { $0.size.width < 10 && $0.force == 1 })
    #expect(path[2].size.width < path[1].size.width)
  }

  @Test func `freehand strokes with missing times are drawn at a hand's pace`() throws {
    let file = try Self.open("[[0,0,0.5,0],[100,0,0.5],[100,100,0.5,7]]")
    #expect(
      file.page?.notes.counts.contains {
        $0.text == "strokes without times are drawn at the pace of a hand"
      } == true)
  }

  @Test func `damaged freehand points lose no other points`() throws {
    let file = try Self.open("[[0,0],[1],{\"x\":1},[1,2,3,4,5],\"a\",[null,3],[9,9]]")
    #expect(file.strokes().strokes[0].path.count == 2)
    #expect(file.damage.count == 4)
    let cut = try Self.open("{\"a\":[[0,0],[1,1]],\"b\":[[0,0],[4,4],[5")
    #expect(cut.pageCount == 2)
    #expect(try cut.page(1).strokes().strokes[0].path.count == 2)
    #expect(try cut.page(1).damage.count == 1)
  }

  @Test(arguments: [
    #"{"strokes":[{"points":[[0,0]]}]}"#, #"{"a":1,"b":[[0,0]]}"#, #"{"a":[[[0,0]]]}"#, "[1,2]",
    "{}",
    #"{"a":["x"]}"#, #"{"a":[{"x":1}]}"#, "[]",
  ])
  func `other JSON objects and lists are not recognized as freehand points`(_ text: String) {
    #expect(DrawingFile.Format(recognizing: Array(text.utf8)) != .freehand)
  }

  @Test func `an unknown JSON object is recognized as our own format`() throws {
    for text in [#"{"a":1}"#, "{", #"{"strokes":[]}"#] {
      #expect(DrawingFile.Format(recognizing: Array(text.utf8)) == .json)
    }
    #expect(DrawingFile.Format(recognizing: Array("[1]".utf8)) == nil)
  }

  @Test func `damaged freehand files do not trap`() {
    Damage.expectSurvival(of: Array(Self.lists.utf8), as: .freehand)
  }
}
