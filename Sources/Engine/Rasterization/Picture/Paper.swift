import CRasterKernels
import Graphics

/// The lines or dots on a paper, in points from the page's corner, so that every part of a page
/// shows the same ones.
struct PaperPattern {
  /// Lines of one weight, or dots.
  struct Layer {
    /// The smallest distance between lines, in points.
    let pitch: Double
    /// Half the width of lines, or the radius of dots, in points.
    let reach: Double
    let strength: Strength
    /// The lines that cover a part of the page, as polylines. None leaves `limits`, the part of the
    /// page whose coordinates in pixels are in range.
    let marks: (_ part: Rect, _ limits: Rect) -> [[Point]]
  }

  /// The visibility of lines.
  enum Strength {
    case faint, plain

    /// A bluish grey, translucent so that white and black paper both show through.
    var color: Color {
      Color(red: 0.46, green: 0.58, blue: 0.73, alpha: self == .faint ? 0.45 : 0.75)
    }
  }

  let layers: [Layer]
  /// The pattern ends at the page's edges; nil where it has none.
  let page: Rect?

  init(_ paper: RenderOptions.Paper, page: Rect?) {
    self.page = page
    layers =
      switch paper {
      case .blank: []
      case .dotted: [Self.dots(pitch: 20, radius: 1)]
      case .lined: [Self.lines(every: 24, .horizontal)]
      case .grid: [Self.lines(every: 20, .horizontal, .vertical)]
      case .graph:
        // The fine pitch is a fifth of the coarse one.
        [
          Self.lines(every: 8, .horizontal, .vertical, reach: 0.3, .faint),
          Self.lines(every: 40, .horizontal, .vertical),
        ]
      case .isometric: [Self.isometric(side: 24)]
      case .staves: [Self.staves(pitch: 8, every: 88, page: page)]
      case .cornell:
        [Self.lines(every: 24, .horizontal, reach: 0.3, .faint), Self.cornell(page: page)]
      }
  }

  /// Draws the part of the pattern that the framing shows. Layers with a pitch below three pixels
  /// of the picture are left out: they would only make the paper grey. `reduction` pixels of the
  /// framing, side by side, become one of the picture.
  func draw(
    in framing: Framing, reduction: Int, as colors: ColorMapping, into scene: inout Scene
  ) {
    let scale = framing.scale
    for layer in layers where layer.pitch * scale >= Self.minimumPitch * Double(reduction) {
      // Lines end outside of the picture, unless the page itself ends inside.
      let around = framing.visible.grown(by: layer.reach + 2 / scale)
      let part = page.map { around.intersection($0) } ?? around
      guard !part.isEmpty, part.area / (layer.pitch * layer.pitch) < Self.maximumCells else {
        continue
      }
      let representable = framing.visible.grown(by: Self.coordinateReach / scale)
      let limits = page.map { representable.intersection($0) } ?? representable
      scene.add(Scene.Mark(layer.strength.color, colors), texture: nil, mask: nil) { paths in
        var chains = 0..<0
        for mark in layer.marks(part, limits) {
          let added = paths.addPolyline(count: mark.count) { index in
            let point = mark[index].applying(framing.transform)
            return (Float(point.x), Float(point.y), Float(layer.reach * scale))
          }
          chains = chains.isEmpty ? added : chains.lowerBound..<added.upperBound
        }
        return chains
      }
    }
  }

  /// The minimum pitch of a layer that is drawn, in pixels.
  private static let minimumPitch = 3.0
  /// Coordinates are in range up to this many pixels beyond a picture's sides.
  private static let coordinateReach = 100_000.0
  /// The maximum number of cells that are drawn. A million dots cannot be seen apart, and each
  /// takes memory.
  private static let maximumCells = 1_000_000.0
}

extension PaperPattern {
  fileprivate enum Direction { case horizontal, vertical }

  private static func lines(
    every pitch: Double, _ directions: Direction..., reach: Double = 0.4,
    _ strength: Strength = .plain
  ) -> Layer {
    Layer(pitch: pitch, reach: reach, strength: strength) { part, _ in
      directions.flatMap { direction in
        multiples(of: pitch, part.range(across: direction)).map {
          part.line(direction, at: $0)
        }
      }
    }
  }

  private static func dots(pitch: Double, radius: Double) -> Layer {
    Layer(pitch: pitch, reach: radius, strength: .plain) { part, _ in
      multiples(of: pitch, part.range(across: .horizontal)).flatMap { y in
        multiples(of: pitch, part.range(across: .vertical)).map { x in [Point(x: x, y: y)] }
      }
    }
  }

  /// Groups of five lines. A group that would not fit above the page's lower edge is left out.
  private static func staves(pitch: Double, every distance: Double, page: Rect?) -> Layer {
    Layer(pitch: pitch, reach: 0.4, strength: .plain) { part, _ in
      let range = part.range(across: .horizontal)
      // Groups lie in the middle of their distance.
      let first = (distance - 4 * pitch) / 2
      let end = (page?.maxY ?? .infinity) - first - 4 * pitch
      let groups = multiples(of: distance, range.lowerBound - distance...range.upperBound)
      return groups.filter { $0 <= end }.flatMap { group in
        (0..<5).map { group + first + Double($0) * pitch }.filter { range.contains($0) }
          .map { part.line(.horizontal, at: $0) }
      }
    }
  }

