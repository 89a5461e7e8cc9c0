import Graphics
import Strokes
import Testing

@testable import Rasterization

/// The prediction that a picture has more colours than a palette can store.
struct ExpectedColorTests {
  private func expectsMany(
    _ colors: [Color], _ type: PKInkingTool.InkType = .monoline,
    paper: RenderOptions.Paper = .blank
  ) throws -> Bool {
    let strokes = colors.enumerated().map { index, color in
      let y = 10 + 20 * Double(index)
      return SceneInk(type: type, color: color, width: 4)
        .stroke([Point(x: 10, y: y), Point(x: 60, y: y)])
    }
    var options = RenderOptions()
    options.paper = paper
    return try Renderer(options).rendering(
      of: PKDrawing(strokes: strokes), on: Recording.Canvas(size: Size(width: 90, height: 240))
    ).expectsManyColors
  }

  private static let red = Color(red: 0.8, green: 0, blue: 0)
  private static let green = Color(red: 0, green: 0.6, blue: 0)
  private static let blue = Color(red: 0, green: 0, blue: 0.9)
  private static let brown = Color(red: 0.5, green: 0.3, blue: 0.1)

  @Test func `up to three opaque inks have few colours`() throws {
    #expect(try !expectsMany([]))
    #expect(try !expectsMany([Self.red]))
    #expect(try !expectsMany([Self.red, Self.green, Self.blue]))
    #expect(try expectsMany([Self.red, Self.green, Self.blue, Self.brown]))
  }

  @Test func `strokes of one colour, and all greys, count as one ink`() throws {
    #expect(try !expectsMany([Self.red, Self.red, Self.red, Self.red, Self.red]))
    let greys = [0, 0.2, 0.4, 0.6, 0.8].map { Color(white: $0) }
    #expect(try !expectsMany(greys))
    #expect(try !expectsMany([Self.red] + greys + [Self.blue]))
    #expect(try expectsMany([Self.red, Self.green] + greys + [Self.blue]))
  }

  @Test func `two inks have many colours where they mix`() throws {
    let translucent = Self.red.withAlpha(0.5)
    #expect(try !expectsMany([translucent]))
    #expect(try expectsMany([translucent, Self.blue]))
    #expect(try expectsMany([Self.blue, translucent]))
    #expect(try expectsMany([Self.blue, Self.red], .watercolor))
  }

  @Test func `two inks of which one has a grain or changes its opacity have many colours`() throws {
    #expect(try expectsMany([Self.blue, Self.red], .pencil))
    #expect(try expectsMany([Self.blue, Self.red], .crayon))
    let strokes = [Self.blue, Self.red].map { color in
      SceneInk(type: .monoline, color: color, width: 4).stroke(
        [Point(x: 10, y: 20), Point(x: 40, y: 30), Point(x: 70, y: 20)],
        change: { $1.opacity = 1 - 0.3 * Double($0) })
    }
    let rendering = try Renderer().rendering(of: PKDrawing(strokes: strokes))
    #expect(rendering.expectsManyColors)
  }
}
