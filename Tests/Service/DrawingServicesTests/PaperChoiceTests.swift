import DrawingServices
import Graphics
import Strokes
import Testing

/// Which paper small pictures get, by the ink.
struct PaperChoiceTests {
  private static let light = Color(red: 1, green: 253.0 / 255, blue: 248.0 / 255)
  private static let dark = Color(red: 37.0 / 255, green: 33.0 / 255, blue: 28.0 / 255)

  private static func paper(
    _ colors: [Color], isDark: Bool = false
  ) -> Color {
    let strokes = colors.map { color in
      PKStroke(
        ink: PKInk(.pen, color: color),
        path: PKStrokePath(
          controlPoints: [], creationDate: Timestamp(secondsSinceReferenceDate: 0)))
    }
    let choice =
      isDark ? PaperChoice(usual: dark, other: light) : PaperChoice(usual: light, other: dark)
    return choice.paper(for: PKDrawing(strokes: strokes), isDark: isDark)
  }

  private static func grey(_ value: Double) -> Color {
    Color(red: value / 255, green: value / 255, blue: value / 255)
  }

  @Test func `white and very light ink gets dark paper, and other ink does not`() {
    for value in [255.0, 240, 221] { #expect(Self.paper([Self.grey(value)]) == Self.dark) }
    for value in [0.0, 60, 128, 200] { #expect(Self.paper([Self.grey(value)]) == Self.light) }
    // Seen by its hue.
    #expect(Self.paper([Color(red: 1, green: 0.9, blue: 0.2)]) == Self.light)
    #expect(Self.paper([Color(red: 1, green: 0.6, blue: 0.7, alpha: 0.35)]) == Self.light)
    #expect(Self.paper([]) == Self.light)
  }

  @Test func `in dark surroundings ink that becomes dark gets light paper`() {
    for value in [255.0, 240, 221] {
      #expect(Self.paper([Self.grey(value)], isDark: true) == Self.light)
    }
    for value in [0.0, 60, 128] {
      #expect(Self.paper([Self.grey(value)], isDark: true) == Self.dark)
    }
  }

  @Test func `half of the strokes decide, and ink that nobody sees anywhere changes nothing`() {
    #expect(Self.paper([.white, .white, .black]) == Self.dark)
    #expect(Self.paper([.white, .black]) == Self.light)
    #expect(Self.paper([Color(red: 1, green: 1, blue: 1, alpha: 0)]) == Self.light)
  }
}
