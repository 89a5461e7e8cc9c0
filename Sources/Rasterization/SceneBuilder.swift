import CRasterKernels
import Graphics
import Strokes

/// Turns strokes into marks on tiles. A class, so that several can work side by side.
final class SceneBuilder {
  private(set) var ink: Scene
  private(set) var unknownInks: Set<String> = []
  private let framing: Framing
  private let colors: ColorMapping
  private let tolerance: Double
  private let isDark: Bool
  private let overlap: RenderOptions.Overlap?

  init(_ setup: PictureSetup) {
    framing = setup.framing
    colors = setup.colors
    tolerance = setup.options.quality.tolerance
    isDark = setup.options.style == .dark
    overlap = setup.options.overlap
    ink = Scene(
      width: framing.width, height: framing.height, background: setup.pattern.background)
  }

  /// Adds strokes that are drawn as one, as their ink is wet; most are alone.
  func add(_ strokes: [PKStroke]) {
    for (index, stroke) in strokes.enumerated() { add(stroke, isWet: index > 0) }
  }

  /// Forgets all strokes and keeps the memory.
  func removeAll() { ink.removeAll() }

  /// Adds a stroke, as one with the last where that is still wet.
  private func add(_ stroke: PKStroke, isWet: Bool) {
    if case .other(let identifier) = stroke.ink.inkType { unknownInks.insert(identifier) }
    let transform = stroke.transform.concatenating(framing.transform)
    guard transform.isFinite, transform.meanScale.isFinite, !stroke.path.isEmpty else { return }
    let style = InkStyle.of(stroke.ink.inkType)
    var mark = mark(stroke, style)
    var texture = Texture(
      style, of: stroke,
      in: TextureSpace(
        page: framing.transform, scale: framing.scale, transform: transform, isDark: isDark,
        overlap: overlap))
    // Where opacity changes on the way, the greatest counts everywhere, and passes do not.
    if texture == nil, !stroke.path.hasSeveralOpacities,
      let passes = Texture(passesOf: mark.alpha, overlap: overlap)
    {
      texture = passes
      // The passes know the opacity.
      (mark.paint.alpha, mark.deepPaint.alpha) = (255, 65535)
    }
    let chains = { [tolerance, texture] (paths: inout DevicePaths) -> Range<Int> in
      paths.add(stroke, style, texture, through: transform, tolerance: tolerance)
    }
    if isWet {
      ink.extendLastMark(chains)
    } else {
      ink.add(
        mark, texture: texture,
        mask: stroke.mask.map { MaskShape($0, through: transform, tileRows: ink.bins.rows) },
        chains: chains)
    }
  }

  private func mark(_ stroke: PKStroke, _ style: InkStyle) -> Scene.Mark {
    let color = colors.ink(stroke.ink.color)
    let first = stroke.path.first
    var alpha = 1.0
    for _ in 0..<style.opacityPower { alpha *= color.alpha }
    // Nibs of a textured ink lay down their own opacity.
    if style.texture == nil, !stroke.path.hasSeveralOpacities {
      alpha *= min(first?.opacity ?? 1, 1)
    }
    let mix =
      switch style.mix {
      case .over: RasterMixOver
      case .darken: isDark ? RasterMixLighten : RasterMixDarken
      case .multiply: isDark ? RasterMixScreen : RasterMixMultiply
      }
    let pixel = Pixel8(color.withAlpha(1))
    var mark = Scene.Mark(
      RasterPaint(
        red: pixel.red, green: pixel.green, blue: pixel.blue,
        alpha: UInt8(clamping: (alpha * 255).rounded()),
        mixing: UInt8(clamping: (style.mixing * 255).rounded()),
        mix: UInt8(mix.rawValue)))
    let deep = Pixel16(color.withAlpha(1), isLight: colors.mixesLight)
    mark.deepPaint = RasterDeepPaint(
      red: deep.red, green: deep.green, blue: deep.blue,
      alpha: UInt16(clamping: (alpha * 65535).rounded()),
      mixing: UInt16(clamping: (style.mixing * 65535).rounded()), mix: UInt8(mix.rawValue))
    if style.hasThreshold {
      mark.threshold = UInt8(clamping: (min(max(first?.threshold ?? 0, 0), 1) * 255).rounded())
    }
    return mark
  }
}

extension DevicePaths {
  /// Adds the chains of a stroke.
  fileprivate mutating func add(
    _ stroke: PKStroke, _ style: InkStyle, _ texture: Texture?, through transform: AffineTransform,
    tolerance: Double
  ) -> Range<Int> {
    let walk = StrokeWalk(
      path: stroke.path, range: stroke.visiblePathRange, transform: transform,
      tolerance: tolerance)
    let firstChain = chains.count
    if let texture {
      // A part of a path has the grain of the whole.
      let start = walk.range.lowerBound
      let arc = start > 0 ? stroke.path.length(in: 0...start) * transform.meanScale : 0
      let nibs = TexturedNibs(stroke, style, through: transform)
      let range = addTextured(
        walk, nibs,
        pen: TexturedPen(
          self, bleed: texture.bleed, wander: texture.deposit.wander, growth: style.growth,
          tap: style.tap, arc: arc))
      guard texture.isFlat else { return range }
    }
    let opacity = PathOpacity(stroke.path)
    if let radii = stroke.roundRadii(through: transform) {
      _ = addRound(walk, radii: radii, opacity: opacity)
    } else {
      let nibs = EllipticNibs(stroke, through: transform)
      _ = addElliptic(walk, opacity: opacity, pieces: nibs.pieceCount, nib: nibs.form)
    }
    return firstChain..<chains.count
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
    nibs = stroke.path.points.map { Nib(stroke.ink, at: $0) }
    self.transform = transform
  }

  /// Into how many pieces a span must be cut so that the nib hardly turns in any.
  func pieceCount(_ span: Int) -> Int {
    guard let a = nibs[span], let b = nibs[min(span + 1, nibs.count - 1)] else { return 1 }
    return max(
      Int(clamping: (abs(Angle.difference(from: a.angle, to: b.angle)) / 0.1).rounded(.up)), 1)
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
