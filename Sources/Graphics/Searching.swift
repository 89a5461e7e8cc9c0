extension RandomAccessCollection {
  /// The first index whose element belongs to the second part, where all elements of the first part come before
  /// all of the second; the end if there are none. Takes a look at one element for each halving.
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
