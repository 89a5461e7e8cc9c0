import CRasterKernels
import Graphics
import Threads

/// Draws the tiles of scenes, one at a time. Every thread has its own.
package final class TilePainter {
  private let samples: Int
  private let space: SampleSpace
  private let fields: InkFields
  /// Ink on nothing, blank between tiles.
  let group = Column<UInt8>(
    repeating: 0, count: 4 * TileBins.side * TileBins.side)
  private(set) lazy var deepGroup = Column<UInt16>(
    repeating: 0, count: 4 * TileBins.side * TileBins.side)
  private lazy var mask = MaskTile()
  private lazy var list = CoverageList()

  package init(samples: Int, level: Int32 = .max) {
    self.samples = samples
    space = SampleSpace(samples: samples, level: level)
    fields = InkFields(level: level)
  }

  /// Goes on to the next tile.
  package func begin() {
    space.forgetGroups()
    fields.forgetGroups()
  }

  /// Whether nothing is left of the tiles that were drawn: whatever remains would be seen in the next
  /// one.
  private var isBlank: Bool {
    let count = 4 * TileBins.side * TileBins.side
    return space.isBlank && fields.isBlank
      && UnsafeBufferPointer(start: group.base, count: count).allSatisfy { $0 == 0 }
      && UnsafeBufferPointer(start: deepGroup.base, count: count).allSatisfy { $0 == 0 }
  }

  /// The groups of pixels that were drawn in since the tile was begun, a bit for each and a byte a
  /// row.
  var groups: UnsafeMutablePointer<UInt8> {
    fields.moveGroups(to: space.groups)
    return space.groups
  }

  /// Notes that groups were drawn in before.
  func note(_ groups: UnsafePointer<UInt8>) {
    for row in 0..<TileBins.side { space.groups[row] |= groups[row] }
  }

  /// Draws a tile of scenes, one after the other, over pixels that hold what lies below. An isolated
  /// group is put together on nothing first.
  package func paint(
    _ scenes: [Scene], isIsolated: Bool = false, column: Int, row: Int,
    over pixels: UnsafeMutablePointer<UInt8>, pitch: Int
  ) {
    let kernels = space.kernels
    let target = isIsolated ? group.base : pixels
    let targetPitch = Int32(isIsolated ? 4 * TileBins.side : pitch)
    for scene in scenes.indices where scenes[scene].bins.firstRun(column, row) >= 0 {
      forEachMark(of: scenes[scene], column, row) { mark, coverage in
        kernels.pointee.blend(target, targetPitch, coverage, mark.paint)
      }
    }
    if isIsolated { kernels.pointee.layTile(pixels, Int32(pitch), target, groups) }
  }

  /// Draws a tile of scenes over a tile of deep pixels.
  func paintDeep(
    _ scenes: [Scene], isIsolated: Bool = false, column: Int, row: Int,
    over pixels: UnsafeMutablePointer<UInt16>
  ) {
    let kernels = fields.kernels
    let target = isIsolated ? deepGroup.base : pixels
    for scene in scenes.indices where scenes[scene].bins.firstRun(column, row) >= 0 {
      forEachMark(of: scenes[scene], column, row) { mark, coverage in
        kernels.pointee.blendDeep(target, coverage, mark.deepPaint)
      }
    }
    if isIsolated { kernels.pointee.layTileDeep(pixels, target, groups) }
  }

  /// Calls back for every mark of a tile with what it covers there.
  @inline(__always)
  private func forEachMark(
    of scene: borrowing Scene, _ column: Int, _ row: Int,
    _ body: (Scene.Mark, RasterCoverage) -> Void
  ) {
    let (left, top) = (column * TileBins.side, row * TileBins.side)
    var run = scene.bins.firstRun(column, row)
    while run >= 0 {
      let mark = scene.marks[Int(scene.bins[run].mark)]
      var coverage: RasterCoverage
      if mark.opacities == nil {
        let end = scene.forEachRun(from: run) { sweep(mark, $0, of: scene, left: left, top: top) }
        coverage = resolve(mark, of: scene, left: left, top: top)
        run = end
      } else {
        coverage = layered(mark, from: run, of: scene, left: left, top: top)
        run = scene.forEachRun(from: run) { _ in }
      }
      if mark.mask != nil || mark.threshold > 0 {
        coverage = cut(coverage, of: mark, in: scene, left: left, top: top)
      }
      body(mark, coverage)
    }
  }

  @inline(__always)
  private func sweep(
    _ mark: Scene.Mark, _ run: TileBins.Run, of scene: borrowing Scene, left: Int, top: Int
  ) {
    let chain = scene.paths.chains[Int(run.chain)]
    if chain.nib == .textured, let texture = mark.texture {
      fields.deposit(
        scene.textures[texture], chain, of: scene.paths, from: Int(run.first), to: Int(run.end),
        left: left, top: top)
    } else {
      space.sweep(
        chain, of: scene.paths, from: Int(run.first), to: Int(run.end), left: left, top: top)
    }
  }

  /// What all that was swept comes to.
  @inline(__always)
  private func resolve(
    _ mark: Scene.Mark, of scene: borrowing Scene, left: Int, top: Int
  ) -> RasterCoverage {
    guard let texture = mark.texture else { return space.resolve() }
    let coverage = fields.coverage(of: scene.textures[texture], left: left, top: top)
    guard scene.textures[texture].isFlat else { return coverage }
    // Edges are exact, and inside them passes count.
    mask.set(coverage)
    list.take(space.resolve())
    list.cut(by: mask)
    return list.coverage
  }

  /// A mark of several opacities: everywhere the greatest counts. From the greatest downwards, each
  /// adds its difference to the next one wherever it or a greater one covers.
  private func layered(
    _ mark: Scene.Mark, from run: Int32, of scene: borrowing Scene, left: Int, top: Int
  ) -> RasterCoverage {
    list.removeAll()
    var places = [Int16](repeating: -1, count: Int(RasterGroupsPerTile))
    let opacities = mark.opacities.map { scene.opacities[$0] } ?? []
    for (place, opacity) in opacities.enumerated() {
      _ = scene.forEachRun(from: run) { run in
        guard scene.paths.chains[Int(run.chain)].opacity >= opacity else { return }
        sweep(mark, run, of: scene, left: left, top: top)
      }
      let next = place + 1 < opacities.count ? opacities[place + 1] : 0
      list.add(space.resolve(), times: Int(opacity) - Int(next), places: &places)
    }
    return list.coverage
  }

  /// What a mask and a threshold leave.
  private func cut(
    _ coverage: RasterCoverage, of mark: Scene.Mark, in scene: borrowing Scene, left: Int, top: Int
  ) -> RasterCoverage {
    if coverage.coverage != list.coverage.coverage { list.take(coverage) }
    if mark.threshold > 0 { list.cut(below: mark.threshold) }
    if let shape = mark.mask {
      scene.masks[shape].cover(mask, left: left, top: top, samples: samples)
      list.cut(by: mask)
    }
    return list.coverage
  }
}

