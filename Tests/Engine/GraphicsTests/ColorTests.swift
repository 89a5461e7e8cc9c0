import Testing

@testable import Graphics

private let red = Color(red: 1, green: 0, blue: 0)
private let green = Color(red: 0, green: 1, blue: 0)
private let blue = Color(red: 0, green: 0, blue: 1)
/// A few dozen colours, some of them outside the gamut.
private let samples = [-0.2, 0, 0.02, 0.35, 0.8, 1, 1.1].flatMap { r in
  [0, 0.5, 1].flatMap { g in
    [0.01, 0.7].map { b in Color(red: r, green: g, blue: b, alpha: 0.6) }
  }
}

private func areClose(_ a: Color, _ b: Color, within tolerance: Double = 1e-9) -> Bool {
  a.space == b.space && abs(a.red - b.red) <= tolerance && abs(a.green - b.green) <= tolerance
    && abs(a.blue - b.blue) <= tolerance && abs(a.alpha - b.alpha) <= tolerance
}

@Suite struct `Hexadecimal colours` {
  @Test(arguments: ["#000000", "#FFFFFF", "#12AB9F", "#01020304", "#FF00FF80", "#ABCDEF00"])
  func `hexadecimal colours are written as they were read`(text: String) {
    #expect(Color(hex: text)?.hex == text)
  }

  @Test func `every byte round-trips in each hexadecimal component`() {
    for byte in 0...255 {
      let digits = (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      for text in ["#\(digits)0000", "#00\(digits)00", "#0000\(digits)"] {
        #expect(Color(hex: text)?.hex == text)
      }
    }
  }

  @Test func `short hexadecimal colours double their digits`() {
    #expect(Color(hex: "#F0a") == Color(hex: "#FF00AA"))
    #expect(Color(hex: "#F0a8") == Color(hex: "#FF00AA88"))
    #expect(Color(hex: "#ff0000") == red)
  }

  @Test(arguments: [
    "", "#", "F0A", "#F", "#F0", "#F0A01", "#F0A01G", "#F0A01BC", "#F0A01BCDE", " #F0A", "#F0A ",
    "##F0A", "#+1+1+1", "#１２３", "#F0é",
  ])
  func `text that is not a hexadecimal colour is refused`(text: String) {
    #expect(Color(hex: text) == nil)
  }

  @Test func `components outside of the gamut are clamped in hexadecimal`() {
    #expect(Color(red: 1.5, green: -0.5, blue: 0.5, alpha: 7).hex == "#FF0080")
    #expect(Color.clear.hex == "#00000000")
  }
}

@Suite struct `A colour` {
  @Test func `clamping a colour changes only components outside of the range`() {
    let color = Color(red: 1.5, green: -0.5, blue: 0.5, alpha: 2, space: .displayP3)
    #expect(
      color.clamped == Color(red: 1, green: 0, blue: 0.5, alpha: 1, space: .displayP3))
    #expect(color.clamped.clamped == color.clamped)
  }

  @Test func `withAlpha changes the opacity only`() {
    #expect(red.withAlpha(0.25) == Color(red: 1, green: 0, blue: 0, alpha: 0.25))
  }

  @Test func `a colour is finite only if all components are`() {
    #expect(red.isFinite)
    #expect(!Color(red: .nan, green: 0, blue: 0).isFinite)
    #expect(!Color(white: 1, alpha: .infinity).isFinite)
  }
}

@Suite struct `Linear light` {
  @Test func `encoding linear light inverts decoding, also below 0 and above 1`() {
    for color in samples { #expect(areClose(color.linear.encoded, color)) }
  }

  @Test func `the transfer curve keeps 0 and 1 and has the known middle grey`() {
    #expect(ColorSpace.decode(0) == 0)
    #expect(ColorSpace.decode(1) == 1)
    #expect(abs(ColorSpace.encode(1) - 1) < 1e-15)
    #expect(abs(ColorSpace.decode(0.5) - 0.214_041) < 1e-6)
    #expect(abs(ColorSpace.encode(0.18) - 0.461_356) < 1e-6)
  }

  @Test func `the transfer curve rises everywhere and is odd`() {
    let values = (-1200...1200).map { Double($0) / 1000 }
    for (low, high) in zip(values, values.dropFirst()) {
      #expect(ColorSpace.decode(low) < ColorSpace.decode(high))
      #expect(ColorSpace.encode(low) < ColorSpace.encode(high))
      #expect(ColorSpace.decode(-low) == -ColorSpace.decode(low))
    }
  }

  @Test func `both parts of the transfer curve meet`() {
    let joint = 0.04045
    #expect(abs(ColorSpace.decode(joint.nextUp) - ColorSpace.decode(joint)) < 1e-7)
    #expect(abs(ColorSpace.encode(0.003_130_8.nextUp) - ColorSpace.encode(0.003_130_8)) < 1e-6)
  }
}

@Suite struct `Premultiplied colours` {
  @Test func `premultiplied colours have components multiplied by their opacity`() {
    let color = Color(red: 1, green: 0.5, blue: 0.25, alpha: 0.5)
    #expect(color.premultiplied.components == SIMD4(0.5, 0.25, 0.125, 0.5))
    #expect(red.premultiplied.components == SIMD4(1, 0, 0, 1))
  }

