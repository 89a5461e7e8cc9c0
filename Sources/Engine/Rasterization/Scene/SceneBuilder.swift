import CRasterKernels
import Graphics
import Strokes

/// Turns strokes into marks on tiles. A class, so that each thread can have its own.
final class SceneBuilder {
  private(set) var ink: Scene
  private(set) var unknownInks: Set<PKInk.InkType> = []
  /// The number of points of the strokes added so far.
  private(set) var pointCount = 0
  private var paths = CountedPaths()
  private let countsPoints: Bool
  private let setup: PictureSetup
  private let framing: Framing
  private let colors: ColorMapping
  private let precision: WalkPrecision
  private let isDark: Bool
  private let overlap: RenderOptions.Overlap?

  /// A builder that also counts the points of strokes, unless its caller does.
  init(_ setup: PictureSetup, countsPoints: Bool = true) {
    self.setup = setup
    self.countsPoints = countsPoints
    framing = setup.drawing
    colors = setup.colors
    isDark = setup.options.style == .dark
    overlap = setup.options.overlap
    ink = Scene(
      width: framing.width, height: framing.height, background: setup.pattern.background,
      level: setup.options.level)
    // Tolerances are in pixels of the picture, which are averages of those that are drawn.
    precision = WalkPrecision(
      tolerance: setup.options.quality.tolerance * Double(setup.reduction),
      reduction: setup.reduction, kernels: ink.kernels)
  }

  /// The number of visits for drawing the strokes added so far.
  var visits: Double { ink.visits }

  /// The work of drawing the strokes added so far.
  var work: DrawingWork { setup.work(visits: visits, pointCount: pointCount) }

  /// Adds strokes that are drawn as one because they are wet together; mostly it is one.
  func add(_ strokes: [PKStroke]) { add(strokes.indices, of: strokes) }

  /// Adds some strokes of a list that are drawn as one.
  func add(_ members: some Collection<Int>, of strokes: [PKStroke]) {
    let first = ink.paths.chains.count
    // In place, since copies of strokes would take a tenth of the time.
    strokes.withUnsafeBufferPointer { strokes in
      let coarseness = coarseness {
        members.reduce(0) { max($0, strokes[$1].maximumReach) }
      }
      var isWet = false
      for member in members {
        add(strokes[member], isWet: isWet, coarseness)
        isWet = true
      }
    }
    count(members, of: strokes, from: first)
  }

  private func coarseness(reach: () -> Double) -> Int {
    WideNibs.coarseness(reduction: setup.reduction, scale: framing.scale, reach: reach)
  }

  private func count(_ members: some Sequence<Int>, of strokes: [PKStroke], from firstChain: Int) {
    ink.countMask(ofChainsFrom: firstChain)
    guard countsPoints else { return }
    strokes.withUnsafeBufferPointer { strokes in
      for member in members { pointCount += paths.countOfNew(strokes[member].path) }
    }
  }

  /// Adds strokes that are not on the page any more, from back to front.
  func add(_ earlier: [EarlierStroke], in color: Color) {
    for (number, earlier) in earlier.enumerated() {
      let first = ink.paths.chains.count
      for stroke in earlier.remains { add(stroke, as: .remains(of: Int32(number)), in: color) }
      add(earlier.stroke, as: .earlier(Int32(number)), in: color)
      let strokes = earlier.remains + [earlier.stroke]
      count(strokes.indices, of: strokes, from: first)
    }
  }

  /// Reserves memory for paths with about this many points in all. Memory that is not used costs
  /// nothing.
  func reserve(pointCount: Int) { ink.reserve(pointCount: pointCount) }

  /// Removes all strokes and keeps the memory.
  func removeAll() {
    ink.removeAll()
    pointCount = 0
    paths = CountedPaths()
  }

  /// Adds a stroke; `isWet` makes it part of the last mark.
  private func add(_ stroke: PKStroke, isWet: Bool, _ coarseness: Int) {
    if case .other = stroke.ink.inkType { unknownInks.insert(stroke.ink.inkType) }
    add(stroke, isWet: isWet, coarseness) { mark($0, $1) }
  }

  /// Adds an earlier stroke, or remains of one.
  private func add(_ stroke: PKStroke, as role: Scene.Role, in color: Color) {
    add(stroke, isWet: false, coarseness { stroke.maximumReach }) { _, _ in
      var mark = Scene.Mark(color, colors)
      mark.role = role
      return mark
    }
  }

