import Graphics
import Strokes
import Testing

@testable import Rasterization

/// Ink that does not show on its background, and backgrounds on which it does.
struct InkContrastTests {
  private let dark = Color(red: 28.0 / 255, green: 28.0 / 255, blue: 30.0 / 255)

  /// A rendering of a line for each ink, one below the other.
  private func rendering(
    _ inks: [PKInk], page: Color? = nil, _ options: RenderOptions = RenderOptions()
  ) throws -> Rendering {
    let strokes = inks.enumerated().map { index, ink in
      let y = 10 + 20 * Double(index)
      let points = [Point(x: 10, y: y), Point(x: 60, y: y)]
      return SceneInk(type: ink.inkType, color: ink.color, width: 4).stroke(points)
    }
    return try Renderer(options).rendering(
      of: PKDrawing(strokes: strokes), on: Recording.Canvas(background: page))
  }

  private func pens(_ colors: Color...) -> [PKInk] { colors.map { PKInk(.pen, color: $0) } }

  private func grey(_ byte: Double, alpha: Double = 1) -> Color {
    Color(white: byte / 255, alpha: alpha)
  }

  private func chosen(
    _ inks: [PKInk], page: Color? = nil, style: RenderOptions.Style = .light
  ) throws -> Color {
    try rendering(inks, page: page, RenderOptions(background: .automatic, style: style)).background
  }

  // MARK: - Hidden ink

  @Test func `ink is hidden if all of it has nearly the colour of the background`() throws {
    #expect(try rendering(pens(.white)).hiddenInk == .white)
    #expect(try rendering(pens(grey(248), .white)).hiddenInk == grey(248))
    #expect(try rendering(pens(grey(247))).hiddenInk == nil)
    #expect(try rendering(pens(.white, .white, .black)).hiddenInk == nil)
    #expect(try rendering(pens(Color(red: 1, green: 1, blue: 0.9))).hiddenInk == nil)
    #expect(try rendering([]).hiddenInk == nil)
    #expect(try rendering(pens(.black), page: grey(5)).hiddenInk == .black)
  }

  @Test func `faint ink is hidden if it changes the background too little`() throws {
    #expect(try rendering(pens(grey(225, alpha: 0.2))).hiddenInk != nil)
    #expect(try rendering(pens(grey(205, alpha: 0.2))).hiddenInk == nil)
    // No background shows transparent ink.
    #expect(try rendering(pens(Color(white: 1, alpha: 0.02))).hiddenInk == nil)
  }

  @Test func `only strokes that may be visible count as hidden`() throws {
    let region = Rect(x: 0, y: 0, width: 80, height: 18)
    for (options, isHidden) in [(RenderOptions(region: region), true), (RenderOptions(), false)] {
      #expect(try (rendering(pens(.white, .black), options).hiddenInk != nil) == isHidden)
    }
    let elsewhere = RenderOptions(region: Rect(x: 500, y: 0, width: 9, height: 9))
    #expect(try rendering(pens(.white), elsewhere).hiddenInk == nil)
  }

  @Test func `all ink shows on translucent backgrounds`() throws {
    for background in [.transparent, .color(Color(white: 1, alpha: 0.9))]
      as [RenderOptions.Background]
    {
      #expect(try rendering(pens(.white), RenderOptions(background: background)).hiddenInk == nil)
    }
  }

  @Test func `ink and background are compared as the style shows them`() throws {
    func isHidden(_ color: Color, on background: RenderOptions.Background) throws -> Bool {
      let options = RenderOptions(background: background, style: .dark)
      return try rendering(pens(color), options).hiddenInk != nil
    }
    #expect(try !isHidden(.black, on: .page) && isHidden(.white, on: .page))
    #expect(try isHidden(.black, on: .color(.white)) && !isHidden(.white, on: .color(.white)))
  }

  @Test(arguments: SceneInk.all)
  func `white ink of every kind is hidden on white, where it leaves no pixel`(_ ink: SceneInk)
    throws
  {
    let rendering = try rendering([PKInk(ink.type, color: .white)])
    #expect(rendering.hiddenInk == .white)
    let picture = rendering.pixmap
    for y in 0..<picture.height {
      #expect((0..<picture.width).allSatisfy { picture[$0, y] == picture[0, 0] })
    }
  }

  // MARK: - The automatic background

  @Test func `the automatic background is the page's if half of the strokes show on it`()
    throws
  {
    let paper = Color(red: 0.98, green: 0.95, blue: 0.85)
    #expect(try chosen(pens(.black)) == .white)
    #expect(try chosen(pens(.black), page: paper) == paper)
    #expect(try chosen(pens(.black, .white)) == .white)
    #expect(try chosen([], page: paper) == paper)
    #expect(try chosen(pens(.clear), page: paper) == paper)
    #expect(try chosen(pens(.white), page: .clear) == .clear)
  }

