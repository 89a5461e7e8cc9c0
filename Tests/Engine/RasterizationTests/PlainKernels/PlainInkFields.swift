import CRasterKernels

@testable import Rasterization

/// A path of a textured ink in plain arrays; see `RasterInkPath`.
struct PlainInkPath {
  var x: [Int32] = []
  var y: [Int32] = []
  var radius: [Float] = []
  var thickness: [Float] = []
  var cosine: [Float] = []
  var sine: [Float] = []
  var flow: [Float] = []
  var arc: [Float] = []
  var lean: [Float] = []

  init() {}
}

/// The fields of textured inks on a tile, in plain Swift: each segment visits every pixel within
/// its reach, one after the other.
struct PlainInkFields {
  static let noDepth = Int16.min
  static let count = TileBins.side * TileBins.side

  var dwell = [UInt16](repeating: 0, count: count)
  var depth = [Int16](repeating: noDepth, count: count)
  var wet = [UInt8](repeating: 0, count: count)
  var ink = [UInt16](repeating: 0, count: count)

  init() {}

  /// Adds the ink that a disc lays down between two points of a path, in the tile with its corner
  /// at `left` and `top`.
  mutating func depositDisc(
    _ path: PlainInkPath, from first: Int, to end: Int, left: Int, top: Int, _ form: RasterDeposit
  ) {
    let (wanderPart, laneAcross) = (cellsPerPixel(form.wanderCell), cellsPerPixel(form.laneWidth))
    let laneAlong = cellsPerPixel(form.laneLength)
    for i in first..<end {
      let j = min(i + 1, path.x.count - 1)
      // A nib does not get smaller than about a pixel; instead it lays down less ink.
      let middle = (path.radius[i] + path.radius[j]) * 0.5
      let radius = middle.raised(to: 0.7)
      let flow = (path.flow[i] + path.flow[j]) * 0.5 * (middle / radius)
      guard flow > 0 else { continue }
      let wander = (form.wander * radius).lowered(to: form.wanderLimit)
      var reach = radius + wander
      let greatest = path.radius[i].raised(to: path.radius[j]).raised(to: radius)
      if form.hasDepth != 0 { reach = reach.raised(to: greatest + form.featherOut) }
      if form.countsPasses != 0 { reach = reach.raised(to: greatest * 1.25 + 1.5) }
      let segment = PlainInkSegment(path, i, left: left, top: top, reach: reach)
      let inverse = 1 / radius
      let lean = (path.lean[i] + path.lean[j]) * 0.5
      var lanes = form.lanes
      if form.laneRadius > 0 {
        let room = (middle * (1 / form.laneRadius)).lowered(to: 1)
        lanes *= room * room * (3 - 2 * room)
      }
      let amount = flow / (1.5 * radius)
      let perLength = segment.length > 1e-4 ? 1 / segment.length : 0
      let isDot = !(segment.length > 1e-4)
      let arc = path.arc[i]
      for pixel in segment.pixels {
        let (along, straight) = (segment.along(pixel), segment.across(pixel))
        var across = straight
        if wander > 0 {
          let side = PlainNoise.value((arc + along) * wanderPart, seed: form.seed) - 0.5
          across += side * (2 * wander)
        }
        var square = radius * radius - across * across
        if isDot { square -= along * along }
        square = square.raised(to: 0)
        let half = square.squareRoot()
        var from = (-along).raised(to: -half).lowered(to: half)
        var to = (segment.length - along).raised(to: -half).lowered(to: half)
        if isDot {
          to = half.lowered(to: form.rest * radius)
          from = -to
        }
        var laid = to - from
        if form.isRounded != 0 {
          // The integral of 1 − q² along the path.
          let flat = square * (inverse * inverse)
          let third = inverse * inverse * (1 / 3)
          laid = (to * flat - to * to * to * third) - (from * flat - from * from * from * third)
        }
        if form.countsPasses != 0 {
          laid = laid / (half + half).raised(to: 1e-3) * (0.25 * flow)
        } else {
          laid *= amount
        }
        if lean != 0 { laid *= 1 + lean * across * inverse }
        if lanes > 0 {
          let lane = PlainNoise.value(
            straight * laneAcross, (arc + along) * laneAlong, seed: form.seed &+ 1)
          laid *= 1 + lanes * (lane - 0.5)
        }
        addDwell(laid, at: pixel.index)
        guard form.hasDepth != 0 else { continue }
        let t = (along * perLength).clamped
        let beyond = along - t * segment.length
        let nib = path.radius[i] + (path.radius[j] - path.radius[i]) * t
        let depth = nib - (beyond * beyond + straight * straight).squareRoot()
        guard depth > -form.featherOut else { continue }
        self.depth[pixel.index] = max(self.depth[pixel.index], Int16(quantized(depth)))
        raiseWet(UInt8(flow.lowered(to: 1) * 255 + 0.5), at: pixel.index)
      }
    }
  }