extension TilePainter {
  /// Painters that nobody uses just now. Their memory has been touched, which takes longer than
  /// drawing a small picture.
  private static let idle = ConditionMutex<[Kind: [Idle]]>([:])
  private static let mostIdle = 8

  private struct Kind: Hashable {
    let samples: Int
    let level: Int32
  }

  private struct Idle: @unchecked Sendable {
    let painter: TilePainter
  }

  /// Lends a painter.
  static func lent<Result>(
    samples: Int, level: Int32, _ body: (TilePainter) -> Result
  ) -> Result {
    let kind = Kind(samples: samples, level: level)
    let painter =
      idle.withLock { $0[kind]?.popLast() }?.painter ?? TilePainter(samples: samples, level: level)
    let result = body(painter)
    assert(painter.isBlank, "a tile left something behind for the next picture")
    let returned = Idle(painter: painter)
    idle.withLock { idle in
      if idle[kind, default: []].count < mostIdle { idle[kind, default: []].append(returned) }
    }
    return result
  }
}

extension Scene {
  /// Calls back for the runs of one mark in a tile, and gives the first one behind them.
  @inline(__always)
  fileprivate borrowing func forEachRun(from first: Int32, _ body: (TileBins.Run) -> Void) -> Int32
  {
    let mark = bins[first].mark
    var place = first
    while place >= 0, bins[place].mark == mark {
      body(bins[place])
      place = bins[place].next
    }
    return place
  }
}
