import CRasterKernels

@testable import Rasterization

/// Tones turn fields into coverages from 0 to 255, and clear the fields.
extension PlainInkFields {
  mutating func tooth(_ tooth: RasterTooth, left: Int, top: Int) -> [UInt8] {
    let (span, part) = (tooth.gain * tooth.depth, tooth.range * (1 / 255))
    return take { fields, index in
      let tone = saturated(fields.passes(fields.dwell[index]).lowered(to: tooth.ceiling))
      let valley = 0.5 + Self.value(of: tooth.grain, index, left, top) * part
      let high =
        tooth.gain * tone * (1 + tooth.depth) - 0.5 * (tooth.gain - 1) * (1 - tone)
      let cut = rampMean(high - span * valley, tooth.spread)
      return cut * (tone * 10).clamped.smoothed * tooth.cap
    }
  }

  mutating func marker(_ marker: RasterMarker) -> [UInt8] {
    take { fields, index in
      let print = Float(fields.wet[index]) * (1 / 255) * 2
      let dwell = fields.passes(fields.dwell[index]).raised(to: print)
      return saturated(dwell.lowered(to: marker.ceiling))
    }
  }

  /// The result is only defined for pixels near the ink, because the exact edge comes from samples.
  mutating func passes(_ passes: RasterPasses) -> [UInt8] {
    take { fields, index in
      let number = (fields.passes(fields.dwell[index]) * 4).raised(to: 1).lowered(
        to: passes.ceiling)
      return 1
        - (0..<16).reduce(1) { rest, pass in
          rest * (1 - (number - Float(pass)).clamped * (1 - passes.rest))
        }
    }
  }

  mutating func reed() -> [UInt8] {
    take { fields, index in
      let dwell = fields.passes(fields.dwell[index])
      let mean = fields.passes(fields.ink[index]) / dwell.raised(to: 1e-4)
      let filled = mean + (1 - mean) * mean * (dwell - 1.3).clamped
      return Float(fields.wet[index]) * (1 / 255) * (dwell * 4).clamped * filled
    }
  }

  mutating func wash(_ wash: RasterWash, left: Int, top: Int) -> [UInt8] {
    let (rim, pool) = (1 / wash.rim.raised(to: 1e-3), 1 / wash.pool.raised(to: 1e-3))
    let fade = 1 / (wash.edgeOut + wash.edgeIn)
    let sway = wash.sway * (1 / 255)
    let (cloudy, speckled) = (wash.clouds * (1 / 255), wash.specks * (1 / 255))
    return take { fields, index in
      let depth = Float(fields.depth[index]) * (1 / Float(RasterDepthUnit))
      let pigment = Float(fields.wet[index]) * (1 / 255)
      let edge = depth + Self.value(of: wash.wobble, index, left, top) * sway
      let cloud = Self.value(of: wash.cloud, index, left, top) * cloudy
      let speck = Self.value(of: wash.pigment, index, left, top) * speckled
      let ringed = (1 - edge * rim).clamped
      let ring = ringed * ringed
      let pooled = (1 - edge * pool).clamped
      let rested = saturated(
        0.9 * fields.passes(fields.dwell[index]) / pigment.raised(to: 0.05))
      let paint = 0.33 * (1 + 0.92 * cloud) * (1 + speck)
      let body = paint * (0.92 + 0.25 * pooled) * (0.72 + 0.5 * rested)
      let edged = ((edge + wash.edgeOut) * fade).clamped.smoothed
      return edged * pigment * (body + 0.42 * ring * (0.8 + 0.8 * cloud)) * wash.strength
    }
  }

  /// A field's parts in passes.
  private func passes(_ parts: UInt16) -> Float { Float(parts) * (1 / Float(RasterDwellUnit)) }

  private static func value(
    of grain: RasterGrain, _ index: Int, _ left: Int, _ top: Int
  ) -> Float {
    grain.plainValue(Int32(left + index % TileBins.side), Int32(top + index / TileBins.side))
  }

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

/// The mean of clamp over all values that deviate from `value` by at most `spread`.
private func rampMean(_ value: Float, _ spread: Float) -> Float {
  if spread < 1e-3 { return value.clamped }
  return (integral(value + spread) - integral(value - spread)) * (0.5 / spread)
}
