import CPNGKernels
import Graphics
import Synchronization

/// Finds smaller tokens for a stretch of parts: expands what was told in a hurry, looks for all that
/// could be repeated, and chooses the cheapest way through, by what tokens cost in the blocks of the
/// last choice.
final class StretchParser {
  /// How hard it is looked.
  struct Thoroughness {
    /// How many places are tried, and which length is enough.
    var depth: UInt32
    var enough: UInt32
    /// Whether every byte may begin something, or only pixels.
    var isByByte: Bool
    /// How often a way is chosen at most.
    var rounds: Int
  }

  /// Tokens that make a block.
  struct Block {
    var segments: [UnsafeBufferPointer<UInt16>]
  }

  private var bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: 64)
  private var capacity = 64
  private var pieces: [ParsedPiece] = []
  private var rooms: [ParseRoom] = []
  /// How many bytes before the stretch are kept, and how many there were in all.
  private var keptCount = 0
  private var position = 0
  /// Bytes before those that are kept, which may be read and mean nothing.
  private static let margin = 64
  private let block = DeflateBlock(isShortest: true)

  deinit { bytes.deallocate() }

  func begin() { (keptCount, position) = (0, 0) }

  /// Finds the blocks of a stretch; they last until the next one.
  func parse(
    _ parts: ArraySlice<PartTokens>, _ kernels: UnsafePointer<PNGKernels>, perPixel: Int,
    stride: Int, _ effort: Thoroughness, threads: Int
  ) -> [Block] {
    let start = Self.margin + keptCount
    let count = parts.reduce(0) { $0 + Int($1.byteCount) }
    makeRoom(start + count + Self.margin)
    (bytes + start + count).update(repeating: 0, count: Self.margin)
    var ranges: [Range<Int>] = []
    var starts: [Int] = []
    var place = start
    for part in parts {
      starts.append(place)
      let end = place + Int(part.byteCount)
      while place < end {
        let next = min(place + ParsedPiece.byteLimit, end)
        ranges.append(place..<next)
        place = next
      }
    }
    while pieces.count < ranges.count { pieces.append(ParsedPiece()) }
    while rooms.count < max(threads, 1) { rooms.append(ParseRoom()) }
    let lanes = max(min(threads, ranges.count), 1)
    let (bytes, all) = (bytes, Array(parts))
    each(all.count, lanes) { number, _ in
      _ = pngExpand(all[number].tokens, all[number].count, perPixel, bytes + starts[number])
    }
    let pieces = pieces[..<ranges.count]
    let phase = (position - start) % stride + stride
    let step = effort.isByByte ? 1 : perPixel
    each(ranges.count, lanes) { number, room in
      var search = PNGSearch(
        bytes: bytes, first: Self.margin + (start - Self.margin - self.keptCount), phase: phase,
        stride: stride, perPixel: UInt32(perPixel), step: UInt32(step),
        hashed: UInt32(step < 3 ? 4 : min(2 * perPixel, 8)), depth: effort.depth,
        enough: effort.enough)
      pieces[number].find(ranges[number], &search, room.finder)
    }
    var blocks = [CostedBlock(start: start, costs: firstCosts(all, kernels))]
    var split = BlockSplit([])
    for round in 0..<effort.rounds {
      each(ranges.count, lanes) { number, room in
        pieces[number].parse(bytes, perPixel: perPixel, blocks, room)
      }
      split = BlockSplit(pieces)

      if round + 1 < effort.rounds { blocks = costed(split, pieces) }
    }
    keep(start + count)
    position += count
    return self.blocks(split, pieces)
  }

  /// Does something for each number, on as many threads.
  private func each(_ count: Int, _ lanes: Int, _ body: (Int, ParseRoom) -> Void) {
    let rooms = rooms
    let next = Atomic(0)
    Lanes.run(min(lanes, count)) { lane in
      while true {
        let number = next.add(1, ordering: .relaxed).oldValue
        guard number < count else { break }
        body(number, rooms[lane])
      }
    }
  }

  private func makeRoom(_ needed: Int) {
    guard needed > capacity else { return }
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: needed)
    memory.update(from: bytes, count: min(Self.margin + keptCount, capacity))
    bytes.deallocate()
    (bytes, capacity) = (memory, needed)
  }

  /// Keeps as many of the last bytes as the next ones may repeat.
  private func keep(_ end: Int) {
    keptCount = min(Int(PNGWindow), end - Self.margin)
    (bytes + Self.margin).update(from: bytes + end - keptCount, count: keptCount)
  }

  /// What tokens cost at first: as what was told in a hurry lets expect, and what was not looked for
  /// then is expected to be as frequent as one symbol in a few hundred.
  private func firstCosts(_ parts: [PartTokens], _ kernels: UnsafePointer<PNGKernels>) -> PNGCosts {
    let width = ParsedPiece.countsPerMark
    return withUnsafeTemporaryAllocation(of: UInt32.self, capacity: width) { room in
      room.initialize(repeating: 0)
      var costs = PNGCosts()
      guard let counts = room.baseAddress else { return costs }
      for part in parts { pngCountSymbols(part.tokens, part.count, counts) }
      let total = counts[0..<286]
      let length = max(total / 30, 1)
      for symbol in 257..<286 { counts[symbol] = max(counts[symbol], length) }
      var lengths: UInt32 = 0
      for symbol in 257..<286 { lengths += counts[symbol] }
      for symbol in 286..<316 { counts[symbol] = max(counts[symbol], lengths / 24, 1) }
      costs.set(counts)
      return costs
    }
  }

  private func costed(_ split: BlockSplit, _ pieces: ArraySlice<ParsedPiece>) -> [CostedBlock] {
    var costed: [CostedBlock] = []
    var block = 0
    var number = 0
    for piece in pieces {
      for mark in piece.marks {
        if block < split.starts.count, split.starts[block] == number {
          var costs = PNGCosts()
          _ = split.withCounts(ofBlock: block) { costs.set($0) }
          costed.append(CostedBlock(start: mark.place, costs: costs))
          block += 1
        }
        number += 1
      }
    }
    return costed
  }

  private func blocks(_ split: BlockSplit, _ pieces: ArraySlice<ParsedPiece>) -> [Block] {
    var blocks: [Block] = []
    var number = 0
    for piece in pieces {
      var first = 0
      func add(_ end: Int) {
        guard end > first else { return }
        blocks[blocks.count - 1].segments.append(
          UnsafeBufferPointer(start: piece.tokens + first, count: end - first))
        first = end
      }
      for mark in piece.marks {
        if blocks.count < split.starts.count, split.starts[blocks.count] == number {
          if mark.token > 0 { add(mark.token) }
          blocks.append(Block(segments: []))
        }
        number += 1
      }
      add(piece.tokenCount)
    }
    return blocks
  }
}

extension UnsafeMutablePointer<UInt32> {
  /// The sum of some.
  fileprivate subscript(range: Range<Int>) -> UInt32 { range.reduce(0) { $0 + self[$1] } }
}
