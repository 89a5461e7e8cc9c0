import CRasterKernels

/// The fields of one tile that textured inks leave, with the kernels that fill and resolve them.
final class InkFields {
  let kernels: UnsafePointer<RasterInkKernels>
  private let space: OpaquePointer

  init(level: Int32 = .max) {
    kernels = rasterInkKernels(level)
    guard let space = rasterInkSpaceCreate() else {
      preconditionFailure("out of memory for the fields of a tile")
    }
    self.space = space
  }

  deinit { rasterInkSpaceFree(space) }

  /// Adds the ink that a nib deposits between two points of a chain; `left` and `top` are the
  /// tile's corner in pixels of the picture.
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
    move(to: texture, left, top)
    let (first, end) = (Int32(first), Int32(end))
    let (left, top) = (Int32(left >> texture.coarseness), Int32(top >> texture.coarseness))
    withUnsafePointer(to: texture.deposit) { form in
      switch texture.tone {
      case .tooth, .wash, .passes:
        kernels.pointee.depositDisc(space, path, first, end, left, top, form)
      case .marker: kernels.pointee.depositBlade(space, path, first, end, left, top, form)
      case .reed(var fibres):
        kernels.pointee.depositFibres(space, path, first, end, left, top, form, &fibres)
      }
    }
  }

  private func move(to texture: Texture, _ left: Int, _ top: Int) {
    let shift = texture.coarseness
    rasterInkSpaceMove(
      space, Int32(left >> shift), Int32(top >> shift), Int32(TileBins.side >> shift))
  }

  /// Resolves the fields to coverage and clears them; its pixels are those of the texture. The
  /// result is valid until the next call.
  func coverage(of texture: Texture, left: Int, top: Int) -> RasterCoverage {
    move(to: texture, left, top)
    switch texture.tone {
    case .tooth(var tooth): return kernels.pointee.tooth(space, &tooth)
    case .marker(var marker): return kernels.pointee.marker(space, &marker)
    case .passes(var passes): return kernels.pointee.passes(space, &passes)
    case .reed: return kernels.pointee.reed(space)
    case .wash(var wash): return kernels.pointee.wash(space, &wash)
    }
  }

  /// Whether all fields are clear, as they must be after `coverage(of:left:top:)`.
  var isBlank: Bool { rasterInkSpaceIsClear(space) != 0 }

  /// Adds the groups that were drawn in to others, and clears them.
  func moveGroups(to others: UnsafeMutablePointer<UInt8>) {
    let groups = rasterInkSpaceGroups(space)
    for row in 0..<TileBins.side {
      others[row] |= groups[row]
      groups[row] = 0
    }
  }

  func clearGroups() {
    rasterInkSpaceGroups(space).update(repeating: 0, count: TileBins.side)
  }
}
