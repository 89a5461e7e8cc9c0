import CRasterKernels
import Graphics
import Threads

/// Two layers of noise, on lattices that are turned against each other.
struct GrainStyle {
  /// The cell size of each layer, in points.
  var cells: (fine: Double, coarse: Double)
  /// The share of the fine layer, from 0 to 1.
  var share: Double
  /// The contrast around the middle; values beyond 0 and 1 are clamped.
  var contrast: Double
}

/// Noise for textures: a square of bytes that repeats without a seam. Each style, scale and seed is
/// computed once and cached.
final class Grain: @unchecked Sendable {
  let texels: Column<UInt8>

  private init(_ texels: Column<UInt8>) { self.texels = texels }

  /// The parameters of a grain; cells are in pixels.
  private struct Recipe: Hashable {
    var fine: Float
    var coarse: Float
    var share: Float
    var contrast: Float
    var seed: UInt32
  }

  private static let cache = ConditionMutex<[Recipe: Grain]>([:])
  /// Grains in the cache; each takes about 70 kB.
  private static let maximumCached = 64

  /// Grain of a style at a scale. Cells have at least one pixel: smaller ones would only alias.
  static func make(_ style: GrainStyle, scale: Double, seed: UInt32 = 0) -> Grain {
    let recipe = Recipe(
      fine: Float(max(style.cells.fine * scale, 1)),
      coarse: Float(max(style.cells.coarse * scale, 1)), share: Float(style.share),
      contrast: Float(style.contrast), seed: seed)
    if let grain = cache.withLock({ $0[recipe] }) { return grain }
    let grain = Grain(recipe)
    cache.withLock { cache in
      if cache.count >= maximumCached { cache.removeAll() }
      cache[recipe] = grain
    }
    return grain
  }

  private convenience init(_ recipe: Recipe) {
    // Upright lattices would show as little bricks. So both are turned, by the angles of the
    // triangles with the sides 3, 4, 5 and 5, 12, 13.
    func lattice(_ cell: Float, _ share: Float, _ seed: UInt32, _ turn: (Double, Double))
      -> RasterLattice
    {
      let count = Double(RasterGrainSide) / Double(cell)
      return RasterLattice(
        along: max(Int32(clamping: (count * turn.0).rounded()), 1),
        across: Int32(clamping: (count * turn.1).rounded()),
        seed: seed, share: share)
    }
    let texels = Column<UInt8>(
      repeating: 0, count: Int(RasterGrainSide) * Int(RasterGrainPitch))
    rasterInkKernels(.max).pointee.fillGrain(
      texels.base, lattice(recipe.fine, recipe.share, recipe.seed, (4 / 5.0, 3 / 5.0)),
      lattice(recipe.coarse, 1 - recipe.share, recipe.seed &+ 1, (12 / 13.0, 5 / 13.0)),
      recipe.contrast)
    self.init(texels)
  }
}
