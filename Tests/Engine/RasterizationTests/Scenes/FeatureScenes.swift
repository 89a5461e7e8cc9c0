import Graphics
import Strokes

@testable import Rasterization

/// The features of strokes and options, one scene for each.
extension PictureScene {
  static let features: [PictureScene] =
    masks + parts + turned + wet + opacities + thresholds + overlapPolicies + grounds + pixels
    + qualities + [unknownInk]

  private static let pen = SceneInk.of(.pen)
  private static let pencil = SceneInk.of(.pencil)
  private static let marker = SceneInk.of(.marker)
  private static let crayon = SceneInk.of(.crayon)
  private static let watercolor = SceneInk.of(.watercolor)

  // MARK: - Strokes

  private static let masks = [pen, .of(.fountainPen), pencil, watercolor].flatMap { ink in
    [masked(ink, .nonZero), masked(ink, .evenOdd)]
  }

  /// A stroke with a transform and a star as its mask; the even-odd rule leaves out the star's
  /// middle.
  private static func masked(_ ink: SceneInk, _ rule: Path.FillRule) -> PictureScene {
    let star = Figure.points((40, 5), (62, 75), (5, 30), (75, 30), (18, 75))
    let move = AffineTransform(a: 0.9, b: 0.1, c: -0.1, d: 0.9, tx: 6, ty: 1)
    return PictureScene(
      "\(ink.type.name) masked \(rule)",
      [
        ink.stroke(
          Figure.zigzag, part: { _ in 1.4 }, transform: move,
          mask: Path(polygon: star, fillRule: rule))
      ])
  }

  private static let parts = SceneInk.all.map { ink in
    let whole = ink.stroke(Figure.loop)
    return PictureScene(
      "\(ink.type.name) parts",
      [whole.substroke(range: 0.4...1.9), whole.substroke(range: 3.2...3.2)]
        + [whole.substroke(range: 4.5...6.75)])
  }

  private static let turned = SceneInk.all.flatMap { ink in
    [
      transformed(ink, "turned", AffineTransform(a: 0.8, b: 0.6, c: -0.6, d: 0.8, tx: 36, ty: -14)),
      transformed(
        ink, "enlarged", AffineTransform(a: 1.6, b: 0, c: 0, d: 1.6, tx: -22.3, ty: -24.1)),
      transformed(ink, "mirrored", AffineTransform(a: -1, b: 0, c: 0, d: 1, tx: 81, ty: 0)),
      transformed(ink, "skewed", AffineTransform(a: 1.2, b: 0.1, c: 0.7, d: 0.5, tx: -28, ty: 15)),
    ]
  }

  private static func transformed(
    _ ink: SceneInk, _ how: String, _ transform: AffineTransform
  ) -> PictureScene {
    PictureScene("\(ink.type.name) \(how)", [ink.stroke(Figure.curve, transform: transform)])
  }

  /// Two strokes of one wet group, and a third outside it.
  private static let wet = SceneInk.all.map { ink in
    let group = Identifier(high: 0, low: 1)
    return PictureScene(
      "\(ink.type.name) wet",
      [
        ink.stroke(Figure.line, group: group),
        ink.stroke(Figure.points((14, 66), (66, 16)), seed: 8, group: group),
        ink.stroke(Figure.points((18, 20), (62, 60)), seed: 9),
      ])
  }

  private static let opacities = SceneInk.all.map { ink in
    PictureScene(
      "\(ink.type.name) opacities",
      [
        ink.stroke(Figure.loop, change: { $1.opacity = 0.15 + 0.12 * Double($0) }),
        ink.stroke(
          Figure.points((14, 70), (66, 70)), color: ink.color.withAlpha(0.5),
          change: { $1.opacity = 0.6 }),
      ])
  }

  private static let thresholds = [pen, pencil, .of(.reed), marker].map { ink in
    PictureScene(
      "\(ink.type.name) threshold", [ink.stroke(Figure.curve, change: { $1.threshold = 0.45 })])
  }

  private static let unknownInk = PictureScene(
    "unknown ink",
    [
      SceneInk(type: .other(identifier: "com.example.sparkle"), color: .black, width: 3.2)
        .stroke(Figure.loop)
    ])

  // MARK: - Options

  private static let overlapPolicies = RenderOptions.Overlap.allCases.flatMap { overlap in
    [pen, .of(.fountainPen), pencil, marker, watercolor].map { ink in
      PictureScene(
        "\(ink.type.name) \(overlap)",
        [
          ink.stroke(Figure.loop, color: ink.color.withAlpha(0.6)),
          ink.stroke(
            Figure.points((14, 70), (70, 20)), color: ink.color.withAlpha(0.6), seed: 9,
            change: { $1.opacity = 0.5 + 0.4 * Double($0) }),
          // Earlier strokes must not leave anything in the fields for the next one.
          pencil.stroke(Figure.points((24, 32), (56, 36))),
        ]
      ) { $0.options.overlap = overlap }
    }
  }

  private static let mixed = [
    pen.stroke(Figure.curve), marker.stroke(Figure.line), pencil.stroke(Figure.zigzag),
    watercolor.stroke(Figure.loop), crayon.stroke(Figure.points((20, 60), (60, 70))),
  ]

  private static let grounds = [
    PictureScene("transparent background", mixed) { $0.options.background = .transparent },
    PictureScene("green background", mixed) {
      $0.options.background = .color(Color(red: 0.3, green: 0.5, blue: 0.4))
    },
    PictureScene("translucent red background", mixed) {
      $0.options.background = .color(Color(red: 1, green: 0.2, blue: 0.2, alpha: 0.5))
    },
    PictureScene("coloured page", mixed) {
      $0.canvas.background = Color(red: 0.98, green: 0.95, blue: 0.85)
    },
    PictureScene("lined paper", mixed) { $0.options.paper = .lined },
    PictureScene("dotted, transparent background", mixed) {
      $0.options.paper = .dotted
      $0.options.background = .transparent
    },
    PictureScene("stored colours", mixed) { $0.options.style = .stored },
  ]

  private static let pixels = [
    PictureScene("16 bits", mixed) { $0.options.depth = .sixteen },
    PictureScene("16 bits, transparent background", mixed) {
      $0.options.depth = .sixteen
      $0.options.background = .transparent
    },
    PictureScene("linear light", mixed) { $0.options.blending = .linear },
    PictureScene("linear light, transparent background", mixed) {
      $0.options.blending = .linear
      $0.options.background = .transparent
    },
    PictureScene("linear light, 16 bits", mixed) {
      $0.options.blending = .linear
      $0.options.depth = .sixteen
    },
    PictureScene("Display P3", mixed) { $0.options.colorSpace = .displayP3 },
    PictureScene("Display P3, linear light, 16 bits", mixed) {
      $0.options.colorSpace = .displayP3
      $0.options.blending = .linear
      $0.options.depth = .sixteen
    },
  ]

  private static let qualities = RenderOptions.Quality.allCases.flatMap { quality in
    [
      PictureScene("\(quality) quality", mixed) { $0.options.quality = quality },
      PictureScene("\(quality) thumbnail", mixed) {
        $0.options.quality = quality
        $0.options.extent = .longerSide(24)
      },
    ]
  }
}
