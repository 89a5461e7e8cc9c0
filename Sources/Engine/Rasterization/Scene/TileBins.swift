import CRasterKernels
import Graphics

/// The parts of marks that meet each tile, in the order of the marks.
package struct TileBins {
  /// Consecutive segments of a chain.
  struct Run: BitwiseCopyable {
    let mark: Int32
    let chain: Int32
    let first: Int32
    var end: Int32
    /// The index of the tile's next run; below 0 for none.
    var next: Int32
  }

  /// The width and height of a tile in pixels.
  package static let side = Int(RasterTileSide)

  /// The number of tiles in a row and in a column.
  package let columns: Int
  package let rows: Int
  private let runs = Column<Run>()
  private var heads: [Int32]
  private var tails: [Int32]

  /// Empty bins for a picture of a size in pixels.
  init(width: Int, height: Int) {
    columns = (width + Self.side - 1) / Self.side
    rows = (height + Self.side - 1) / Self.side
    heads = [Int32](repeating: -1, count: columns * rows)
    tails = heads
  }

  mutating func removeAll() {
    runs.removeAll()
    for tile in heads.indices { (heads[tile], tails[tile]) = (-1, -1) }
  }

  /// The number of runs of all tiles.
  var runCount: Int { runs.count }

  /// The index of a tile's first run; below 0 for none.
  func firstRun(_ column: Int, _ row: Int) -> Int32 { heads[row * columns + column] }

  /// Whether anything may be drawn in the tile with an index.
  func hasRuns(_ tile: Int) -> Bool { heads[tile] >= 0 }

  subscript(run: Int32) -> Run { runs[Int(run)] }

  /// Adds the chain with index `number`, which was measured, to a mark. Marks are added in order.
  mutating func add(_ chain: DevicePaths.Chain, number: Int, mark: Int, of paths: DevicePaths) {
    // A chain of one point counts as one segment.
    let segments = max(chain.count - 1, 1)
    if heads.count == 1 {
      append(0, mark, number, 0, segments)
      return
    }
    let (x, y) = paths.locations(of: chain)
    // The lengthened ends of segments reach at most half a segment further, and stay inside of
    // their joints' discs; the additional pixel covers rounding.
    let reach = Int32(clamping: min(chain.reach + 2, 262_144)) << Int32(RasterPositionBits)
    let shift = Int32(RasterPositionBits) + 7 - Int32(chain.coarseness)
    let all = tiles(chain.box, reach, shift)
    guard let all else { return }
    if all.count == 1 {
      append(all.top * columns + all.left, mark, number, 0, segments)
      return
    }
    for segment in 0..<segments {
      let other = min(segment + 1, chain.count - 1)
      guard let part = tiles(DevicePaths.Box(x, y, segment...other), reach, shift) else { continue }
      for row in part.top...part.bottom {
        for column in part.left...part.right {
          append(row * columns + column, mark, number, segment, segment + 1)
        }
      }
    }
  }

  @inline(__always)
  private mutating func append(_ tile: Int, _ mark: Int, _ chain: Int, _ first: Int, _ end: Int) {
    let tail = tails[tile]
    if tail >= 0, runs[Int(tail)].chain == chain, runs[Int(tail)].mark == mark,
      runs[Int(tail)].end == first
    {
      runs.base[Int(tail)].end = Int32(end)
      return
    }
    let index = Int32(runs.count)
    runs.append(
      Run(
        mark: Int32(mark), chain: Int32(chain), first: Int32(first), end: Int32(end), next: -1))
    if tail >= 0 { runs.base[Int(tail)].next = index } else { heads[tile] = index }
    tails[tile] = index
  }

  private struct Tiles {
    let left: Int
    let top: Int
    let right: Int
    let bottom: Int
    var count: Int { (right - left + 1) * (bottom - top + 1) }
  }

  @inline(__always)
  private func tiles(_ box: DevicePaths.Box, _ reach: Int32, _ shift: Int32) -> Tiles? {
    let left = max(Int((box.left &- reach) >> shift), 0)
    let right = min(Int((box.right &+ reach) >> shift), columns - 1)
    let top = max(Int((box.top &- reach) >> shift), 0)
    let bottom = min(Int((box.bottom &+ reach) >> shift), rows - 1)
    return left <= right && top <= bottom
      ? Tiles(left: left, top: top, right: right, bottom: bottom) : nil
  }
}

extension DevicePaths {
  /// The coordinates of a chain's points.
  @inline(__always)
  func locations(of chain: Chain) -> (x: UnsafePointer<Int32>, y: UnsafePointer<Int32>) {
    switch chain.nib {
    case .round:
      (UnsafePointer(round.x) + chain.start, UnsafePointer(round.y) + chain.start)
    case .elliptic:
      (UnsafePointer(elliptic.x.base) + chain.start, UnsafePointer(elliptic.y.base) + chain.start)
    case .textured:
      (UnsafePointer(textured.x.base) + chain.start, UnsafePointer(textured.y.base) + chain.start)
    }
  }
}
