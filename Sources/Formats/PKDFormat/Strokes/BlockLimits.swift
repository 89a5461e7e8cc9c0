/// The size of blocks: few enough strokes that one of them is read quickly, and enough that the
/// overhead of a block hardly shows.
enum BlockLimits {
  static let strokes = 16
  static let points = 1024

  /// Divides strokes, given by their numbers of points, into blocks. A stroke of more than `points`
  /// points is a block of its own.
  static func blocks(of pointCounts: [Int]) -> [Range<Int>] {
    var blocks: [Range<Int>] = []
    var start = 0
    while start < pointCounts.count {
      var end = start + 1
      var points = pointCounts[start]
      while end < pointCounts.count, end - start < strokes, points + pointCounts[end] <= Self.points
      {
        points += pointCounts[end]
        end += 1
      }
      blocks.append(start..<end)
      start = end
    }
    return blocks
  }
}