  @Test func `premultiplied colours convert back unless they are transparent`() {
    for color in samples { #expect(areClose(color.premultiplied.straight, color)) }
    let transparent = Color(red: 1, green: 0.5, blue: 0, alpha: 0, space: .displayP3)
    #expect(
      transparent.premultiplied.straight
        == Color(red: 0, green: 0, blue: 0, alpha: 0, space: .displayP3))
  }

  @Test func `an opaque colour hides the one below, a transparent one shows it`() {
    let below = Color(red: 0.1, green: 0.2, blue: 0.3, alpha: 0.4).premultiplied
    #expect(red.premultiplied.over(below) == red.premultiplied)
    #expect(Color.clear.premultiplied.over(below) == below)
  }

  @Test func `half transparent red over blue is half of both`() {
    let mixed = red.withAlpha(0.5).premultiplied.over(blue.premultiplied)
    #expect(mixed.components == SIMD4(0.5, 0, 0.5, 1))
  }

  @Test func `compositing is associative`() {
    let layers = samples.map(\.premultiplied)
    for (index, layer) in layers.enumerated() {
      let middle = layers[(index + 5) % layers.count]
      let bottom = layers[(index + 11) % layers.count]
      let one = layer.over(middle).over(bottom).components
      let other = layer.over(middle.over(bottom)).components
      #expect((one - other).max() < 1e-12 && (other - one).max() < 1e-12)
    }
  }
}

@Suite struct `Colour spaces` {
  @Test(arguments: [
    (red, [0.9175, 0.2003, 0.1386]), (green, [0.4584, 0.9853, 0.2983]), (blue, [0, 0, 0.9596]),
  ])
  func `the primaries of sRGB have their known components in Display P3`(
    color: Color, expected: [Double]
  ) {
    let converted = color.converted(to: .displayP3)
    let known = Color(
      red: expected[0], green: expected[1], blue: expected[2], space: .displayP3)
    #expect(areClose(converted, known, within: 6e-5), "\(converted)")
  }

  @Test func `the red of Display P3 lies outside of sRGB`() {
    let converted = Color(red: 1, green: 0, blue: 0, space: .displayP3).converted(to: .sRGB)
    let known = Color(red: 1.0930, green: -0.2267, blue: -0.1501)
    #expect(areClose(converted, known, within: 1e-4), "\(converted)")
  }

  @Test func `sRGB and Display P3 have the same greys`() {
    for step in 0...10 {
      let grey = Color(white: Double(step) / 10)
      var expected = grey
      expected.space = .displayP3
      #expect(areClose(grey.converted(to: .displayP3), expected))
    }
  }

  @Test func `converting to Display P3 and back gives the same colour`() {
    for color in samples {
      #expect(areClose(color.converted(to: .displayP3).converted(to: .sRGB), color))
      #expect(color.converted(to: .sRGB) == color)
    }
  }

  @Test func `names of colour spaces are stable, since files contain them`() {
    #expect(ColorSpace.allCases.map(\.rawValue) == ["srgb", "p3"])
  }
}

@Suite struct `Perceived colours` {
  /// Values of OKLab as its author publishes them.
  @Test(arguments: [
    (Color.white, [1, 0, 0]), (.black, [0, 0, 0]), (red, [0.627_96, 0.224_86, 0.125_85]),
    (green, [0.866_44, -0.233_89, 0.179_50]), (blue, [0.452_01, -0.032_46, -0.311_53]),
  ])
  func `known colours have their published OKLab coordinates`(color: Color, expected: [Double]) {
    let seen = color.perceived
    #expect(abs(seen.lightness - expected[0]) < 2e-5, "\(seen)")
    #expect(abs(seen.a - expected[1]) < 2e-5, "\(seen)")
    #expect(abs(seen.b - expected[2]) < 2e-5, "\(seen)")
  }

  @Test func `greys have no chroma and rise in lightness`() {
    let greys = (0...20).map { Color(white: Double($0) / 20).perceived }
    #expect(greys.allSatisfy { $0.chroma < 1e-4 })
    for (dark, light) in zip(greys, greys.dropFirst()) { #expect(dark.lightness < light.lightness) }
  }

  @Test func `perceived colours convert back to the same colours`() {
    for color in samples {
      #expect(areClose(Color(color.perceived, alpha: color.alpha), color, within: 1e-7))
    }
  }

  @Test func `perceived colours do not depend on the colour's space`() {
    for color in samples {
      let (one, other) = (color.perceived, color.converted(to: .displayP3).perceived)
      #expect(abs(one.lightness - other.lightness) < 1e-9)
      #expect(abs(one.a - other.a) < 1e-9)
      #expect(abs(one.b - other.b) < 1e-9)
    }
  }
}
