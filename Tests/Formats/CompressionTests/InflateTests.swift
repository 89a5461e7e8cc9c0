import CZlib
import Compression
import TestSupport
import Testing

@Suite struct `Decompressed bytes` {
  private static func inflated(_ bytes: [UInt8], limit: Int = 1 << 20) -> [UInt8]? {
    try? Inflate.inflate(bytes, limit: limit)
  }

  private static func reason(_ bytes: [UInt8], limit: Int = 1 << 20) -> InflateError.Reason? {
    do throws(InflateError) {
      _ = try Inflate.inflate(bytes, limit: limit)
      return nil
    } catch {
      #expect(0...bytes.count ~= error.offset)
      return error.reason
    }
  }

  /// Bytes of many kinds: none, random, constant, repeated at every distance, and similar to text
  /// and ink.
  private static let samples: [[UInt8]] = {
    var random = SplitMix64(seed: 7)
    func bytes(_ count: Int, below limit: UInt8) -> [UInt8] {
      (0..<count).map { _ in UInt8.random(in: 0..<limit, using: &random) }
    }
    var samples = [[], [1], bytes(3, below: 255), bytes(70_000, below: 255), bytes(5000, below: 2)]
    samples.append([UInt8](repeating: 9, count: 100_000))
    for period in [1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 300, 32_768] {
      let unit = bytes(period, below: 200)
      samples.append((0..<max(2000, 3 * period)).map { unit[$0 % period] })
    }
    // Rare symbols have long codes.
    samples.append(
      (0..<200_000).map { _ in UInt8(random.next().leadingZeroBitCount * 3 & 0xFF) })
    samples.append(
      (0..<60_000).map { index in
        index % 24 < 12 ? UInt8(index / 240 & 0xFF) : UInt8.random(in: 0..<20, using: &random)
      })
    return samples
  }()

  @Test(arguments: Zlib.Frame.allCases)
  func `inflating gives the bytes that zlib compressed at every level`(frame: Zlib.Frame) {
    for sample in Self.samples {
      for level: Int32 in 0...9 {
        let stream = Zlib.compressed(sample, frame, level: level)
        #expect(Self.inflated(stream) == sample)
      }
      for strategy in [Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED] {
        for flushes in [0, 5] {
          let stream = Zlib.compressed(sample, frame, strategy: strategy, flushing: flushes)
          #expect(Self.inflated(stream) == sample)
        }
      }
    }
  }

  @Test func `every reason of an inflate error has its own description`() {
    let reasons: [InflateError.Reason] = [
      .truncated, .header, .windowSize, .method, .headerFlags, .headerChecksum, .dictionary,
      .blockType, .storedLength, .symbolCount, .lengthRepeat, .lengthCode, .literalCode,
      .distanceCode, .noEndOfBlock, .literal, .distance, .distanceTooFar, .checksum, .size,
      .tooLarge(limit: 9),
    ]
    #expect(Set(reasons.map(\.description)).count == reasons.count)
  }

  @Test(arguments: Zlib.Frame.allCases, [0, 6] as [Int32])
  func `the start of a cut stream can be inflated`(frame: Zlib.Frame, level: Int32) {
    let sample = Self.samples[3]
    let stream = Zlib.compressed(sample, frame, level: level)
    for length in [stream.count, 40_000, 300] {
      let start = Inflate.prefix(of: Array(stream[..<length]), count: 100)
      #expect(start == Array(sample[..<100]))
    }
  }

  @Test(arguments: Zlib.Frame.allCases)
  func `inflating refuses a stream that is cut anywhere`(frame: Zlib.Frame) {
    let sample = Array(Self.samples[Self.samples.count - 1][..<3000])
    for level: Int32 in [0, 6] {
      let stream = Zlib.compressed(sample, frame, level: level, flushing: 2)
      for count in stream.indices {
        #expect(Self.reason(Array(stream[..<count])) == .truncated, "\(count)")
      }
      #expect(Self.inflated(stream + [1, 2, 3]) == sample)
    }
  }

  @Test(arguments: Zlib.Frame.allCases)
  func `inflating treats flipped bits as zlib does`(frame: Zlib.Frame) {
    let sample = Array(Self.samples[Self.samples.count - 1][..<500])
    for strategy in [Z_DEFAULT_STRATEGY, Z_FIXED, Z_HUFFMAN_ONLY] {
      let stream = Zlib.compressed(sample, frame, strategy: strategy, flushing: 1)
      for bit in stride(from: 0, to: 8 * stream.count, by: RunLength.step(5)) {
        var damaged = stream
        damaged[bit / 8] ^= 1 << UInt8(bit % 8)
        #expect(Self.inflated(damaged) == Zlib.inflated(damaged), "bit \(bit)")
      }
    }
  }

  @Test func `inflating treats random codes as zlib does`() {
    // Random bits behind the header of a block with its own codes, or with the fixed ones.
    var random = SplitMix64(seed: 3)
    var accepted = 0
    for round in 0..<30_000 {
      var bits = BitWriter()
      bits.write(1, 1)
      bits.write(round % 8 == 0 ? 1 : 2, 2)
      if round % 8 != 0 { Self.writeCodes(into: &bits, &random) }
      for _ in 0..<8 { bits.write(Int(random.next() & 0xFFFF), 16) }
      // Without a valid checksum no stream would be accepted.
      let stream = [0x78, 0x01] + bits.bytes + [0, 0, 0, 0, 0, 0, 0, 0]
      let found = Self.reason(stream)
      #expect((found == .checksum) == Zlib.failsByChecksum(stream), "round \(round): \(found)")
      if found == .checksum { accepted += 1 }
    }
    #expect(accepted > 1000)
  }

