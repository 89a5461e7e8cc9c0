/// The probability of a bit in an adaptive binary range coder, as in LZMA: it adapts to the bits
/// that were coded. Slower than the tables that points are coded with, but it needs no statistics
/// beforehand. An archive's residue is coded with it.
struct AdaptiveModel {
  /// The probability, in 65536ths, that the next bit is 0.
  private(set) var zeroProbability: UInt16 = 1 << 15
  /// The number of coded bits. It stops counting where adaptation is slowest.
  private var age: UInt8 = 0

  /// The share, in 65536ths, by which the probability of each age approaches certainty: 655,360
  /// divided by ten times the age plus 13. Literals, since they need no check at run time whether
  /// they are computed.
  private static let rates: [UInt32] = [
    50_412, 28_493, 19_859, 15_240, 12_365, 10_402, 8_977, 7_895, 7_046, 6_362, 5_799,
    5_328, 4_927, 4_582, 4_283, 4_020, 3_788, 3_581, 3_395, 3_228, 3_076,
  ]

  /// Adapts the probability to a coded bit: fast at first, slowly after many bits.
  @inline(__always)
  mutating func update(with bit: Int, _ version: FormatVersion) {
    if version == .first {
      updateBySteps(with: bit)
    } else {
      let (rate, probability) = (Self.rates[Int(age)], UInt32(zeroProbability))
      let raised = probability &+ ((65_535 &- probability) &* rate) >> 16
      let lowered = probability &- (probability &* rate) >> 16
      zeroProbability = UInt16(truncatingIfNeeded: bit == 0 ? raised : lowered)
      age &+= age < 20 ? 1 : 0
    }
    zeroProbability = min(max(zeroProbability, 64), 65_472)
  }

  /// Adapts the probability as the first version does.
  private mutating func updateBySteps(with bit: Int) {
    let shift = UInt16(min(age / 2 + 2, 6))
    if bit == 0 {
      zeroProbability &+= (65_535 - zeroProbability) >> shift
    } else {
      zeroProbability &-= zeroProbability >> shift
    }
    if age < 10 { age += 1 }
  }
}

/// Codes bits with adaptive models.
struct AdaptiveEncoder {
  private let version: FormatVersion
  private var low: UInt64 = 0
  private var range: UInt32 = .max
  private var cache: UInt8 = 0
  private var cacheSize = 1
  private(set) var bytes: [UInt8] = []

  init(_ version: FormatVersion = .latest) { self.version = version }

  /// Encodes the bits of a byte, the highest first. `models` are those of a tree of 255 nodes,
  /// whose root is the second one.
  mutating func encode(_ byte: UInt8, _ models: UnsafeMutablePointer<AdaptiveModel>) {
    // In registers, since the compiler cannot know that models are other memory.
    var (low, range) = (low, range)
    let version = version
    var (node, rest) = (1, byte)
    for _ in 0..<8 {
      let bit = Int(rest >> 7)
      rest <<= 1
      let bound = UInt32((UInt64(range) * UInt64(models[node].zeroProbability)) >> 16)
      models[node].update(with: bit, version)
      low &+= bit == 0 ? 0 : UInt64(bound)
      range = bit == 0 ? bound : range &- bound
      while range < 1 << 24 {
        range <<= 8
        self.low = low
        shift()
        low = self.low
      }
      node = node << 1 | bit
    }
    (self.low, self.range) = (low, range)
  }

  @inline(__always)
  mutating func encode(_ bit: Int, _ model: inout AdaptiveModel) {
    encode(bit, zeroProbability: model.zeroProbability)
    model.update(with: bit, version)
  }

  /// Encodes a bit that is as likely 0 as 1.
  @inline(__always)
  mutating func encode(_ bit: Int) { encode(bit, zeroProbability: 1 << 15) }

  @inline(__always)
  private mutating func encode(_ bit: Int, zeroProbability: UInt16) {
    let bound = UInt32((UInt64(range) * UInt64(zeroProbability)) >> 16)
    // Bits of random names would be mispredicted by a branch.
    low &+= bit == 0 ? 0 : UInt64(bound)
    range = bit == 0 ? bound : range &- bound
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

  /// The maximum number of zero bytes that are left out at the end. Without a limit, a reader could
  /// not notice that it reads beyond the end.
  static let maximumOmittedZeros = 8

  /// Ends coding and returns the bytes. The first byte is always 0 and left out, as are up to eight
  /// zeros at the end, which readers add.
  mutating func finish() -> [UInt8] {
    for _ in 0..<5 { shift() }
    let zeros = bytes.reversed().prefix(Self.maximumOmittedZeros).prefix { $0 == 0 }.count
    return Array(bytes.dropLast(zeros).dropFirst())
  }
}

/// Decodes the bits of an `AdaptiveEncoder`.
struct AdaptiveDecoder {
  private let version: FormatVersion
  private let bytes: [UInt8]
  private var offset: Int
  private let end: Int
  private var range: UInt32 = .max
  private var code: UInt32 = 0

  init(_ bytes: [UInt8], in slice: Range<Int>, _ version: FormatVersion = .latest) {
    self.version = version
    self.bytes = bytes
    offset = slice.lowerBound
    end = slice.upperBound
    for _ in 0..<4 { code = code << 8 | UInt32(nextByte()) }
  }

  private mutating func nextByte() -> UInt8 {
    defer { offset += 1 }
    return offset < end ? bytes[offset] : 0
  }

  /// Whether more bytes were read than there are, including the zeros that may be left out.
  var isExhausted: Bool { offset > end + AdaptiveEncoder.maximumOmittedZeros }

  /// Decodes the bits of a byte, the highest first, with the models of `encode`.
  mutating func decodeByte(_ models: UnsafeMutablePointer<AdaptiveModel>) -> UInt8 {
    var node = 1
    for _ in 0..<8 { node = node << 1 | decode(&models[node]) }
    return UInt8(truncatingIfNeeded: node)
  }

  @inline(__always)
  mutating func decode(_ model: inout AdaptiveModel) -> Int {
    let bit = decode(zeroProbability: model.zeroProbability)
    model.update(with: bit, version)
    return bit
  }

  /// Decodes a bit that is as likely 0 as 1.
  @inline(__always)
  mutating func decode() -> Int { decode(zeroProbability: 1 << 15) }

  @inline(__always)
  private mutating func decode(zeroProbability: UInt16) -> Int {
    let bound = UInt32((UInt64(range) * UInt64(zeroProbability)) >> 16)
    let bit: Int
    if code < bound {
      range = bound
      bit = 0
    } else {
      code -= bound
      range -= bound
      bit = 1
    }
    while range < 1 << 24 {
      range <<= 8
      code = code << 8 | UInt32(nextByte())
    }
    return bit
  }
}
