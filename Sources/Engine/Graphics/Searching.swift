extension RandomAccessCollection {
  /// The first index whose element belongs to the second part, or the end if there is none. All
  /// elements of the first part must come before those of the second. A binary search: the
  /// predicate is called about log₂(count) times.
  @inlinable
  package func partitioningIndex(where belongsToSecondPart: (Element) -> Bool) -> Index {
    var (low, rest) = (startIndex, count)
    while rest > 0 {
      let half = rest / 2
      let middle = index(low, offsetBy: half)
      if belongsToSecondPart(self[middle]) {
        rest = half
      } else {
        low = index(after: middle)
        rest -= half + 1
      }
    }
    return low
  }
}