  /// Adds the ink that a blade lays down.
  mutating func depositBlade(
    _ path: PlainInkPath, from first: Int, to end: Int, left: Int, top: Int, _ form: RasterDeposit
  ) {
    let laneAcross = cellsPerPixel(form.laneWidth)
    let (out, fade) = (form.featherOut, 1 / (form.featherOut + form.featherIn))
    for i in first..<end {
      let j = min(i + 1, path.x.count - 1)
      let flow = (path.flow[i] + path.flow[j]) * 0.5
      guard flow > 0 else { continue }
      var blade = PlainBlade(path, i, least: 0.5)
      let segment = PlainInkSegment(
        path, i, left: left, top: top, reach: blade.reach + out * PlainBlade.cornerPart)
      blade.go(along: segment)
      let isPrint = i == 0 && form.hasPrint != 0
      // Only the leading strip of a thick blade lays ink down.
      let strip = (2 * (blade.thickness + out)).lowered(to: form.strip)
      let perLength = segment.length > 1e-4 ? 1 / segment.length : 0
      let (perWay, stripPart) = (flow * segment.length / strip, strip * perLength)
      let perStrip = segment.length / strip
      let vx = abs(blade.vx) > 1e-4 ? blade.vx : 1e-4
      let vy = abs(blade.vy) > 1e-4 ? blade.vy : 1e-4
      let (inverseX, inverseY) = (1 / vx, 1 / vy)
      let (reachX, reachY) = (
        (blade.radius + out) * abs(inverseX), (blade.thickness + out) * abs(inverseY)
      )
      for pixel in segment.pixels {
        let (qx, qy) = blade.position(of: pixel)
        // The part of the movement during which the strip covers the pixel.
        let (cx, cy) = (qx * inverseX, qy * inverseY)
        let entry = (cx - reachX).raised(to: cy - reachY)
        let exit = (cx + reachX).lowered(to: cy + reachY)
        let (from, to) = (entry.raised(to: 0), exit.lowered(to: entry + stripPart).lowered(to: 1))
        let side = blade.side - segment.across(pixel).magnitude
        let soft = ((side + out) * fade).clamped.smoothed
        var lane: Float = 1
        if form.lanes > 0 {
          let across = qx - (from + to).raised(to: 0) * (0.5 * blade.vx)
          lane = 1 + form.lanes * (PlainNoise.value(across * laneAcross, seed: form.seed) - 0.5)
        }
        addDwell((to - from).raised(to: 0) * perWay * soft * lane, at: pixel.index)
        guard isPrint, abs(qx) <= blade.radius + out, abs(qy) <= blade.thickness + out else {
          continue
        }
        let edge = trailingEdge(qx, blade.radius, blade.vx * perLength)
          .lowered(to: trailingEdge(qy, blade.thickness, blade.vy * perLength))
        let leaving = segment.length > 1e-4 ? (exit * perStrip).clamped : 0
        let print =
          ((edge + out) * fade).clamped.smoothed * soft * lane * path.flow[0]
          * (0.78 + 0.22 * leaving)
        raiseWet(UInt8((print * 0.5).clamped * 255 + 0.5), at: pixel.index)
      }
    }
  }

  /// The distance of a pixel inside a blade's side; a leading side has none.
  private func trailingEdge(_ q: Float, _ extent: Float, _ speed: Float) -> Float {
    if speed > 0.03 { return extent + q }
    if speed < -0.03 { return extent - q }
    return extent - abs(q)
  }

