import CRasterKernels
import Graphics
import Threads

/// Draws the tiles of scenes, one at a time. Each thread uses its own.
package final class TilePainter {
  private let samples: Int
  private let level: Int32
  private let space: SampleSpace
  /// The kernels of tiles with 16 bits a component.
  private let deepKernels: UnsafePointer<RasterInkKernels>
  /// The fields of textured inks. Most drawings have none, and clearing their memory takes 6 % of
  /// the time of a page.
  private var fields: InkFields?
  /// The buffers in which an isolated group is composited; they are blank between tiles.
  private(set) lazy var isolatedGroup = Column<UInt8>(
    repeating: 0, count: 4 * TileBins.side * TileBins.side)
  private(set) lazy var deepIsolatedGroup = Column<UInt16>(
    repeating: 0, count: 4 * TileBins.side * TileBins.side)
  private lazy var mask = MaskTile()
  private lazy var list = CoverageList()
  /// The remains of the earlier stroke with a number.
  private lazy var remains = MaskTile()
  private var remainsOwner: Int32 = -1
  /// The index in the list of each group of the tile, below 0 for none.
  private lazy var indices = Column<Int16>(repeating: -1, count: Int(RasterGroupsPerTile))

  private var checks: UInt8 = 0

  /// A painter with `samples` × `samples` samples in each pixel, and the best kernels up to a
  /// level.
  package init(samples: Int, level: Int32 = .max) {
    self.samples = samples
    self.level = level
    space = SampleSpace(samples: samples, level: level)
    deepKernels = rasterInkKernels(level)
  }

  /// The fields, which are created when the first texture is drawn.
  private var textureFields: InkFields {
    if let fields { return fields }
    let new = InkFields(level: level)
    fields = new
    return new
  }

  /// Starts the next tile.
  package func begin() {
    remainsOwner = -1
    space.clearGroups()
    fields?.clearGroups()
  }

  /// Whether all buffers are clear. Anything left over would appear in the next tile.
  ///
  /// It looks after one tile of 16: looking takes longer than a tile, and each painter draws many.
  private func isBlankWhereChecked() -> Bool {
    checks &+= 1
    guard checks % 16 == 1 else { return true }
    let count = 4 * TileBins.side * TileBins.side
    return space.isBlank && fields?.isBlank != false
      && UnsafeBufferPointer(start: isolatedGroup.base, count: count).allSatisfy { $0 == 0 }
      && UnsafeBufferPointer(start: deepIsolatedGroup.base, count: count).allSatisfy { $0 == 0 }
  }

  /// The groups of pixels that were drawn in since `begin()`: a byte for each row, with a bit for
  /// each group.
  var groups: UnsafeMutablePointer<UInt8> {
    fields?.moveGroups(to: space.groups)
    return space.groups
  }

  /// Marks groups as drawn in.
  func markDrawn(_ groups: UnsafePointer<UInt8>) {
    for row in 0..<TileBins.side { space.groups[row] |= groups[row] }
  }

  /// Draws a tile of scenes, one after the other, over pixels that hold the background. An isolated
  /// group is composited on nothing first.
  package func paint(
    _ scenes: [Scene], isIsolated: Bool = false, column: Int, row: Int,
    over pixels: UnsafeMutablePointer<UInt8>, pitch: Int
  ) {
    let kernels = space.kernels
    let target = isIsolated ? isolatedGroup.base : pixels
    let targetPitch = Int32(isIsolated ? 4 * TileBins.side : pitch)
    for scene in scenes.indices where scenes[scene].bins.firstRun(column, row) >= 0 {
      forEachMark(of: scenes[scene], column, row) { mark, coverage in
        kernels.pointee.blend(target, targetPitch, coverage, mark.pointee.paint)
      }
    }
    if isIsolated { kernels.pointee.compositeTile(pixels, Int32(pitch), target, groups) }
  }

  /// `paint` for a tile of 16-bit pixels.
  func paintDeep(
    _ scenes: [Scene], isIsolated: Bool = false, column: Int, row: Int,
    over pixels: UnsafeMutablePointer<UInt16>
  ) {
    let kernels = deepKernels
    let target = isIsolated ? deepIsolatedGroup.base : pixels
    for scene in scenes.indices where scenes[scene].bins.firstRun(column, row) >= 0 {
      forEachMark(of: scenes[scene], column, row) { mark, coverage in
        kernels.pointee.blendDeep(target, coverage, mark.pointee.deepPaint)
      }
    }
    if isIsolated { kernels.pointee.compositeTileDeep(pixels, target, groups) }
  }

  /// Averages squares of pixels of a tile, where some were drawn in since `begin()`; see
  /// `RasterKernels.average`.
  func average(
    _ tile: UnsafePointer<UInt8>, _ shift: Int32, to pixels: UnsafeMutablePointer<UInt8>,
    pitch: Int, _ groups: UnsafeMutablePointer<UInt8>, _ firstGroup: Int32
  ) {
    space.kernels.pointee.average(
      tile, self.groups, shift, pixels, Int32(pitch), groups, firstGroup)
  }

  /// `average` for pixels of 16 bits, into a tile of such pixels.
  func average(
    _ tile: UnsafePointer<UInt16>, _ shift: Int32, to pixels: UnsafeMutablePointer<UInt16>,
    _ groups: UnsafeMutablePointer<UInt8>, _ firstGroup: Int32
  ) {
    deepKernels.pointee.averageDeep(
      tile, self.groups, shift, pixels, Int32(8 * TileBins.side), groups, firstGroup)
  }

  /// Marks and their chains are read in place: for small marks, copies would take as long as
  /// painting.
  private typealias MarkPointer = UnsafePointer<Scene.Mark>

  /// Calls `body` for every mark of a tile, with its coverage there.
  @inline(__always)
  private func forEachMark(
    of scene: borrowing Scene, _ column: Int, _ row: Int,
    _ body: (MarkPointer, RasterCoverage) -> Void
  ) {
    let (left, top) = (column * TileBins.side, row * TileBins.side)
    var run = scene.bins.firstRun(column, row)
    scene.marks.withUnsafeBufferPointer { marks in
      guard let marks = marks.baseAddress else { return }
      while run >= 0 {
        let mark = marks + Int(scene.bins[run].mark)
        var coverage: RasterCoverage
        if !mark.pointee.hasSeveralOpacities {
          let texture = mark.pointee.texture
          let end = scene.forEachRun(from: run) {
            sweep(texture, $0, of: scene, left: left, top: top)
          }
          coverage = resolve(texture, of: scene, left: left, top: top)
          run = end
        } else {
          coverage = resolveOpacities(from: run, of: scene, left: left, top: top)
          run = scene.forEachRun(from: run) { _ in }
        }
        if mark.pointee.mask != nil || mark.pointee.threshold > 0 {
          coverage = masked(coverage, of: mark, in: scene, left: left, top: top)
        }
        switch mark.pointee.role {
        case .ink: body(mark, coverage)
        case .remains(let owner): keep(coverage, of: owner)
        case .earlier(let number): body(mark, withoutRemains(coverage, of: number))
        }
      }
    }
  }

  /// Keeps the remains of an earlier stroke until the stroke itself is drawn.
  private func keep(_ coverage: RasterCoverage, of owner: Int32) {
    if remainsOwner != owner { remains.clear() }
    remainsOwner = owner
    remains.add(coverage)
  }

  /// The coverage of an earlier stroke without its remains.
  private func withoutRemains(_ coverage: RasterCoverage, of number: Int32) -> RasterCoverage {
    guard remainsOwner == number else { return coverage }
    remainsOwner = -1
    if coverage.coverage != list.coverage.coverage { list.copy(coverage) }
    list.subtract(remains)
    return list.coverage
  }

  @inline(__always)
  private func sweep(
    _ texture: Int?, _ run: TileBins.Run, of scene: borrowing Scene, left: Int, top: Int
  ) {
    let chain = scene.paths.chains[Int(run.chain)]
    if chain.nib == .textured, let texture {
      textureFields.deposit(
        scene.textures[texture], chain, of: scene.paths, from: Int(run.first), to: Int(run.end),
        left: left, top: top)
    } else {
      space.sweep(
        chain, of: scene.paths, from: Int(run.first), to: Int(run.end), left: left, top: top)
    }
  }

  /// The coverage of a mark with a texture or without one, whose runs have all been swept.
  @inline(__always)
  private func resolve(
    _ texture: Int?, of scene: borrowing Scene, left: Int, top: Int
  ) -> RasterCoverage {
    guard let texture else { return space.resolve() }
    let coverage = coverage(of: scene.textures[texture], left: left, top: top)
    guard scene.textures[texture].isFlat else { return coverage }
    // The samples give the exact edge, and the field gives the opacity of the passes inside.
    mask.set(coverage)
    list.copy(space.resolve())
    list.multiply(by: mask)
    return list.coverage
  }

  @inline(__always)
  private func coverage(of texture: Texture, left: Int, top: Int) -> RasterCoverage {
    guard texture.coarseness > 0 else {
      return textureFields.coverage(of: texture, left: left, top: top)
    }
    // The groups of coarse pixels are not groups of the tile.
    textureFields.moveGroups(to: space.groups)
    list.enlarge(
      textureFields.coverage(of: texture, left: left, top: top), by: texture.coarseness)
    textureFields.clearGroups()
    list.flag(space.groups)
    return list.coverage
  }

  /// The coverage of a mark with several opacities, of which the greatest counts at each pixel.
  private func resolveOpacities(
    from run: Int32, of scene: borrowing Scene, left: Int, top: Int
  ) -> RasterCoverage {
    list.removeAll()
    indices.base.update(repeating: -1, count: Int(RasterGroupsPerTile))
    let texture = scene.marks[Int(scene.bins[run].mark)].texture
    var present: Set<UInt8> = []
    _ = scene.forEachRun(from: run) { present.insert(scene.paths.chains[Int($0.chain)].opacity) }
    for opacity in present.sorted() {
      _ = scene.forEachRun(from: run) { run in
        guard scene.paths.chains[Int(run.chain)].opacity == opacity else { return }
        sweep(texture, run, of: scene, left: left, top: top)
      }
      list.raise(to: space.resolve(), times: opacity, indices: indices)
    }
    return list.coverage
  }

  /// The coverage of a mark after its threshold and its mask.
  private func masked(
    _ coverage: RasterCoverage, of mark: MarkPointer, in scene: borrowing Scene, left: Int, top: Int
  ) -> RasterCoverage {
    if coverage.coverage != list.coverage.coverage { list.copy(coverage) }
    if mark.pointee.threshold > 0 { list.clear(upTo: mark.pointee.threshold) }
    if let shape = mark.pointee.mask {
      scene.masks[shape].cover(mask, left: left, top: top, samples: samples)
      list.multiply(by: mask)
    }
    return list.coverage
  }
}

