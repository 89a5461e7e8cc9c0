/// How strokes are put together in blocks: few enough that one of them is soon read, many enough
/// that what a block costs hardly shows.
enum BlockLimits {
  static let strokes = 16
  static let points = 1024

  /// Ranges of strokes by their numbers of points. A longer stroke is a block of its own.
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