  /// Adds the ink that the fibres of a reed's blade lay down.
  mutating func depositFibres(
    _ path: PlainInkPath, from first: Int, to end: Int, left: Int, top: Int, _ form: RasterDeposit,
    _ fibres: RasterFibres
  ) {
    let tearPart = cellsPerPixel(fibres.tearLength)
    for i in first..<end {
      let j = min(i + 1, path.x.count - 1)
      let thin = PlainBlade(path, i, least: 0)
      var blade = PlainBlade(path, i, least: 0.5)
      let segment = PlainInkSegment(
        path, i, left: left, top: top,
        reach: blade.reach + abs(path.radius[j] - path.radius[i]) * 0.5 + 1)
      blade.go(along: segment)
      let isDot = !(segment.length > 1e-4)
      let isPrint = i == 0 && form.hasPrint != 0
      let level = (path.flow[i] + path.flow[j]) * 0.5
      guard !isDot || isPrint, level > 0 else { continue }
      let trueSide =
        thin.radius * (isDot ? 0 : abs(blade.vy) / segment.length) + thin.thickness
        * (isDot ? 1 : abs(blade.vx) / segment.length)
      let part = isDot ? 1 : (trueSide / blade.side).lowered(to: 1)
      let thinness = (thin.radius / blade.radius) * (thin.thickness / blade.thickness)
      let perWay = isDot ? 0 : segment.length / (2 * blade.thickness)
      let vx = abs(blade.vx) > 1e-4 ? blade.vx : 1e-4
      let vy = abs(blade.vy) > 1e-4 ? blade.vy : 1e-4
      let (inverseX, inverseY) = (1 / vx, 1 / vy)
      let growth = path.radius[j].raised(to: 0.5) - path.radius[i].raised(to: 0.5)
      let slope = growth * (isDot ? 0 : abs(blade.vy) / segment.length)
      let spread = abs(growth) * 0.5
      let (reachX, reachY) = (
        (blade.radius + spread + 0.5) * abs(1 / vx), blade.thickness * abs(1 / vy)
      )
      let fibres = blurred(fibres, blade.vx)
      let extra = fibres.ramp * 0.5 + 0.04
      let (perRadius, ramp) = (1 / blade.radius, 1 / fibres.ramp)
      let middle = path.arc[i] + segment.length * 0.5
      let tears = (0..<2).map { edge in
        fibres.tear > 0
          ? fibres.tear * PlainNoise.value(middle * tearPart, seed: form.seed &+ 99 &+ UInt32(edge))
          : 0
      }
      for pixel in segment.pixels {
        let (qx, qy) = blade.position(of: pixel)
        let (cx, cy) = (qx * inverseX, qy * inverseY)
        let from = (cx - reachX).raised(to: cy - reachY).raised(to: 0)
        let to = (cx + reachX).lowered(to: cy + reachY).lowered(to: 1)
        let dwell = (to - from).raised(to: 0) * perWay
        var print: Float = 0
        if isPrint {
          print =
            ((blade.radius - abs(qx)).lowered(to: blade.thickness - abs(qy)) + 0.5).clamped
        }
        let time = dwell > 0 ? (from + to) * 0.5 : 0
        let across = qx - time * blade.vx
        let noise = fibre(across, fibres, path.arc[i] + time * segment.length, form.seed)
        let end = across * perRadius
        let square = end * end
        let wet =
          level * (1 + fibres.endDryness) - fibres.endDryness * (0.35 + 0.65 * square * square)
        let cut = ((wet * (1 + extra) - extra * 0.5 - noise) * ramp + 0.5).clamped
        let ink = cut * (fibres.body + (1 - fibres.body) * (1 - noise))
        let amount = dwell + print * 0.25
        addDwell(amount, at: pixel.index)
        self.ink[pixel.index] = sum(self.ink[pixel.index], amount * ink)
        let straight = segment.across(pixel)
        let edge =
          blade.side + (time - 0.5) * slope - abs(straight)
          - (straight > 0 ? tears[0] : tears[1])
        let swept = dwell > 0 ? (edge + 0.5).clamped * part : 0
        raiseWet(UInt8(swept.raised(to: print * thinness).clamped * 255 + 0.5), at: pixel.index)
      }
    }
  }

  /// The fibres averaged over a movement of the blade along itself.
  private func blurred(_ fibres: RasterFibres, _ way: Float) -> RasterFibres {
    var (fibres, lost) = (fibres, Float(0))
    func blur(_ width: Float, _ weight: inout Float) {
      guard weight > 0 else { return }
      let square = width * width
      let kept = square / (square + 0.6 * way * way)
      lost += weight * weight * (1 - kept)
      weight *= kept.squareRoot()
    }
    blur(fibres.width.0, &fibres.weight.0)
    blur(fibres.width.1, &fibres.weight.1)
    blur(fibres.width.2, &fibres.weight.2)
    fibres.ramp = (fibres.ramp * fibres.ramp + fibres.variance * lost).squareRoot()
    return fibres
  }

  /// The noise of a reed's fibres at q pixels across the nib.
  private func fibre(_ q: Float, _ fibres: RasterFibres, _ arc: Float, _ seed: UInt32) -> Float {
    let (w, l, k) = (fibres.width, fibres.length, fibres.weight)
    var noise: Float = 0.5
    for (index, scale) in [(w.0, l.0, k.0), (w.1, l.1, k.1), (w.2, l.2, k.2)].enumerated()
    where scale.2 > 0 {
      let value = PlainNoise.fibre(
        q * (1 / scale.0), arc * (1 / scale.1), seed: seed &+ 17 &* UInt32(index))
      noise += scale.2 * (value - 0.5)
    }
    return noise
  }

  private mutating func addDwell(_ amount: Float, at index: Int) {
    dwell[index] = sum(dwell[index], amount)
  }

  private func sum(_ parts: UInt16, _ amount: Float) -> UInt16 {
    let more = UInt32((amount.raised(to: 0) * Float(RasterDwellUnit) + 0.5).lowered(to: 65535))
    return UInt16(min(UInt32(parts) + more, 65535))
  }

