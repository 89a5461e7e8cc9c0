import InkFiles
import JSON
import Foundation
import Graphics
import PencilKitArchive
import Strokes
import TestSupport
import Testing

@testable import ForeignInk

struct JSONDrawingTests {
  @Test(arguments: 0..<60) func `a random drawing round-trips through JSON`(_ seed: UInt64) throws {
    var random = RandomInk(seed: seed)
    let drawing = random.drawing()
    let text = JSONDrawingWriter.encode(drawing)
    let again = try JSONDrawingReader.decode(text)
    #expect(again == drawing)
    #expect(JSONDrawingWriter.encode(again) == text)
  }

  @Test(arguments: 0..<60)
  func `an erased drawing round-trips through JSON to the same archive`(_ seed: UInt64)
    throws
  {
    var random = RandomInk(seed: seed)
    var drawing = random.erasedDrawing()
    for _ in 0..<2 {
      let text = JSONDrawingWriter.encode(drawing)
      let again = try JSONDrawingReader.decode(text)
      #expect(again == drawing)
      #expect(JSONDrawingWriter.encode(again) == text)
      let archive = drawing.dataRepresentation()
      #expect(again.dataRepresentation() == archive)
      // In the second round the drawing has the outline of an archive.
      drawing = try PKDrawing(data: archive)
      random.erase(&drawing)
    }
  }

