import CPNGKernels

/// A piece of a stretch that is parsed independently: the matches at each position, and the token
/// path chosen last.
final class ParsedPiece {
  /// The maximum size of a piece, so that the cost of a path fits into 32 bits.
  static let byteLimit = 1 << 20

  /// The index of the piece in its stretch.
  let number: Int
  private var positions: Range<Int> = 0..<0
  private var steps: UnsafeMutablePointer<UInt32>
  private var stepCapacity = 1 << 12
  private var stepCount = 0
  /// The path chosen last, and the best one so far.
  private(set) var last = TokenPath()
  private(set) var best = TokenPath()

  init(_ number: Int) {
    self.number = number
    steps = .allocate(capacity: stepCapacity)
  }

  deinit { steps.deallocate() }

  /// The memory in use, in bytes, approximately.
  var memory: Int { 4 * stepCapacity + last.memory + best.memory }

  /// Finds the matches at each position.
  func find(
    _ positions: Range<Int>, _ search: PNGSearch, _ finder: UnsafeMutablePointer<PNGFinder>,
    _ kernels: UnsafePointer<PNGKernels>
  ) {
    self.positions = positions
    stepCount = 0
    withUnsafePointer(to: search) { search in
      kernels.pointee.begin(finder, search, positions.lowerBound)
      while true {
        let end = kernels.pointee.find(
          finder, search, positions.upperBound, steps + stepCount, steps + stepCapacity)
        stepCount = (end ?? steps) - steps
        if finder.pointee.position >= positions.upperBound { break }
        let memory = UnsafeMutablePointer<UInt32>.allocate(capacity: 2 * stepCapacity)
        memory.update(from: steps, count: stepCount)
        steps.deallocate()
        (steps, stepCapacity) = (memory, 2 * stepCapacity)
      }
    }
  }

  /// Finds the cheapest path, given the costs of tokens in each block, and tokenizes it.
  func parse(
    _ bytes: UnsafePointer<UInt8>, perPixel: Int, _ blocks: [CostedBlock], tokensPerMark: Int,
    _ buffer: ParseBuffer, _ kernels: UnsafePointer<PNGKernels>
  ) {
    let (pathCosts, choices) = buffer.from(positions.lowerBound, count: positions.count + 1)
    pathCosts[positions.upperBound] = 0
    var step: UnsafePointer<UInt32>? = UnsafePointer(steps + stepCount)
    var position = positions.upperBound
    for block in blocks.reversed() where block.start < position {
      withUnsafePointer(to: block.costs) { costs in
        step = kernels.pointee.findCheapestPath(
          costs, bytes, steps, step, &position, max(block.start, positions.lowerBound),
          UInt32(perPixel), pathCosts, choices)
      }
      if position <= positions.lowerBound { break }
    }
    last.tokenize(bytes, positions, perPixel: perPixel, choices, tokensPerMark, kernels)
  }

  /// Keeps the last path as the best one.
  func keep() { swap(&last, &best) }
}

/// The tokens of a path through a piece.
final class TokenPath {
  private(set) var tokens: UnsafeMutablePointer<UInt16>
  private var capacity = 1 << 10
  private(set) var count = 0
  /// The positions at which blocks may start.
  private(set) var marks: [PNGMark] = []
  /// The symbol counts between each mark and the next.
  private(set) var symbols: [UInt32] = []
  /// The number of symbols, and one more for tokens of extra bits, which have none.
  static let symbolCount = Int(PNGSymbolCount) + 1

  init() { tokens = .allocate(capacity: capacity) }

  deinit { tokens.deallocate() }

  var memory: Int { 2 * capacity + 4 * symbols.count }

  fileprivate func tokenize(
    _ bytes: UnsafePointer<UInt8>, _ positions: Range<Int>, perPixel: Int,
    _ choices: UnsafePointer<UInt32>, _ tokensPerMark: Int, _ kernels: UnsafePointer<PNGKernels>
  ) {
    // A literal takes one token; a match takes at most four tokens for three bytes.
    let needed = positions.count / 3 * 4 + 16
    if needed > capacity {
      tokens.deallocate()
      tokens = .allocate(capacity: needed)
      capacity = needed
    }
    marks = Array(unsafeUninitializedCapacity: needed / tokensPerMark + 1) { marks, markCount in
      count = kernels.pointee.tokenizePath(
        bytes, positions.lowerBound, positions.upperBound, UInt32(perPixel), choices, tokens,
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

/// The start of a block, and the costs of tokens in it.
struct CostedBlock {
  var start: Int
  var costs: PNGCosts
}

/// Working memory for parsing one piece after the other: the match finder, and path costs and
/// choices by position.
final class ParseBuffer {
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

  /// The size in bytes, approximately.
  var byteCount: Int { 8 * capacity + MemoryLayout<PNGFinder>.size }

  /// Path costs and choices for `count` positions, to be indexed from `position` on.
  func from(
    _ position: Int, count: Int
  ) -> (pathCosts: UnsafeMutablePointer<UInt32>, choices: UnsafeMutablePointer<UInt32>) {
    if count > capacity {
      memory.deallocate()
      memory = .allocate(capacity: 2 * count)
      capacity = count
    }
    return (memory - position, memory + capacity - position)
  }
}
