import Strokes
import Testing

@testable import PKDFormat

@Suite struct PathCacheTests {
  /// A path of points in a straight line.
  private static func path(_ count: Int) -> PointColumns {
    let varying = PointChannels([PointChannel.x, .y])
    return PointColumns(
      count: count, scale: .current, varying: varying, present: varying,
      floats: [Float](
        repeating: 1, count: PointColumns.length(of: varying, in: .floats, count: count)),
      words: [UInt16](
        repeating: 1, count: PointColumns.length(of: varying, in: .words, count: count)))
  }

  @Test func `blocks are kept in any order until they have too many points`() {
    var cache = PathCache()
    let (small, half) = ([Self.path(2), Self.path(3)], [Self.path(1 << 18)])
    cache.insert(small, ofBlock: 5)
    cache.insert(half, ofBlock: 2)
    let counts = [0, 2, 5, 6].map { cache[$0]?.map(\.count) }
    #expect(counts == [nil, [1 << 18], [2, 3], nil])
    cache.insert(half, ofBlock: 9)
    let last = [2, 5, 9].map { cache[$0]?.map(\.count) }
    #expect(last == [nil, nil, [1 << 18]])
  }
}
