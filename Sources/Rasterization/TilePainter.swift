import CRasterKernels

/// Draws the tiles of a scene, one at a time. Every thread has its own.
package final class TilePainter {
  private let space: SampleSpace
  private let fields: InkFields
  /// Ink on nothing, blank between tiles.
  private let group: UnsafeMutablePointer<UInt8>
  private static let groupBytes = 4 * TileBins.side * TileBins.side

  package init(samples: Int, level: Int32 = .max) {
    space = SampleSpace(samples: samples, level: level)
    fields = InkFields(level: level)
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
      let (mark, chain) = (scene.marks[Int(run.mark)], scene.paths.chains[Int(run.chain)])
      if let texture = mark.texture {
        fields.deposit(
          scene.textures[texture], chain, of: scene.paths, from: Int(run.first), to: Int(run.end),
          left: left,
          top: top)
      } else {
        space.sweep(
          chain, of: scene.paths, from: Int(run.first), to: Int(run.end), left: left, top: top)
      }
      place = run.next
      if place < 0 || scene.bins[place].mark != run.mark {
        let coverage =
          mark.texture.map { fields.coverage(of: scene.textures[$0], left: left, top: top) }
          ?? space.resolve()
        space.kernels.pointee.blend(target, Int32(targetPitch), coverage, mark.paint)
      }
    }
    fields.moveGroups(to: space.groups)
    if scene.isIsolated {
      space.kernels.pointee.layTile(pixels, Int32(pitch), group, space.groups)
    }
  }
}
