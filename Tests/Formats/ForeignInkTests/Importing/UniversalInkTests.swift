import InkFiles
import Graphics
import Strokes
import TestSupport
import Testing

@testable import ForeignSamples
@testable import ForeignInk

struct UniversalInkTests {
  private static func page(_ bytes: [UInt8], fitted: Bool = false) throws -> ImportedPage {
    var options = ImportOptions()
    if !fitted { options.fit = nil }
    let file = try DrawingFile(bytes, options: options)
    #expect(file.format == .universalInk)
    return try #require(file.page)
  }

  private static func strokes(_ ink: UniversalInkBytes) throws -> [PKStroke] {
    try page(ink.file).drawing.strokes
  }

  private static let versions: [[UInt8]] = [[3, 0, 0], [3, 1, 0]]

  // MARK: - Values

  @Test(arguments: versions, [true, false])
  func `universal ink has points, sizes and colours`(version: [UInt8], isCompressed: Bool) throws {
    var ink = UniversalInkBytes()
    (ink.version, ink.isCompressed) = (version, isCompressed)
    let page = try Self.page(ink.file)
    let stroke = try #require(page.drawing.strokes.first)
    #expect(stroke.path.map(\.location.x) == [7.5, 7.5, 15, 22.5, 30, 30])
    #expect(stroke.path.map(\.location.y) == [3.75, 3.75, 3.75, 11.25, 11.25, 11.25])
    #expect(stroke.path.map(\.size.width) == [0.75, 0.75, 1.5, 2.25, 1.5, 1.5])
    #expect(stroke.ink.inkType == .pen)
    let color = stroke.ink.color
    let components = [color.red, color.green, color.blue, color.alpha]
    for (value, expected) in zip(components, [0.2, 0.4, 0.6, 0.8]) {
      #expect(abs(value - expected) < 1e-7)
    }
    #expect(page.source.strokes == 1)
    #expect(page.source.points == 6)
    #expect(page.source.bounds == Rect(x: 10, y: 5, width: 30, height: 10))
    #expect(page.notes.counts.isEmpty)
    #expect(page.damage.isEmpty)
    #expect(try DrawingFile(ink.file).version == (version == [3, 0, 0] ? 300 : 310))
  }

  @Test(arguments: versions)
  func `universal ink maps samples to points from the second point on`(
    version: [UInt8]
  ) throws {
    var ink = UniversalInkBytes()
    ink.version = version
    let stroke = try #require(try Self.strokes(ink).first)
    #expect(stroke.path.creationDate == Timestamp(secondsSince1970: 1_600_000_000.1))
    let times = [0, 0, 0.01, 0.03, 0.04, 0.04]
    for (point, time) in zip(stroke.path, times) { #expect(abs(point.timeOffset - time) < 1e-6) }
    #expect(stroke.path.map(\.force) == [0.2, 0.2, 1, 0.6, 0, 0])
    let altitudes = [1.2, 1.2, 1.2, 1, 1, 1]
    let azimuths = [0, 0, 0.1, 0.2, 0.3, 0.3]
    for (index, point) in stroke.path.enumerated() {
      #expect(abs(point.altitude - altitudes[index]) < 1e-4)
      #expect(abs(point.azimuth - azimuths[index]) < 1e-4)
    }
  }

  @Test(arguments: versions)
  func `a universal ink curve may begin at a later sample`(version: [UInt8]) throws {
    var ink = UniversalInkBytes()
    ink.version = version
    ink.strokes[0].extra = WacomBytes.field(version[1] == 0 ? 19 : 14, integer: 2)
    let stroke = try #require(try Self.strokes(ink).first)
    #expect(stroke.path.creationDate == Timestamp(secondsSince1970: 1_600_000_000.13))
    #expect(stroke.path.map(\.force) == [0.6, 0.6, 0, 0, 0, 0])
  }

  @Test func `universal ink points may name their samples`() throws {
    var ink = UniversalInkBytes()
    ink.strokes[0].extra = WacomBytes.field(16, integers: [1, 1, 0, 0, 2, 99])
    let stroke = try #require(try Self.strokes(ink).first)
    #expect(stroke.path.map(\.force) == [1, 1, 0.2, 0.2, 0.6, 0])
  }

  @Test func `many universal ink points share fewer samples evenly`() throws {
    var ink = UniversalInkBytes()
    let count = 33
    ink.strokes[0].x = (0..<count).map(Double.init)
    ink.strokes[0].y = ink.strokes[0].x
    ink.sensors["sensor"]?.times = [0, 100, 200, 300]
    let page = try Self.page(ink.file)
    let path = try #require(page.drawing.strokes.first).path
    #expect(abs(path[16].timeOffset - 0.15) < 1e-6)
    #expect(abs(path[32].timeOffset - 0.3) < 1e-6)
    #expect(
      page.notes.counts.map(\.text) == ["curves with more points than samples share them evenly"])
  }

