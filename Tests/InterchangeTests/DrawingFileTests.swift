import Graphics
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
    #expect(file.drawings == [Self.drawing()])
  }

  @Test func `white space and the mark of UTF-8 may stand before JSON`() throws {
    let json = try DrawingFile.encode(Self.drawing(), as: .json)
    #expect(try DrawingFile([0xEF, 0xBB, 0xBF] + json).format == .json)
    #expect(try DrawingFile([0x20, 0x0A] + json).drawings.count == 1)
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