  @Test func `ink that does not show gets the automatic background it differs from more`() throws {
    #expect(try chosen(pens(.white)) == dark)
    #expect(try chosen(pens(.white, .white, .black)) == dark)
    #expect(try chosen(pens(.black), page: .black) == .white)
    let yellow = Color(red: 1, green: 1, blue: 0)
    #expect(try chosen(pens(yellow), page: yellow) == dark)
    #expect(try chosen(pens(dark), page: dark) == .white)
    let paper = Color(red: 0.98, green: 0.95, blue: 0.85)
    #expect(try chosen(pens(paper), page: paper) == dark)
  }

  @Test func `ink that differs from white and dark paper alike gets white paper`() throws {
    // Halfway between the lightness of white and of dark paper.
    let middle = (1 + dark.perceived.lightness) / 2
    let grey = Color(PerceivedColor(lightness: middle, a: 0, b: 0))
    #expect(abs(grey.perceived.lightness - middle) < 1e-4)
    #expect(try chosen(pens(grey), page: grey) == .white)
  }

  @Test func `the automatic background is chosen for the colours of the dark style`() throws {
    // In the dark style black ink becomes white, and white paper black.
    #expect(try chosen(pens(.black), style: .dark).hex == "#000000")
    #expect(try chosen(pens(.white), style: .dark) == .white)
    #expect(try chosen(pens(.black), page: .black, style: .dark) == dark)
  }

  @Test func `the ink shows on the automatic background, whatever its colour`() throws {
    for step in 0...255 {
      let color = grey(Double(step))
      for page in [color, nil] {
        let options = RenderOptions(background: .automatic)
        let rendering = try rendering(pens(color), page: page, options)
        #expect(rendering.hiddenInk == nil, "\(step)")
      }
    }
  }

  // MARK: - Sheets

  private func sheet(_ colors: Color..., page: Color? = nil, isDark: Bool = false) throws -> Color {
    let options = RenderOptions(
      background: .sheet(isDark ? .darkSheet : .lightSheet), style: isDark ? .dark : .light)
    return try rendering(colors.map { PKInk(.pen, color: $0) }, page: page, options).background
  }

  @Test func `white and very light ink gets a dark sheet, and other ink does not`() throws {
    for value in [255.0, 240, 221] { #expect(try sheet(grey(value)) == .darkSheet) }
    for value in [0.0, 60, 128, 200] { #expect(try sheet(grey(value)) == .lightSheet) }
    // This yellow differs from white by its hue.
    #expect(try sheet(Color(red: 1, green: 0.9, blue: 0.2)) == .lightSheet)
    #expect(try sheet(Color(red: 1, green: 0.6, blue: 0.7, alpha: 0.35)) == .lightSheet)
    #expect(try sheet() == .lightSheet)
    // The page's own colour does not matter.
    #expect(try sheet(.white, page: .black) == .darkSheet)
    #expect(try sheet(.black, page: .black) == .lightSheet)
  }

  @Test func `ink that becomes dark in dark surroundings gets a light sheet`() throws {
    for value in [255.0, 240, 221] {
      #expect(try sheet(grey(value), isDark: true) == .lightSheet)
    }
    for value in [0.0, 60, 128] { #expect(try sheet(grey(value), isDark: true) == .darkSheet) }
  }

  @Test func `the sheet follows half of the strokes, and transparent ink does not count`()
    throws
  {
    #expect(try sheet(.white, .white, .black) == .darkSheet)
    #expect(try sheet(.white, .black) == .lightSheet)
    #expect(try sheet(Color(white: 1, alpha: 0)) == .lightSheet)
  }

  @Test func `a region has the automatic background of the whole drawing`() throws {
    let options = RenderOptions(
      region: Rect(x: 0, y: 0, width: 80, height: 18), background: .automatic)
    let inks = pens(.black, .white, .white)
    let part = try rendering(inks, options)
    #expect(part.background == dark)
    let whole = try rendering(
      inks, RenderOptions(region: Rect(x: 0, y: 0, width: 80, height: 70), background: .automatic))
    let (seen, all) = (part.pixmap, whole.pixmap)
    for y in 0..<18 { #expect((0..<80).allSatisfy { seen[$0, y] == all[$0, y] }) }
  }

  @Test func `colours that are not finite get an automatic background`() throws {
    for value in [Double.nan, .infinity, -1e307, 1e307] {
      let odd = Color(red: value, green: -value, blue: 1, alpha: value)
      _ = try chosen(pens(odd, .white))
      _ = try rendering(pens(odd)).hiddenInk
    }
  }
}