  private mutating func raiseWet(_ amount: UInt8, at index: Int) {
    wet[index] = max(wet[index], amount)
  }

  private func quantized(_ depth: Float) -> Int32 {
    Int32(depth.lowered(to: 500).raised(to: -500) * Float(RasterDepthUnit))
  }

  /// The number of cells in a pixel, at most 1000.
  private func cellsPerPixel(_ cell: Float) -> Float { cell > 1e-3 ? 1 / cell : 1000 }
}

/// One segment, and the pixels of a tile that it may reach.
private struct PlainInkSegment {
  struct Pixel {
    let index: Int
    /// From the segment's first point to the pixel's middle.
    let x: Float
    let y: Float
  }

  let ux: Float
  let uy: Float
  let length: Float
  private let rows: Range<Int>
  private let columns: Range<Int>
  /// The pixel of the first point, and the vector from the point to that pixel's middle.
  private let origin: (column: Int, row: Int)
  private let middle: (x: Float, y: Float)

  init(_ path: PlainInkPath, _ i: Int, left: Int, top: Int, reach: Float) {
    let j = min(i + 1, path.x.count - 1)
    let dx = Float(path.x[j] - path.x[i]) * (1 / 1024)
    let dy = Float(path.y[j] - path.y[i]) * (1 / 1024)
    let (fx, fy) = (Float(path.x[i] & 1023) * (1 / 1024), Float(path.y[i] & 1023) * (1 / 1024))
    let column = Int(path.x[i] >> Int32(RasterPositionBits)) - left
    let row = Int(path.y[i] >> Int32(RasterPositionBits)) - top
    func reached(_ whole: Int, _ fraction: Float, _ way: Float) -> Range<Int> {
      let low = (way < 0 ? fraction + way : fraction) - reach + 0.5
      let high = (way > 0 ? fraction + way : fraction) + reach + 0.5
      let (first, end) = (
        max(whole + Int(low.floored), 0), min(whole + Int(high.floored), TileBins.side)
      )
      return first < end ? first..<end : 0..<0
    }
    columns = reached(column, fx, dx)
    rows = reached(row, fy, dy)
    length = (dx * dx + dy * dy).squareRoot()
    let inverse = length > 1e-4 ? 1 / length : 0
    (ux, uy) = (inverse > 0 ? dx * inverse : 1, dy * inverse)
    origin = (column, row)
    middle = (0.5 - fx, 0.5 - fy)
  }

  var pixels: [Pixel] {
    rows.flatMap { row in
      columns.map { column in
        Pixel(
          index: row * TileBins.side + column, x: Float(column - origin.column) + middle.x,
          y: Float(row - origin.row) + middle.y)
      }
    }
  }

  func along(_ pixel: Pixel) -> Float { pixel.x * ux + pixel.y * uy }

  func across(_ pixel: Pixel) -> Float { pixel.x * uy - pixel.y * ux }
}

/// A blade that does not turn within a segment.
private struct PlainBlade {
  /// The reach of a fading corner as a multiple of that of a fading side.
  static let cornerPart: Float = 1.415

  let radius: Float
  let thickness: Float
  let cosine: Float
  let sine: Float
  /// Half the extent of the blade in columns or rows, the greater of both.
  let reach: Float
  /// The movement in the blade's own coordinates.
  private(set) var vx: Float = 0
  private(set) var vy: Float = 0
  /// Half the extent of the blade across its movement.
  private(set) var side: Float = 0

  init(_ path: PlainInkPath, _ i: Int, least: Float) {
    let j = min(i + 1, path.x.count - 1)
    radius = ((path.radius[i] + path.radius[j]) * 0.5).raised(to: least)
    thickness = ((path.thickness[i] + path.thickness[j]) * 0.5).raised(to: least)
    let (c, n) = (path.cosine[i] + path.cosine[j], path.sine[i] + path.sine[j])
    let length = (c * c + n * n).squareRoot()
    cosine = length > 1e-3 ? c / length : path.cosine[i]
    sine = length > 1e-3 ? n / length : path.sine[i]
    let right = radius * abs(cosine) + thickness * abs(sine)
    let down = radius * abs(sine) + thickness * abs(cosine)
    reach = right.raised(to: down)
  }

  mutating func go(along segment: PlainInkSegment) {
    let ux = segment.ux * cosine + segment.uy * sine
    let uy = segment.uy * cosine - segment.ux * sine
    (vx, vy) = (ux * segment.length, uy * segment.length)
    side = radius * abs(uy) + thickness * abs(ux)
  }

  /// The position of a pixel in the blade's own coordinates.
  func position(of pixel: PlainInkSegment.Pixel) -> (x: Float, y: Float) {
    (pixel.x * cosine + pixel.y * sine, pixel.y * cosine - pixel.x * sine)
  }
}