  @Test func `sums of universal ink pressures do not drift`() throws {
    var ink = UniversalInkBytes()
    ink.sensors["sensor"]?.pressures = [7, 31, 44, 0]
    let stroke = try #require(try Self.strokes(ink).first)
    #expect(stroke.path.last?.force == 0)
  }

  @Test func `a universal ink stroke without samples is drawn at a hand's pace`() throws {
    var ink = UniversalInkBytes()
    ink.strokes[0].sensor = nil
    let page = try Self.page(ink.file)
    #expect(page.drawing.strokes.first?.path.last?.altitude == .pi / 2)
    #expect(
      page.notes.counts.map(\.text) == ["strokes without times are drawn at the pace of a hand"])
    ink.strokes[0].sensor = "another"
    #expect(try Self.page(ink.file).notes.counts.count == 1)
  }

  @Test func `an impossible date of universal ink is left out`() throws {
    var ink = UniversalInkBytes()
    ink.sensors["sensor"]?.start = .max
    let stroke = try #require(try Self.strokes(ink).first)
    #expect(stroke.path.creationDate == .referenceDate)
    #expect(abs(stroke.path.duration - 0.04) < 1e-6)
  }

  // MARK: - Order and looks

  @Test(arguments: versions)
  func `universal ink strokes are drawn in the order of the tree`(version: [UInt8]) throws {
    var ink = UniversalInkBytes()
    ink.version = version
    ink.strokes = [0x1100_00FF, 0x2200_00FF, 0x3300_00FF].map { color in
      var stroke = UniversalInkBytes.Stroke()
      stroke.color = color
      return stroke
    }
    func order() throws -> [Int] {
      try Self.strokes(ink).map { Int(($0.ink.color.red * 255).rounded()) / 0x11 }
    }
    #expect(try order() == [1, 2, 3])
    ink.order = [2, 0, 1]
    #expect(try order() == [3, 1, 2])
    // Indices of missing strokes, and strokes that are listed twice or not at all.
    ink.order = [1, 7, 1, 0x7FFF_FFFF_FFFF]
    #expect(try order() == [2, 1, 3])
    let notes = try Self.page(ink.file).notes.counts
    #expect(notes.map(\.text) == ["strokes outside of the file's tree are drawn last"])
    #expect(notes.map(\.count) == [2])
  }

  @Test(arguments: versions)
  func `universal ink strokes that erase are counted and left out`(version: [UInt8]) throws {
    var ink = UniversalInkBytes()
    ink.version = version
    ink.strokes[0].renderMode = "will://rasterization/3.0/blend-mode/DestinationOut"
    let page = try Self.page(ink.file)
    #expect(page.drawing.strokes.isEmpty)
    #expect(page.source.strokes == 1)
    #expect(page.notes.counts.map(\.text) == ["strokes that erase are left out"])
  }

  @Test(arguments: versions)
  func `the universal ink style gives a size for all points`(version: [UInt8]) throws {
    var ink = UniversalInkBytes()
    ink.version = version
    ink.strokes[0].sizes = []
    #expect(
      try Self.page(ink.file).notes.counts.map(\.text) == ["strokes without a size are 1 unit wide"]
    )
    ink.strokes[0].style = [(2, 4)]
    #expect(try Self.strokes(ink).first?.path.map(\.size.width) == [3, 3, 3, 3, 3, 3])
  }

  @Test func `a universal ink shape has the size of its URI or its corners`() throws {
    func width(_ shape: [UInt8]) throws -> Double? {
      var ink = UniversalInkBytes()
      ink.shape = shape
      return try Self.strokes(ink).first?.path.first?.size.width
    }
    let circle = "will://brush/3.0/shape/Circle?precision=4&radius="
    #expect(try width(WacomBytes.field(5, text: circle + "1")) == 1.5)
    #expect(try width(WacomBytes.field(5, text: circle)) == 0.75)
    #expect(try width(WacomBytes.field(5, text: circle + "nan")) == 0.75)
    let square =
      WacomBytes.field(1, floats: [-1, 1, 1, -1]) + WacomBytes.field(2, floats: [-1, -1, 1, 1])
    #expect(try width(square) == 1.5)
  }

  @Test(arguments: versions)
  func `a stretched universal ink brush is an ellipse at its own angle`(version: [UInt8]) throws {
    var ink = UniversalInkBytes()
    ink.version = version
    // Turned by a right angle, stretched to double length, and moved along its axis.
    ink.strokes[0].style = [(3, .pi / 2), (4, 2), (7, 4)]
    let page = try Self.page(ink.file)
    let stroke = try #require(page.drawing.strokes.first)
    let point = try #require(stroke.path.first)
    #expect(stroke.ink.inkType == .fountainPen)
    #expect(stroke.ink.widthLaw == .plain)
    #expect(point.size.width == 1.5)
    #expect(abs(point.size.height - 0.75) < 1e-3)
    #expect(abs(point.azimuth - .pi / 2) < 1e-4)
    #expect(point.location.distance(to: Point(x: 7.5, y: 6.75)) < 1e-5)
    #expect(
      page.notes.counts.map(\.text) == ["turned brushes keep their own angle instead of the pen's"])
  }

  @Test(arguments: versions)
  func `universal ink points may turn, stretch and move their brush`(version: [UInt8]) throws {
    var ink = UniversalInkBytes()
    (ink.version, ink.isCompressed) = (version, false)
    // A scale of zero is ignored, and the last values are held.
    let first = version[1] == 0 ? 3 : 0
    let columns =
      WacomBytes.field(first + 9, floats: [0, .pi / 2])
      + WacomBytes.field(first + 10, floats: [2, 0]) + WacomBytes.field(first + 13, floats: [4])
      + WacomBytes.field(first + 14, floats: [0, 8])
    if version[1] == 0 { ink.strokes[0].extra = columns } else { ink.strokes[0].columns = columns }
    let path = try #require(try Self.strokes(ink).first).path
    #expect(path[0].location == Point(x: 10.5, y: 3.75))
    #expect(path[1].location.distance(to: Point(x: 1.5, y: 6.75)) < 1e-5)
    #expect(path[0].size.width == 1.5 && abs(path[0].size.height - 0.75) < 1e-3)
    #expect(path[1].size.width == 0.75 && abs(path[1].azimuth - .pi / 2) < 1e-4)
    #expect(abs(path[5].azimuth - .pi / 2) < 1e-4)
  }

  @Test func `a universal ink stroke may have its own style and brush name`() throws {
    var ink = UniversalInkBytes()
    ink.strokes[0].sizes = []
    ink.unitScale = 0
    // A size of 4, stretched evenly and moved down. The colour comes from the table. Field 6 is
    // unknown.
    let style =
      WacomBytes.field(2, float: 4) + WacomBytes.field(4, float: 2) + WacomBytes.field(5, float: 2)
      + WacomBytes.field(6, float: 9) + WacomBytes.field(8, float: 3)
    ink.strokes[0].extra =
      WacomBytes.field(8, style) + WacomBytes.field(10, text: "app://demo/brush/Crayon")
    let page = try Self.page(ink.file)
    let stroke = try #require(page.drawing.strokes.first)
    #expect(stroke.ink.inkType == .crayon)
    // The brush stays round, so that the angles are those of the pen.
    #expect(stroke.path.map(\.size.width) == [6, 6, 6, 6, 6, 6])
    #expect(stroke.path[0].location == Point(x: 7.5, y: 6))
    #expect(!page.notes.counts.contains { $0.text.hasPrefix("turned brushes") })
  }

  @Test func `points of the older universal ink may name their samples, too`() throws {
    var ink = UniversalInkBytes()
    ink.version = [3, 0, 0]
    ink.strokes[0].extra = WacomBytes.field(21, integers: [1, 1, 0, 0, 2, 99])
    let stroke = try #require(try Self.strokes(ink).first)
    #expect(stroke.path.map(\.force) == [1, 1, 0.2, 0.2, 0.6, 0])
  }

  @Test(arguments: [
    ("app://demo/raster-brush/Pencil", PKInkingTool.InkType.pencil), ("x/Crayon_2", .crayon),
    ("x/WaterBrush", .watercolor), ("x/highlighter", .marker), ("x/pencil/Pen", .pen),
    ("x/Felt", .pen),
  ])
  func `universal ink brushes have known names`(name: String, type: PKInkingTool.InkType) throws {
    var ink = UniversalInkBytes()
    (ink.brush, ink.isRaster) = (name, true)
    let page = try Self.page(ink.file)
    #expect(page.drawing.strokes.first?.ink.inkType == type)
    #expect(
      page.notes.counts.map(\.text) == [
        "brushes of particles are drawn by the ink that is most like their name"
      ])
  }

  @Test(arguments: versions)
  func `universal ink is scaled and moved by the file's transform`(version: [UInt8]) throws {
    var ink = UniversalInkBytes()
    (ink.version, ink.unitScale) = (version, 2)
    ink.transform = [(1, 3), (6, 3), (11, 1), (16, 1), (4, 10), (8, 20)]
    let point = try #require(try Self.strokes(ink).first?.path.first)
    #expect(point.location == Point(x: 52.5, y: 37.5))
    #expect(abs(point.size.width - 4.5) < 1e-6)
    // A matrix of zeros is ignored.
    ink.transform = [(16, 1)]
    #expect(try Self.strokes(ink).first?.path.first?.location == Point(x: 15, y: 7.5))
  }

  @Test func `universal ink averages the points' colours and keeps their opacities`() throws {
    var ink = UniversalInkBytes()
    ink.isCompressed = false
    ink.strokes[0].columns =
      WacomBytes.field(4, integers: [0, 255]) + WacomBytes.field(7, integers: [204, 102])
    let page = try Self.page(ink.file)
    let stroke = try #require(page.drawing.strokes.first)
    #expect(stroke.ink.color.red == 0.5)
    #expect(stroke.ink.color.alpha == 0.8)
    let opacities = stroke.path.map(\.opacity)
    #expect(abs(opacities[0] - 1) < 1e-4)
    #expect(abs(opacities[1] - 0.5) < 1e-4)
    #expect(page.notes.counts.map(\.text) == ["colours that change along a stroke are averaged"])
    ink.isCompressed = true
    let other = try Self.page(ink.file)
    #expect(other.notes.counts.map(\.text) == ["colours of single points are left out"])
  }

  // MARK: - Damage

  @Test func `a damaged universal ink stroke loses no others`() throws {
    var ink = UniversalInkBytes()
    ink.strokes = [UniversalInkBytes.Stroke(), .init(), .init()]
    ink.strokes[1].extra = WacomBytes.field(15, float: 1)
    let page = try Self.page(ink.file)
    #expect(page.drawing.strokes.count == 2)
    #expect(page.damage.map(\.reason) == [.expected("a message in field 15")])
    ink.strokes[1] = .init()
    ink.strokes[1].x = []
    #expect(try Self.page(ink.file).damage.map(\.reason) == [.missing("the stroke's points")])
  }

  @Test func `damaged universal ink samples do not lose the stroke`() throws {
    var ink = UniversalInkBytes()
    ink.sensors["sensor"]?.extra = WacomBytes.field(5, WacomBytes.field(1, float: 0))
    let page = try Self.page(ink.file)
    #expect(page.drawing.strokes.count == 1)
    #expect(page.damage.map(\.reason) == [.expected("a message in field 1")])
    // Strokes before the damage are kept.
    #expect(page.drawing.strokes.first?.path.first?.force == 0.2)
  }

  @Test func `universal ink points that are not finite are left out`() throws {
    var ink = UniversalInkBytes()
    ink.isCompressed = false
    ink.strokes[0].x = [.nan, .infinity, 20, 30, 1e30, 40]
    ink.strokes[0].sizes = [.nan, 1, .infinity, -1, 2, 2]
    let page = try Self.page(ink.file, fitted: true)
    #expect(page.drawing.strokes.count == 1)
    #expect(page.notes.counts.first?.text == "points that are no places are left out")
    #expect(page.notes.counts.first?.count == 3)
  }

  @Test func `a compressed universal ink chunk is unpacked`() throws {
    let ink = UniversalInkBytes()
    var chunks = ink.chunks
    chunks[3].bytes = Packing.zip([("content", chunks[3].bytes)])
    chunks[0].bytes[4 + 8 * 2 + 4] = 1
    let page = try Self.page(WacomBytes.riff("UINK", chunks))
    #expect(page.drawing.strokes.count == 1)
    #expect(page.damage.isEmpty)
    // A limit below this number of bytes.
    var options = ImportOptions()
    options.decompressedBytes = 10
    #expect(throws: DrawingFileError.self) {
      _ = try DrawingFile(WacomBytes.riff("UINK", chunks), options: options)
    }
    chunks[0].bytes[4 + 8 * 2 + 4] = 2
    let reason = ImportError.Reason.unsupported("the compression 2 of INKD")
    let error = #expect(throws: DrawingFileError.self) {
      _ = try DrawingFile(WacomBytes.riff("UINK", chunks))
    }
    guard case .imported(.universalInk, let found)? = error else {
      Issue.record("another error")
      return
    }
    #expect(found.reason == reason)
  }

  @Test func `universal ink of other versions and without strokes is refused`() {
    func reason(_ bytes: [UInt8]) -> ImportError.Reason? {
      do throws(DrawingFileError) {
        _ = try DrawingFile(bytes)
      } catch {
        if case .imported(.universalInk, let error) = error { return error.reason }
      }
      return nil
    }
    var ink = UniversalInkBytes()
    ink.version = [4, 1, 0]
    #expect(reason(ink.file) == .unsupported("version 4 of the model"))
    #expect(
      reason(WacomBytes.riff("UINK", [("HEAD", [3, 0, 0])])) == .missing("the chunk of data"))
    #expect(reason(WacomBytes.riff("UINK", [("HEAD", [3, 1, 0])])) == .missing("the chunk of ink"))
    #expect(reason(WacomBytes.riff("UINK", [])) == .missing("the head of the file"))
    let many = [(name: String, bytes: [UInt8])](repeating: ("JUNK", []), count: 1_001)
    #expect(reason(WacomBytes.riff("UINK", many)) == .tooMany("chunks", limit: 1_000))
  }

  @Test(arguments: versions)
  func `a cut universal ink file keeps the strokes before the cut`(version: [UInt8]) throws {
    var ink = UniversalInkBytes()
    ink.version = version
    ink.strokes = [.init(), .init(), .init()]
    let file = ink.file
    let needle = Array("stroke 2".utf8)
    let end = try #require(file.indices.first { file[$0...].starts(with: needle) })
    let page = try Self.page(Array(file.prefix(end + 8)))
    #expect(page.damage.first == ImportError(.truncated, at: end + 8))
    #expect(page.drawing.strokes.count == 2)
  }

  @Test(arguments: versions)
  func `damaged universal ink is refused or read in part`(version: [UInt8]) {
    var ink = UniversalInkBytes()
    (ink.version, ink.order) = (version, [1, 0])
    ink.strokes.append(.init())
    Damage.expectSurvival(of: ink.file, as: .universalInk)
  }
}

