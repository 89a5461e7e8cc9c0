import Glibc
import Graphics
import Strokes
import TestSupport
import Testing

private func dark(_ color: Color) -> Color {
  PKInkingTool.convertColor(color, from: .light, to: .dark)
}

private func light(_ color: Color) -> Color {
  PKInkingTool.convertColor(color, from: .dark, to: .light)
}

private func expectClose(
  _ a: Color, _ b: Color, within tolerance: Double = 1e-6,
  _ location: SourceLocation = #_sourceLocation
) {
  let gap = max(abs(a.red - b.red), abs(a.green - b.green), abs(a.blue - b.blue))
  #expect(gap <= tolerance && a.alpha == b.alpha, "\(a) is not \(b)", sourceLocation: location)
}

@Suite struct `Colours on a dark page` {
  @Test func `black becomes white and white becomes black`() {
    expectClose(dark(.black), .white)
    expectClose(dark(.white), .black, within: 1e-3)
    expectClose(light(.white), .black, within: 1e-3)
    expectClose(light(.black), .white)
  }

  @Test func `greys are converted back exactly`() {
    for step in 1...50 {
      let grey = Color(white: Double(step) / 51)
      expectClose(light(dark(grey)), grey, within: 1e-5)
      expectClose(dark(light(grey)), grey, within: 1e-5)
    }
  }

  @Test func `greys stay grey and reverse their order`() {
    let greys = (0...50).map { dark(Color(white: Double($0) / 50)) }
    for grey in greys { #expect(grey.perceived.chroma < 1e-3) }
    for (a, b) in zip(greys, greys.dropFirst()) { #expect(a.red > b.red) }
  }

  @Test(arguments: ["#FF0000", "#0000FF", "#00A000", "#8000C0", "#C06000", "#FFD000"])
  func `strong colours only get lighter, to at most two thirds`(hex: String) throws {
    let color = try #require(Color(hex: hex))
    let (before, after) = (color.perceived.lightness, dark(color).perceived.lightness)
    #expect(after >= before - 1e-6)
    #expect(after <= max(before, 0.68))
    // Clamping to sRGB takes blue below 0.66 again.
    #expect(after > 0.59)
    expectClose(light(color), color)
  }

  @Test(arguments: ["#C05050", "#5078C0", "#40A060", "#9060B0", "#B08040", "#607090"])
  func `the hue does not change`(hex: String) throws {
    let color = try #require(Color(hex: hex))
    let (before, after) = (color.perceived, dark(color).perceived)
    let turn = remainder(atan2(after.b, after.a) - atan2(before.b, before.a), 2 * .pi)
    #expect(abs(turn) < 0.02, "\(turn)")
  }

  @Test(arguments: ["#FF0000", "#0000FF", "#00A000", "#8000C0", "#0000A0", "#A00000"])
  func `the hue of the strongest colours does not change, either`(hex: String) throws {
    let color = try #require(Color(hex: hex))
    let (before, after) = (color.perceived, dark(color).perceived)
    let turn = remainder(atan2(after.b, after.a) - atan2(before.b, before.a), 2 * .pi)
    #expect(abs(turn) < 0.1, "\(turn)")
  }

  @Test func `the result is inside sRGB and keeps its opacity and space`() {
    var random = RandomInk(seed: 15)
    for index in 0..<300 {
      var color = random.color()
      if index.isMultiple(of: 3) { color.space = .displayP3 }
      for other in [dark(color), light(color)] {
        #expect(other.space == color.space)
        #expect(abs(other.alpha - color.alpha) < 1e-12)
        let seen = other.converted(to: .sRGB)
        for part in [seen.red, seen.green, seen.blue] { #expect((-1e-6...1 + 1e-6).contains(part)) }
      }
    }
  }

  @Test func `the same style changes nothing, and the opposite one inverts`() {
    let color = Color(red: 0.2, green: 0.7, blue: 1.4, alpha: 0.5)
    for style in InterfaceStyle.allCases {
      #expect(PKInkingTool.convertColor(color, from: style, to: style) == color)
    }
    #expect(PKInkingTool.invertColor(color) == dark(color))
    #expect(PKInkingTool.invertColor(color, from: .dark) == light(color))
  }

  @Test func `a colour of NaN does not stop the program`() {
    for value in [.nan, .infinity, -.infinity] as [Double] {
      let color = dark(Color(red: value, green: 0, blue: 0))
      #expect(color.isFinite)
    }
  }
}
