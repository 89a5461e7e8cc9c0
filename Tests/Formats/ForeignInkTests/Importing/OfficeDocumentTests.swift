import InkFiles
import Graphics
import ForeignInk
import Strokes
import TestSupport
import Testing

@testable import ForeignSamples

/// InkML within documents of other formats.
struct OfficeDocumentTests {
  /// Ink of one trace, whose first x identifies it.
  private static func ink(_ x: Int) -> [UInt8] {
    Array("<ink><trace>\(100 * x) 0, \(100 * x) 90</trace></ink>".utf8)
  }

  private static func relations(_ targets: [String]) -> [UInt8] {
    let list = targets.enumerated().map { "<Relationship Id='r\($0)' Target='\($1)'/>" }
    return Array("<Relationships>\(list.joined())</Relationships>".utf8)
  }

  /// Refers to parts by the numbers of their relations.
  private static func references(_ numbers: [Int]) -> [UInt8] {
    let list = numbers.map { "<p:x id='256' r:id='r\($0)'/>" }
    return Array("<p:doc xmlns:p='p' xmlns:r='r'>\(list.joined())</p:doc>".utf8)
  }

  /// The x of each page's first trace, in the order of the pages, and the names.
  private func pages(_ bytes: [UInt8]) throws -> (order: [Int], names: [String]) {
    let file = try DrawingFile(bytes)
    #expect(file.format == .inkML && file.damage.isEmpty)
    let pages = try (0..<file.pageCount).map { try file.page($0) }
    return (
      pages.map { Int(($0.page?.source.bounds?.minX ?? -100) / 100) },
      pages.map { $0.page?.name ?? "" }
    )
  }

  @Test func `ink in a Word document comes in the order of its text`() throws {
    let bytes = Packing.zip([
      ("word/ink/ink10.xml", Self.ink(10)), ("word/ink/ink2.xml", Self.ink(2)),
      ("word/ink/ink1.xml", Self.ink(1)), ("word/document.xml", Self.references([1, 7, 2, 1])),
      (
        "word/_rels/document.xml.rels",
        Self.relations(["media/a.png", "ink/ink2.xml", "/word/ink/ink1.xml", "ink/ink3.xml"])
      ),
    ])
    // The text does not refer to the last one.
    #expect(try pages(bytes).order == [2, 1, 10])
  }

  @Test func `ink of slides comes in the order of the slides, and has their numbers`() throws {
    let bytes = Packing.zip([
      ("ppt/presentation.xml", Self.references([2, 0, 1])),
      (
        "ppt/_rels/presentation.xml.rels",
        Self.relations(["slides/slide1.xml", "slides/slide2.xml", "slides/slide9.xml"])
      ),
      ("ppt/slides/slide1.xml", Self.references([0])),
      ("ppt/slides/_rels/slide1.xml.rels", Self.relations(["../ink/ink1.xml"])),
      ("ppt/slides/slide2.xml", Self.references([1, 0])),
      (
        "ppt/slides/_rels/slide2.xml.rels",
        Self.relations(["../ink/ink3.xml", "../ink/ink4.xml"])
      ),
      ("ppt/slides/slide9.xml", Self.references([])), ("ppt/ink/ink1.xml", Self.ink(1)),
      ("ppt/ink/ink3.xml", Self.ink(3)), ("ppt/ink/ink4.xml", Self.ink(4)),
    ])
    let (order, names) = try pages(bytes)
    #expect(order == [1, 4, 3])
    #expect(names == ["slide 2", "slide 3", "slide 3"])
  }

  @Test func `ink of an Office document without a readable order comes by number`() throws {
    for relations in [Array("<".utf8), Self.relations(["../../../../etc", "word/document.xml"])] {
      let bytes = Packing.zip([
        ("word/document.xml", Self.references([0, 1])),
        ("word/_rels/document.xml.rels", relations),
        ("word/ink/ink11.xml", Self.ink(11)), ("word/ink/ink9.xml", Self.ink(9)),
      ])
      #expect(try pages(bytes).order == [9, 11])
    }
  }

  @Test func `a damaged part of an Office document loses no other`() throws {
    let bytes = Packing.zip([
      ("word/ink/ink1.xml", Self.ink(1)), ("word/ink/ink2.xml", Array("<ink><trace>".utf8)),
      ("word/ink/ink3.xml", Array("<ink/".utf8)),
    ])
    let file = try DrawingFile(bytes)
    #expect(file.pageCount == 3 && file.damage.isEmpty)
    let error = try #require(try file.page(1).damage.first)
    #expect(error.description.hasSuffix("of word/ink/ink2.xml"), "\(error)")
    #expect(try !file.page(2).damage.isEmpty)
  }

  @Test func `Office documents without ink are not recognized`() {
    let bytes = Packing.zip([("word/document.xml", Self.references([]))])
    #expect(DrawingFile.Format(recognizing: bytes) == nil)
  }

  @Test func `circular and repeated Office references are followed once`() throws {
    let slide = Self.references(Array(repeating: 0, count: 1_000) + [1])
    let relations = Self.relations(["../slides/slide1.xml", "../slides/slide2.xml"])
    var files = [
      ("ppt/presentation.xml", Self.references([0])),
      ("ppt/_rels/presentation.xml.rels", Self.relations(["slides/slide1.xml"])),
      ("ppt/ink/ink1.xml", Self.ink(1)),
    ]
    for number in 1...2 {
      files.append(("ppt/slides/slide\(number).xml", slide))
      files.append(("ppt/slides/_rels/slide\(number).xml.rels", relations))
    }
    #expect(try pages(Packing.zip(files)).order == [1])
  }

  @Test func `the ink of a paper with a picture below it is read`() throws {
    let text = """
      <?xml version="1.0"?>
      <paper xmlns:inkml="http://www.w3.org/2003/InkML"><resource>
      <templateImage Content-Type="image/bmp">\(String(repeating: "Qk0A", count: 9_000))</templateImage>
      </resource><inkml:ink><inkml:trace>100 0, 100 90</inkml:trace></inkml:ink></paper>
      """
    let file = try DrawingFile(Array(text.utf8))
    #expect(file.format == .inkML && file.strokes().strokes.count == 1)
    #expect(
      file.page?.notes.counts.contains { $0.text == "the picture below the ink is left out" }
        == true)
    // A paper element without ink, or with other content, is not recognized.
    #expect(DrawingFile.Format(recognizing: Array("<paper><title/></paper>".utf8)) == nil)
  }
}
