import Graphics
import Strokes
import TestSupport
import Testing

@testable import Rasterization

struct BadInputTests {
  private func picture(
    _ strokes: [PKStroke], _ options: RenderOptions = RenderOptions(),
    page: Size? = Size(width: 80, height: 80)
  ) throws -> Pixmap {
    try Renderer(options).picture(
      of: PKDrawing(strokes: strokes), on: Recording.Canvas(size: page))
  }

  private func isBlank(_ picture: Pixmap) -> Bool {
    (0..<picture.height).allSatisfy { y in picture.bytes(ofRow: y).allSatisfy { $0 == 255 } }
  }

  @Test func `an empty drawing is rendered as blank paper`() throws {
    #expect(isBlank(try picture([])))
    #expect(isBlank(try picture([PKStroke(ink: PKInk(.pen), path: PKStrokePath())])))
    #expect(try picture([], page: nil).width == 1)
  }

  @Test(arguments: SceneInk.all)
  func `ink far outside leaves no pixel`(_ ink: SceneInk) throws {
    for position in [(5e3, 40), (40, -5e3), (1e7, 1e7), (1e30, -1e30)] as [(Double, Double)] {
      let away = ink.stroke([
        Point(x: position.0, y: position.1), Point(x: position.0 + 9, y: position.1),
      ])
      #expect(isBlank(try picture([away])), "\(position)")
    }
  }

  @Test(arguments: SceneInk.all)
  func `points with NaN, infinite or huge values are rendered`(
    _ ink: SceneInk
  ) throws {
    let values: [Double] = [
      .nan, .infinity, -.infinity, 0, -3, 1e30, .greatestFiniteMagnitude, 1e-300,
    ]
    for value in values {
      let keys: [WritableKeyPath<PKStrokePoint, Double>] = [
        \.size.width, \.size.height, \.opacity, \.azimuth, \.altitude, \.secondaryScale,
        \.threshold, \.lateralJitter,
      ]
      for key in keys {
        for every in [1, 2] {
          let stroke = ink.stroke(
            Figure.line, change: { if $0 % every == 0 { $1[keyPath: key] = value } })
          #expect(try picture([stroke]).width == 80)
        }
      }
    }
  }

  @Test(arguments: SceneInk.all)
  func `huge nibs cover the page`(_ ink: SceneInk) throws {
    for width in [3e3, 1e5, 1e12] {
      let large = SceneInk(type: ink.type, color: .black, width: width)
      let picture = try picture([large.stroke(Figure.line)])
      // A texture covers some pixels of the middle.
      #expect((30..<50).contains { picture[$0, 40].red < 60_000 }, "\(width)")
    }
  }

