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

  init(framing: Framing, options: RenderOptions, colors: ColorMapping, background: Pixel8) {
    self.framing = framing
    self.colors = colors
    tolerance = options.quality.tolerance
    isDark = options.style == .dark
    overlap = options.overlap
    ink = Scene(width: framing.width, height: framing.height, background: background)
  }

  /// Adds strokes that are wet together: neighbours of one ink are drawn as one.
  func add(_ strokes: [PKStroke]) {
    var wet: PKInk?
    for stroke in strokes {
      add(stroke, isWet: wet == stroke.ink && stroke.mask == nil)
      wet = stroke.mask == nil ? stroke.ink : nil
    }
  }

  private func add(_ stroke: PKStroke, isWet: Bool) {
    if case .other(let identifier) = stroke.ink.inkType { unknownInks.insert(identifier) }
    let transform = stroke.transform.concatenating(framing.transform)
    guard transform.isFinite, !stroke.path.isEmpty else { return }
    let style = InkStyle.of(stroke.ink.inkType)
    var mark = mark(stroke, style)
    var texture = Texture(
      style, of: stroke, page: framing.transform, scale: framing.scale, transform: transform,
      isDark: isDark, overlap: overlap)
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
        mark, texture: texture, mask: stroke.mask.map { MaskShape($0, through: transform) },
        chains: chains)
    }
  }

  private func mark(_ stroke: PKStroke, _ style: InkStyle) -> Scene.Mark {
    let color = colors.ink(stroke.ink.color)
    var alpha = color.alpha
    let first = stroke.path.first
    switch style.body {
    case .flat: if !stroke.path.hasSeveralOpacities { alpha *= min(first?.opacity ?? 1, 1) }
    // The tool's opacity counts twice: so measured on two pictures of PencilKit's.
    case .marker: alpha *= alpha
    case .tooth, .reed, .wash: break
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
        alpha: UInt8((alpha * 255).rounded()), mixing: UInt8((style.mixing * 255).rounded()),
        mix: UInt8(mix.rawValue)))
    let deep = Pixel16(color.withAlpha(1), isLight: colors.mixesLight)
    mark.deepPaint = RasterDeepPaint(
      red: deep.red, green: deep.green, blue: deep.blue, alpha: UInt16((alpha * 65535).rounded()),
      mixing: UInt16((style.mixing * 65535).rounded()), mix: UInt8(mix.rawValue))
    if case .reed = style.body {
    } else {
      mark.threshold = UInt8((min(max(first?.threshold ?? 0, 0), 1) * 255).rounded())
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
        walk, bleed: texture.bleed, wander: texture.deposit.wander, growth: style.growth,
        tap: style.tap, arc: arc, pieces: nibs.pieceCount, nib: nibs.nib)
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

/// Nibs along the path of a textured ink.
private struct TexturedNibs {
  private struct Control {
    var nib: Nib?
    var flow: Double
    /// Where the pen leans to, as far as the ink shows that.
    var lean: SIMD2<Float>
  }

  private let controls: [Control]
  private let transform: AffineTransform
  private let isTurned: Bool
  /// Whether the nib leaves depths alone.
  private let isSunken: Bool
  /// By how much a nib may grow on the way of a segment, in points of the stroke.
  private let growth: Double

  init(_ stroke: PKStroke, _ style: InkStyle, through transform: AffineTransform) {
    self.transform = transform
    isSunken = if case .reed = style.body { true } else { false }
    growth = Double(style.growth) / max(transform.meanScale, 1e-9)
    isTurned = stroke.ink.inkType.nibShape.isTurnedByAzimuth
    controls = stroke.path.points.map { point in
      Control(
        nib: Nib(stroke.ink, at: point), flow: style.flow(of: point),
        lean: style.lean(of: point, through: transform))
    }
  }

