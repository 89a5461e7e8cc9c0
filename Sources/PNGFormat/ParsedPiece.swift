import CPNGKernels

/// A piece of a stretch that is parsed on its own: what each of its places could repeat, and the tokens
/// of the way that was chosen last.
final class ParsedPiece {
  /// Pieces have no more bytes, so that what a way costs fits into 32 bits.
  static let byteLimit = 1 << 20

  private(set) var places: Range<Int> = 0..<0
  private var steps: UnsafeMutablePointer<UInt32>
  private var stepCapacity = 1 << 12
  private var stepCount = 0
  private(set) var tokens: UnsafeMutablePointer<UInt16>
  private var tokenCapacity = 1 << 12
  private(set) var tokenCount = 0
  /// Where blocks may begin, and how often each symbol occurs from each of these places to the next.
  private(set) var marks: [PNGMark] = []
  private var counts: [UInt32] = []

  init() {
    steps = .allocate(capacity: stepCapacity)
    tokens = .allocate(capacity: tokenCapacity)
  }

  deinit {
    steps.deallocate()
    tokens.deallocate()
  }

  /// Symbols, and one more for what is none.
  static let countsPerMark = Int(PNGSymbolCount) + 1

  func withCounts<Result>(ofMark mark: Int, _ body: (UnsafePointer<UInt32>) -> Result) -> Result? {
    counts.withUnsafeBufferPointer { counts in
      counts.baseAddress.map { body($0 + mark * Self.countsPerMark) }
    }
  }

  /// Finds what each place could repeat.
  func find(
    _ places: Range<Int>, _ search: inout PNGSearch, _ finder: UnsafeMutablePointer<PNGFinder>
  ) {
    self.places = places
    stepCount = 0
    pngBegin(finder, &search, places.lowerBound)
    while finder.pointee.place < places.upperBound {
      let end = pngFind(
        finder, &search, places.upperBound, steps + stepCount, steps + stepCapacity)
      stepCount = (end ?? steps) - steps
      guard finder.pointee.place < places.upperBound else { break }
      let memory = UnsafeMutablePointer<UInt32>.allocate(capacity: 2 * stepCapacity)
      memory.update(from: steps, count: stepCount)
      steps.deallocate()
      (steps, stepCapacity) = (memory, 2 * stepCapacity)
    }
  }

  /// Chooses the cheapest way by what tokens cost in each block, and tells it.
  func parse(
    _ bytes: UnsafePointer<UInt8>, perPixel: Int, _ blocks: [CostedBlock], _ room: ParseRoom
  ) {
    let (ways, choices) = room.from(places.lowerBound, count: places.count + 1)
    ways[places.upperBound] = 0
    var last = UnsafePointer(steps + stepCount)
    var place = places.upperBound
    for block in blocks.reversed() where block.start < place {
      withUnsafePointer(to: block.costs) { costs in
        last =
          pngWeigh(
            costs, bytes, steps, last, &place, max(block.start, places.lowerBound),
            UInt32(perPixel), ways, choices) ?? last
      }
      if place <= places.lowerBound { break }
    }
    // No token stands for less than three quarters of a byte.
    let needed = places.count / 3 * 4 + 16
    if needed > tokenCapacity {
      tokens.deallocate()
      tokens = .allocate(capacity: needed)
      tokenCapacity = needed
    }
    var markCount = 0
    marks = Array(
      unsafeUninitializedCapacity: needed / Int(PNGTokensPerMark) + 1
    ) { marks, count in
      tokenCount = pngTellWay(
        bytes, places.lowerBound, places.upperBound, UInt32(perPixel), choices, tokens,
        marks.baseAddress, &markCount)
      count = markCount
    }
    count()
  }

  private func count() {
    counts = Array(repeating: 0, count: marks.count * Self.countsPerMark)
    counts.withUnsafeMutableBufferPointer { counts in
      guard let start = counts.baseAddress else { return }
      for (number, mark) in marks.enumerated() {
        let end = number + 1 < marks.count ? marks[number + 1].token : tokenCount
        pngCountSymbols(
          tokens + mark.token, end - mark.token, start + number * Self.countsPerMark)
      }
    }
  }
}

/// A block that begins at a place, and what tokens cost in it.
struct CostedBlock {
  var start: Int
  var costs: PNGCosts
}

/// Ways and choices by place, of one piece after the other.
final class ParseRoom {
  private var memory: UnsafeMutablePointer<UInt32>
  private var capacity = 1 << 10
  let finder: UnsafeMutablePointer<PNGFinder>

  init() {
    memory = .allocate(capacity: 2 * capacity)
    finder = .allocate(capacity: 1)
  }

  deinit {
    memory.deallocate()
    finder.deallocate()
  }

  /// Memory for both, by places from one on.
  func from(
    _ place: Int, count: Int
  ) -> (ways: UnsafeMutablePointer<UInt32>, choices: UnsafeMutablePointer<UInt32>) {
    if count > capacity {
      memory.deallocate()
      memory = .allocate(capacity: 2 * count)
      capacity = count
    }
    return (memory - place, memory + capacity - place)
  }
}
