import Graphics
import Strokes
import Testing

private typealias Kind = PKInk.InkType

@Suite struct `Kinds of ink` {
  private static let identifiers: [(PKInk.InkType, String, Int)] = [
    (.pen, "pen", 1), (.pencil, "pencil", 1), (.marker, "marker", 1), (.monoline, "monoline", 2),
    (.fountainPen, "fountainpen", 2), (.watercolor, "watercolor", 2), (.crayon, "crayon", 2),
    (.reed, "reedcalligraphy", 4),
  ]

  @Test(arguments: identifiers)
  func `each kind of ink has the identifier that archives use`(
    kind: PKInk.InkType, identifier: String, version: Int
  ) {
    #expect(kind.rawValue == "com.apple.ink." + identifier)
    #expect(PKInk.InkType(rawValue: kind.rawValue) == kind)
    #expect(PKInk.InkType(rawValue: kind.name) == kind)
    #expect(PKInk.InkType(rawValue: kind.rawValue) == kind)
    #expect(kind.requiredContentVersion.rawValue == version)
    #expect(PKInk(kind).requiredContentVersion == kind.requiredContentVersion)
    #expect(PKInkingTool(kind).requiredContentVersion == kind.requiredContentVersion)
  }

  @Test func `all eight kinds of ink are known, and have different names`() {
    #expect(Kind.known.count == 8)
    #expect(Set(Kind.known) == Set(Self.identifiers.map(\.0)))
    #expect(Set(Kind.known.map(\.name)).count == 8)
    #expect(Kind.fountainPen.name == "fountainPen")
  }

  @Test func `the fountain pen is recognized in both spellings`() {
    #expect(Kind(rawValue: "com.apple.ink.fountainPen") == .fountainPen)
    #expect(Kind(rawValue: "com.apple.ink.fountainpen") == .fountainPen)
  }

  @Test func `an unknown ink keeps its identifier`() {
    for text in ["com.example.Chalk", "", "com.apple.ink.", "com.apple.ink.penX"] {
      let kind = Kind(rawValue: text)
      #expect(kind == .other(identifier: text))
      #expect(kind.rawValue == text)
      #expect(kind.name == text)
      #expect(kind.requiredContentVersion == .latest)
    }
    #expect(Kind(rawValue: "com.example.Chalk") == .other(identifier: "com.example.Chalk"))
    #expect(Kind(rawValue: "pen") == .pen)
  }

  @Test func `content versions are in order`() {
    #expect(PKContentVersion.allCases == PKContentVersion.allCases.sorted())
    #expect(PKContentVersion.latest == PKContentVersion.allCases.last)
    #expect(PKContentVersion.version1 < .version2)
  }

  @Test func `an ink is black and has PencilKit's law by default`() {
    let ink = PKInk(.marker)
    #expect(ink.color == .black)
    #expect(ink.widthLaw == .pencilKit)
    #expect(ink != PKInk(.marker, widthLaw: .plain))
    #expect(ink != PKInk(.marker, color: .white))
  }
}

@Suite struct `Tools` {
  private static let widths: [(PKInk.InkType, ClosedRange<Double>, Double)] = [
    (.pen, 0.88...25.66, 2.68), (.pencil, 2.4...16, 4), (.marker, 7.5...60, 15),
    (.monoline, 0.5...4, 1), (.fountainPen, 1.5...14, 4), (.watercolor, 10...80, 30),
    (.crayon, 10...50, 20), (.reed, 1.5...30, 8),
  ]

  @Test(arguments: widths)
  func `a tool's width is clamped to the ink's range`(
    kind: PKInk.InkType, range: ClosedRange<Double>, usual: Double
  ) {
    #expect(kind.validWidthRange == range)
    #expect(PKInkingTool(kind).width == usual)
    #expect(range.contains(usual))
    #expect(PKInkingTool(kind, width: -5).width == range.lowerBound)
    #expect(PKInkingTool(kind, width: 1e9).width == range.upperBound)
    let middle = (range.lowerBound + range.upperBound) / 2
    #expect(PKInkingTool(kind, width: middle).width == middle)
  }

  @Test func `an unknown ink allows any width that is not negative`() {
    let kind = Kind.other(identifier: "com.example.chalk")
    #expect(PKInkingTool(kind).width == 4)
    #expect(PKInkingTool(kind, width: 1234).width == 1234)
    #expect(PKInkingTool(kind, width: -1).width == 0)
  }

  @Test func `a tool draws with its ink`() {
    let ink = PKInk(.crayon, color: Color(red: 1, green: 0.5, blue: 0))
    let tool = PKInkingTool(ink: ink, width: 12)
    #expect(tool.ink == ink)
    #expect(tool.width == 12)
    #expect(PKInkingTool(ink: ink).width == 20)
  }

  @Test(arguments: PKEraserTool.EraserType.allCases)
  func `an eraser's width is clamped to its range`(kind: PKEraserTool.EraserType) {
    let range = kind.validWidthRange
    #expect(PKEraserTool(kind).width == (kind == .vector ? 4 : 20))
    #expect(PKEraserTool(kind, width: 0).width == range.lowerBound)
    #expect(PKEraserTool(kind, width: 1e9).width == range.upperBound)
    #expect(PKEraserTool(kind, width: 33).width == 33)
    #expect(PKEraserTool.EraserType(rawValue: kind.rawValue) == kind)
  }

  @Test func `erasers have PencilKit's names`() {
    let names = PKEraserTool.EraserType.allCases.map(\.rawValue)
    #expect(names == ["vector", "bitmap", "fixedWidthBitmap"])
  }
}
