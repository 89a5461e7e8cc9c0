import CRasterKernels
import Graphics
import Strokes

/// The work of drawing ink, counted before anything is drawn, and equal on every machine.
///
/// Its unit is a visit of a pixel. Each straight piece of a path visits the pixels under its nib,
/// or for a flat ink the rows of samples that it meets. Each mark visits its pixels once more when
/// it is blended. A visit takes 1 to 6 nanoseconds.
package struct DrawingWork: Hashable, Sendable {
  /// The number of visits.
  package private(set) var visits = 0.0
  /// The number of visits that pictures of this size and of so many points may take.
  private var allowance = 0.0
  /// The number of visits that any picture may take: less than two seconds.
  private static let base = 0x1p28

  /// No work.
  package init() {}

  /// The work of drawing strokes with a number of points into pixels, in one picture or in frames.
  init(visits: Double, pixels: Int, pointCount: Int, frameCount: Int = 0) {
    self.visits = visits
    // Hand-made drawings take a hundredth of this at most. The share for each point admits pages of
    // a hundred thousand strokes. Only in damaged files do the nibs of single points cover the
    // whole page.
    allowance = Double(pixels) * (256 + Double(pointCount) / 256)
    // In each frame a stroke that grows is drawn from its beginning.
    allowance += Double(frameCount) * (0x1p23 + 4 * Double(pixels))
  }

  /// The maximum number of visits.
  package var limit: Double { Self.base + allowance }

  /// Adds the work of another picture, which may take its own share.
  package static func += (sum: inout DrawingWork, more: DrawingWork) {
    sum.visits += more.visits
    sum.allowance += more.allowance
  }

  /// Throws if the work, less some earlier visits, exceeds the limit.
  package func check(since before: Double = 0) throws(RenderError) {
    guard visits - before <= limit else { throw RenderError(.tooMuchWork(maximumVisits: limit)) }
  }
}

/// Paths whose points were counted. The pieces that an eraser leaves of a stroke share its path, so
/// a file of few bytes can have any number of them.
struct CountedPaths {
  private var paths: Set<UInt> = []

  /// The number of a path's points; 0 if it was counted before.
  mutating func countOfNew(_ path: PKStrokePath) -> Int {
    // A path of few points costs no more than the bytes of its stroke.
    path.count < 8 || paths.insert(path.columns.address).inserted ? path.count : 0
  }
}

extension Scene {
  /// Adds the visits for the mask of the last mark, if it has one and its chains begin there.
  mutating func countMask(ofChainsFrom first: Int) {
    guard let mark = marks.last, mark.chains.lowerBound >= first, let mask = mark.mask else {
      return
    }
    // Edges are walked in each tile of a row, and crossings are sorted in the tile where they are.
    let box = paths.box(ofChainsFrom: first).columns
      .clamped(to: 0..<bins.columns * TileBins.side)
    visits += masks[mask].crossings * Double(box.count / TileBins.side + 1 + 8)
  }
}

extension DevicePaths {
  /// Finds the box of a chain, and returns the number of visits that it takes.
  mutating func measure(
    _ number: Int, in bins: TileBins, _ kernels: UnsafePointer<RasterKernels>
  ) -> Double {
    let chain = chains[number]
    let (width, height) = (
      Double(bins.columns * TileBins.side), Double(bins.rows * TileBins.side)
    )
    if chain.nib == .round {
      let path = RasterRoundPath(
        x: round.x + chain.start, y: round.y + chain.start, radius: round.radius + chain.start,
        count: Int32(chain.count))
      let extent = kernels.pointee.measureRound(path, width, height)
      chains[number].box = Box(extent)
      return extent.visits
    }
    let (x, y) = locations(of: chain)
    chains[number].box = Box(x, y, 0...chain.count - 1)
    return visits(of: chain, width: width, height: height)
  }

  /// The number of visits that a chain takes in a picture of a size in pixels.
  private func visits(of chain: Chain, width: Double, height: Double) -> Double {
    let shift = Double(1 << Int(chain.coarseness))
    let (width, height) = (width / shift, height / shift)
    let (x, y) = locations(of: chain)
    let samplesPerPixel = 8.0, pixelsPerVisit = 1 / Double(TileBins.side)
    var visits = 0.0, area = 0.0
    var (left, right, top, bottom) = (width, 0.0, height, 0.0)
    for index in 0..<max(chain.count - 1, 1) {
      let next = min(index + 1, chain.count - 1)
      let reach = reach(of: chain, at: index, next)
      let (a, b) = (Double(x[index]) / 1024, Double(x[next]) / 1024)
      let (c, d) = (Double(y[index]) / 1024, Double(y[next]) / 1024)
      let (first, last) = (max(min(a, b) - reach, 0), min(max(a, b) + reach, width))
      let (low, high) = (max(min(c, d) - reach, 0), min(max(c, d) + reach, height))
      guard last > first, high > low else { continue }
      // A long thin piece covers only a part of its box.
      let covered = min(
        (last - first) * (high - low), 2 * reach * (abs(b - a) + abs(d - c) + 2 * reach))
      area += covered
      (left, right) = (min(left, first), max(right, last))
      (top, bottom) = (min(top, low), max(bottom, high))
      // Rows of samples are filled a tile at a time.
      visits +=
        chain.nib == .textured
        ? covered : samplesPerPixel * (high - low) * ((last - first) * pixelsPerVisit + 1)
    }
    guard right > left, bottom > top else { return 0 }
    return visits + shift * shift * min(area, (right - left) * (bottom - top))
  }

  /// The reach of the nibs at two points of a chain.
  @inline(__always)
  private func reach(of chain: Chain, at index: Int, _ next: Int) -> Double {
    let (index, next) = (chain.start + index, chain.start + next)
    switch chain.nib {
    case .round: return Double(max(round.radius[index], round.radius[next]))
    case .elliptic: return Double(max(elliptic.reach(at: index), elliptic.reach(at: next)))
    case .textured:
      return Double(
        max(
          max(textured.radius[index], textured.radius[next]),
          max(textured.thickness[index], textured.thickness[next])))
    }
  }
}