  @Test(arguments: SceneInk.all)
  func `strokes with transforms of all kinds are rendered`(_ ink: SceneInk) throws {
    let transforms = [
      AffineTransform(scale: 0), AffineTransform(scaleX: 1, y: 0), AffineTransform(scale: 1e-30),
      AffineTransform(scale: 1e30), AffineTransform(scaleX: 1e12, y: 1e-12),
      AffineTransform(a: .nan, b: 0, c: 0, d: 1, tx: 0, ty: 0),
      AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: .infinity, ty: 0),
      AffineTransform(a: 1, b: 1, c: 1, d: 1, tx: 0, ty: 0),
      AffineTransform(translationX: 1e18, y: -1e18),
      AffineTransform(scale: 1e200), AffineTransform(scaleX: 1e307, y: -1e307),
      AffineTransform(a: 1e307, b: 1e307, c: -1e307, d: 1e307, tx: -1e307, ty: 1e307),
    ]
    for transform in transforms {
      let stroke = ink.stroke(Figure.curve, transform: transform)
      #expect(try picture([stroke]).width == 80)
      // Framed by its content, the ink may be too large for a picture, which is an error.
      _ = try? picture([stroke], page: nil)
    }
  }

  @Test func `strokes with masks of all kinds are rendered`() throws {
    let pencil = SceneInk.of(.pencil)
    let masks = [
      Path(), Path(polygon: [.zero]), Path(polygon: Figure.points((0, 0), (80, 80))),
      Path(Rect(x: -1e30, y: -1e30, width: 2e30, height: 2e30)),
      Path(polygon: Figure.points((.nan, 0), (80, .infinity), (0, 80))),
      Path(ellipseIn: Rect(x: 1e9, y: 1e9, width: 1e9, height: 1)),
      Path(ellipseIn: Rect(x: -1e307, y: -1e307, width: 2e307, height: 2e307)),
    ]
    for mask in masks {
      #expect(try picture([pencil.stroke(Figure.curve, mask: mask)]).width == 80)
    }
    #expect(isBlank(try picture([pencil.stroke(Figure.curve, mask: Path())])))
  }

  @Test(arguments: [1e19, 1e30, 1e155, 1e307, .greatestFiniteMagnitude])
  func `a mask's vertex very far outside cuts like a nearer one`(_ far: Double) throws {
    let pencil = SceneInk.of(.pen)
    func picture(_ distance: Double, _ far: Double) throws -> [UInt8] {
      // Masks that show everything left of a vertical line, or above a horizontal one.
      let masks = [
        [(40, -distance), (40, distance), (-far, distance), (-far, -distance)],
        [(-far, -far), (40, -far), (40, far), (-far, far)],
        [(0, 0), (far, 0), (far, 40), (0, 40)],
      ].map { $0.map { Point(x: $0.0, y: $0.1) } }
      return try masks.flatMap { mask in
        let stroke = pencil.stroke(Figure.curve, mask: Path(polygon: mask))
        let picture = try self.picture([stroke])
        #expect(!isBlank(picture))
        return (0..<80).flatMap { picture.bytes(ofRow: $0) }
      }
    }
    #expect(try picture(1e4, far) == picture(1e4, 1e5))
  }

  @Test func `rendering with any margin, scale and colour gives a picture or an error`() throws {
    var stroke = SceneInk.of(.pen).stroke(Figure.curve)
    for color in [1e30, -1e307, 1e307, .greatestFiniteMagnitude] {
      stroke.ink.color = Color(red: color, green: 0, blue: -color, space: .displayP3)
      #expect(try picture([stroke]).width == 80)
    }
    for margin in [1e9, 1e155, 1e308] {
      for extent in [.longerSide(40), .pixels(width: 9, height: 9), .scale(1)]
        as [RenderOptions.Extent]
      {
        let options = RenderOptions(extent: extent, frame: .content, margin: .points(margin))
        do {
          _ = try picture([stroke], options)
        } catch let error as RenderError {
          #expect(!"\(error)".isEmpty)
        }
      }
    }
    for scale in [Double.leastNonzeroMagnitude, 1e-300, 1e-30] {
      let options = RenderOptions(
        extent: .scale(scale), region: Rect(x: 0, y: 0, width: 1e-9, height: 80))
      #expect(try picture([stroke], options).width == 1)
    }
  }

  @Test(arguments: SceneInk.all)
  func `a crowd of points in one pixel is rendered as a dot`(_ ink: SceneInk) throws {
    var random = SplitMix64(seed: 31)
    let crowd = (0..<3000).map { _ in
      Point(
        x: .random(in: 40..<40.9, using: &random), y: .random(in: 40..<40.9, using: &random))
    }
    let picture = try picture([ink.stroke(crowd)])
    let reach = Int(ink.width / 2 + 6)
    for y in 0..<80 {
      for x in 0..<80 where abs(x - 40) > reach || abs(y - 40) > reach {
        guard picture[x, y].red != 65_535 else { continue }
        Issue.record("ink at \(x), \(y)")
        return
      }
    }
    #expect(!isBlank(picture))
  }

  @Test(arguments: SceneInk.all)
  func `a magnified region shows the ink inside it`(_ ink: SceneInk) throws {
    // A straight stroke without holes covers the pixels near its middle.
    let stroke = SceneInk(type: ink.type, color: .black, width: ink.width)
      .stroke(Figure.points((0, 40), (80, 40)))
    for zoom in [50.0, 1e3, 2e4] {
      let side = 40 / zoom
      var options = RenderOptions(extent: .scale(zoom))
      // Beside the middle of the stroke, well inside its edge.
      options.region = Rect(x: 40, y: 40 + ink.width * 0.1, width: side, height: side)
      let picture = try picture([stroke], options)
      let inked = (0..<40).filter { picture[$0, 20].red < 65_000 }.count
      #expect(inked > 5, "\(zoom)")
    }
  }
}
