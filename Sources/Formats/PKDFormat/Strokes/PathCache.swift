import Strokes

/// The paths of blocks that were read. Replays read strokes in any order, and the times of some
/// events depend on the points of strokes, which are drawn later.
struct PathCache {
  private var blocks: [[PointColumns]?] = []
  private var pointCount = 0
  /// The maximum number of points, which mostly take 12 to 22 bytes each.
  private static let maximumPointCount = 1 << 19

  /// The paths of a block; nil if they are unknown.
  subscript(block: Int) -> [PointColumns]? { block < blocks.count ? blocks[block] : nil }

  /// Adds the paths of a block. If there are too many points, all other blocks are forgotten: a large
  /// file that is read from its beginning to its end needs none of them again.
  mutating func insert(_ paths: [PointColumns], ofBlock block: Int) {
    let count = paths.reduce(0) { $0 + $1.count }
    if pointCount + count > Self.maximumPointCount { self = PathCache() }
    if block >= blocks.count {
      blocks += repeatElement(nil, count: block + 1 - blocks.count)
    }
    blocks[block] = paths
    pointCount += count
  }
}
