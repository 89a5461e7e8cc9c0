/// Marks on a page from back to front, each one showing or several that are wet together.
struct Pile {
  private(set) var marks: [[Int32]] = []
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

  /// What must go and come to make another pile of this one.
  struct Difference {
    var removed: [[Int32]] = []
    var added: [[Int32]] = []
    /// Whether all that comes lies above all that was there, and nothing goes.
    var isOnTop = false
  }

  /// What must go and come to make another pile of this one, in which every showing has a rank.
  func difference(to other: Pile, rank: (Int32) -> Int32) -> Difference {
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
