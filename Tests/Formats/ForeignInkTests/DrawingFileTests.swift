@testable import InkFiles
import JSON
import Graphics
import PencilKitArchive
import Strokes
import TestSupport
import Testing

@testable import ForeignInk
@testable import PKDFormat

struct DrawingFileTests {
  private static func drawing() -> PKDrawing {
    var random = RandomInk(seed: 31)
    return random.drawing(strokeCount: 2...2)
  }

  @Test(arguments: DrawingFile.Format.allCases.filter { $0.importer == nil })
  func `a format is recognized by its first bytes`(_ format: DrawingFile.Format) throws {
    let bytes = try DrawingFile.encode(Self.drawing(), as: format)
    let file = try DrawingFile(bytes)
    #expect(file.format == format)
    #expect(file.strokes().drawing == Self.drawing())
  }

  @Test func `white space and a byte order mark may precede JSON`() throws {
    let json = try DrawingFile.encode(Self.drawing(), as: .json)
    #expect(try DrawingFile([0xEF, 0xBB, 0xBF] + json).format == .json)
    #expect(try DrawingFile([0x20, 0x0A] + json).strokes().drawing == Self.drawing())
  }

  @Test func `the error of an unknown format has the first bytes`() {
    #expect(throws: DrawingFileError.unknownFormat(firstBytes: [0x89, 0x50])) {
      try DrawingFile([0x89, 0x50])
    }
    #expect("\(DrawingFileError.unknownFormat(firstBytes: []))" == "the file is empty")
  }

  @Test func `every error of opening a file has its own description`() throws {
    let json = JSONError(reason: "a number is expected", offset: 3)
    let errors: [DrawingFileError] = [
      .unknownFormat(firstBytes: [7]), .picture(.png), .json(json), .foreignArchive, .lostEvents,
      .noPage(7, pageCount: 1), .noPage(7, pageCount: 2),
      .imported(.isf, ImportError(.locked, at: .line(3))),
      .imported(.isf, ImportError(.truncated, at: .part("a page", byte: 4))),
    ]
    #expect(Set(errors.map(\.description)).count == errors.count)
    #expect(errors[0].description.contains("07"))
    #expect(errors[7].description.contains("locked by a password in line 3"))
    #expect(ImportError(.locked, at: .line(3)).offset == nil)
  }

  @Test func `every format has its own title and file extensions`() {
    let formats = DrawingFile.Format.allCases
    #expect(Set(formats.map(\.title)).count == formats.count)
    #expect(formats.allSatisfy { !$0.title.isEmpty && !$0.fileExtensions.isEmpty })
    #expect(DrawingFile.Format.json.ownFileExtensions.isEmpty)
    #expect(DrawingFile.Format.pkd.ownFileExtensions == ["pkd"])
  }

  @Test func `only JSON of our own format is recognized as ink`() throws {
    let drawing = try DrawingFile.encode(Self.drawing(), as: .json)
    #expect(DrawingFile.Format(ofInk: drawing) == .json)
    #expect(DrawingFile.Format(ofInk: Array(#"{"format": "svg"}"#.utf8)) == nil)
    #expect(DrawingFile.Format(ofInk: [1, 2]) == nil)
    #expect(DrawingFile.Format(ofInk: try PKDWriter.encode(Self.drawing())) == .pkd)
  }

  @Test func `CSS colours are read in all their notations`() {
    let half = Color(red: 1, green: 0, blue: 51.0 / 255, alpha: 0.5)
    #expect(Color(web: "rgba(255, 0, 51, 0.5)") == half)
    #expect(Color(web: "RGB(255 0 0 / 0.5)")?.alpha == 0.5)
    #expect(Color(web: "rgb(255,0,0)") == Color(web: "red"))
    #expect(Color(web: "rgb(999,-1,0)") == Color(web: "red"))
    #expect(Color(web: "transparent") == .clear)
    for text in ["rgb(1,2)", "rgb(1,2,3,4,5)", "rgb(a,b,c)", "rgb)", "rgb(inf,0,0)", "nothing"] {
      #expect(Color(web: text) == nil, "\(text)")
    }
  }

  @Test(arguments: ["M 1", "M 1 x", "M 1 inf", "L 1 2", "M 1 2 Q 3 4", "M 1 2 C 3 4 5 6", "A", "Q"])
  func `text that is no path is not decoded as one`(text: String) {
    #expect(PathText.decode(text) == nil)
  }

  @Test func `a given format is used, even if the content has another one`() {
    #expect(throws: DrawingFileError.self) { try DrawingFile(Array("{}".utf8), as: .pencilKit) }
  }

  @Test func `file names show the format by their extension`() {
    #expect(DrawingFile.Format(fileName: "a/b.drawing") == .pencilKit)
    #expect(DrawingFile.Format(fileName: "B.JSON") == .json)
    #expect(DrawingFile.Format(fileName: "a.b/c") == nil)
    #expect(DrawingFile.Format(fileName: "json") == nil)
  }

  @Test(arguments: 0..<9)
  func `a truncated outline of an archive is damage that loses no strokes`(
    _ count: Int
  ) throws {
    var drawing = Self.drawing()
    // Six bytes are only a header, which is a valid outline; seven and eight end inside a field.
    let outline = Array("wrd".utf8) + [0xF0, 1, 0, 0x12, 9]
    drawing.residue = ArchiveResidue(form: .pencilKit, bytes: Array(outline.prefix(count)))
    let bytes = try PKDWriter.encode(drawing)
    let file = try DrawingFile(bytes)
    let contents = file.contents()
    #expect(contents.damage == (count == 6 ? [] : [.foreignArchive]))
    #expect(contents.drawing == Self.drawing())
    // Reading only the drawing does not decode the outline.
    #expect(file.damage.isEmpty && file.strokes().damage.isEmpty)
    #expect(file.strokes().drawing == Self.drawing())
    // An archive can be written even if the outline was not checked.
    let archive = try PKDReader(bytes).readDrawing().value.dataRepresentation()
    #expect(try PKDrawing(data: archive).strokes.count == 2)
    let verification = try PKDVerification(bytes)
    #expect(verification.recoverable.strokes == 2)
    let repaired = try DrawingFile(try verification.repaired(\.hasIntactResidue).bytes)
    #expect(
      repaired.contents().damage.isEmpty && repaired.strokes().drawing == file.strokes().drawing)
  }

  @Test func `opening a recording gives its strokes with their stored boxes`() throws {
    var random = RandomInk(seed: 32)
    for number in 0..<200 {
      let recording =
        number % 4 == 0
        ? Recording(random.drawing(strokeCount: 0...9)) : random.recording(eventCount: 0...20)
      let file = try DrawingFile(try PKDWriter.encode(recording))
      let strokes = file.strokes()
      #expect(
        strokes.damage.isEmpty && strokes.strokes == file.contents().recording.drawing.strokes)
      for (index, stroke) in strokes.strokes.enumerated() {
        #expect(strokes.bounds(ofStroke: index) == stroke.renderBounds, "\(number), \(index)")
      }
    }
  }

  @Test func `strokes without events are written as the recording that draws them`() throws {
    var random = RandomInk(seed: 33)
    for _ in 0..<40 {
      let canvas = Recording.Canvas(size: Size(width: 90, height: 50))
      let recording = Recording(random.drawing(strokeCount: 0...9), canvas: canvas)
      let (plain, recorded) = (
        InkContents(recording.drawing, on: canvas), InkContents(recording)
      )
      #expect(try plain.encodeRecording() == recorded.encodeRecording())
      #expect(JSONDrawingWriter.encode(plain) == JSONDrawingWriter.encode(recorded))
      #expect(plain.recording == recording)
    }
  }

  @Test func `damaged strokes are reported although the archive beside them is damaged, too`()
    throws
  {
    let archive = Self.drawing().dataRepresentation()
    // In a file of chunks, each chunk can be replaced by itself.
    var options = PKDWriter.Options()
    options.allowsPage = false
    let intact = try PKDWriter.encode(try PencilKitReader(archive).drawing, options: options)
    #expect(try DrawingFile(intact).contents().damage.isEmpty)
    let withoutArchive = Self.replacing(.archive, in: intact) { $0 = [0xFF, 0xFF, 0xFF] }
    #expect(try !DrawingFile(withoutArchive).contents().damage.isEmpty)
    // Damage that is found only when points are decoded.
    let points = try #require(
      (1..<400).lazy.map { missing in
        Self.replacing(.strokes, in: intact) { $0.removeLast(min(missing, $0.count)) }
      }.first { bytes in
        guard let reader = try? PKDReader(bytes), reader.damage == nil else { return false }
        return reader.readRecording().damage != nil
      })
    let strokeDamage = try DrawingFile(points).contents().damage
    #expect(!strokeDamage.isEmpty)
    let both = Self.replacing(.archive, in: points) { $0 = [0xFF, 0xFF, 0xFF] }
    #expect(try DrawingFile(both).contents().damage.first == strokeDamage.first)
  }

  /// A `.pkd` file with another payload in the chunks of a type, and valid checksums.
  private static func replacing(
    _ type: ChunkType, in bytes: [UInt8], _ body: (inout [UInt8]) -> Void
  ) -> [UInt8] {
    var writer = ByteWriter()
    writer.append(Signature.bytes)
    var walker = ChunkWalker(bytes)
    while let chunk = try? walker.next(limits: PKDLimits()) {
      var payload = Array(bytes[chunk.payload])
      if chunk.type == type { body(&payload) }
      writer.chunk(chunk.type, payload)
    }
    return writer.bytes
  }

  @Test func `JSON keeps every bit of extreme masks, boxes and dates`() throws {
    var drawing = Self.drawing()
    let (far, farther) = (Point(x: 1e307, y: -1e307), Point(x: -1.7e308, y: 1.7e308))
    var mask = Path()
    mask.move(to: .zero)
    mask.addCubic(to: far, control1: farther, control2: far)
    mask.close()
    drawing.strokes[0].mask = mask
    let boxes = [
      Rect(from: farther, to: far), Rect(from: Point(x: -0.0, y: 0.1), to: Point(x: 0.3, y: 1e-9)),
    ]
    for (index, box) in boxes.enumerated() {
      drawing.strokes[index].archivedBounds = box
      drawing.strokes[index].path = drawing.strokes[index].path.withCreationDate(
        Timestamp(secondsSinceReferenceDate: -0.0))
      drawing.strokes[index].archivedBounds = box
    }
    let again = try DrawingFile(JSONDrawingWriter.encode(drawing)).strokes().drawing
    #expect(again == drawing)
    for (stroke, box) in zip(again.strokes, boxes) {
      let stored = try #require(stroke.archivedBounds)
      #expect(stored == box && stored.minX.sign == box.minX.sign)
      #expect(stroke.path.creationDate.secondsSinceReferenceDate.sign == .minus)
    }
  }

  @Test func `bytes round-trip through base 64`() {
    var random = RandomInk(seed: 1)
    for count in 0..<70 {
      let bytes = (0..<count).map { _ in UInt8(random.whole(0...255)) }
      #expect(Base64.decode(Base64.encode(bytes)) == bytes)
    }
    #expect(Base64.encode(Array("any carnal pleas".utf8)) == "YW55IGNhcm5hbCBwbGVhcw==")
    for text in ["A", "A===", "AA=A", "A*==", "====", "AAAAA"] {
      #expect(Base64.decode(text) == nil, "\(text)")
    }
  }
}
