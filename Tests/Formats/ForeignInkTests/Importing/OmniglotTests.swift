import InkFiles
import Graphics
import Strokes
import TestSupport
import Testing

@testable import ForeignSamples
@testable import ForeignInk

struct OmniglotTests {
  private static let text = """
    START
    10,-20,1000
    10.5,-21.25,1016
    12,-24,1050
    BREAK
    30,-40,2000
    BREAK

    """

  private static func file(_ text: String) throws -> DrawingFile {
    var options = ImportOptions()
    options.fit = nil
    return try DrawingFile(Array(text.utf8), as: .omniglot, options: options)
  }

  @Test func `Omniglot strokes run from mark to mark, and y upwards`() throws {
    let file = try Self.file(Self.text)
    #expect(DrawingFile.Format(recognizing: Self.text.utf8) == .omniglot)
    #expect(file.pageCount == 1 && file.damage.isEmpty)
    let source = try #require(file.page?.source)
    #expect(source.strokes == 2 && source.points == 4)
    #expect(source.bounds == Rect(from: Point(x: 10, y: -40), to: Point(x: 30, y: -20)))
    let strokes = file.strokes().strokes
    try #require(strokes.count == 2)
    #expect(strokes[0].path.map(\.location.x) == [7.5, 7.875, 9])
    #expect(strokes[0].path.map(\.location.y) == [15, 15.9375, 18])
    #expect(strokes[0].path.allSatisfy { $0.size == Size(width: 2.25, height: 2.25) })
    for (point, time) in zip(strokes[0].path, [0, 0.016, 0.05]) {
      #expect(abs(point.timeOffset - time) < 1e-6)
    }
    #expect(strokes.map(\.path.creationDate.secondsSinceReferenceDate) == [1, 2])
    #expect(strokes[0].ink == PKInk(.monoline, color: .black, widthLaw: .plain))
  }

  @Test func `Omniglot text with CRLF line breaks is read`() throws {
    let text = Self.text.split(separator: "\n").joined(separator: "\r\n")
    #expect(DrawingFile.Format(recognizing: text.utf8) == .omniglot)
    let file = try Self.file(text)
    #expect(file.strokes().strokes.count == 2 && file.damage.isEmpty)
  }

  @Test func `text that is no drawing is not recognized as Omniglot`() {
    for text in ["START", "START\n", "START\nBREAK\n", "1,2,3\n", "START\n1,2\n", " START\n1,2,3"] {
      #expect(DrawingFile.Format(recognizing: text.utf8) == nil, "\(text)")
    }
  }

  @Test func `a damaged Omniglot row loses no other point`() throws {
    let file = try Self.file("START\n1,-2,0\n1,x\n\n3,-4,5\nBREAK\n5,-6,7\n")
    #expect(file.strokes().strokes.map(\.path.count) == [2, 1])
    #expect(
      file.damage == [
        .imported(.omniglot, ImportError(.expected("a row of x, y and time"), at: .line(3))),
        .imported(.omniglot, ImportError(.missing("the end of the last stroke"), at: .line(8))),
      ])
    let many = try Self.file("START\n" + String(repeating: "x\n", count: 500))
    #expect(many.damage.count == 101)
  }

  @Test func `an Omniglot archive has a page for each drawing`() throws {
    let files = [
      ("all/readme.txt", "START\n"), ("__MACOSX/all/Greek/character01/._0394_01.txt", "x"),
      ("all/Greek/character01/0394_01.txt", Self.text),
      ("all/Greek/character02/0395_07.txt", "START\n1,-1,0\nBREAK\n"),
    ]
    let archive = Packing.zip(files.map { ($0.0, Array($0.1.utf8)) })
    let file = try DrawingFile(archive)
    #expect(file.format == .omniglot && file.pageCount == 2)
    #expect(file.page?.name == "Greek/character01/0394_01")
    #expect(file.canvas.metadata == ["title": "Greek/character01/0394_01"])
    #expect(file.strokes().strokes.count == 2)
    #expect(try file.page(1).strokes().strokes.count == 1)
    // A damaged drawing does not prevent reading the others.
    var bytes = archive
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: "1,-1,0".utf8) })
    bytes[place] ^= 1
    let damaged = try DrawingFile(bytes)
    #expect(damaged.damage.isEmpty)
    let page = try damaged.page(1)
    #expect(page.strokes().strokes.isEmpty && page.page?.name == "Greek/character02/0395_07")
    #expect("\(page.damage)".contains("checksum"))
  }

  @Test func `an Omniglot archive without drawings is refused`() {
    let archive = Packing.zip([("a.txt", Array(Self.text.utf8))])
    #expect(DrawingFile.Format(recognizing: archive) == nil)
    #expect(
      throws: DrawingFileError.imported(.omniglot, ImportError(.missing("a drawing"), at: 0))
    ) { try DrawingFile(archive, as: .omniglot) }
  }

  @Test func `damaged Omniglot archives are refused or read in part`() {
    let archive = Packing.zip([("a/character01/1_1.txt", Array(Self.text.utf8))])
    Damage.expectSurvival(of: archive, as: .omniglot)
  }
}
