import InkFiles
import Graphics
import ForeignInk
import Strokes
import Testing

struct HWRTTests {
  private static func open(_ text: String) throws -> DrawingFile {
    var options = ImportOptions()
    options.fit = nil
    return try DrawingFile(Array(text.utf8), options: options)
  }

  private static let symbol =
    #"[[{"x":4,"y":8,"time":1400000000000},{"time":1400000000250,"y":12.5,"x":8}],"#
    + #"[{"x":40,"y":0,"time":1400000002000,"pen":[1]}]]"#

  @Test func `HWRT strokes have their locations and times`() throws {
    let file = try Self.open(Self.symbol)
    #expect(file.format == .hwrt)
    let strokes = file.strokes().strokes
    #expect(strokes.count == 2)
    #expect(strokes[0].path.map(\.location) == [Point(x: 3, y: 6), Point(x: 6, y: 9.375)])
    #expect(strokes[0].path.map(\.timeOffset) == [0, 0.25])
    #expect(abs(strokes[0].path.creationDate.secondsSince1970 - 1_400_000_000) < 1e-3)
    #expect(abs(strokes[1].path.creationDate.secondsSince1970 - 1_400_000_002) < 1e-3)
    #expect(strokes[0].path[0].size.width == 2.25)
    #expect(file.damage.isEmpty)
  }

  @Test func `a clock change within an HWRT stroke is left out`() throws {
    let file = try Self.open(
      #"[[{"x":0,"y":0,"time":1000000000000},{"x":1,"y":0,"time":1400000000000},"#
        + #"{"x":2,"y":0,"time":1400000000100},{"x":3,"y":0,"time":1400000000050}]]"#)
    let path = file.strokes().strokes[0].path
    #expect(path.map(\.timeOffset).map { ($0 * 1000).rounded() } == [0, 0, 100, 100])
    #expect(abs(path.creationDate.secondsSince1970 - 1_399_999_999.95) < 1e-3)
    #expect(
      file.page?.notes.counts.first { $0.text == "times that jump inside a stroke are held" }?.count
        == 2)
  }

  @Test func `an HWRT stroke with a missing time is drawn at a hand's pace`() throws {
    let file = try Self.open(#"[[{"x":0,"y":0,"time":5},{"x":100,"y":0,"time":null}],[]]"#)
    #expect(file.strokes().strokes.count == 1)
    #expect(abs(file.strokes().strokes[0].path.duration - 0.3) < 1e-3)
  }

  @Test func `a damaged HWRT stroke loses no other one, a cut file keeps its start`() throws {
    let file = try Self.open(
      #"[[{"x":0,"y":0,"time":5}],[{"x":1,"time":5}],7,[{"x":1,"y":"a","time":5}],[{"x":9,"y":9,"time":9}]]"#
    )
    #expect(file.strokes().strokes.count == 2)
    #expect(file.damage.count == 3)
    let cut = try DrawingFile(Array(Self.symbol.utf8.dropLast(10)))
    #expect(cut.strokes().strokes.count == 1)
    #expect(cut.damage.count == 1)
  }

  @Test(arguments: [
    "[]", "[[]]", "[[1,2]]", #"[{"x":1,"y":2,"time":3}]"#, #"[[{"x":1,"y":2}]]"#, "[[[",
  ])
  func `other JSON lists are not recognized as HWRT symbols`(_ text: String) {
    #expect(DrawingFile.Format(recognizing: Array(text.utf8)) != .hwrt)
  }
}
