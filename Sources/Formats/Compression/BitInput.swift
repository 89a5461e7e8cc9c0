/// Compressed bytes as bits, the lowest bit of each byte first.
struct BitInput {
  private let start: UnsafePointer<UInt8>
  private let count: Int
  /// The next byte to load.
  private(set) var offset: Int
  /// The next bits, the first one lowest. Those from `bitCount` on are 0 or already the right ones.
  private(set) var bits: UInt64 = 0
  private(set) var bitCount = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>, from offset: Int) {
    start = bytes.base
    count = bytes.count
    self.offset = offset
  }

  /// An error at the next byte that is not used up.
  func error(_ reason: InflateError.Reason) -> InflateError {
    InflateError(reason, at: offset - bitCount / 8)
  }

  /// Whether eight bytes can be loaded at once, twice.
  @inline(__always)
  var hasMargin: Bool { offset &+ 16 <= count }

  /// Loads bits until there are at least 56. There must be a margin.
  @inline(__always)
  mutating func refillWithMargin() {
    let word = UnsafeRawPointer(start + offset).loadUnaligned(as: UInt64.self)
    bits |= UInt64(littleEndian: word) &<< UInt64(bitCount)
    offset &+= (63 &- bitCount) &>> 3
    bitCount |= 56
  }

  /// Loads bits until there are at least 56, or no more bytes. Bits behind the end are 0.
  mutating func refill() {
    while bitCount < 56, offset < count {
      bits |= UInt64(start[offset]) << UInt64(bitCount)
      offset += 1
      bitCount += 8
    }
  }

  @inline(__always)
  mutating func skip(_ count: Int) {
    bits &>>= UInt64(count)
    bitCount &-= count
  }

  /// Takes up to 16 bits; nil if there are not as many.
  mutating func take(_ count: Int) -> Int? { takeBits(count).map { Int($0) } }

  /// Takes 32 bits, which an `Int` in a web page cannot hold; nil if there are not as many.
  mutating func takeWord() -> UInt32? { takeBits(32).map { UInt32($0) } }

  private mutating func takeBits(_ count: Int) -> UInt64? {
    if bitCount < count { refill() }
    guard bitCount >= count else { return nil }
    let value = bits & (1 << UInt64(count) - 1)
    skip(count)
    return value
  }

  /// Takes whole bytes, after the bits that remain of the last one are skipped.
  mutating func alignToByte() { skip(bitCount & 7) }

  /// Copies bytes, at a byte's border, to memory that has room for them; returns their number,
  /// which is less than `length` at the end.
  mutating func copyBytes(_ length: Int, to output: UnsafeMutablePointer<UInt8>) -> Int {
    offset -= bitCount / 8
    (bits, bitCount) = (0, 0)
    let copied = min(length, count - offset)
    UnsafeMutableRawPointer(output).copyMemory(from: start + offset, byteCount: copied)
    offset += copied
    return copied
  }
}

// The start of memory that is never empty.

extension UnsafeBufferPointer {
  var base: UnsafePointer<Element> {
    guard let base = baseAddress else { preconditionFailure("no memory") }
    return base
  }
}
