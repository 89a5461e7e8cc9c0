import InkFiles
import Graphics
import Strokes
import Testing

@testable import ForeignSamples
@testable import ForeignInk

struct WILLTests {
  private typealias Path = WILLBytes.Path

  private static func file(_ paths: Path...) -> [UInt8] { WILLBytes.file(paths.map(\.message)) }

  private static func strokes(
    _ bytes: [UInt8], fitted: Bool = false
  ) throws -> (strokes: [PKStroke], page: ImportedPage) {
    var options = ImportOptions()
    if !fitted { options.fit = nil }
    let file = try DrawingFile(bytes, options: options)
    #expect(file.format == .will)
    let page = try #require(file.page)
    return (page.drawing.strokes, page)
  }

  @Test func `a WILL file gives its points, widths and colours`() throws {
    let (strokes, page) = try Self.strokes(Self.file(Path()))
    let stroke = try #require(strokes.first)
    #expect(strokes.count == 1)
    // Coordinates are converted from units of 1/96 inch.
    #expect(stroke.path.map(\.location.x) == [7.5, 7.5, 11.25, 15, 15])
    #expect(stroke.path.map(\.location.y) == [15, 15, 18, 15, 15])
    #expect(stroke.path.map(\.size.width) == [0.75, 0.75, 1.875, 2.25, 2.25])
    #expect(stroke.ink.inkType == .pen)
    #expect(stroke.ink.widthLaw == .plain)
    #expect(stroke.ink.color == Color(red: 0.2, green: 0.4, blue: 0.6, alpha: 0.8))
    #expect(page.source.strokes == 1)
    #expect(page.source.points == 5)
    #expect(page.source.bounds == Rect(x: 10, y: 20, width: 10, height: 4))
    #expect(page.damage.isEmpty)
    #expect(
      page.notes.counts.map(\.text) == ["strokes without times are drawn at the pace of a hand"])
    #expect(try DrawingFile(Self.file(Path())).version == 100)
  }

  @Test func `a WILL curve passes through all points but the first and last`() throws {
    var path = Path()
    (path.x[0], path.y[4]) = (0, 9000)
    let (strokes, _) = try Self.strokes(Self.file(path), fitted: true)
    let drawn = try #require(strokes.first).path
    let first = drawn.interpolatedLocation(at: 0)
    let last = drawn.interpolatedLocation(at: Double(drawn.count - 1))
    #expect(first.distance(to: Point(x: 7.5, y: 15)) < 1e-5)
    #expect(last.distance(to: Point(x: 15, y: 15)) < 1e-5)
    let nearest = stride(from: 0, through: Double(drawn.count - 1), by: 0.01).map {
      drawn.interpolatedLocation(at: $0).distance(to: Point(x: 11.25, y: 18))
    }.min()
    #expect(try #require(nearest) < 0.1)
  }

  @Test func `a WILL curve begins and ends at its parameters`() throws {
    var path = Path()
    (path.x, path.y) = ([0, 1000, 2000, 3000, 4000], [0, 0, 0, 0, 0])
    (path.start, path.end) = (0.5, 0.25)
    let (strokes, _) = try Self.strokes(Self.file(path), fitted: true)
    let drawn = try #require(strokes.first).path
    #expect(abs(drawn.interpolatedLocation(at: 0).x - 11.25) < 1e-5)
    #expect(abs(drawn.interpolatedLocation(at: Double(drawn.count - 1)).x - 16.875) < 1e-5)
  }

  @Test func `WILL numbers have as many decimals as the path declares`() throws {
    var path = Path()
    path.digits = 1
    let (strokes, _) = try Self.strokes(Self.file(path))
    #expect(strokes.first?.path.first?.location == Point(x: 75, y: 150))
    #expect(strokes.first?.path.first?.size.width == 7.5)
  }

  @Test func `a single WILL width is that of all points`() throws {
    var path = Path()
    path.widths = [400]
    let (strokes, _) = try Self.strokes(Self.file(path))
    #expect(strokes.first?.path.map(\.size.width) == [3, 3, 3, 3, 3])
  }

  @Test func `a damaged WILL path loses no others`() throws {
    let damaged = WacomBytes.field(4, float: 1)
    let (strokes, page) = try Self.strokes(
      WILLBytes.file([Path().message, damaged, WacomBytes.field(1, float: 0), Path().message]))
    #expect(strokes.count == 2)
    #expect(
      page.damage.map(\.reason) == [
        .expected("a list of whole numbers in field 4"), .missing("the path's points"),
      ])
  }

  @Test func `a cut WILL file keeps the paths before the cut`() throws {
    let whole = Self.file(Path(), Path(), Path())
    let (strokes, page) = try Self.strokes(Array(whole.dropLast(30)))
    #expect(strokes.count == 2)
    #expect(page.damage == [ImportError(.truncated, at: whole.count - 30)])
    let reason = ImportError.Reason.expected("a RIFF file of the form WILL")
    #expect(throws: DrawingFileError.imported(.will, ImportError(reason, at: 0))) {
      _ = try DrawingFile(whole.prefix(10), as: .will)
    }
  }

  @Test func `a WILL length beyond the end is damage`() throws {
    let bytes = WacomBytes.riff("WILL", [("INK ", [0x80, 0x80, 0x80, 0x80, 0x10])])
    let (strokes, page) = try Self.strokes(bytes)
    #expect(strokes.isEmpty)
    #expect(page.damage == [ImportError(.truncated, at: 25)])
  }

  @Test func `WILL differences that overflow do not trap`() throws {
    var message: [UInt8] = []
    let huge = WacomBytes.varint(.max - 1)
    for _ in 0..<4 { message += huge + huge }
    let (strokes, page) = try Self.strokes(WILLBytes.file([WacomBytes.field(4, message)]))
    #expect(page.source.points == 4)
    #expect(strokes.count <= 1)
  }

  @Test func `a WILL file without a chunk of ink is refused`() {
    #expect(
      throws: DrawingFileError.imported(.will, ImportError(.missing("the chunk of ink"), at: 24))
    ) {
      _ = try DrawingFile(WacomBytes.riff("WILL", [("HEAD", [1, 0, 0])]))
    }
  }

  @Test func `a WILL archive of pages is refused with its own reason`() {
    let document = Packing.zip([("sections/media/strokes0.protobuf", [1, 2, 3])])
    #expect(DrawingFile.Format(recognizing: document) == .will)
    #expect(
      throws: DrawingFileError.imported(
        .will, ImportError(.unsupported("a WILL document, an archive of pages,"), at: 0))
    ) { _ = try DrawingFile(document) }
    #expect(DrawingFile.Format(recognizing: Packing.zip([("content.xml", [])])) == nil)
  }
}
