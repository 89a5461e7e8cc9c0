import CRasterKernels

@testable import Rasterization

/// The tone of pencil and crayon; see `RasterTooth`.
struct PlainTooth {
  var grain: PlainGrain
  var depth: Float
  var gain: Float
  var cap: Float
  var detail: Float
  var ceiling: Float

  init(
    grain: PlainGrain, depth: Float, gain: Float, cap: Float, detail: Float, ceiling: Float
  ) {
    self.grain = grain
    (self.depth, self.gain, self.cap) = (depth, gain, cap)
    (self.detail, self.ceiling) = (detail, ceiling)
  }
}

/// The tone of watercolor; see `RasterWash`.
struct PlainWash {
  var wobbleA: PlainGrain
  var wobbleB: PlainGrain
  var cloudA: PlainGrain
  var cloudB: PlainGrain
  var pigment: PlainGrain
  var swayA: Float = 0
  var swayB: Float = 0
  var edgeOut: Float = 0
  var edgeIn: Float = 1
  var rim: Float = 0
  var pool: Float = 0
  var detail: Float = 1
  var strength: Float = 1

  init(
    wobbleA: PlainGrain, wobbleB: PlainGrain, cloudA: PlainGrain, cloudB: PlainGrain,
    pigment: PlainGrain
  ) {
    (self.wobbleA, self.wobbleB) = (wobbleA, wobbleB)
    (self.cloudA, self.cloudB) = (cloudA, cloudB)
    self.pigment = pigment
  }
}

/// Tones turn fields into coverages from 0 to 255, and clear the fields.
extension PlainInkFields {
  mutating func tooth(_ tooth: PlainTooth) -> [UInt8] {
    let span = tooth.gain * tooth.depth
    return take { fields, index in
      let tone = saturated(fields.ink(index).lowered(to: tooth.ceiling))
      let top =
        tooth.gain * tone * (1 + tooth.depth) - 0.5 * (tooth.gain - 1) * (1 - tone)
      var cut: Float = 0
      if tooth.detail > 0 {
        let (column, row) = (index % TileBins.side, index / TileBins.side)
        cut = (top - span * tooth.grain.value(column, row)).clamped
      }
      if tooth.detail < 1 {
        let mean = (integral(top) - integral(top - span)) * (1 / span)
        cut = mean + (cut - mean) * tooth.detail
      }
      return cut * (tone * 10).clamped.smoothed * tooth.cap
    }
  }

  mutating func marker(_ marker: RasterMarker) -> [UInt8] {
    take { fields, index in
      let print = Float(fields.wet[index]) * (2 / 255) * marker.print
      let dwell = fields.ink(index).raised(to: print)
      return saturated(dwell.lowered(to: marker.ceiling))
    }
  }

  /// The result is only defined for pixels near the ink, because the exact edge comes from samples.
  mutating func passes(_ passes: RasterPasses) -> [UInt8] {
    take { fields, index in
      let number = (fields.ink(index) * 4).raised(to: 1).lowered(to: passes.ceiling)
      return 1
        - (0..<16).reduce(1) { rest, pass in
          rest * (1 - (number - Float(pass)).clamped * (1 - passes.rest))
        }
    }
  }

  mutating func reed(_ reed: RasterReed) -> [UInt8] {
    take { fields, index in
      let key = fields.key[index]
      let depth = Float(key >> 16) * (1 / Float(RasterDepthUnit))
      let fibre = Float(key >> 8 & 255) * (1 / 255)
      let dryness = 1 - Float(key & 255) * (1 / 255)
      // Fibres that run dry leave holes, and the edge is torn along the fibres.
      let torn = fibre * reed.rough * reed.depth
      let dry =
        reed.dry * dryness * 2 * reed.depth * ((fibre - 0.25) * (1 / 0.7)).clamped.smoothed
      let alpha =
        depth.lowered(to: reed.depth) - (torn + dry) * reed.detail + reed.edge + 0.5
      guard reed.detail < 1 else { return alpha }
      return alpha.clamped * (1 - (1 - reed.detail) * dryness * 0.6)
    }
  }

  mutating func wash(_ wash: PlainWash) -> [UInt8] {
    let (rim, pool) = (1 / wash.rim.raised(to: 1e-3), 1 / wash.pool.raised(to: 1e-3))
    let fade = 1 / (wash.edgeOut + wash.edgeIn)
    return take { fields, index in
      let (x, y) = (index % TileBins.side, index / TileBins.side)
      let depth = Float(fields.depth[index]) * (1 / Float(RasterDepthUnit))
      let pigment = Float(fields.wet[index]) * (1 / 255)
      let edge =
        depth + wash.swayA * (wash.wobbleA.value(x, y) - 0.5)
        + wash.swayB * (wash.wobbleB.value(x, y) - 0.5)
      let cloud = (wash.cloudA.value(x, y) * 0.62 + wash.cloudB.value(x, y) * 0.38) - 0.5
      let speck = (wash.pigment.value(x, y) - 0.5) * wash.detail
      let ringed = (1 - edge * rim).clamped
      let ring = ringed * ringed
      let pooled = (1 - edge * pool).clamped
      let paint = 0.33 * (1 + 0.92 * cloud) * (1 + 0.4 * speck)
      let body = paint * (0.92 + 0.25 * pooled) * (0.72 + 0.5 * saturated(0.9 * fields.ink(index)))
      let edged = ((edge + wash.edgeOut) * fade).clamped.smoothed
      return edged * pigment * (body + 0.42 * ring * (0.8 + 0.8 * cloud)) * wash.strength
    }
  }

  /// How long the nib has rested on a pixel, in nib lengths.
  private func ink(_ index: Int) -> Float { Float(dwell[index]) * (1 / Float(RasterDwellUnit)) }

  private mutating func take(_ alpha: (PlainInkFields, Int) -> Float) -> [UInt8] {
    let coverage = (0..<Self.count).map { UInt8(alpha(self, $0).clamped * 255 + 0.5) }
    self = PlainInkFields()
    return coverage
  }
}

/// The coverage that a dwell gives; each further amount of ink adds less.
private func saturated(_ dwell: Float) -> Float {
  let rest = 1 - dwell.lowered(to: 4) * 0.25
  let squared = rest * rest
  return 1 - squared * squared
}

/// The integral of clamp(v) from 0 to `value`.
private func integral(_ value: Float) -> Float {
  let inside = value.clamped
  return inside * inside * 0.5 + (value - 1).raised(to: 0)
}
