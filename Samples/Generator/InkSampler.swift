import Graphics
import Strokes

/// All eight inks on one sheet of 1040 × 1000 points: a row for each, the same marks in every row.
func inkSampler() -> Page {
  var page = Page(
    seed: 41, begun: Timestamp(secondsSinceReferenceDate: 816_955_200), unsteadiness: 0.35)
  for (index, specimen) in Specimen.all.enumerated() {
    page.draw(specimen, at: Double(index) * 120 + 30)
    page.artist.wait(1.5)
  }
  return page
}

/// The ink and the variations of a row.
private struct Specimen {
  var label: String
  var brush: Brush
  var secondColor: Color
  /// The brush for dense lines to and fro.
  var zigzag: Brush

  init(
    _ label: String, _ brush: Brush, _ secondColor: Color, zigzag: (Brush) -> Brush = { $0 }
  ) {
    self.label = label
    self.brush = brush
    self.secondColor = secondColor
    self.zigzag = zigzag(brush)
  }

  static let all = [
    Specimen("pen", Brush(.pen, Palette.ink, width: 1...5), Palette.coral),
    Specimen("monoline", Brush(.monoline, Palette.deepBlue, width: 2.6), Palette.teal),
    Specimen(
      "fountain pen", Brush(.fountainPen, Palette.plum, width: 3...10).held(azimuth: -0.75),
      Palette.rose),
    Specimen(
      "reed", Brush(.reed, Palette.sepia, width: 6...18).strong(0.3...1).held(azimuth: -0.85),
      Palette.coral),
    Specimen(
      "marker", Brush(.marker, Palette.sun.withAlpha(0.8), width: 11...19).held(azimuth: 1.15),
      Palette.sky.withAlpha(0.8)),
    Specimen(
      "pencil", Brush(.pencil, Palette.graphite, width: 2...6).strong(0.25...1), Palette.deepBlue,
      // The last mark is shaded with the side of the lead.
      zigzag: { $0.wide(16).strong(0.3...0.4).held(azimuth: 1.2, altitude: 0.45) }),
    Specimen(
      "crayon", Brush(.crayon, Palette.coral, width: 6...14).strong(0.3...1), Palette.sun),
    Specimen(
      "watercolor", Brush(.watercolor, Palette.sky, width: 12...28).strong(0.3...1), Palette.rose),
  ]
}

extension Page {
  /// One row: label, pressure ramp, curve, loop, crossing colours, taps, zigzag.
  fileprivate mutating func draw(_ specimen: Specimen, at y: Double) {
    let brush = specimen.brush.moving(at: 260, step: 5)
    write(specimen.label, at: Point(x: 34, y: y + 62), Penmanship(height: 13), label)
    draw(ramp.moved(x: 0, y: y), brush, .growing)
    draw([curve.moved(x: 0, y: y), loop.moved(x: 0, y: y)], brush, .even)
    drawCrossing(specimen, at: y, brush)
    tap(Point(x: 812, y: y + 34), brush, pressure: 0.25)
    tap(Point(x: 812, y: y + 80), brush, pressure: 1)
    shade(
      from: zigzagTops.moved(x: 0, y: y), to: zigzagFeet.moved(x: 0, y: y), turns: 9,
      rounded: true, specimen.zigzag.moving(at: 520, step: 8))
  }

  /// Three strokes in two colours, over a line of writing that must stay readable.
  private mutating func drawCrossing(_ specimen: Specimen, at y: Double, _ brush: Brush) {
    draw(wave.moved(x: 0, y: y), label)
    draw(crossing[0].moved(x: 0, y: y), brush, .even)
    draw(crossing[1].moved(x: 0, y: y), brush.colored(specimen.secondColor), .even)
    draw(crossing[2].moved(x: 0, y: y), brush, .even)
  }
}

private let label = Brush(.pen, Palette.ink, width: 0.8...2.2).moving(at: 170, step: 3)
private let ramp: Guide = "220,84 272,58 340,34"
private let curve: Guide = "384,38 398,80 418,88 438,60 458,32 478,40 492,84"
private let loop: Guide = "530,88 560,86 590,66 600,38 582,20 564,36 574,66 602,86 634,88"
private let wave: Guide =
  "668,60 678,50 686,70 696,50 704,70 714,50 722,70 732,50 740,70 750,50 758,70 768,56"
private let crossing: [Guide] = [
  "664,36 724,44 776,56", "686,18 716,56 748,98", "752,18 720,56 688,98",
]
private let zigzagTops: Guide = "856,26 990,22"
private let zigzagFeet: Guide = "850,94 984,90"