  /// Triangles with one vertical side.
  private static func isometric(side: Double) -> Layer {
    let column = side * 0.75.squareRoot()
    return Layer(pitch: column, reach: 0.3, strength: .plain) { part, limits in
      var lines = multiples(of: column, part.range(across: .vertical)).map {
        part.line(.vertical, at: $0)
      }
      // Slanted lines rise or fall by half a side per column. Their points lie on columns of the
      // page, so that every part of it gets the same pixels.
      for rise in [side / 2 / column, -side / 2 / column] {
        let shifts = [rise * part.minX, rise * part.maxX].sorted()
        for start in multiples(of: side, part.minY - shifts[1]...part.maxY - shifts[0]) {
          let line = SlantedLine(start: start, rise: rise)
          lines.append(line.points(every: 8 * column, covering: part, within: limits))
        }
      }
      return lines.filter { !$0.isEmpty }
    }
  }

  /// A column for cues, a line below the title, and one above the summary if the page has a lower
  /// edge.
  private static func cornell(page: Rect?) -> Layer {
    Layer(pitch: 24, reach: 0.6, strength: .plain) { part, _ in
      let (title, cues, summary) = (72.0, 168.0, 144.0)
      let end = page.map { (($0.maxY - summary) / 24).rounded() * 24 } ?? .infinity
      var lines: [[Point]] = []
      for y in [title, end] where part.range(across: .horizontal).contains(y) {
        lines.append(part.line(.horizontal, at: y))
      }
      let (top, bottom) = (max(title, part.minY), min(end, part.maxY))
      if part.range(across: .vertical).contains(cues), top < bottom {
        lines.append([Point(x: cues, y: top), Point(x: cues, y: bottom)])
      }
      return lines
    }
  }

  /// The integer multiples of a distance inside of a range, without its ends.
  private static func multiples(of pitch: Double, _ range: ClosedRange<Double>) -> [Double] {
    let (first, last) = (
      (range.lowerBound / pitch).rounded(.up), (range.upperBound / pitch).rounded(.down)
    )
    guard first <= last else { return [] }
    return stride(from: first, through: last, by: 1).map { $0 * pitch }
      .filter { $0 > range.lowerBound && $0 < range.upperBound }
  }
}

extension Rect {
  fileprivate var area: Double { width * height }

  fileprivate func range(across direction: PaperPattern.Direction) -> ClosedRange<Double> {
    direction == .horizontal ? minY...maxY : minX...maxX
  }

  /// A line from side to side, at a y if it is horizontal and at an x if it is vertical.
  fileprivate func line(_ direction: PaperPattern.Direction, at position: Double) -> [Point] {
    direction == .horizontal
      ? [Point(x: minX, y: position), Point(x: maxX, y: position)]
      : [Point(x: position, y: minY), Point(x: position, y: maxY)]
  }
}

/// A line that is neither horizontal nor vertical: y = start + rise · x.
private struct SlantedLine {
  let start: Double
  let rise: Double

  /// The fewest points of the line at integer multiples of a step that cover a part of the page,
  /// clamped to the limits.
  func points(every step: Double, covering part: Rect, within limits: Rect) -> [Point] {
    let (needed, allowed) = (range(in: part), range(in: limits))
    guard let needed, let allowed else { return [] }
    let first = (needed.lowerBound / step).rounded(.down)
    let last = (needed.upperBound / step).rounded(.up)
    return stride(from: first, through: last, by: 1).map { number in
      let x = min(max(number * step, allowed.lowerBound), allowed.upperBound)
      return Point(x: x, y: start + rise * x)
    }
  }

  /// The range of x in which the line lies inside of a rectangle.
  private func range(in rect: Rect) -> ClosedRange<Double>? {
    let (a, b) = ((rect.minY - start) / rise, (rect.maxY - start) / rise)
    let (low, high) = (max(min(a, b), rect.minX), min(max(a, b), rect.maxX))
    return low < high ? low...high : nil
  }
}

extension Scene.Mark {
  /// A mark that lays a colour over the pixels below.
  init(_ color: Color, _ colors: ColorMapping) {
    let solid = color.withAlpha(1).converted(to: colors.space).clamped
    let (pixel, deep) = (Pixel8(solid), Pixel16(solid, isLight: colors.mixesLight))
    self.init(
      RasterPaint(
        red: pixel.red, green: pixel.green, blue: pixel.blue,
        alpha: UInt8(clamping: (color.alpha * 255).rounded()), mixing: 255,
        mix: UInt8(RasterMixOver.rawValue)))
    deepPaint = RasterDeepPaint(
      red: deep.red, green: deep.green, blue: deep.blue,
      alpha: UInt16(clamping: (color.alpha * 65_535).rounded()), mixing: 65_535,
      mix: UInt8(RasterMixOver.rawValue))
  }
}
