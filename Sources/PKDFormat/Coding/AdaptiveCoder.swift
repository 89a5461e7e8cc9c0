/// An adaptive binary range coder, as in LZMA: every bit has a probability that follows what was
/// seen. Slow beside the tables that points are coded with, but it needs no statistics beforehand;
/// what an archive said beyond the drawing is coded with it.
struct AdaptiveModel {
  /// Of 65536, how likely the next bit is 0.
  private(set) var zero: UInt16 = 1 << 15
  /// How many bits were seen, up to where following is slowest.
  private var age: UInt8 = 0

  /// Quick at first, slow when much is known.
  mutating func follow(_ bit: Int) {
    let shift = UInt16(min(age / 2 + 2, 6))
    if bit == 0 {
      zero &+= (65_535 - zero) >> shift
    } else {
      zero &-= zero >> shift
    }
    if age < 10 { age += 1 }
    zero = min(max(zero, 64), 65_472)
  }
}

struct AdaptiveEncoder {
  private var low: UInt64 = 0
  private var range: UInt32 = .max
  private var cache: UInt8 = 0
  private var cacheSize = 1
  private(set) var bytes: [UInt8] = []

  mutating func encode(_ bit: Int, _ model: inout AdaptiveModel) {
    let bound = UInt32((UInt64(range) * UInt64(model.zero)) >> 16)
    if bit == 0 {
      range = bound
    } else {
      low += UInt64(bound)
      range -= bound
    }
    model.follow(bit)
    while range < 1 << 24 {
      range <<= 8
      shift()
    }
  }

  private mutating func shift() {
    if low < 0xFF00_0000 || low > 0xFFFF_FFFF {
      let carry = UInt8(truncatingIfNeeded: low >> 32)
      var byte = cache
      repeat {
        bytes.append(byte &+ carry)
        byte = 0xFF
        cacheSize -= 1
      } while cacheSize > 0
      cache = UInt8(truncatingIfNeeded: low >> 24)
    }
    cacheSize += 1
    low = low << 8 & 0xFFFF_FFFF
  }

  /// How many zeros at the end may be left out: with more of them readers would go on for ever.
  static let mostLeftOut = 8

  /// Ends coding and gives the bytes. The first one is always 0 and left out, as are some zeros at
  /// the end, which readers add.
  mutating func finish() -> [UInt8] {
    for _ in 0..<5 { shift() }
    let zeros = bytes.reversed().prefix(Self.mostLeftOut).prefix { $0 == 0 }.count
    return Array(bytes.dropLast(zeros).dropFirst())
  }
}

struct AdaptiveDecoder {
  private let bytes: [UInt8]
  private var place: Int
  private let end: Int
  private var range: UInt32 = .max
  private var code: UInt32 = 0

  init(_ bytes: [UInt8], in slice: Range<Int>) {
    self.bytes = bytes
    place = slice.lowerBound
    end = slice.upperBound
    for _ in 0..<4 { code = code << 8 | UInt32(nextByte()) }
  }

  private mutating func nextByte() -> UInt8 {
    defer { place += 1 }
    return place < end ? bytes[place] : 0
  }

  /// Whether more was read than was there, beyond the few bytes that coding may leave out.
  var isExhausted: Bool { place > end + AdaptiveEncoder.mostLeftOut }

  mutating func decode(_ model: inout AdaptiveModel) -> Int {
    let bound = UInt32((UInt64(range) * UInt64(model.zero)) >> 16)
    let bit: Int
    if code < bound {
      range = bound
      bit = 0
    } else {
      code -= bound
      range -= bound
      bit = 1
    }
    model.follow(bit)
    while range < 1 << 24 {
      range <<= 8
      code = code << 8 | UInt32(nextByte())
    }
    return bit
  }
}