/// Real files of both versions, beside this checkout.
@Suite(.enabled(if: Corpus.isPresent, "\(Corpus.absence)"))
struct UniversalInkCorpusTests {
  private static func strokes(_ name: String) throws -> [PKStroke] {
    var options = ImportOptions()
    options.fit = nil
    let file = try DrawingFile(try Corpus.bytes("wacom-uim/\(name)"), options: options)
    return file.strokes().strokes
  }

  @Test(arguments: ["1_Value_of_Ink_1", "3_Digital_Ink_1", "5_Cell_Structure_1"])
  func `a drawing in both universal ink versions gives the same strokes`(name: String) throws {
    let old = try Self.strokes("v3.0.0_\(name).uim")
    let new = try Self.strokes("v3.1.0_\(name)_3.1_delta.uim")
    #expect(old.count == new.count)
    for (a, b) in zip(old, new) {
      #expect(a.path.creationDate == b.path.creationDate)
      #expect(a.ink.inkType == b.ink.inkType)
      #expect(abs(a.ink.color.red - b.ink.color.red) < 1e-6)
      #expect(abs(a.ink.color.alpha - b.ink.color.alpha) < 0.002)
      #expect(a.path.count == b.path.count)
      for (p, q) in zip(a.path, b.path) {
        // The newer version rounds coordinates, ratios and angles to hundredths.
        guard p.location.distance(to: q.location) < 0.03,
          abs(p.size.width - q.size.width) < 0.01 * max(p.size.width, 1),
          abs(p.size.height - q.size.height) < 0.01 * max(p.size.height, 1),
          p.timeOffset == q.timeOffset, p.force == q.force, p.altitude == q.altitude,
          abs(p.azimuth - q.azimuth) < 0.0101
        else {
          Issue.record("\(p) and \(q)")
          return
        }
      }
    }
  }

  @Test func `universal ink points have the values of Wacom's own table`() throws {
    let text = String(decoding: try Corpus.bytes("wacom-uim/ink.csv"), as: UTF8.self)
    let rows = text.split(whereSeparator: \.isNewline).dropFirst().map { line in
      line.split(separator: ",").compactMap { Double($0) }
    }
    let strokes = try Self.strokes("ink.uim")
    var row = 0
    for (number, stroke) in strokes.enumerated() {
      // The table lacks the first and the last point.
      let start = rows[row][3]
      for point in stroke.path.dropFirst().dropLast() {
        let values = rows[row]
        row += 1
        #expect(Int(values[0]) == number)
        let place = Point(x: values[1], y: values[2]) * 0.75
        #expect(point.location.distance(to: place) < 1e-4)
        #expect(abs(point.timeOffset - (values[3] - start)) < 1e-3)
        #expect(abs(point.force - 2 * values[4]) < 1e-3)
        #expect(abs(point.altitude - values[5]) < 1e-3)
        #expect(abs(point.azimuth - values[6]) < 1e-3)
      }
    }
    #expect(row == rows.count)
  }
}
