import Graphics

/// The order of the merged drawing, from back to front: the families of the base in its order, then
/// the added ones by the time of their start. The families that one side added keep that side's
/// order even if their dates contradict it. Those that a side has behind a family of the base stay
/// behind it: an undone erasure restores ink to its original position.
struct FamilyOrder {
  let base: StrokeFamilies
  let earlier: StrokeFamilies
  let later: StrokeFamilies

  /// All families that the base or a side has.
  var roots: [Identifier] {
    var places: [Identifier: Int] = [:]
    for (index, root) in base.roots.enumerated() { places[root] = index }
    var earlierLists = lists(of: earlier, places)
    let laterLists = lists(of: later, places)
    // Families that both sides added get the later side's position.
    for (place, list) in laterLists.enumerated() {
      for root in list where earlier[root] != nil { places[root] = place }
    }
    for place in earlierLists.indices {
      earlierLists[place].removeAll { root in places[root].map { $0 != place } ?? false }
    }
    var result: [Identifier] = []
    for place in earlierLists.indices {
      if place > 0, place <= base.roots.count { result.append(base.roots[place - 1]) }
      result += interleaved(earlierLists[place], laterLists[place])
    }
    return result
  }

  /// The families that a side added, by the number of base families in front of which they are.
  /// Those in front of all base families of the side come last.
  private func lists(of side: StrokeFamilies, _ places: [Identifier: Int]) -> [[Identifier]] {
    var lists = [[Identifier]](repeating: [], count: base.roots.count + 2)
    let end = side.roots.lastIndex { places[$0] != nil } ?? -1
    var place = 0
    for (index, root) in side.roots.enumerated() {
      if let behind = places[root] {
        place = behind + 1
      } else {
        lists[index > end ? base.roots.count + 1 : place].append(root)
      }
    }
    return lists
  }

  /// Both lists as one, in which each keeps its order. If the order of common elements differs, the
  /// later side's is kept.
  private func interleaved(_ earlierList: [Identifier], _ laterList: [Identifier]) -> [Identifier] {
    if earlierList.isEmpty { return laterList }
    if laterList.isEmpty { return earlierList }
    var places: [Identifier: Int] = [:]
    for (index, root) in laterList.enumerated() { places[root] = index }
    let meetings = Set(earlierList.map { places[$0] }.longestRise())
    var result: [Identifier] = []
    var next = 0
    var waiting: [Identifier] = []
    for (index, root) in earlierList.enumerated() {
      guard let place = places[root] else {
        waiting.append(root)
        continue
      }
      guard meetings.contains(index) else { continue }
      result += byDate(waiting, laterList[next..<place]) + [root]
      waiting = []
      next = place + 1
    }
    return result + byDate(waiting, laterList[next...])
  }

  private func byDate(_ a: [Identifier], _ b: ArraySlice<Identifier>) -> [Identifier] {
    var (a, b, result) = (a[...], b, [Identifier]())
    while let x = a.first, let y = b.first {
      let (dateX, dateY) = (
        earlier.date(x)?.orderedBits ?? 0, later.date(y)?.orderedBits ?? 0
      )
      if dateX == dateY ? (x.high, x.low) < (y.high, y.low) : dateX < dateY {
        result.append(x)
        a.removeFirst()
      } else {
        result.append(y)
        b.removeFirst()
      }
    }
    return result + a + b
  }
}

extension [Int?] {
  /// The indices of a longest series of numbers that rise; nil is no number. Takes time n · log n.
  func longestRise() -> [Int] {
    // For each length, the index at which a series of that length ends with the least number.
    var ends: [(index: Int, number: Int)] = []
    var previous = [Int](repeating: -1, count: count)
    for (index, number) in enumerated() {
      guard let number else { continue }
      let length = ends.partitioningIndex { $0.number >= number }
      if length > 0 { previous[index] = ends[length - 1].index }
      if length == ends.count {
        ends.append((index, number))
      } else {
        ends[length] = (index, number)
      }
    }
    var result: [Int] = []
    var index = ends.last?.index ?? -1
    while index >= 0 {
      result.append(index)
      index = previous[index]
    }
    return result.reversed()
  }
}
