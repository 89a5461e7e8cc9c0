import CPNGKernels

/// The tokens of a part of a picture, which is as high as a band.
final class PartTokens {
  private(set) var tokens: UnsafeMutablePointer<UInt16>
  private var capacity = 1 << 12
  /// How many there are.
  private(set) var count = 0
  /// How many bytes they stand for.
  private(set) var byteCount: UInt64 = 0
  private(set) var sum: UInt64 = 0
  private(set) var weightedSum: UInt64 = 0
  var state = PNGTokens()
  /// Whether there is only a run of zeros, which is not told yet.
  private(set) var isWaiting = false
  /// How often each token occurs, where there are enough of them to be counted apart.
  private let counts: UnsafeMutablePointer<UInt32>
  private static let countedApart = 512
  private var isCounted = false

  init() {
    counts = .allocate(capacity: Int(PNGTokenCount))
    counts.initialize(repeating: 0, count: Int(PNGTokenCount))
    tokens = .allocate(capacity: capacity)
  }

  deinit {
    tokens.deallocate()
    counts.deallocate()
  }

  func begin() {
    state = PNGTokens()
    state.next = tokens
  }

  /// Makes room for what a row of so many bytes can add, and the run before it.
  @inline(__always)
  func reserve(_ rowBytes: Int) {
    let used = state.next - tokens
    // At most four tokens for three bytes, and one for 258 bytes of a run.
    let needed = used + rowBytes / 3 * 4 + 16 + Int(state.run / 258) + Int(PNGTokenMargin)
    if needed > capacity { grow(to: needed, used) }
    // Sums of a row fit into 64 bits; those of many may not.
    state.weightedSum %= Adler.prime
  }

  @inline(never)
  private func grow(to needed: Int, _ used: Int) {
    let larger = max(needed, 2 * capacity)
    let memory = UnsafeMutablePointer<UInt16>.allocate(capacity: larger)
    memory.update(from: tokens, count: used)
    tokens.deallocate()
    (tokens, capacity) = (memory, larger)
    state.next = memory + used
  }

  /// Adds zeros to a run, if the last byte in front of a row is zero and can begin it.
  @inline(__always)
  func addZeros(_ count: Int, after row: UnsafePointer<UInt8>) -> Bool {
    guard row[-1] == 0 else { return false }
    let isFirst = state.position == 0
    if isFirst {
      state.next.pointee = 0
      state.next += 1
    }
    state.run += UInt64(isFirst ? count - 1 : count)
    state.position += UInt64(count)
    return true
  }

  /// Tells what is pending; `row` has the last bytes before it. A part of nothing but zeros waits until
  /// it is written: often there are better ways to tell it.
  func end(_ row: UnsafePointer<UInt8>, _ kernels: UnsafePointer<PNGKernels>) {
    reserve(0)
    isWaiting = state.next - tokens == 1 && state.run >= 3 && tokens[0] == 0
    if !isWaiting { pngTellRun(&state, row) }
    count = state.next - tokens
    (byteCount, sum, weightedSum) = (state.position, state.sum, state.weightedSum)
    isCounted = count >= Self.countedApart
    guard isCounted else { return }
    counts.update(repeating: 0, count: Int(PNGTokenCount))
    kernels.pointee.count(tokens, count, counts)
  }

  /// Tells what waits for it.
  func tellWaiting() {
    guard isWaiting else { return }
    reserve(0)
    pngTellRun(&state, nil)
    count = state.next - tokens
    isWaiting = false
    isCounted = false
  }

  /// Adds how often each token occurs.
  func addCounts(to sums: UnsafeMutablePointer<UInt32>, _ kernels: UnsafePointer<PNGKernels>) {
    tellWaiting()
    guard isCounted else { return kernels.pointee.count(tokens, count, sums) }
    for token in 0..<Int(PNGTokenCount) { sums[token] &+= counts[token] }
  }

  /// Notes which bytes are told as they are.
  func markBytes(_ used: inout ByteSet) {
    if isCounted {
      for byte in 0..<256 where counts[byte] > 0 { used.insert(byte) }
    } else {
      for place in 0..<count where tokens[place] < 256 { used.insert(Int(tokens[place])) }
    }
  }
}

extension PartTokens {
  /// Reads the bytes again that the tokens stand for.
  func read(bytesPerPixel: Int, into room: ByteRoom) {
    let bytes = room.restart(with: Int(byteCount) + Int(PNGTokenMargin))
    var end = 0
    func repeatBytes(_ count: Int, _ distance: Int) {
      for _ in 0..<count {
        bytes[end] = bytes[end - distance]
        end += 1
      }
    }
    var place = 0
    while place < count {
      let token = Int(tokens[place])
      place += 1
      if token < 256 {
        bytes[end] = UInt8(token)
        end += 1
      } else if token < PNGTokenLength + 3 {
        repeatBytes(token - Int(PNGTokenRun), bytesPerPixel)
      } else {
        repeatBytes(token - Int(PNGTokenLength), readDistance(&place))
      }
    }
    // What waits to be told are zeros.
    (bytes + end).update(repeating: 0, count: Int(byteCount) - end)
  }

  /// The distance that the next tokens say.
  private func readDistance(_ place: inout Int) -> Int {
    let symbol = Int(tokens[place]) - Int(PNGTokenDistance)
    place += 1
    guard symbol >= 4 else { return symbol + 1 }
    let extra = symbol / 2 - 1
    var (bits, read) = (0, 0)
    while read < extra {
      let some = min(extra - read, 8)
      bits |= (Int(tokens[place]) - Int(PNGTokenBits) - ((1 << some) - 2)) << read
      place += 1
      read += some
    }
    return ((2 + (symbol & 1)) << extra) + bits + 1
  }
}
