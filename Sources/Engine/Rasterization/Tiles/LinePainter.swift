import CRasterKernels
import Graphics

/// Draws lines of one width, black on white or white on black, one picture after the other in the
/// same memory: for pictures of data sets, where preparing strokes takes longer than drawing them.
///
/// Coverage is that of all lines together, with 8 × 8 samples a pixel.
package final class LinePainter {
  /// The size of all pictures, in pixels.
  package let width, height: Int
  private var scene: Scene
  private let space: SampleSpace
  /// The bits that are flipped to turn coverages into greys: all for black ink.
  private let flip: UInt8

  /// The colour of lines; the ground has the opposite one.
  package enum Ink { case black, white }

  /// A painter of pictures of a size in pixels.
  package init(width: Int, height: Int, ink: Ink = .black) {
    (self.width, self.height) = (width, height)
    flip = ink == .black ? 0xFF : 0
    scene = Scene(width: width, height: height, background: .white)
    space = SampleSpace(samples: 8)
  }

  /// The greys that pixels of black lines can have: 64 samples give 65.
  package static let levels: [UInt8] = (0...64).map { 255 - UInt8($0 * 4 - ($0 >= 32 ? 1 : 0)) }

  /// Draws a picture over greys that are all white, or all black for white ink.
  ///
  /// - Parameters:
  ///   - ends: The index behind the last point of each line.
  ///   - radius: Half the width of the lines, in pixels.
  ///   - pixels: The first pixel; rows are `pitch` bytes apart.
  ///   - point: The place of a point, in pixels.
  package func paint(
    ends: [Int], radius: Float, into pixels: UnsafeMutablePointer<UInt8>, pitch: Int,
    point: (Int) -> (x: Float, y: Float)
  ) {
    scene.removeAll()
    scene.add(RasterPaint(red: 0, green: 0, blue: 0, alpha: 255, mixing: 0, mix: 0)) { paths in
      var start = 0
      for end in ends {
        _ = paths.addPolyline(count: end - start) { index in
          let (x, y) = point(start + index)
          return (x, y, radius)
        }
        start = end
      }
      return 0..<paths.chains.count
    }
    for row in 0..<scene.bins.rows {
      for column in 0..<scene.bins.columns {
        paintTile(column, row, into: pixels, pitch: pitch)
      }
    }
  }

  private func paintTile(
    _ column: Int, _ row: Int, into pixels: UnsafeMutablePointer<UInt8>, pitch: Int
  ) {
    let side = TileBins.side
    let (left, top) = (column * side, row * side)
    var run = scene.bins.firstRun(column, row)
    guard run >= 0 else { return }
    while run >= 0 {
      let part = scene.bins[run]
      space.sweep(
        scene.paths.chains[Int(part.chain)], of: scene.paths, from: Int(part.first),
        to: Int(part.end), left: left, top: top)
      run = part.next
    }
    let coverage = space.resolve()
    let groupWidth = Int(RasterGroupWidth)
    let groupsPerRow = Int(RasterGroupsPerRow)
    /// The first pixel of a group, and the number of its pixels inside of the picture.
    func place(_ group: UInt16) -> (UnsafeMutablePointer<UInt8>, count: Int) {
      let x = left + Int(group) % groupsPerRow * groupWidth
      let y = top + Int(group) / groupsPerRow
      let count = y < height ? min(width - x, groupWidth) : 0
      return (pixels + y * pitch + x, count)
    }
    let flips = SIMD16<UInt8>(repeating: flip)
    for index in 0..<Int(coverage.partialCount) {
      let (pixels, count) = place(coverage.partial[index])
      let covered = UnsafeRawPointer(coverage.coverage + index * groupWidth)
      if count == groupWidth {
        let ink = covered.loadUnaligned(as: SIMD16<UInt8>.self)
        UnsafeMutableRawPointer(pixels).storeBytes(of: ink ^ flips, as: SIMD16<UInt8>.self)
      } else {
        for pixel in 0..<max(count, 0) {
          pixels[pixel] = flip ^ covered.load(fromByteOffset: pixel, as: UInt8.self)
        }
      }
    }
    for index in 0..<Int(coverage.wholeCount) {
      let (pixels, count) = place(coverage.whole[index])
      pixels.update(repeating: ~flip, count: max(count, 0))
    }
  }
}
