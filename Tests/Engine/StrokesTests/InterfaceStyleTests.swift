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
    #expect(dark(.black) == .white)
    #expect(dark(.white) == .black)
    #expect(light(.white) == .black)
    #expect(light(.black) == .white)
  }

  /// Colours of a drawing and of Apple's own picture of it on dark paper, which was stored as JPEG; the thin red
  /// lines lose colour by that.
  @Test(arguments: [
    ("#FFAB01", [252, 170, 1], 4.0), ("#53D769", [40, 172, 62], 4), ("#FC3142", [203, 5, 23], 6),
    ("#333333", [204, 204, 204], 4), ("#000000", [254, 254, 254], 4),
  ])
  func `five colours become those that PencilKit shows`(
    hex: String, seen: [Double], tolerance: Double
  ) throws {
    let shown = dark(try #require(Color(hex: hex)))
    for (ours, theirs) in zip([shown.red, shown.green, shown.blue], seen) {
      #expect(abs(255 * ours - theirs) <= tolerance, "\(shown)")
    }
  }

  @Test func `there and back gives the same colour`() {
    var random = RandomInk(seed: 14)
    for index in 0..<300 {
      var color = random.color()
      if index.isMultiple(of: 3) { color.space = .displayP3 }
      expectClose(light(dark(color)), color)
      expectClose(dark(light(color)), color)
      expectClose(dark(color), light(color))
    }
  }

  @Test func `greys stay grey and reverse their order`() {
    let greys = (0...50).map { dark(Color(white: Double($0) / 50)) }
    for grey in greys { #expect(grey.red == grey.green && grey.green == grey.blue) }
    for (a, b) in zip(greys, greys.dropFirst()) { #expect(a.red > b.red) }
  }

  @Test(arguments: ["#FF0000", "#0000FF", "#00FF00", "#FFFF00", "#007AFF"])
  func `a colour of middle lightness stays as it is`(hex: String) throws {
    let color = try #require(Color(hex: hex))
    expectClose(dark(color), color)
  }

  @Test(arguments: [
    ("#FFCC00", "#FFCC00"), ("#005000", "#AFFFAF"), ("#C05050", "#AF3F3F"), ("#5078C0", "#3F67AF"),
  ])
  func `hue and saturation stay, and lightness is inverted`(hex: String, inDark: String) throws {
    expectClose(
      dark(try #require(Color(hex: hex))), try #require(Color(hex: inDark)), within: 1e-3)
  }

  @Test func `the result of a colour in sRGB is inside sRGB and keeps its opacity and space`() {
    var random = RandomInk(seed: 15)
    for index in 0..<300 {
      var color = random.color().converted(to: .sRGB).clamped
      if index.isMultiple(of: 3) { color = color.converted(to: .displayP3) }
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
