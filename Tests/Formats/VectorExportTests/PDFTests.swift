import Compression
import Foundation
import Graphics
import PNGFormat
import Rasterization
import Strokes
import TestSupport
import Testing

@testable import VectorExport

struct PDFTests {
  /// The bytes as text, followed by all compressed streams expanded.
  private func expanded(_ pdf: [UInt8]) throws -> String {
    var text = String(decoding: pdf, as: Unicode.ASCII.self)
    let marker = Array("/Filter/FlateDecode/Length ".utf8)
    var position = 0
    while let found = pdf[position...].firstRange(of: marker) {
      let digits = pdf[found.upperBound...].prefix { 48...57 ~= $0 }
      let length = Int(String(decoding: digits, as: UTF8.self)) ?? 0
      let start = digits.endIndex + ">>stream\n".utf8.count
      text += try String(
        decoding: Inflate.inflate(Array(pdf[start..<start + length]), limit: 1 << 26),
        as: Unicode.ASCII.self)
      position = start + length
    }
    return text
  }

  private func pdf(
    _ drawing: PKDrawing, _ options: VectorOptions = VectorOptions(), annotations: Bool = false,
    canvas: Recording.Canvas = Samples.canvas
  ) throws -> [UInt8] {
    try PDFExporter(options, annotations: annotations).pdf(of: [.init(drawing, on: canvas)])
  }

  @Test(.enabled(if: Viewer.isInstalled("qpdf"), "\(Viewer.absence)"))
  func `qpdf finds no fault in exported PDFs`() throws {
    let folder = try TemporaryFolder()
    var files: [[UInt8]] = []
    for type in Samples.inks {
      files.append(try pdf(Samples.drawing(of: type)))
      files.append(try pdf(Samples.drawing(of: type), annotations: true))
    }
    files.append(try pdf(PKDrawing()))
    let pages = Samples.inks.map { PDFExporter.Page(Samples.drawing(of: $0), on: Samples.canvas) }
    let information = DocumentInformation(title: "T (1) \\ ü", author: "A", keywords: "k")
    files.append(try PDFExporter(VectorOptions(information: information)).pdf(of: pages))
    let large = Recording.Canvas(size: Size(width: 1e6, height: 3))
    files.append(try pdf(Samples.drawing(of: .pen), canvas: large))
    for (index, bytes) in files.enumerated() {
      try Data(bytes).write(to: folder.file("\(index).pdf"))
      let result = try Program.shell("qpdf --check \"$1\" 2>&1", "\(index).pdf", in: folder.url)
      #expect(result.code == 0, "\(index): \(result.text)")
      #expect(!result.text.contains("WARNING"), "\(index): \(result.text)")
    }
    let count = try Program.shell(
      "qpdf --show-npages \(Samples.inks.count * 2 + 1).pdf", in: folder.url)
    #expect(count.text == "\(Samples.inks.count)\n")
  }

  @Test func `a PDF has the same bytes for the same drawing`() throws {
    let (one, two) = (try pdf(Samples.drawing(of: .pencil)), try pdf(Samples.drawing(of: .pencil)))
    #expect(one == two)
    func identifier(_ bytes: [UInt8]) -> Substring {
      let text = String(decoding: bytes, as: Unicode.ASCII.self)
      guard let range = text.range(of: "/ID[<") else { return "" }
      return text[range.upperBound...].prefix(32)
    }
    let other = try pdf(Samples.drawing(of: .pen))
    #expect(identifier(one).count == 32 && identifier(one) != identifier(other))
  }

  @Test func `a PDF document without pages is an error`() {
    #expect(throws: RenderError(.empty("document"))) { try PDFExporter().pdf(of: []) }
  }

