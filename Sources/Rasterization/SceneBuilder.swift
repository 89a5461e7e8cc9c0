import CRasterKernels
import Graphics
import Strokes

/// Turns strokes into marks on tiles.
struct SceneBuilder {
  private(set) var ink: Scene
  private(set) var pattern: Scene
  private(set) var unknownInks: Set<String> = []
  private let framing: Framing
  private let colors: ColorMapping
  private let tolerance: Double

  init(framing: Framing, options: RenderOptions, colors: ColorMapping, background: Pixel8) {
    self.framing = framing
    self.colors = colors
    tolerance = options.quality.tolerance
    ink = Scene(width: framing.width, height: framing.height, background: background)
    pattern = ink
    if options.showsPattern {
      PaperPattern(options.paper, page: framing.page)
        .draw(in: framing, as: options.colorSpace, into: &pattern)
    }
  }

  mutating func add(_ stroke: PKStroke) {
    if case .other(let identifier) = stroke.ink.inkType { unknownInks.insert(identifier) }
    let transform = stroke.transform.concatenating(framing.transform)
    guard transform.isFinite, !stroke.path.isEmpty else { return }
    let walk = StrokeWalk(
      path: stroke.path, range: stroke.visiblePathRange, transform: transform,
      tolerance: tolerance)
    let color = colors.ink(stroke.ink.color)
    let opacity = color.alpha * min(stroke.path.first?.opacity ?? 1, 1)
    let pixel = Pixel8(color.withAlpha(1))
    let paint = RasterPaint(
      red: pixel.red, green: pixel.green, blue: pixel.blue,
      alpha: UInt8((opacity * 255).rounded()), mixing: 255, mix: 0)
    ink.add(paint) { paths in
      if let radii = stroke.roundRadii(through: transform) {
        return paths.addRound(walk, radii: radii)
      }
      let nibs = EllipticNibs(stroke, through: transform)
      return paths.addElliptic(walk, pieces: nibs.pieceCount, nib: nibs.form)
    }
  }
}

extension PKStroke {
  /// Half the drawn widths at the control points in pixels; nil where the nib is no disc.
  fileprivate func roundRadii(through transform: AffineTransform) -> [Float]? {
    let shape = ink.inkType.nibShape
    guard shape.exponent == 2, !shape.isTurnedByAzimuth, path.hasSquareSizes, transform.isSimilarity
    else { return nil }
    let scale = transform.meanScale / 2
    return path.widths.map { width in
      let drawn = ink.drawnSize(of: Size(width: Double(width), height: Double(width))).width
      return Float(min(drawn * scale, DevicePoint.limit))
    }
  }
}

extension AffineTransform {
  /// Whether circles stay circles.
  fileprivate var isSimilarity: Bool {
    let size = max(abs(a), abs(b), abs(c), abs(d))
    return max(abs(a - d), abs(b + c)) <= 1e-6 * size || max(abs(a + d), abs(b - c)) <= 1e-6 * size
  }
}

/// Nibs along a path that are ellipses in pixels.
private struct EllipticNibs {
  private let nibs: [Nib?]
  private let transform: AffineTransform

  init(_ stroke: PKStroke, through transform: AffineTransform) {
    nibs = stroke.path.map { Nib(stroke.ink, at: $0) }
    self.transform = transform
  }

  /// Into how many pieces a span must be cut so that the nib hardly turns in any.
  func pieceCount(_ span: Int) -> Int {
    guard let a = nibs[span], let b = nibs[min(span + 1, nibs.count - 1)] else { return 1 }
    return max(Int((abs(Angle.difference(from: a.angle, to: b.angle)) / 0.1).rounded(.up)), 1)
  }

  /// The columns of M·Mᵀ, where M takes the unit disc to the nib.
  func form(_ span: Int, _ u: Double) -> SIMD3<Float>? {
    let (first, second) = (nibs[span], nibs[min(span + 1, nibs.count - 1)])
    guard let a = first ?? second, let b = second ?? first else { return nil }
    // Where the ink begins or ends on the way it grows from nothing.
    let (sizeA, sizeB) = (first == nil ? .zero : a.halfExtent, second == nil ? .zero : b.halfExtent)
    let width = sizeA.width + (sizeB.width - sizeA.width) * u
    let height = sizeA.height + (sizeB.height - sizeA.height) * u
    guard width > 0 || height > 0 else { return nil }
    let angle = a.angle + Angle.difference(from: a.angle, to: b.angle) * u
    let (sine, cosine) = Angle.sineAndCosine(angle)
    let t = transform
    let (ax, ay) = (
      (t.a * cosine + t.c * sine) * width, (t.b * cosine + t.d * sine) * width
    )
    let (bx, by) = (
      (t.c * cosine - t.a * sine) * height, (t.d * cosine - t.b * sine) * height
    )
    let limit = DevicePoint.limit * DevicePoint.limit
    return SIMD3(
      Float(min(ax * ax + bx * bx, limit)), Float(min(max(ax * ay + bx * by, -limit), limit)),
      Float(min(ay * ay + by * by, limit)))
  }
}
