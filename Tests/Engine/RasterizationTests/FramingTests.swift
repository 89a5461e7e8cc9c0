import Graphics
import Strokes
import TestSupport
import Testing

@testable import Rasterization

struct FramingTests {
  private func framing(
    _ options: RenderOptions, page: Size? = nil, content: Rect = .null
  ) throws(RenderError) -> Framing { try Framing(options: options, page: page) { content } }

  private let page = Size(width: 40, height: 30)
  private let ink = Rect(x: 10, y: 12, width: 5, height: 6)

  @Test func `the whole page is framed if there is one`() throws {
    let framing = try framing(RenderOptions(extent: .scale(2)), page: page, content: ink)
    #expect(framing.width == 80 && framing.height == 60 && framing.scale == 2)
    #expect(framing.transform == AffineTransform(a: 2, b: 0, c: 0, d: 2, tx: 0, ty: 0))
    #expect(framing.visible == Rect(x: 0, y: 0, width: 40, height: 30))
  }

  @Test func `the ink is framed if there is no page, or if options ask for it`() throws {
    for (options, page) in [
      (RenderOptions(), nil), (RenderOptions(frame: .content), page as Size?),
    ] {
      let framing = try framing(options, page: page, content: ink)
      #expect(framing.width == 5 && framing.height == 6)
      #expect(Point(x: 10, y: 12).applying(framing.transform) == .zero)
    }
  }

  @Test func `a margin surrounds the page or the ink`() throws {
    let around = try framing(RenderOptions(frame: .content, margin: .points(3)), content: ink)
    #expect(around.width == 11 && around.height == 12)
    let aroundPage = try framing(RenderOptions(margin: .points(3)), page: page)
    #expect(aroundPage.width == 46 && aroundPage.height == 36)
    #expect(aroundPage.page == Rect(origin: .zero, size: page))
  }

  @Test func `a part of the ink as margin goes by its longer side, and never surrounds a page`()
    throws
  {
    let part = RenderOptions.Margin.partOfInk(0.5)
    let framing = try framing(RenderOptions(frame: .content, margin: part), content: ink)
    #expect(framing.visible == Rect(x: 7, y: 9, width: 11, height: 12))
    let aroundPage = try self.framing(RenderOptions(margin: part), page: page, content: ink)
    #expect(aroundPage.visible == Rect(origin: .zero, size: page))
    let region = try self.framing(RenderOptions(region: ink, margin: part), page: page)
    #expect(region.visible == ink)
  }

  @Test func `ink in a thumbnail has air on all sides`() throws {
    let options = RenderOptions(extent: .longerSide(256), margin: .ofThumbnails)
    let framing = try framing(options, content: Rect(x: 5, y: 5, width: 200, height: 50))
    // 200 of 224 points, and 50 of 74.
    #expect(framing.width == 256 && framing.height == 85)
    let corner = Point(x: 5, y: 5).applying(framing.transform)
    #expect((13...15).contains(corner.x) && (13...15).contains(corner.y))
    #expect(try self.framing(options).width == 256, "a drawing without ink")
    let dot = try self.framing(options, content: Rect(x: 0, y: 0, width: 2, height: 2))
    #expect(dot.width == 256 && dot.height == 256)
  }

  @Test func `tiny ink is magnified four times at most in a thumbnail, and stays in its middle`()
    throws
  {
    let (dot, dash) = (
      Rect(x: 10, y: 20, width: 2, height: 2), Rect(x: 0, y: 0, width: 30, height: 2)
    )
    for ink in [dot, dash] {
      for extent in [
        RenderOptions.Extent.longerSide(256), .longerSide(28 * 8), .pixels(width: 256, height: 256),
        .pixels(width: 300, height: 200),
      ] {
        let framing = try framing(
          RenderOptions(extent: extent, margin: .ofThumbnails), content: ink)
        #expect(abs(framing.scale - 4) < 0.05, "\(extent)")
        let middle = ink.center.applying(framing.transform)
        #expect(abs(middle.x - Double(framing.width) / 2) < 1, "\(extent)")
        #expect(abs(middle.y - Double(framing.height) / 2) < 1, "\(extent)")
      }
    }
    // A given scale or margin, or ink that is large enough, disables the limit.
    let small = try framing(RenderOptions(extent: .longerSide(256)), content: dot)
    #expect(small.scale == 128)
    let scaled = try framing(
      RenderOptions(extent: .scale(9), margin: .ofThumbnails), content: dot)
    #expect(scaled.scale == 9)
    let icon = try framing(
      RenderOptions(extent: .longerSide(28), margin: .ofThumbnails),
      content: Rect(x: 0, y: 0, width: 20, height: 9))
    #expect(icon.scale < 1.3 && icon.scale > 1.2)
  }

  @Test(arguments: [1e300, 0.9 * Double.greatestFiniteMagnitude])
  func `a part of huge ink never makes a picture too large`(_ width: Double) throws {
    for part in [0.06, 1, 1e308] {
      let framing = try framing(
        RenderOptions(extent: .longerSide(100), margin: .partOfInk(part)),
        content: Rect(x: 0, y: 0, width: width, height: width / 2))
      #expect(framing.width == 100 && framing.visible.width.isFinite)
    }
  }

  @Test func `a region may lie anywhere, and has no margin`() throws {
    let region = Rect(x: -7, y: 100, width: 3, height: 4)
    let framing = try framing(RenderOptions(region: region, margin: .points(9)), page: page)
    #expect(framing.visible == region && framing.width == 3 && framing.height == 4)
  }