  /// Writes the lengths of nearly complete codes: some with too many codes, others with too few.
  private static func writeCodes(into bits: inout BitWriter, _ random: inout SplitMix64) {
    func nearlyComplete(_ count: Int, longest: Int, upTo limit: Int) -> [Int] {
      var lengths = [Int](repeating: 0, count: count)
      var left = 1 << longest
      for index in lengths.indices.shuffled(using: &random) where left > 0 {
        let length = Int.random(in: 1...longest, using: &random)
        guard 1 << (longest - length) <= left, limit > 0 else { continue }
        lengths[index] = length
        left -= 1 << (longest - length)
      }
      // Most codes are completed by making the rest as long as possible.
      if Int.random(in: 0..<6, using: &random) > 0 {
        for index in lengths.indices.shuffled(using: &random) where lengths[index] == 0 && left > 0
        {
          let length = longest - (Int.bitWidth - 1 - left.leadingZeroBitCount)
          lengths[index] = max(length, 1)
          left -= 1 << (longest - max(length, 1))
        }
      }
      return lengths
    }
    let (literalCount, distanceCount) = (
      Int.random(in: 257...286, using: &random), Int.random(in: 1...30, using: &random)
    )
    var literals = nearlyComplete(literalCount, longest: 15, upTo: 1)
    if literals[256] == 0, Bool.random(using: &random) {
      literals.swapAt(256, literals.firstIndex { $0 > 0 } ?? 0)
    }
    let distances = nearlyComplete(
      distanceCount, longest: Int.random(in: 1...15, using: &random),
      upTo: Int.random(in: 0...3, using: &random))
    bits.write(literalCount - 257, 5)
    bits.write(distanceCount - 1, 5)
    bits.write(15, 4)
    // Sixteen codes of four bits, for the lengths 0 to 15; none for repetitions.
    for symbol in [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15] {
      bits.write(symbol < 16 ? 4 : 0, 3)
    }
    for length in literals + distances {
      bits.write((0..<4).reduce(0) { $0 | (length >> $1 & 1) << (3 - $1) }, 4)
    }
  }

  @Test func `inflating stops at a limit, whatever size the stream declares`() {
    for sample in Self.samples where sample.count > 1 {
      for level: Int32 in [0, 1, 9] {
        let stream = Zlib.compressed(sample, .gzip, level: level)
        #expect(Self.inflated(stream, limit: sample.count) == sample)
        for limit in [0, 1, sample.count / 2, sample.count - 1] {
          #expect(Self.reason(stream, limit: limit) == .tooLarge(limit: limit))
        }
      }
    }
  }

  @Test func `inflating reads only the first member of a gzip file, as zlib does`() {
    let two = Zlib.compressed([1, 2, 3], .gzip) + Zlib.compressed([4, 5], .gzip)
    #expect(Self.inflated(two) == [1, 2, 3])
    #expect(Zlib.inflated(two) == [1, 2, 3])
  }

  @Test func `inflating skips gzip headers with all optional fields`() {
    let plain = Zlib.compressed([1, 2, 3], .gzip)
    var header: [UInt8] = [0x1F, 0x8B, 8, 0x1F, 1, 2, 3, 4, 0, 3, 2, 0, 7, 8, 65, 66, 0, 67, 0]
    let checksum = header.withUnsafeBufferPointer { bytes in
      crc32(0, bytes.baseAddress, UInt32(bytes.count))
    }
    header += [UInt8(checksum & 0xFF), UInt8(checksum >> 8 & 0xFF)]
    let stream = header + plain[10...]
    #expect(Self.inflated(stream) == [1, 2, 3])
    for bit in 0..<8 * header.count {
      var damaged = stream
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(Self.inflated(damaged) == Zlib.inflated(damaged), "bit \(bit)")
    }
  }

  @Test func `inflating refuses invalid streams with the reason`() {
    let stream = Zlib.compressed([1, 2, 3], .zlib)
    #expect(Self.reason([0x78, 0x02] + stream[2...]) == .header)
    #expect(Self.reason([0x79, 0x18] + stream[2...]) == .method)
    #expect(Self.reason([0x88, 0x1C] + stream[2...]) == .windowSize)
    #expect(Self.reason([0x78, 0x20, 1, 2, 3, 4]) == .dictionary)
    #expect(Self.reason([0x78, 0x01, 0x07]) == .blockType)
    #expect(Self.reason([0x78, 0x01, 0x01, 1, 0, 1, 0, 9]) == .storedLength)
    #expect(Self.reason([0x78, 0x01, 0xFD, 0xFF, 0, 0, 0, 0]) == .symbolCount)
    // The fixed code of the length 3, then that of the distance 1, with no bytes before.
    var bits = BitWriter()
    bits.write(3, 3)
    bits.write(0b1000000, 7)
    bits.write(0, 5)
    #expect(Self.reason([0x78, 0x01] + bits.bytes + [0, 0, 0]) == .distanceTooFar)
    #expect(Self.reason(stream.dropLast() + [stream[stream.count - 1] ^ 1]) == .checksum)
    var gzip = Zlib.compressed([1, 2, 3], .gzip)
    gzip[gzip.count - 1] ^= 1
    #expect(Self.reason(gzip) == .size)
  }
}

/// Writes bits, beginning with the lowest one.
private struct BitWriter {
  private(set) var bytes: [UInt8] = []
  private var count = 0

  mutating func write(_ value: Int, _ bitCount: Int) {
    for bit in 0..<bitCount {
      if count % 8 == 0 { bytes.append(0) }
      bytes[count / 8] |= UInt8(value >> bit & 1) << UInt8(count % 8)
      count += 1
    }
  }
}