  /// Into how many pieces a span must be cut so that the nib hardly turns or grows in any: each is
  /// drawn with the mean of its ends.
  func pieceCount(_ span: Int) -> Int {
    guard let a = controls[span].nib, let b = next(span).nib else { return 1 }
    let (width, height) = (
      abs(a.halfExtent.width - b.halfExtent.width), abs(a.halfExtent.height - b.halfExtent.height)
    )
    var pieces = max(width, height) / growth
    if isTurned {
      pieces = max(pieces, abs(Angle.difference(from: a.angle, to: b.angle)) / 0.15)
    }
    return Int(min(max(pieces, 1), 256).rounded(.up))
  }

  private func next(_ span: Int) -> Control { controls[min(span + 1, controls.count - 1)] }

  func nib(_ span: Int, _ u: Double) -> TexturedNib? {
    let (first, second) = (controls[span], next(span))
    guard let a = first.nib ?? second.nib, let b = second.nib ?? first.nib else { return nil }
    func between(_ a: Double, _ b: Double) -> Double { a + (b - a) * u }
    let (width, height) = (
      between(a.halfExtent.width, b.halfExtent.width),
      between(a.halfExtent.height, b.halfExtent.height)
    )
    var (sine, cosine) = (0.0, 1.0)
    if isTurned {
      (sine, cosine) = Angle.sineAndCosine(
        a.angle + Angle.difference(from: a.angle, to: b.angle) * u)
    }
    let axis = Point(x: cosine, y: sine).applyingLinearPart(of: transform)
    let stretch = axis.length
    // What the transform does to the other axis, so that areas are right.
    let other = stretch > 0 ? abs(transform.determinant) / stretch : 0
    // A blade's diagonal must lie within the limits too.
    let limit = DevicePoint.limit / 2
    // An edge without a field of its own fades over a pixel. Where both sides of a blade meet in one
    // pixel, this half width leaves as much ink as the true one.
    func told(_ half: Double) -> Float {
      Float(min(!isSunken || half > 0.5 ? half : (2 * half).squareRoot() - 0.5, limit))
    }
    return TexturedNib(
      radius: told(width * (isTurned ? stretch : transform.meanScale)),
      thickness: told(height * (isTurned ? other : transform.meanScale)),
      cosine: stretch > 0 ? Float(axis.x / stretch) : 1,
      sine: stretch > 0 ? Float(axis.y / stretch) : 0,
      flow: Float(between(first.flow, second.flow)),
      lean: first.lean + (second.lean - first.lean) * Float(u))
  }
}

extension InkStyle {
  /// By how many pixels a nib may grow on the way of a segment. Blades have sharp edges; wet colour
  /// finds its edge between both ends by itself.
  fileprivate var growth: Float {
    switch body {
    case .marker, .reed: 0.5
    case .tooth: 1
    case .flat, .wash: 4
    }
  }

  /// What is left where the nib only touches down. A blade leaves its print besides.
  fileprivate var tap: TexturedTap {
    switch body {
    case .flat, .tooth, .wash: .dot
    case .marker: .step
    case .reed: .nothing
    }
  }

  /// What a nib lays down.
  fileprivate func flow(of point: PKStrokePoint) -> Double {
    switch body {
    // What a pass leaves of what lies below knows the opacity already.
    case .flat: 1
    case .reed: point.opacity
    case .tooth(let tooth): tooth.flow * point.opacity
    case .marker(let marker): marker.flow * point.opacity
    case .wash(let wash): wash.flow * point.opacity
    }
  }

  /// Where a pen leans to, as far as that makes the far side paler.
  fileprivate func lean(of point: PKStrokePoint, through transform: AffineTransform) -> SIMD2<Float>
  {
    guard case .tooth(let tooth) = body, tooth.lean > 0 else { return .zero }
    let tilt = min(max(1.4 * (1 - point.altitude / (.pi / 2)) - 0.35, 0), 1) * tooth.lean
    guard tilt > 0 else { return .zero }
    let (sine, cosine) = Angle.sineAndCosine(point.azimuth)
    let way = Point(x: cosine, y: sine).applyingLinearPart(of: transform)
    let length = way.length
    guard length > 0 else { return .zero }
    return SIMD2(Float(-tilt * way.x / length), Float(-tilt * way.y / length))
  }
}