  @Test func `sizes in pixels are rounded up`() throws {
    let framing = try framing(RenderOptions(extent: .scale(0.3)), page: page)
    #expect(framing.width == 12 && framing.height == 9)
    let larger = try self.framing(RenderOptions(extent: .scale(0.31)), page: page)
    #expect(larger.width == 13 && larger.height == 10)
  }

  @Test func `the longer side is exact, and the other one keeps the proportions`() throws {
    for (page, width, height) in [
      (page, 256, 192), (Size(width: 30, height: 40), 192, 256),
      (Size(width: 1e4, height: 1), 256, 1),
    ] {
      let framing = try framing(RenderOptions(extent: .longerSide(256)), page: page)
      #expect(framing.width == width && framing.height == height)
    }
  }

  @Test func `the content is centred in a size in pixels`() throws {
    let framing = try framing(
      RenderOptions(extent: .pixels(width: 100, height: 90)), page: page)
    #expect(framing.width == 100 && framing.height == 90 && framing.scale == 2.5)
    #expect(Point(x: 20, y: 15).applying(framing.transform) == Point(x: 50, y: 45))
  }

  @Test func `a drawing without ink and page is one point in size`() throws {
    let framing = try framing(RenderOptions(extent: .scale(3)))
    #expect(framing.width == 3 && framing.height == 3)
  }

  @Test(
    arguments: [
      (RenderOptions(extent: .scale(0)), .notANumber("scale")),
      (RenderOptions(extent: .scale(-1)), .notANumber("scale")),
      (RenderOptions(extent: .scale(.nan)), .notANumber("scale")),
      (RenderOptions(extent: .scale(.infinity)), .notANumber("scale")),
      (RenderOptions(extent: .pixels(width: 0, height: 1)), .empty("picture")),
      (RenderOptions(extent: .pixels(width: 1, height: -1)), .empty("picture")),
      (RenderOptions(extent: .longerSide(0)), .empty("picture")),
      (RenderOptions(margin: .points(-1)), .notANumber("margin")),
      (RenderOptions(margin: .points(.nan)), .notANumber("margin")),
      (RenderOptions(margin: .partOfInk(-0.1)), .notANumber("margin")),
      (RenderOptions(margin: .partOfInk(.infinity)), .notANumber("margin")),
      (RenderOptions(region: Rect(x: 0, y: 0, width: 0, height: 1)), .empty("region")),
      (RenderOptions(region: .null), .notANumber("region")),
      (RenderOptions(region: Rect(x: .nan, y: 0, width: 1, height: 1)), .notANumber("region")),
      (
        RenderOptions(region: Rect(x: 0, y: 0, width: .infinity, height: 1)), .notANumber("region")
      ),
      (RenderOptions(frame: .page), .noPage),
      (
        RenderOptions(extent: .pixels(width: 11, height: 10), maximumPixels: 109),
        .tooLarge(width: 11, height: 10, maximumPixels: 109)
      ),
      (
        RenderOptions(extent: .pixels(width: 100_001, height: 1)),
        .tooLarge(width: 100_001, height: 1, maximumPixels: 100_000_000)
      ),
      (
        RenderOptions(extent: .longerSide(100), margin: .points(1e308)),
        .tooLarge(width: .infinity, height: .infinity, maximumPixels: 100_000_000)
      ),
    ] as [(RenderOptions, RenderError.Problem)])
  func `invalid options are refused`(
    _ options: RenderOptions, _ problem: RenderError.Problem
  ) {
    #expect(throws: RenderError(problem)) { try framing(options, content: ink) }
    #expect(!"\(RenderError(problem))".isEmpty)
  }

  @Test(arguments: [1e5, 1e9, 1e300, .greatestFiniteMagnitude] as [Double])
  func `huge scales are refused before memory is allocated`(_ scale: Double) {
    #expect(throws: RenderError.self) {
      try framing(RenderOptions(extent: .scale(scale)), page: page)
    }
  }

  @Test func `a region has the pixels of the page, even if a marker lies outside of it`() throws {
    func line(_ ink: PKInk, from a: Point, to b: Point) -> PKStroke {
      PKStroke(
        ink: ink,
        path: PKStrokePath(
          controlPoints: [a, b].map {
            PKStrokePoint(
              location: $0, timeOffset: 0, size: Size(width: 9, height: 9), opacity: 1, force: 1,
              azimuth: 0, altitude: 1)
          }))
    }
    // Translucent ink is rounded differently on paper than in an isolated group.
    let pens = (0..<6).map { number in
      line(
        PKInk(.pen, color: Color(red: 0.3, green: 0.55, blue: 0.1, alpha: 0.37)),
        from: Point(x: 4, y: 6 + 7 * Double(number)), to: Point(x: 56, y: 50 - 6 * Double(number)))
    }
    let marker = line(
      PKInk(.marker, color: Color(red: 1, green: 0.8, blue: 0)), from: Point(x: 100, y: 10),
      to: Point(x: 140, y: 50))
    let drawing = PKDrawing(strokes: pens + [marker])
    let page = Rect(x: 0, y: 0, width: 160, height: 60)
    let part = Rect(x: 0, y: 0, width: 64, height: 60)
    let background = RenderOptions.Background.color(Color(red: 0.97, green: 0.93, blue: 0.88))
    let whole = try Renderer(RenderOptions(region: page, background: background))
      .picture(of: drawing)
    let seen = try Renderer(RenderOptions(region: part, background: background))
      .picture(of: drawing)
    for y in 0..<60 {
      #expect((0..<64).allSatisfy { seen[$0, y] == whole[$0, y] })
    }
  }
}