  @Test func `a line becomes a PDF curve with a width and round ends`() throws {
    let drawing = PKDrawing(strokes: [
      Samples.stroke(.monoline, Samples.path([(10, 20, 3), (30, 20, 3), (50.5, 20.25, 3)]))
    ])
    let text = try expanded(
      pdf(drawing, canvas: Recording.Canvas(size: Size(width: 60, height: 40))))
    #expect(
      text.contains(
        """
        1 0 0 -1 0 40 cm
        1 1 1 rg
        0 0 60 40 re f
        1 J 1 j
        0 0 0 RG
        3 w
        10 20 m
        23.5 19.98 37 20.07 50.5 20.25 c
        S

        """))
    #expect(text.contains("/MediaBox[0 0 60 40]"))
  }

  @Test func `PDF information is in the dictionary and in the metadata`() throws {
    let information = DocumentInformation(
      title: "Notes (1) \\", author: "Jürgen <&>", subject: "S", keywords: "a, b",
      creationDate: Timestamp(secondsSinceReferenceDate: 86_400.75))
    let text = try expanded(pdf(PKDrawing(), VectorOptions(information: information)))
    #expect(text.contains("/Title(Notes \\(1\\) \\\\)"))
    #expect(text.contains("/Author<FEFF004A00FC007200670065006E0020003C0026003E>"))
    #expect(text.contains("/CreationDate(D:20010102000000Z)"))
    #expect(text.contains("<xmp:CreateDate>2001-01-02T00:00:00Z</xmp:CreateDate>"))
    #expect(text.contains("&lt;&amp;&gt;"))
    #expect(!(try expanded(pdf(PKDrawing()))).contains("CreationDate"))
  }

  @Test func `mixing ink becomes a PDF group, and graphics states are shared`() throws {
    let yellow = Color(red: 1, green: 1, blue: 0, alpha: 0.9)
    let markers = [40.0, 80, 120].map { y in
      Samples.stroke(.marker, Samples.path([(20, y, 20), (200, y, 20)]), color: yellow)
    }
    let text = try expanded(pdf(PKDrawing(strokes: markers)))
    #expect(text.contains("/BM/Darken") && text.contains("/Ink Do"))
    #expect(text.components(separatedBy: "/BM/Darken").count == 2)
    let plain = try expanded(pdf(Samples.drawing(of: .monoline)))
    #expect(!plain.contains("/Ink Do"))
  }

  @Test func `textured ink becomes one PDF pixel under a soft mask`() throws {
    let text = try expanded(pdf(Samples.drawing(of: .crayon)))
    #expect(text.contains("/Width 1/Height 1/ColorSpace/DeviceRGB") && text.contains("/SMask"))
    #expect(
      !(try expanded(pdf(Samples.drawing(of: .crayon), VectorOptions(isFlat: true)))).contains(
        "/SMask"))
  }

  @Test func `a PDF annotation has lines, an appearance and a rectangle`() throws {
    let drawing = PKDrawing(strokes: [
      Samples.stroke(
        .pen, Samples.path([(10, 20, 3), (30, 20, 5)]), color: Color(red: 1, green: 0, blue: 0))
    ])
    let text = try expanded(pdf(drawing, annotations: true))
    #expect(text.contains("/Subtype/Ink") && text.contains("/InkList[[10 140 30 140]]"))
    #expect(text.contains("/C[1 0 0]/CA 1/BS<</W 4>>/F 4/AP<</N"))
    let values = try #require(text.range(of: "/Rect["))
    let numbers = text[values.upperBound...].prefix { $0 != "]" }.split(separator: " ")
      .compactMap { Double($0) }
    #expect(numbers.count == 4 && numbers[0] < 8.5 && numbers[1] < 137.5)
    #expect(numbers[2] > 32.5 && numbers[3] > 142.5)
  }

  @Test func `a PDF page that is too large for viewers has a larger unit`() throws {
    let large = Recording.Canvas(size: Size(width: 28_800, height: 100))
    let text = try expanded(pdf(Samples.drawing(of: .pen), canvas: large))
    #expect(text.contains("%PDF-1.6") && text.contains("/UserUnit 2/"))
    #expect(text.contains("/MediaBox[0 0 14400 50]"))
  }

  @Test func `compressed PDF streams unpack to the given bytes`() throws {
    var random = SplitMix64(seed: 3)
    for count in [0, 1, 2, 3, 100, 70_000, 5_000_000] {
      for kind in 0..<3 {
        let bytes: [UInt8] = (0..<count).map { index in
          switch kind {
          case 0: 0
          case 1: UInt8.random(in: 0...255, using: &random)
          default:
            UInt8(truncatingIfNeeded: (index / 7) &* 31 &+ Int.random(in: 0...1, using: &random))
          }
        }
        let packed = DeflateStream.zlib(bytes)
        #expect(
          try Inflate.inflate(packed, limit: count + 1) == bytes, "\(count) bytes, kind \(kind)")
        #expect(packed.count <= count + count / 16 + 200)
      }
    }
  }
}
