import CRasterKernels

/// Draws the tiles of a scene, one at a time. Every thread has its own.
package final class TilePainter {
  private let space: SampleSpace
  /// Ink on nothing, blank between tiles.
  private let group: UnsafeMutablePointer<UInt8>
  private static let groupBytes = 4 * TileBins.side * TileBins.side

  package init(samples: Int, level: Int32 = .max) {
    space = SampleSpace(samples: samples, level: level)
    group = .allocate(capacity: Self.groupBytes)
    group.initialize(repeating: 0, count: Self.groupBytes)
  }

  deinit { group.deallocate() }

  /// Goes on to the next tile.
  package func begin() { space.forgetGroups() }

  /// The groups of pixels that were drawn in since the tile was begun, a bit for each and a byte a
  /// row.
  var groups: UnsafeMutablePointer<UInt8> { space.groups }

  /// Draws a tile's ink over pixels that hold what lies below it.
  package func paint(
    _ scene: borrowing Scene, column: Int, row: Int, over pixels: UnsafeMutablePointer<UInt8>,
    pitch: Int
  ) {
    let first = scene.bins.firstRun(column, row)
    guard first >= 0 else { return }
    let (left, top) = (column * TileBins.side, row * TileBins.side)
    let target = scene.isIsolated ? group : pixels
    let targetPitch = scene.isIsolated ? 4 * TileBins.side : pitch
    var place = first
    while place >= 0 {
      let run = scene.bins[place]
      space.sweep(
        scene.paths.chains[Int(run.chain)], of: scene.paths, from: Int(run.first),
        to: Int(run.end), left: left, top: top)
      place = run.next
      if place < 0 || scene.bins[place].mark != run.mark {
        space.kernels.pointee.blend(
          target, Int32(targetPitch), space.resolve(), scene.marks[Int(run.mark)].paint)
      }
    }
    if scene.isIsolated {
      space.kernels.pointee.layTile(pixels, Int32(pitch), group, space.groups)
    }
  }
}
