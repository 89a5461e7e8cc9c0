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

/// The fields of textured inks on a tile, in plain Swift: each segment visits every pixel that it
/// may reach, one after the other.
struct PlainInkFields {
  static let noDepth = Int16.min
  static let noKey = Int32.min
  static let count = TileBins.side * TileBins.side

  var dwell = [UInt16](repeating: 0, count: count)
  var depth = [Int16](repeating: noDepth, count: count)
  var wet = [UInt8](repeating: 0, count: count)
  var key = [Int32](repeating: noKey, count: count)

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
      var reach = radius * (1 + form.wander)
      let greatest = path.radius[i].raised(to: path.radius[j]).raised(to: radius)
      if form.hasDepth != 0 { reach = reach.raised(to: greatest + form.featherOut) }
      if form.countsPasses != 0 { reach = reach.raised(to: greatest * 1.25 + 1.5) }
      let segment = PlainInkSegment(path, i, left: left, top: top, reach: reach)
      let inverse = 1 / radius
      let lean = (path.lean[i] + path.lean[j]) * 0.5
      let amount = flow / (1.5 * radius)
      let perLength = segment.length > 1e-4 ? 1 / segment.length : 0
      // A nib that does not move lays down as much ink as if it moved 0.35 radii to both sides.
      let isDot = !(segment.length > 1e-4)
      let arc = path.arc[i]
      for pixel in segment.pixels {
        let (along, straight) = (segment.along(pixel), segment.across(pixel))
        var across = straight
        if form.wander > 0 {
          let side = PlainNoise.value((arc + along) * wanderPart, seed: form.seed) - 0.5
          across += side * (2 * form.wander * radius)
        }
        var square = radius * radius - across * across
        if isDot { square -= along * along }
        square = square.raised(to: 0)
        let half = square.squareRoot()
        var from = (-along).raised(to: -half).lowered(to: half)
        var to = (segment.length - along).raised(to: -half).lowered(to: half)
        if isDot {
          to = half.lowered(to: 0.35 * radius)
          from = -to
        }
        var laid = to - from
        if form.isRounded != 0 {
          // The integral of 1 - q² along the way.
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
        if form.lanes > 0 {
          let lane = PlainNoise.value(
            straight * laneAcross, (arc + along) * laneAlong, seed: form.seed &+ 1)
          laid *= 1 + form.lanes * (lane - 0.5)
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
      let perWay = segment.length > 1e-4 ? flow * segment.length / (2 * blade.thickness) : 0
      let vx = abs(blade.vx) > 1e-4 ? blade.vx : 1e-4
      let vy = abs(blade.vy) > 1e-4 ? blade.vy : 1e-4
      let (inverseX, inverseY) = (1 / vx, 1 / vy)
      let (reachX, reachY) = (
        (blade.radius + out) * abs(inverseX), (blade.thickness + out) * abs(inverseY)
      )
      for pixel in segment.pixels {
        let (qx, qy) = blade.position(of: pixel)
        // The part of the way on which the blade covers the pixel.
        let (cx, cy) = (qx * inverseX, qy * inverseY)
        let from = (cx - reachX).raised(to: cy - reachY).raised(to: 0)
        let to = (cx + reachX).lowered(to: cy + reachY).lowered(to: 1)
        let side = blade.side - segment.across(pixel).magnitude
        let soft = ((side + out) * fade).clamped.smoothed
        var lane: Float = 1
        if form.lanes > 0 {
          lane = 1 + form.lanes * (PlainNoise.value(qx * laneAcross, seed: form.seed) - 0.5)
        }
        addDwell((to - from).raised(to: 0) * perWay * soft * lane, at: pixel.index)
        guard isPrint else { continue }
        let edge = (blade.radius - abs(qx)).lowered(to: blade.thickness - abs(qy))
        let print = ((edge + out) * fade).clamped.smoothed * lane
        raiseWet(UInt8((print * 0.5).clamped * 255 + 0.5), at: pixel.index)
      }
    }
  }

  /// Records how deep each pixel lies inside the sweep of a blade, and the fibre there.
  mutating func depositBladeDepth(
    _ path: PlainInkPath, from first: Int, to end: Int, left: Int, top: Int, _ form: RasterDeposit
  ) {
    let (laneAcross, laneAlong) = (cellsPerPixel(form.laneWidth), cellsPerPixel(form.laneLength))
    for i in first..<end {
      let j = min(i + 1, path.x.count - 1)
      var blade = PlainBlade(path, i, least: -0.5)
      let segment = PlainInkSegment(
        path, i, left: left, top: top,
        reach: blade.reach + form.featherOut * PlainBlade.cornerPart)
      blade.go(along: segment)
      let flow = (path.flow[i] + path.flow[j]) * 0.5
      let opacity = Int32(flow.clamped * 255 + 0.5)
      let (mx, my) = (blade.vx * 0.5, blade.vy * 0.5)
      let (ex, ey) = (blade.radius + abs(blade.vx) * 0.5, blade.thickness + abs(blade.vy) * 0.5)
      let sides = segment.length > 1e-4 ? blade.side : 1e6
      for pixel in segment.pixels {
        let (qx, qy) = blade.position(of: pixel)
        let depth = (ex - abs(qx - mx)).lowered(to: ey - abs(qy - my))
          .lowered(to: sides - abs(segment.across(pixel)))
        guard depth > -form.featherOut else { continue }
        let fibre = PlainNoise.value(
          qx * laneAcross, (path.arc[i] + segment.along(pixel)) * laneAlong, seed: form.seed)
        let key = quantized(depth) * 65536 + Int32(fibre * 255 + 0.5) * 256 + opacity
        self.key[pixel.index] = max(self.key[pixel.index], key)
      }
    }
  }

  private mutating func addDwell(_ amount: Float, at index: Int) {
    let parts = UInt32((amount.raised(to: 0) * Float(RasterDwellUnit) + 0.5).lowered(to: 65535))
    dwell[index] = UInt16(min(UInt32(dwell[index]) + parts, 65535))
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
  /// The pixel of the first point, and the way from the point to that pixel's middle.
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
  /// Half the extent of the blade in columns or rows, whichever is greater.
  let reach: Float
  /// The movement in the blade's own coordinates.
  private(set) var vx: Float = 0
  private(set) var vy: Float = 0
  /// Half the extent of the blade across its way.
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
