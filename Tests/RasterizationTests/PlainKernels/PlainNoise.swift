import CRasterKernels

/// The noise of textures in plain Swift, one value at a time.
///
/// These files are a reference for the kernels of textured inks: they use the same operations in
/// the same order, so that results can be compared bit for bit. Only tests use them.
enum PlainNoise {
  /// Along a line, from 0 to 1.
  static func value(_ x: Float, seed: UInt32) -> Float {
    let i = x.floored
    let (a, b) = (quickCorner(i, 0, seed), quickCorner(i &+ 1, 0, seed))
    return a + (b - a) * (x - Float(i)).smoothed
  }

  /// In the plane, from 0 to 1.
  static func value(_ x: Float, _ y: Float, seed: UInt32) -> Float {
    let (i, j) = (x.floored, y.floored)
    return between(
      quickCorner(i, j, seed), quickCorner(i &+ 1, j, seed), quickCorner(i, j &+ 1, seed),
      quickCorner(i &+ 1, j &+ 1, seed), (x - Float(i)).smoothed, (y - Float(j)).smoothed)
  }

  /// On a turned lattice that repeats with the square.
  static func value(_ x: Int32, _ y: Int32, on lattice: RasterLattice) -> Float {
    let u = x * lattice.along + y * lattice.across
    let v = y * lattice.along - x * lattice.across
    let (i, j) = (u >> 8, v >> 8)
    return between(
      repeated(i, j, lattice), repeated(i + 1, j, lattice), repeated(i, j + 1, lattice),
      repeated(i + 1, j + 1, lattice), (Float(u & 255) * (1 / 256)).smoothed,
      (Float(v & 255) * (1 / 256)).smoothed)
  }

  private static func between(
    _ a: Float, _ b: Float, _ c: Float, _ d: Float, _ s: Float, _ t: Float
  ) -> Float {
    let (above, below) = (a + (b - a) * s, c + (d - c) * s)
    return above + (below - above) * t
  }

  /// The value of a lattice's corner; it repeats with the sides of the square.
  private static func repeated(_ i: Int32, _ j: Int32, _ lattice: RasterLattice) -> Float {
    let (along, across) = (lattice.along, lattice.across)
    let cells = along * along + across * across
    func floored(_ number: Int32) -> Int32 {
      number / cells - (number % cells < 0 ? 1 : 0)
    }
    let m = floored(i * along - j * across)
    let n = floored(i * across + j * along)
    return corner(
      i - m * along - n * across, j + m * across - n * along, lattice.seed)
  }

  private static func corner(_ i: Int32, _ j: Int32, _ seed: UInt32) -> Float {
    var h = UInt32(bitPattern: i) &* 0x9E37_79B1
    h ^= UInt32(bitPattern: j) &* 0x85EB_CA77
    h ^= seed &* 0xC2B2_AE3D
    h ^= h >> 16
    h &*= 0x7FEB_352D
    h ^= h >> 15
    h &*= 0x846C_A68B
    h ^= h >> 16
    return Float(h >> 8) * (1 / 16_777_216)
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

/// Grain in a plain array, and the position of a tile's first pixel in it; see `RasterGrain`.
struct PlainGrain {
  let texels: [UInt8]
  var x: Int32 = 0
  var y: Int32 = 0
  var xx: Int32 = 0
  var xy: Int32 = 0
  var yx: Int32 = 0
  var yy: Int32 = 0
  var isUpright = true

  init(texels: [UInt8]) { self.texels = texels }

  /// Grain made from two lattices. Its rows are longer than the square.
  init(fine: RasterLattice, coarse: RasterLattice, contrast: Float) {
    let (side, pitch) = (Int(RasterGrainSide), Int(RasterGrainPitch))
    texels = (0..<side * pitch).map { index in
      let (x, y) = (Int32(index % pitch % side), Int32(index / pitch))
      let value =
        PlainNoise.value(x, y, on: fine) * fine.share
        + PlainNoise.value(x, y, on: coarse) * coarse.share
      return UInt8(((value - 0.5) * contrast + 0.5).clamped * 255 + 0.5)
    }
  }

  /// The grain at a pixel of a tile, from 0 to 1.
  func value(_ column: Int, _ row: Int) -> Float {
    let (column, row) = (Int32(column), Int32(row))
    var (u, v) = (column &+ x, row &+ y)
    if !isUpright {
      u = (x &+ xx &* column &+ xy &* row) >> 16
      v = (y &+ yx &* column &+ yy &* row) >> 16
    }
    let side = Int32(RasterGrainSide) - 1
    return Float(texels[Int(v & side) * Int(RasterGrainPitch) + Int(u & side)]) * (1 / 255)
  }
}

extension Float {
  /// The greatest integer that is not greater.
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
