/// Marks on a page from back to front. A mark is one showing, or several that are wet together.
struct MarkStack {
  private(set) var marks: [[Int32]] = []
  /// The number of showings.
  private(set) var count = 0

  init() {}

  init(_ marks: [[Int32]]) {
    self.marks = marks
    count = marks.reduce(0) { $0 + $1.count }
  }

  mutating func append(_ mark: [Int32]) {
    marks.append(mark)
    count += mark.count
  }

  /// The marks to remove from one stack, and to add, to get another.
  struct Difference {
    var removed: [[Int32]] = []
    var added: [[Int32]] = []
    /// Whether nothing is removed, and everything added lies above the marks that were there.
    var isOnTop = false
  }

  /// The difference to another stack, in which the marks that both have are in the same order.
  func difference(to other: MarkStack) -> Difference {
    let (ours, theirs) = (Set(marks), Set(other.marks))
    let removed = marks.filter { !theirs.contains($0) }
    let kept = other.marks.prefix { ours.contains($0) }.count
    let added = other.marks[kept...].filter { !ours.contains($0) }
    return Difference(
      removed: removed, added: added,
      isOnTop: removed.isEmpty && kept + added.count == other.marks.count)
  }

  /// The difference to another stack. Marks of both stacks are sorted by the rank of their first
  /// showing.
  func difference(to other: MarkStack, rank: (Int32) -> Int32) -> Difference {
    var difference = Difference()
    var (ours, theirs) = (0, 0)
    while ours < marks.count, theirs < other.marks.count {
      let (a, b) = (marks[ours], other.marks[theirs])
      if a == b {
        ours += 1
        theirs += 1
        continue
      }
      let (rankA, rankB) = (rank(a[0]), rank(b[0]))
      if rankA <= rankB {
        difference.removed.append(a)
        ours += 1
      }
      if rankB <= rankA {
        difference.added.append(b)
        theirs += 1
      }
    }
    difference.isOnTop =
      difference.removed.isEmpty && difference.added.isEmpty && ours == marks.count
    difference.removed += marks[ours...]
    difference.added += other.marks[theirs...]
    return difference
  }
}