extension TilePainter {
  /// Painters that are not in use. Their memory has been touched already, which takes longer than
  /// drawing a small picture.
  private static let idle = ConditionMutex<[Kind: [Idle]]>([:])
  /// The maximum number of idle painters of each kind.
  private static let maximumIdle = 8

  private struct Kind: Hashable {
    let samples: Int
    let level: Int32
  }

  private struct Idle: @unchecked Sendable {
    let painter: TilePainter
  }

  /// Calls `body` with an idle painter, or with a new one if there is none.
  static func withPainter<Result>(
    samples: Int, level: Int32, _ body: (TilePainter) -> Result
  ) -> Result {
    let kind = Kind(samples: samples, level: level)
    let painter =
      idle.withLock { $0[kind]?.popLast() }?.painter ?? TilePainter(samples: samples, level: level)
    let result = body(painter)
    assert(painter.isBlankWhereChecked(), "the painter's buffers are not clear after a tile")
    let returned = Idle(painter: painter)
    idle.withLock { idle in
      if idle[kind, default: []].count < maximumIdle { idle[kind, default: []].append(returned) }
    }
    return result
  }
}

extension Scene {
  /// Calls `body` for the runs of one mark in a tile, and returns the index of the next mark's
  /// first run.
  @inline(__always)
  fileprivate borrowing func forEachRun(from first: Int32, _ body: (TileBins.Run) -> Void) -> Int32
  {
    let mark = bins[first].mark
    var run = first
    while run >= 0, bins[run].mark == mark {
      body(bins[run])
      run = bins[run].next
    }
    return run
  }
}
