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
  @Test func `the dark style turns black white and white black`() {
    #expect(dark(.black) == .white)
    #expect(dark(.white) == .black)
    #expect(light(.white) == .black)
    #expect(light(.black) == .white)
  }

  /// Colours of a drawing, and of Apple's own picture of it on dark paper. That picture was stored
  /// as JPEG, which makes the thin red lines paler.
  @Test(arguments: [
    ("#FFAB01", [252, 170, 1], 4.0), ("#53D769", [40, 172, 62], 4), ("#FC3142", [203, 5, 23], 6),
    ("#333333", [204, 204, 204], 4), ("#000000", [254, 254, 254], 4),
  ])
  func `the dark style converts five colours as PencilKit does`(
    hex: String, seen: [Double], tolerance: Double
  ) throws {
    let shown = dark(try #require(Color(hex: hex)))
    for (ours, theirs) in zip([shown.red, shown.green, shown.blue], seen) {
      #expect(abs(255 * ours - theirs) <= tolerance, "\(shown)")
    }
  }

  @Test func `converting a colour to the other style and back gives the same colour`() {
    var random = RandomInk(seed: 14)
    for index in 0..<300 {
      var color = random.color()
      if index.isMultiple(of: 3) { color.space = .displayP3 }
      expectClose(light(dark(color)), color)
      expectClose(dark(light(color)), color)
      expectClose(dark(color), light(color))
    }
  }

  @Test func `the dark style keeps greys grey and reverses their order`() {
    let greys = (0...50).map { dark(Color(white: Double($0) / 50)) }
    for grey in greys { #expect(grey.red == grey.green && grey.green == grey.blue) }
    for (a, b) in zip(greys, greys.dropFirst()) { #expect(a.red > b.red) }
  }

  @Test(arguments: ["#FF0000", "#0000FF", "#00FF00", "#FFFF00", "#007AFF"])
  func `the dark style keeps a colour of middle lightness`(hex: String) throws {
    let color = try #require(Color(hex: hex))
    expectClose(dark(color), color)
  }

  @Test(arguments: [
    ("#FFCC00", "#FFCC00"), ("#005000", "#AFFFAF"), ("#C05050", "#AF3F3F"), ("#5078C0", "#3F67AF"),
  ])
  func `the dark style inverts lightness and keeps hue`(hex: String, inDark: String) throws {
    expectClose(
      dark(try #require(Color(hex: hex))), try #require(Color(hex: inDark)), within: 1e-3)
  }

  @Test func `the dark style keeps a colour's opacity, space and gamut`() {
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

  @Test func `converting to the same style changes nothing, to the opposite one inverts`() {
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
