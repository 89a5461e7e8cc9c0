import CRasterKernels

/// The samples of one tile, with the kernels that set and count them.
final class SampleSpace {
  let kernels: UnsafePointer<RasterKernels>
  private let space: OpaquePointer

  /// Samples for one tile, `samples` × `samples` in each pixel, with the best kernels up to a
  /// level.
  init(samples: Int, level: Int32 = .max) {
    kernels = rasterKernels(level, Int32(samples))
    guard let space = rasterSpaceCreate(Int32(samples)) else {
      preconditionFailure("out of memory for the samples of a tile")
    }
    self.space = space
  }

  deinit { rasterSpaceFree(space) }

  /// Sets the samples that the nib covers between two points of a chain; `left` and `top` are the
  /// tile's corner in pixels.
  @inline(__always)
  func sweep(
    _ chain: DevicePaths.Chain, of paths: DevicePaths, from first: Int, to end: Int, left: Int,
    top: Int
  ) {
    let start = chain.start
    // A chain of one point has no segments.
    let end = min(end, chain.count - 1)
    switch chain.nib {
    case .round:
      kernels.pointee.sweepRound(
        space,
        RasterRoundPath(
          x: paths.round.x + start, y: paths.round.y + start,
          radius: paths.round.radius + start, count: Int32(chain.count)),
        Int32(first), Int32(end), Int32(left), Int32(top))
    case .elliptic:
      kernels.pointee.sweepElliptic(
        space,
        RasterEllipticPath(
          x: paths.elliptic.x.base + start, y: paths.elliptic.y.base + start,
          xx: paths.elliptic.xx.base + start, xy: paths.elliptic.xy.base + start,
          yy: paths.elliptic.yy.base + start, count: Int32(chain.count)),
        Int32(first), Int32(end), Int32(left), Int32(top))
    case .textured: preconditionFailure("textured inks have no samples")
    }
  }

  /// Resolves the samples to coverage and clears them. The result is valid until the next call.
  @inline(__always)
  func resolve() -> RasterCoverage { kernels.pointee.resolve(space) }

  /// The groups of pixels that were drawn in: a byte for each row, with a bit for each group.
  var groups: UnsafeMutablePointer<UInt8> { rasterSpaceGroups(space) }

  /// Whether all samples are clear, as they must be after `resolve()`.
  var isBlank: Bool { rasterSpaceIsClear(space) != 0 }

  func clearGroups() { groups.update(repeating: 0, count: TileBins.side) }
}