  private func add(
    _ stroke: PKStroke, isWet: Bool, _ coarseness: Int,
    mark: (PKStroke, InkStyle) -> Scene.Mark
  ) {
    let transform = stroke.transform.concatenating(framing.transform)
    guard transform.isFinite, transform.meanScale.isFinite, !stroke.path.isEmpty else { return }
    let style = InkStyle.of(stroke)
    var mark = mark(stroke, style)
    // The texture's pixels.
    let share = 1 / Double(1 << coarseness)
    func coarse(_ transform: AffineTransform) -> AffineTransform {
      coarseness > 0 ? transform.concatenating(AffineTransform(scale: share)) : transform
    }
    var texture = Texture(
      style, of: stroke,
      in: TextureSpace(
        page: coarse(framing.transform), scale: framing.scale * share,
        transform: coarse(transform), isDark: isDark, overlap: overlap))
    // If opacity changes along the stroke, the greatest opacity counts at each pixel, and passes do
    // not count.
    if texture == nil, mark.role == .ink, !stroke.path.hasSeveralOpacities,
      let passes = Texture(passesOf: mark.alpha, overlap: overlap)
    {
      texture = passes
      // The texture applies the opacity.
      (mark.paint.alpha, mark.deepPaint.alpha) = (255, 65535)
    }
    texture?.coarseness = coarseness
    let textured = coarse(transform)
    let chains = { [precision, texture] (paths: inout DevicePaths) -> Range<Int> in
      let first = paths.chains.count
      if let texture {
        paths.add(stroke, style, texture, through: textured, precision)
        guard texture.isFlat else { return first..<paths.chains.count }
      }
      paths.add(stroke, through: transform, precision)
      return first..<paths.chains.count
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
    var alpha = style.pass
    for _ in 0..<style.opacityPower { alpha *= color.alpha }
    // A textured ink applies the opacity of each point as its flow.
    if style.texture == nil, !stroke.path.hasSeveralOpacities {
      alpha *= min(stroke.path.opacity(at: 0), 1)
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
      mark.threshold = UInt8(
        clamping: (min(max(stroke.path.firstThreshold, 0), 1) * 255).rounded())
    }
    return mark
  }
}

extension DevicePaths {
  /// Adds the chains of a stroke's texture.
  fileprivate mutating func add(
    _ stroke: PKStroke, _ style: InkStyle, _ texture: Texture, through transform: AffineTransform,
    _ precision: WalkPrecision
  ) {
    let path = stroke.path.steadied(over: style.steadyDistance(of: stroke))
    let walk = StrokeWalk(
      path: path, range: stroke.visiblePathRange, transform: transform, precision: precision)
    // A part of a path has the grain of the whole path.
    let start = walk.range.lowerBound
    let arc = start > 0 ? path.length(in: 0...start) * transform.meanScale : 0
    addTextured(
      walk.coarse, TexturedNibs(stroke, style, through: transform),
      pen: TexturedPen(self, style, texture, arc: arc))
  }

  /// Adds the chains of a stroke with a sharp edge.
  fileprivate mutating func add(
    _ stroke: PKStroke, through transform: AffineTransform, _ precision: WalkPrecision
  ) {
    let walk = StrokeWalk(
      path: stroke.path, range: stroke.visiblePathRange, transform: transform,
      precision: precision)
    let opacity = PathOpacity(stroke.path, scale: transform.meanScale)
    if let radii = RoundRadii(stroke, through: transform) {
      addRound(walk, radii, opacity: opacity)
    } else {
      let nibs = EllipticNibs(stroke, through: transform)
      addElliptic(walk, opacity: opacity, pieces: nibs.pieceCount, nib: nibs.form)
    }
  }
}

extension InkStyle {
  /// The distance over which a stroke's tremor is smoothed, in its own points.
  fileprivate func steadyDistance(of stroke: PKStroke) -> Double {
    guard steadiness.limit > 0, let first = stroke.path.first else { return 0 }
    return min(steadiness.limit, steadiness.part * stroke.ink.drawnSize(of: first.size).height)
  }
}

/// The nibs along a path, as ellipses in pixels.
private struct EllipticNibs {
  private let nibs: [Nib?]
  private let transform: AffineTransform

  init(_ stroke: PKStroke, through transform: AffineTransform) {
    nibs = stroke.path.points.map { Nib(stroke.ink, at: $0) }
    self.transform = transform
  }

  /// The number of pieces of a span in which the nib turns by at most 0.1 radians each.
  func pieceCount(_ span: Int) -> Int {
    guard let a = nibs[span], let b = nibs[min(span + 1, nibs.count - 1)] else { return 1 }
    return max(
      Int(clamping: (abs(Angle.difference(from: a.angle, to: b.angle)) / 0.1).rounded(.up)), 1)
  }

  /// xx, xy and yy of M·Mᵀ, where M maps the unit disc to the nib; nil where nothing is drawn.
  func form(_ span: Int, _ u: Double) -> SIMD3<Float>? {
    let (first, second) = (nibs[span], nibs[min(span + 1, nibs.count - 1)])
    guard let a = first ?? second, let b = second ?? first else { return nil }
    // Where only one end has a nib, the ink grows from nothing or shrinks to it.
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
