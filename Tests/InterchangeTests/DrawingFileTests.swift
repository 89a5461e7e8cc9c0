import JSON
import Graphics
import PKDFormat
import PencilKitArchive
import Strokes
import TestSupport
import Testing

@testable import Interchange

struct DrawingFileTests {
  private static func drawing() -> PKDrawing {
    var random = RandomInk(seed: 31)
    return random.drawing(strokeCount: 2...2)
  }

  @Test(arguments: DrawingFile.Format.allCases)
  func `a file is known by its first bytes`(_ format: DrawingFile.Format) throws {
    let bytes = try DrawingFile.encode(Self.drawing(), as: format)
    let file = try DrawingFile(bytes)
    #expect(file.format == format)
    #expect(file.drawing().value == Self.drawing())
  }

  @Test func `white space and the mark of UTF-8 may stand before JSON`() throws {
    let json = try DrawingFile.encode(Self.drawing(), as: .json)
    #expect(try DrawingFile([0xEF, 0xBB, 0xBF] + json).format == .json)
    #expect(try DrawingFile([0x20, 0x0A] + json).drawing().value == Self.drawing())
  }

  @Test func `bytes of no known form are named in the error`() {
    #expect(throws: DrawingFileError.unknownFormat(firstBytes: [0x89, 0x50])) {
      try DrawingFile([0x89, 0x50])
    }
    #expect("\(DrawingFileError.unknownFormat(firstBytes: []))" == "the file is empty")
  }

  @Test func `a given form is believed`() {
    #expect(throws: DrawingFileError.self) { try DrawingFile(Array("{}".utf8), as: .pencilKit) }
  }

  @Test func `names tell the form by their ending`() {
    #expect(DrawingFile.Format(fileName: "a/b.drawing") == .pencilKit)
    #expect(DrawingFile.Format(fileName: "B.JSON") == .json)
    #expect(DrawingFile.Format(fileName: "a.b/c") == nil)
    #expect(DrawingFile.Format(fileName: "json") == nil)
  }

  @Test(arguments: 0..<9)
  func `an outline of an archive that is too short is damage and costs no strokes`(
    _ count: Int
  ) throws {
    var drawing = Self.drawing()
    // The last two are a header without anything behind it, which is an outline, and half a field.
    let outline = Array("wrd".utf8) + [0xF0, 1, 0, 0x12, 9]
    drawing.residue = ArchiveResidue(form: .pencilKit, bytes: Array(outline.prefix(count)))
    let bytes = try PKDWriter.encode(drawing)
    let file = try DrawingFile(bytes)
    let everything = file.everything()
    #expect(everything.damage == (count == 6 ? [] : [.foreignArchive]))
    #expect(everything.drawing == Self.drawing())
    // Whoever only draws does not look at it.
    #expect(file.damage.isEmpty && file.drawing().damage.isEmpty)
    #expect(file.drawing().value == Self.drawing())
    // A reader that does not ask whether it fits gets an archive all the same.
    let archive = try PKDReader(bytes).readDrawing().value.dataRepresentation()
    #expect(try PKDrawing(data: archive).strokes.count == 2)
    let verification = try PKDVerification(bytes)
    #expect(verification.recoverable.strokes == 2)
    let repaired = try DrawingFile(try verification.repaired(\.hasSoundResidue).bytes)
    #expect(
      repaired.everything().damage.isEmpty && repaired.drawing().value == file.drawing().value)
  }

  @Test func `JSON holds masks, boxes and dates that lie beyond all pages to the last bit`() throws
  {
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
    let again = try DrawingFile(JSONDrawingWriter.encode(drawing)).drawing().value
    #expect(again == drawing)
    for (stroke, box) in zip(again.strokes, boxes) {
      let told = try #require(stroke.archivedBounds)
      #expect(told == box && told.minX.sign == box.minX.sign)
      #expect(stroke.path.creationDate.secondsSinceReferenceDate.sign == .minus)
    }
  }

  @Test func `bytes go through base 64 and back`() {
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
