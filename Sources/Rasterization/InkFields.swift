import CRasterKernels

/// The fields that textured inks leave on a tile, with the kernels that fill and read them.
final class InkFields {
  let kernels: UnsafePointer<RasterInkKernels>
  private let space: OpaquePointer

  init(level: Int32 = .max) {
    kernels = rasterInkKernels(level)
    guard let space = rasterInkSpaceCreate() else {
      preconditionFailure("no memory for the fields of a tile")
    }
    self.space = space
  }

  deinit { rasterInkSpaceFree(space) }

  /// Adds what a nib leaves behind between two points of a chain.
  func deposit(
    _ texture: Texture, _ chain: DevicePaths.Chain, of paths: DevicePaths, from first: Int,
    to end: Int, left: Int, top: Int
  ) {
    let columns = paths.textured
    let start = chain.start
    let path = RasterInkPath(
      x: columns.x.base + start, y: columns.y.base + start, radius: columns.radius.base + start,
      thickness: columns.thickness.base + start, cosine: columns.cosine.base + start,
      sine: columns.sine.base + start, flow: columns.flow.base + start,
      arc: columns.arc.base + start, lean: columns.lean.base + start, count: Int32(chain.count))
    let deposit =
      switch texture.tone {
      case .tooth, .wash, .passes: kernels.pointee.depositDisc
      case .marker: kernels.pointee.depositBlade
      case .reed: kernels.pointee.sinkBlade
      }
    withUnsafePointer(to: texture.deposit) { form in
      deposit(space, path, Int32(first), Int32(end), Int32(left), Int32(top), form)
    }
  }

  /// What the fields come to, which are forgotten; valid until the next call.
  func coverage(of texture: Texture, left: Int, top: Int) -> RasterCoverage {
    switch texture.tone {
    case .tooth(var tooth):
      tooth.grain = tooth.grain.seen(fromLeft: left, top: top)
      return kernels.pointee.tooth(space, &tooth)
    case .marker(var marker): return kernels.pointee.marker(space, &marker)
    case .passes(var passes): return kernels.pointee.passes(space, &passes)
    case .reed(var reed): return kernels.pointee.reed(space, &reed)
    case .wash(var wash):
      wash.wobbleA = wash.wobbleA.seen(fromLeft: left, top: top)
      wash.wobbleB = wash.wobbleB.seen(fromLeft: left, top: top)
      wash.cloudA = wash.cloudA.seen(fromLeft: left, top: top)
      wash.cloudB = wash.cloudB.seen(fromLeft: left, top: top)
      wash.pigment = wash.pigment.seen(fromLeft: left, top: top)
      return kernels.pointee.wash(space, &wash)
    }
  }

  /// Whether nothing was deposited that no coverage was made of.
  var isBlank: Bool { rasterInkSpaceIsClear(space) != 0 }

  /// Adds the groups that were drawn in to others, and forgets them.
  func moveGroups(to others: UnsafeMutablePointer<UInt8>) {
    let groups = rasterInkSpaceGroups(space)
    for row in 0..<TileBins.side {
      others[row] |= groups[row]
      groups[row] = 0
    }
  }

  func forgetGroups() {
    rasterInkSpaceGroups(space).update(repeating: 0, count: TileBins.side)
  }
}
