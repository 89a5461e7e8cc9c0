import Testing

@testable import Graphics

struct SearchingTests {
  @Test(arguments: 0..<9)
  func `the partitioning index is the start of the second part`(_ count: Int) {
    for start in 0...count {
      let list = (0..<count).map { $0 < start ? 1 : 2 }
      #expect(list.partitioningIndex { $0 == 2 } == start)
      #expect(([0, 0] + list)[2...].partitioningIndex { $0 == 2 } == start + 2)
    }
  }
}
