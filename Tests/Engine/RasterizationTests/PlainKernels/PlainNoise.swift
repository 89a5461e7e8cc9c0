import CRasterKernels

/// The noise of textures in plain Swift, one value at a time.
///
/// These files are a reference for the kernels of textured inks: they use the same operations in
/// the same order, so that results can be compared bit for bit. Only tests use them.
enum PlainNoise {
  /// The noise along a line, from 0 to 1.
  static func value(_ x: Float, seed: UInt32) -> Float {
    let i = x.floored
    let (a, b) = (quickCorner(i, 0, seed), quickCorner(i &+ 1, 0, seed))
    return a + (b - a) * (x - Float(i)).smoothed
  }

  /// The noise in the plane, from 0 to 1.
  static func value(_ x: Float, _ y: Float, seed: UInt32) -> Float {
    let (i, j) = (x.floored, y.floored)
    return between(
      quickCorner(i, j, seed), quickCorner(i &+ 1, j, seed), quickCorner(i, j &+ 1, seed),
      quickCorner(i &+ 1, j &+ 1, seed), (x - Float(i)).smoothed, (y - Float(j)).smoothed)
  }

  /// The noise across the fibres of a reed, from 0 to 1; see the kernel `fibreNoise`.
  static func fibre(_ x: Float, _ z: Float, seed: UInt32) -> Float {
    let i = x.floored
    let way = z * 256
    func end(_ i: Int32) -> Float {
      var h = UInt32(bitPattern: i) &* 0x9E37_79B1 &+ seed &* 0xC2B2_AE3D
      h ^= h >> 15
      h &*= 0x846C_A68B
      h >>= 8
      let phase = (Int32(h & 65_535) &+ Int32(way * Float(Int32(h >> 17) + 40))) & 65_535
      return Float(min(phase, 65_535 - phase)) * (1 / 32_767)
    }
    let (a, b) = (end(i), end(i &+ 1))
    return a + (b - a) * (x - Float(i)).smoothed
  }

  private static func between(
    _ a: Float, _ b: Float, _ c: Float, _ d: Float, _ s: Float, _ t: Float
  ) -> Float {
    let (above, below) = (a + (b - a) * s, c + (d - c) * s)
    return above + (below - above) * t
  }

  private static func quickCorner(_ i: Int32, _ j: Int32, _ seed: UInt32) -> Float {
    var h = UInt32(bitPattern: i) &* 0x9E37_79B1
    h &+= UInt32(bitPattern: j) &* 0x85EB_CA77
    h &+= seed &* 0xC2B2_AE3D
    h ^= h >> 15
    h &*= 0x846C_A68B
    return Float(h >> 8) * (1 / 16_777_216)
  }
}

extension RasterGrain {
  /// The grain of a pixel of the picture, from -128 to 127.
  func plainValue(_ x: Int32, _ y: Int32) -> Float {
    var sum: Int32 = 64
    for octave in [octaves.0, octaves.1, octaves.2] where octave.weight != 0 {
      let value = octave.plainValue(UInt32(bitPattern: x), UInt32(bitPattern: y))
      sum += (value * octave.weight) >> 16
    }
    return Float(sum >> 7)
  }
}

extension RasterOctave {
  /// The octave at a pixel, from -32,640 to 32,640.
  fileprivate func plainValue(_ x: UInt32, _ y: UInt32) -> Int32 {
    let (u, v) = (ux &* x &+ uy &* y &+ u, vx &* x &+ vy &* y &+ v)
    func smoothed(_ a: UInt32) -> Int32 {
      let square = (a &* a) >> 16
      return Int32((square * (49_152 - (a >> 1))) >> 22)
    }
    func column(_ i: UInt32) -> UInt16 {
      var h = UInt16(truncatingIfNeeded: i) &* 0x9E37 &+ UInt16(truncatingIfNeeded: seed)
      h ^= h >> 7
      h &*= 0x58D5
      return h ^ h >> 9
    }
    func corner(_ column: UInt16, _ j: UInt32) -> Int32 {
      var h = column &+ UInt16(truncatingIfNeeded: j) &* 0xC2B3
      h ^= h >> 7
      h &*= 0x85EB
      return Int32(h >> 8)
    }
    let (s, t) = (smoothed(u & 65_535), smoothed(v & 65_535))
    let (left, right) = (column(u >> 16), column((u >> 16) &+ 1))
    let (j, k) = (v >> 16, (v >> 16) &+ 1)
    let (a, b, c, d) = (corner(left, j), corner(right, j), corner(left, k), corner(right, k))
    let above = (a * 256 + (b - a) * s) >> 1
    let below = (c * 256 + (d - c) * s) >> 1
    return above * 2 + (((below - above) * ((t << 7) - (t >> 8))) >> 16) * 4 - 32_640
  }
}

extension Float {
  /// The value rounded down.
  var floored: Int32 {
    let whole = Int32(self)
    return whole - (Float(whole) > self ? 1 : 0)
  }

  /// Smoothstep: from 0 to 1, with a slope of 0 at both ends.
  var smoothed: Float { self * self * (3 - 2 * self) }

  var clamped: Float { raised(to: 0).lowered(to: 1) }

  /// The greater of two; `other` if they cannot be compared.
  func raised(to other: Float) -> Float { self > other ? self : other }

  /// The lesser of two; `other` if they cannot be compared.
  func lowered(to other: Float) -> Float { self < other ? self : other }
}