  @Test func `other JSON readers can read a drawing's text`() throws {
    var random = RandomInk(seed: 3)
    let text = JSONDrawingWriter.encode(random.drawing(strokeCount: 3...3, pointCount: 2...4))
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(text)) as? [String: Any])
    let strokes = try #require(object["strokes"] as? [[String: Any]])
    #expect(strokes.count == 3)
    for stroke in strokes {
      for key in ["ink", "date", "seed", "transform", "masks", "ranges", "points"] {
        #expect(stroke[key] != nil, "\(key)")
      }
      let point = try #require((stroke["points"] as? [[String: Any]])?.first)
      for key in [
        "x", "y", "t", "w", "h", "opacity", "force", "azimuth", "altitude", "secondaryScale",
        "threshold",
      ] {
        #expect(point[key] is NSNumber, "\(key)")
      }
    }
  }

  @Test func `numbers in JSON are read back as the same double`() throws {
    var random = RandomInk(seed: 4)
    for value in [0, -0.0, 1, 0.1, 1e-300, .greatestFiniteMagnitude, .leastNonzeroMagnitude]
      as [Double]
    {
      #expect(try Self.roundTrip(value).bitPattern == value.bitPattern)
    }
    for _ in 0..<2_000 {
      let value = random.number(-1e6...1e6) * (random.chance() ? 1e-9 : 1)
      #expect(try Self.roundTrip(value) == value)
    }
  }

  private static func roundTrip(_ value: Double) throws -> Double {
    var writer = JSONWriter()
    writer.value(value)
    var reader = JSONReader(writer.bytes)
    return try reader.number()
  }

  @Test func `an archive round-trips through JSON byte for byte`() throws {
    var random = RandomInk(seed: 9)
    for _ in 0..<20 {
      var drawing = try PKDrawing(data: random.drawing().dataRepresentation())
      if !drawing.strokes.isEmpty { drawing.strokes.removeFirst() }
      let archive = drawing.dataRepresentation()
      let read = try PKDrawing(data: archive)
      let again = try JSONDrawingReader.decode(JSONDrawingWriter.encode(read))
      #expect(again.dataRepresentation() == archive)
    }
  }

  @Test(.enabled(if: Corpus.isPresent, "\(Corpus.absence)"))
  func `every real archive round-trips through JSON byte for byte`() throws {
    for name in Corpus.names(in: "pkdrawing", suffix: ".drawing") {
      let bytes = try Corpus.bytes("pkdrawing/\(name)")
      let drawing = try PKDrawing(data: bytes)
      let again = try JSONDrawingReader.decode(JSONDrawingWriter.encode(drawing))
      #expect(again == drawing)
      #expect(again.dataRepresentation() == drawing.dataRepresentation(), "\(name)")
      #expect(
        PencilKitWriter.notes2018Message(again) == PencilKitWriter.notes2018Message(drawing))
    }
  }

  @Test func `masks, parts, groups and unknown inks round-trip through JSON`() throws {
    var random = RandomInk(seed: 8)
    var stroke = random.stroke(pointCount: 8...8)
    var mask = Path(ellipseIn: Rect(x: 0, y: 0, width: 100, height: 50))
    mask.addQuadratic(to: Point(x: 3, y: 4), control: Point(x: 5, y: 6))
    mask.fillRule = .evenOdd
    stroke.mask = mask
    stroke.ink = PKInk(
      .other(identifier: "com.example.\"ink\"\n"),
      color: Color(red: 1.2, green: -0.1, blue: 0, alpha: 0.5, space: .displayP3),
      widthLaw: .plain)
    let drawing = PKDrawing(strokes: [stroke, stroke.substroke(range: 1.25...5.5)])
    #expect(try JSONDrawingReader.decode(JSONDrawingWriter.encode(drawing)) == drawing)
  }

  @Test func `JSON distinguishes an empty mask, which hides everything, from none`() throws {
    var random = RandomInk(seed: 14)
    var stroke = random.stroke(pointCount: 3...3)
    stroke.mask = Path()
    let drawing = PKDrawing(strokes: [stroke])
    let again = try JSONDrawingReader.decode(JSONDrawingWriter.encode(drawing))
    #expect(again == drawing && again.strokes[0].mask != nil)
  }

  @Test func `the pieces of a very long stroke share its points in JSON`() throws {
    let points = (0..<10_000).map { index in
      PKStrokePoint(
        location: Point(x: Double(index), y: Double(index % 50)), timeOffset: 0,
        size: Size(width: 4, height: 4), opacity: 1, force: 1, azimuth: 0, altitude: 1)
    }
    let whole = PKStroke(ink: PKInk(.pen), path: PKStrokePath(controlPoints: points))
    let drawing = PKDrawing(
      strokes: (0..<30).map { whole.substroke(range: Double($0)...Double($0 + 1)) })
    let text = JSONDrawingWriter.encode(drawing)
    #expect(text.count < 10_000 * 30 * 50)
    #expect(try JSONDrawingReader.decode(text) == drawing)
    #expect(String(decoding: text, as: UTF8.self).contains("\"pointsOf\""))
  }

  @Test func `a short JSON text of many strokes that share a long path is refused`() {
    let points = String(repeating: #"{"x": 0, "y": 1},"#, count: 50_000) + #"{"x": 0, "y": 0}"#
    let id = "00000000-0000-0000-0000-000000000001"
    let first = #"{"id": "\#(id)", "pieceOf": "\#(id)", "points": [\#(points)]}"#
    let others = String(repeating: #",{"pointsOf": "\#(id)"}"#, count: 1_000)
    let text = #"{"strokes": [\#(first)\#(others)]}"#
    #expect(throws: JSONError.self) { try JSONDrawingReader.decode(Array(text.utf8)) }
  }

  @Test func `JSON omits ranges beyond the budget, and reading computes them`() throws {
    let zigzag = (0..<6_000).map { index in
      PKStrokePoint(
        location: Point(x: Double(index), y: Double(index % 2) * 40), timeOffset: 0,
        size: Size(width: 4, height: 4), opacity: 1, force: 1, azimuth: 0, altitude: 1)
    }
    let mask = Path(polygon: (0..<6_000).map { Point(x: Double($0), y: Double($0 % 3) * 9) })
    let path = PKStrokePath(controlPoints: zigzag)
    let drawing = PKDrawing(
      strokes: (0..<2).map { _ in PKStroke(ink: PKInk(.pen), path: path, mask: mask) })
    let text = JSONDrawingWriter.encode(drawing)
    let again = try JSONDrawingReader.decode(text)
    #expect(again == drawing)
    #expect(again.strokes[1].maskedPathRanges == drawing.strokes[1].maskedPathRanges)
    #expect(again.strokes[1].archivedMaskRanges == nil)
    #expect(again.strokes[0].archivedMaskRanges != nil)
  }

  @Test func `a path without points keeps its channels through JSON`() throws {
    let archive: [UInt8] =
      Array("wrd".utf8) + [0xF0, 1, 0]
      + [0x22, 5, 0x12, 3] + Array("pen".utf8)  // an ink
      // A stroke whose path declares channels 0 and 1 for each point, has no points, and a force of
      // 77 for all.
      + [0x2A, 10, 0x2A, 8, 0x20, 3, 0x28, 32, 0x32, 2, 77, 0]
    let drawing = try PKDrawing(data: archive)
    #expect(drawing.dataRepresentation() == archive)
    let again = try JSONDrawingReader.decode(JSONDrawingWriter.encode(drawing))
    #expect(again == drawing)
    #expect(again.dataRepresentation() == archive)
  }

  @Test func `JSON keeps ratios to the width of points without width`() throws {
    var point = StoredPoint(defaultsIn: .current)
    point[word: .aspect] = 250
    point[float: .secondaryWidth] = 3
    let path = PKStrokePath(storedPoints: [point, point], creationDate: .referenceDate)
    let drawing = PKDrawing(strokes: [PKStroke(ink: PKInk(.pen), path: path)])
    #expect(try JSONDrawingReader.decode(JSONDrawingWriter.encode(drawing)) == drawing)
  }

  @Test func `a secondary scale of -1, the mark of none, round-trips`() throws {
    let text =
      #"{"strokes": [{"points": [{"x": 1, "y": 2, "w": 1, "secondaryScale": -1}, {"x": 1, "y": 3}]}]}"#
    let drawing = try JSONDrawingReader.decode(Array(text.utf8))
    #expect(try JSONDrawingReader.decode(JSONDrawingWriter.encode(drawing)) == drawing)
  }

  @Test func `JSON points need only locations and have defaults for the rest`() throws {
    let text =
      #"{"strokes": [{"points": [{"x": 1, "y": 2}, {"y": 4, "x": 3, "w": 8}], "new": {}}]}"#
    let drawing = try JSONDrawingReader.decode(Array(text.utf8))
    let stroke = try #require(drawing.strokes.first)
    #expect(stroke.ink == PKInk(.pen) && stroke.path.count == 2)
    #expect(stroke.path[1].location == Point(x: 3, y: 4))
    #expect(stroke.path[1].size == Size(width: 8, height: 8))
    #expect(try JSONDrawingReader.decode(Array(text.utf8)) == drawing)
  }

  @Test func `points in JSON have the same values in all forms`() throws {
    func path(_ fields: String) throws -> PKStrokePath {
      let text = #"{"strokes": [{\#(fields)}]}"#
      return try #require(try JSONDrawingReader.decode(Array(text.utf8)).strokes.first).path
    }
    let plain = try path(#""points": [{"x": 1, "y": 2, "t": 0}, {"x": 3, "y": 4.5, "t": 0.25}]"#)
    for points in [
      "[1, 2, 0], [3, 4.5, 0.25]", "[1,2,null,null],[ 3 ,45e-1 ,\t0.25 ]",
      #"{"t":0,"x":1,"y":2},{"y":4.5,"t":0.25,"x":3}"#,
      #"{"\u0078": 1, "y": 2}, {"x": 9, "y": 4.5, "t": 0.25, "x": 3}"#,
      #"{"x": 1, "y": 2, "tilt": [{}]}, {"x": 3, "xy": "", "y": 4.5, "t": 0.25, "": null}"#,
    ] {
      #expect(try path(#""points": [\#(points)]"#) == plain, "\(points)")
    }
    // The form of points may follow them.
    for form in [#""scale": "notes2018""#, #""channels": {"varying": 3, "present": 3}"#] {
      let points = #""points": [{"x": 1, "y": 2, "w": 9}]"#
      #expect(try path("\(form), \(points)") == path("\(points), \(form)"))
      #expect(try path("\(points), \(form)") != path(points))
    }
  }

  // MARK: - Bad input

  @Test(
    arguments: [
      ("", "ends too early"), ("[]", "'{' is expected"), ("{}", "no list of strokes"),
      (#"{"strokes": 3}"#, "'[' is expected"), (#"{"strokes": [{}]}"#, "a stroke has no points"),
      (#"{"strokes": []} x"#, "unexpected text"), (#"{"format": "svg", "strokes": []}"#, "format"),
      (#"{"version": 2, "strokes": []}"#, "newer"),
      (#"{"strokes": [{"points": [{"x": 1}]}]}"#, "no x or no y"),
      (#"{"strokes": [{"points": [{"x": 1e999, "y": 1}]}]}"#, "too large"),
      (#"{"strokes": [{"points": [{"x": 1e39, "y": 1}]}]}"#, "too large"),
      (#"{"strokes": [{"points": [{"x": NaN, "y": 1}]}]}"#, "a number is expected"),
      (#"{"strokes": [{"points": [{"x": 01, "y": 1}]}]}"#, "a number is expected"),
      (#"{"strokes": [{"seed": 4294967296, "points": []}]}"#, "a whole number"),
      (#"{"strokes": [{"seed": 1.5, "points": []}]}"#, "a whole number"),
      (#"{"strokes": [{"transform": [1], "points": []}]}"#, "a list of 6 numbers"),
      (#"{"strokes": [{"date": "yesterday", "points": []}]}"#, "date"),
      (#"{"strokes": [{"id": "1", "points": []}]}"#, "identifier"),
      (#"{"strokes": [{"ink": {"color": [1]}, "points": []}]}"#, "colour"),
      (#"{"strokes": [{"ink": {"type": "\ud800"}, "points": []}]}"#, "half of a character"),
      (#"{"archive": {"form": "pencilKit", "outline": "AAAA"}, "strokes": []}"#, "outline"),
      (#"{"archive": {"form": "pencilKit", "outline": "d3Jk8AEAKgE="}, "strokes": []}"#, "outline"),
      ("{\"strokes\": [], \"x\": " + String(repeating: "[", count: 100_000), "nested too deeply"),
    ])
  func `damaged JSON is refused with a reason and an offset`(_ text: String, _ reason: String) {
    do throws(JSONError) {
      _ = try JSONDrawingReader.decode(Array(text.utf8))
      Issue.record("no error for \(text.prefix(80))")
    } catch {
      #expect(error.description.contains(reason), "\(error)")
      #expect(error.offset <= text.utf8.count)
    }
  }

  @Test(
    arguments: [
      (#"{"version":  @0, "strokes": []}"#, "a whole number from 1 on"),
      (#"{"version":@-1, "strokes": []}"#, "a whole number from 1 on"),
      (#"{"strokes": [], "version": @0.5}"#, "a whole number from 1 on"),
      (#"{"strokes": [], "version": @1.5}"#, "a whole number from 1 on"),
      (#"{"strokes": [], "version": @1e300}"#, "newer"),
      (#"{"strokes": [{"scale": @"notes2019", "points": []}]}"#, "scale is not known"),
      (#"{"strokes": [{"points": [], "scale":@""}]}"#, "scale is not known"),
      (#"{"strokes": [{"maskRule": @"odd", "points": []}]}"#, "rule is not known"),
      (#"{"strokes": [{"points": [], "maskRule":\#n @"EvenOdd"}]}"#, "rule is not known"),
      (#"{"strokes": [{"points": [{"x": 1, "y": 2},@ {"x": 1}]}]}"#, "no x or no y"),
      (#"{"strokes": [{"points": [{"x": 1, "y": @2.}]}]}"#, "a number is expected"),
      (#"{"strokes": [{"points": [[1, 2], [1, @[]]]}]}"#, "a number is expected"),
      (#"{"strokes": [{"points": [[1, 2@}]]}]}"#, "']' is expected"),
      // What follows points is read before them.
      (#"{"strokes": [{"points": [{"x": 1}], "seed": @1.5}]}"#, "a whole number"),
    ])
  func `an unknown version, scale or fill rule in JSON is refused at its offset`(
    _ marked: String, _ reason: String
  ) throws {
    let parts = marked.split(separator: "@")
    let error = try #require(
      #expect(throws: JSONError.self) { try JSONDrawingReader.decode(Array(parts.joined().utf8)) })
    #expect(error.reason.contains(reason), "\(error)")
    #expect(error.offset == parts[0].utf8.count)
  }

  @Test(
    arguments: [
      #"{"version": 1.0, "strokes": []}"#,
      #"{"strokes": [{"scale": "current", "points": []}]}"#,
      #"{"strokes": [{"scale": "notes2018", "points": []}]}"#,
      #"{"strokes": [{"maskRule": "nonzero", "points": []}]}"#,
      #"{"strokes": [{"maskRule": "evenodd", "points": []}]}"#,
    ])
  func `every known version, scale and fill rule in JSON is read`(_ text: String) {
    #expect(throws: Never.self) { try JSONDrawingReader.decode(Array(text.utf8)) }
  }

  @Test func `cut and damaged JSON gives an error or a drawing that can be written`()
    throws
  {
    var random = RandomInk(seed: 21)
    let drawing = try PKDrawing(
      data: random.drawing(strokeCount: 1...1, pointCount: 2...2).dataRepresentation())
    try Mutation.everyCutAndFlip(of: JSONDrawingWriter.encode(drawing), Self.check)
  }

  @Test func `randomly damaged JSON gives errors or drawings that can be written`() throws {
    var mutation = Mutation(seed: 3)
    var random = RandomInk(seed: 22)
    let texts = (0..<4).map { index in
      JSONDrawingWriter.encode(
        index < 2
          ? random.drawing(strokeCount: 1...2, pointCount: 1...3)
          : random.erasedDrawing(strokeCount: 1...1, pointCount: 1...3))
    }
    for index in 0..<RunLength.count(5_000, long: 20_000) {
      try Self.check(mutation.mutated(texts[index % 4], splicing: texts[(index + 1) % 4]))
    }
  }

  @Test func `damaged archives that are still readable round-trip through JSON`() throws {
    var mutation = Mutation(seed: 4)
    var random = RandomInk(seed: 23)
    var archives = [random.drawing(strokeCount: 1...2, pointCount: 1...4).dataRepresentation()]
    for _ in 0..<7 {
      archives.append(
        random.erasedDrawing(strokeCount: 1...2, pointCount: 1...4).dataRepresentation())
    }
    var readCount = 0
    let count = RunLength.count(4_000, long: 10_000)
    for index in 0..<count {
      let bytes = mutation.mutated(archives[index % 8], splicing: archives[(index + 1) % 8])
      guard let drawing = try? PKDrawing(data: bytes) else { continue }
      try Self.check(drawing)
      readCount += 1
    }
    #expect(readCount > count / 10)
  }

  private struct Violation: Error { let what: String }

  private static func check(_ bytes: [UInt8]) throws {
    guard let drawing = try? JSONDrawingReader.decode(bytes) else { return }
    try check(drawing)
  }

  /// Checks the properties that hold for every drawing.
  private static func check(_ drawing: PKDrawing) throws {
    let text = JSONDrawingWriter.encode(drawing)
    let again = try JSONDrawingReader.decode(text)
    guard again == drawing else { throw Violation(what: "JSON changes the drawing") }
    guard JSONDrawingWriter.encode(again) == text else {
      throw Violation(what: "writing the same drawing again gives other JSON")
    }
    let archive = drawing.dataRepresentation()
    let changed = again.dataRepresentation()
    guard changed == archive else {
      let byte = zip(changed, archive).prefix { $0 == $1 }.count
      throw Violation(
        what:
          "JSON changes the archive at byte \(byte) of \(archive.count): \(changed) for \(archive)")
    }
    let read = try PKDrawing(data: archive)
    guard read.strokes.count == drawing.strokes.count, read.dataRepresentation() == archive else {
      throw Violation(what: "writing the same drawing again gives another archive")
    }
    let box = drawing.bounds
    guard !(box.width.isNaN || box.height.isNaN) else {
      throw Violation(what: "the bounds are not a number: \(box)")
    }
  }
}
