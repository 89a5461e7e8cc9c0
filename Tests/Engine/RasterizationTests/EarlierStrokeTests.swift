import Graphics
import Strokes
import TestSupport
import Testing

@testable import Rasterization

@Suite struct EarlierStrokeTests {
  private static let canvas = Recording.Canvas(size: Size(width: 200, height: 100))

  /// A horizontal stroke from left to right.
  private static func stroke(
    _ type: PKInkingTool.InkType = .pen, y: Double = 50, opacity: Double = 1
  ) -> PKStroke {
    let points = (0...16).map {
      PKStrokePoint(
        location: Point(x: 20 + 10 * Double($0), y: y), timeOffset: 0.01 * Double($0),
        size: Size(width: 14, height: 14), opacity: opacity, force: 1, azimuth: 0.3, altitude: 1.1)
    }
    return PKStroke(
      ink: PKInk(type, color: .black),
      path: PKStrokePath(controlPoints: points, creationDate: .referenceDate), randomSeed: 9)
  }

  private func picture(
    _ strokes: [PKStroke], _ earlier: [EarlierStroke], _ look: RenderOptions.Earlier? = .sienna,
    change: (inout RenderOptions) -> Void = { _ in }
  ) throws -> Pixmap {
    var options = RenderOptions(earlier: look)
    change(&options)
    return try Renderer(options).picture(
      of: PKDrawing(strokes: strokes), on: Self.canvas, earlier: earlier)
  }

  private func pixel(_ red: UInt16, _ green: UInt16, _ blue: UInt16) -> Pixmap.Pixel {
    Pixmap.Pixel(red: 257 * red, green: 257 * green, blue: 257 * blue, alpha: 65_535)
  }

  @Test func `an earlier stroke is painted in 34 percent sienna or the given colour`() throws {
    let earlier = [EarlierStroke(Self.stroke())]
    // 255 − 0.34 · (255 − 160, 67, 31).
    #expect(try picture([], earlier)[100, 50] == pixel(223, 191, 179))
    let blue = Color(red: 0, green: 0, blue: 1, alpha: 0.5)
    #expect(try picture([], earlier, .color(blue))[100, 50] == pixel(127, 127, 255))
    #expect(try picture([], earlier, nil) == picture([], [], nil))
  }

  @Test func `an earlier stroke does not change ink beside it`() throws {
    let ink = [
      Self.stroke(.pencil, y: 40), Self.stroke(.marker, y: 60), Self.stroke(.watercolor, y: 55),
    ]
    let plain = try picture(ink, [])
    let both = try picture(ink, [EarlierStroke(Self.stroke(y: 80))])
    var differing = 0
    for y in 0..<100 {
      for x in 0..<200 where plain[x, y] != both[x, y] {
        differing += 1
        #expect((67...93).contains(y), "\(x), \(y)")
      }
    }
    #expect(differing > 1000)
  }

  @Test(arguments: PKInk.InkType.known)
  func `only the erased parts of a stroke show through`(type: PKInk.InkType) throws {
    let whole = Self.stroke(type)
    let hole = Path(Rect(x: 90, y: 0, width: 30, height: 100))
    let pieces = try #require(whole.pieces(erasing: hole))
    #expect(pieces.count == 2)
    for scale in [1.0, 2, 0.3] {
      let plain = try picture(pieces, []) { $0.extent = .scale(scale) }
      let both = try picture(pieces, [EarlierStroke(whole, remains: pieces)]) {
        $0.extent = .scale(scale)
      }
      var differing = 0
      for y in 0..<plain.height {
        for x in 0..<plain.width where plain[x, y] != both[x, y] {
          differing += 1
          #expect((88...122).contains(Double(x) / scale), "\(x), \(y)")
        }
      }
      #expect(Double(differing) > 60 * scale * scale, "\(type) at \(scale)")
    }
  }

  @Test func `a stroke that remains whole does not show through`() throws {
    let whole = Self.stroke(.crayon)
    #expect(
      try picture([], [EarlierStroke(whole, remains: [whole])]) == picture([], []))
  }

  @Test func `earlier strokes look the same in 16 bits and with several threads`() throws {
    let earlier = (0..<6).map { EarlierStroke(Self.stroke(.reed, y: 15 * Double($0))) }
    let ink = [Self.stroke(.fountainPen)]
    let plain = try picture(ink, earlier)
    #expect(try picture(ink, earlier) { $0.threads = 3 } == plain)
    let deep = try picture(ink, earlier) { $0.depth = .sixteen }
    for (x, y) in [(100, 15), (60, 30), (140, 75)] {
      #expect(abs(Int(plain[x, y].green) - Int(deep[x, y].green)) <= 2 * 257)
    }
    #expect(try picture(ink, earlier) { $0.blending = .linear } != plain)
  }
}
