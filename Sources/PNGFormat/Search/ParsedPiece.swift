import CPNGKernels

/// A piece of a stretch that is parsed on its own: what each of its places could repeat, and the tokens
/// of the way that was chosen last.
final class ParsedPiece {
  /// Pieces have no more bytes, so that what a way costs fits into 32 bits.
  static let byteLimit = 1 << 20

  /// Which of its stretch's pieces it is.
  let number: Int
  private var places: Range<Int> = 0..<0
  private var steps: UnsafeMutablePointer<UInt32>
  private var stepCapacity = 1 << 12
  private var stepCount = 0
  /// The way that was chosen last, and the best one so far.
  private(set) var last = Way()
  private(set) var best = Way()

  init(_ number: Int) {
    self.number = number
    steps = .allocate(capacity: stepCapacity)
  }

  deinit { steps.deallocate() }

  /// About how many bytes of memory this takes.
  var memory: Int { 4 * stepCapacity + last.memory + best.memory }

  /// Finds what each place could repeat.
  func find(
    _ places: Range<Int>, _ search: PNGSearch, _ finder: UnsafeMutablePointer<PNGFinder>,
    _ kernels: UnsafePointer<PNGKernels>
  ) {
    self.places = places
    stepCount = 0
    withUnsafePointer(to: search) { search in
      kernels.pointee.begin(finder, search, places.lowerBound)
      while true {
        let end = kernels.pointee.find(
          finder, search, places.upperBound, steps + stepCount, steps + stepCapacity)
        stepCount = (end ?? steps) - steps
        if finder.pointee.place >= places.upperBound { break }
        let memory = UnsafeMutablePointer<UInt32>.allocate(capacity: 2 * stepCapacity)
        memory.update(from: steps, count: stepCount)
        steps.deallocate()
        (steps, stepCapacity) = (memory, 2 * stepCapacity)
      }
    }
  }

  /// Chooses the cheapest way by what tokens cost in each block, and tells it.
  func parse(
    _ bytes: UnsafePointer<UInt8>, perPixel: Int, _ blocks: [CostedBlock], tokensPerMark: Int,
    _ room: ParseRoom, _ kernels: UnsafePointer<PNGKernels>
  ) {
    let (ways, choices) = room.from(places.lowerBound, count: places.count + 1)
    ways[places.upperBound] = 0
    var step: UnsafePointer<UInt32>? = UnsafePointer(steps + stepCount)
    var place = places.upperBound
    for block in blocks.reversed() where block.start < place {
      withUnsafePointer(to: block.costs) { costs in
        step = kernels.pointee.weigh(
          costs, bytes, steps, step, &place, max(block.start, places.lowerBound),
          UInt32(perPixel), ways, choices)
      }
      if place <= places.lowerBound { break }
    }
    last.tell(bytes, places, perPixel: perPixel, choices, tokensPerMark, kernels)
  }

  /// Keeps the way that was chosen last as the best one.
  func keep() { swap(&last, &best) }
}

/// The tokens of a way through a piece.
final class Way {
  private(set) var tokens: UnsafeMutablePointer<UInt16>
  private var capacity = 1 << 10
  private(set) var count = 0
  /// Where blocks may begin.
  private(set) var marks: [PNGMark] = []
  /// How often each symbol occurs from each of these places to the next.
  private(set) var symbols: [UInt32] = []
  /// Symbols, and one more for what is none.
  static let symbolCount = Int(PNGSymbolCount) + 1

  init() { tokens = .allocate(capacity: capacity) }

  deinit { tokens.deallocate() }

  var memory: Int { 2 * capacity + 4 * symbols.count }

  fileprivate func tell(
    _ bytes: UnsafePointer<UInt8>, _ places: Range<Int>, perPixel: Int,
    _ choices: UnsafePointer<UInt32>, _ tokensPerMark: Int, _ kernels: UnsafePointer<PNGKernels>
  ) {
    // Bytes as they are take a token each, what is repeated at most four tokens for three of them.
    let needed = places.count / 3 * 4 + 16
    if needed > capacity {
      tokens.deallocate()
      tokens = .allocate(capacity: needed)
      capacity = needed
    }
    marks = Array(unsafeUninitializedCapacity: needed / tokensPerMark + 1) { marks, markCount in
      count = kernels.pointee.tellWay(
        bytes, places.lowerBound, places.upperBound, UInt32(perPixel), choices, tokens,
        marks.baseAddress, &markCount, tokensPerMark)
    }
    symbols = Array(repeating: 0, count: marks.count * Self.symbolCount)
    symbols.withUnsafeMutableBufferPointer { symbols in
      guard let start = symbols.baseAddress else { return }
      for (number, mark) in marks.enumerated() {
        let end = number + 1 < marks.count ? marks[number + 1].token : count
        kernels.pointee.countSymbols(
          tokens + mark.token, end - mark.token, start + number * Self.symbolCount)
      }
    }
  }
}

/// A block that begins at a place, and what tokens cost in it.
struct CostedBlock {
  var start: Int
  var costs: PNGCosts
}

/// Memory for what is found of one piece after the other, and for ways and choices by place.
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

  /// About how many bytes this takes.
  var byteCount: Int { 8 * capacity + MemoryLayout<PNGFinder>.size }

  /// Ways and choices for so many places from one on.
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
