import CPNGKernels
import Graphics

/// The tokens of a part of a picture, which is one band or, in frames, some rows.
final class PartTokens {
  private(set) var tokens: UnsafeMutablePointer<UInt16>
  private var capacity = 1 << 12
  /// The number of tokens.
  private(set) var count = 0
  private(set) var rowCount = 0
  /// The number of bytes that the tokens encode.
  private(set) var byteCount: UInt64 = 0
  private(set) var sum: UInt64 = 0
  private(set) var weightedSum: UInt64 = 0
  var state = PNGTokens()
  /// Whether nothing was drawn in the part, so that all its rows are alike.
  var isBlank = false
  /// Whether the part is one run of zeros that is not tokenized yet.
  private(set) var hasPendingZeros = false
  /// How often each token occurs; only counted for parts with enough tokens.
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

  func begin(rowCount: Int = 0) {
    self.rowCount = rowCount
    state = PNGTokens()
    state.next = tokens
    isBlank = false
  }

  /// Reserves capacity for the tokens of a row of `rowBytes` bytes and of the pending run.
  @inline(__always)
  func reserve(_ rowBytes: Int) {
    let used = state.next - tokens
    // At most four tokens for three bytes, and one for 258 bytes of a run.
    let needed = used + rowBytes / 3 * 4 + 16 + Int(state.run / 258) + Int(PNGTokenMargin)
    if needed > capacity { grow(to: needed, used) }
    // The sums of a row fit into 64 bits; those of many rows may not.
    state.weightedSum %= Adler.prime
  }

  @inline(never)
  private func grow(to needed: Int, _ used: Int) {
    capacity = max(needed, 2 * capacity)
    tokens.grow(keeping: used, capacity: capacity)
    state.next = tokens + used
  }

  /// Adds zeros to the pending run. Returns false if the byte before the row is not zero, so that
  /// no run can continue.
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

  /// Tokenizes the pending run; the bytes before `row` are the last ones. A part of only zeros
  /// stays pending until it is written: often it is retokenized in another form first.
  func end(_ row: UnsafePointer<UInt8>, _ kernels: UnsafePointer<PNGKernels>) {
    reserve(0)
    hasPendingZeros = state.next - tokens == 1 && state.run >= 3 && tokens[0] == 0
    if !hasPendingZeros { pngTokenizeRun(&state, row) }
    count = state.next - tokens
    (byteCount, sum, weightedSum) = (state.position, state.sum, state.weightedSum)
    isCounted = count >= Self.countedApart
    guard isCounted else { return }
    counts.update(repeating: 0, count: Int(PNGTokenCount))
    kernels.pointee.count(tokens, count, counts)
  }

  /// Changes the number of pending zeros: of rows that are zeros in another form, too.
  func setPendingZeros(_ count: UInt64) {
    byteCount = count
    state.run = count - 1
    isBlank = true
  }

  /// Tokenizes the pending zeros.
  func tokenizePendingZeros() {
    guard hasPendingZeros else { return }
    reserve(0)
    pngTokenizeRun(&state, nil)
    count = state.next - tokens
    hasPendingZeros = false
    isCounted = false
  }

  /// Adds the counts of all tokens.
  func addCounts(to sums: UnsafeMutablePointer<UInt32>, _ kernels: UnsafePointer<PNGKernels>) {
    tokenizePendingZeros()
    guard isCounted else { return kernels.pointee.count(tokens, count, sums) }
    for token in 0..<Int(PNGTokenCount) { sums[token] &+= counts[token] }
  }

  /// Marks the byte values that occur as literals.
  func markBytes(_ used: inout ByteSet) {
    if isCounted {
      used.formUnion { counts[$0] > 0 }
    } else if count < 32 {
      for index in 0..<count where tokens[index] < 256 { used.insert(Int(tokens[index])) }
    } else {
      withUnsafeTemporaryAllocation(of: Bool.self, capacity: Int(PNGTokenCount)) { occurs in
        occurs.update(repeating: false)
        for index in 0..<count { occurs[Int(tokens[index])] = true }
        used.formUnion { occurs[$0] }
      }
    }
  }
}

extension PartTokens {
  /// Decodes the tokens into bytes: all, or at least the first `limit`.
  func read(bytesPerPixel: Int, into buffer: ByteBuffer, limit: Int = .max) {
    let limit = min(limit, Int(byteCount))
    // The last token may be a run of 258 bytes.
    let bytes = buffer.restart(with: min(limit + 258, Int(byteCount)) + Int(PNGTokenMargin))
    var end = 0
    func repeatBytes(_ count: Int, _ distance: Int) {
      for _ in 0..<count {
        bytes[end] = bytes[end - distance]
        end += 1
      }
    }
    var index = 0
    while index < count, end < limit {
      let token = Int(tokens[index])
      index += 1
      if token < 256 {
        bytes[end] = UInt8(token)
        end += 1
      } else if token < PNGTokenLength + 3 {
        repeatBytes(token - Int(PNGTokenRun), bytesPerPixel)
      } else {
        repeatBytes(token - Int(PNGTokenLength), readDistance(&index))
      }
    }
    // The rest are pending zeros.
    if end < limit { (bytes + end).update(repeating: 0, count: limit - end) }
  }

  /// Reads a distance from the tokens at `index`.
  private func readDistance(_ index: inout Int) -> Int {
    let symbol = Int(tokens[index]) - Int(PNGTokenDistance)
    index += 1
    guard symbol >= 4 else { return symbol + 1 }
    let extra = symbol / 2 - 1
    var (bits, read) = (0, 0)
    while read < extra {
      let some = min(extra - read, 8)
      bits |= (Int(tokens[index]) - Int(PNGTokenBits) - ((1 << some) - 2)) << read
      index += 1
      read += some
    }
    return ((2 + (symbol & 1)) << extra) + bits + 1
  }
}
