import TestSupport
import Testing

@testable import Checksums

struct ChecksumTests {
  @Test func `the checksum has the known values of CRC-32C`() {
    #expect(Checksum.of([UInt8]()) == 0)
    #expect(Checksum.of(Array("123456789".utf8)) == 0xE306_9283)
    // The vectors of RFC 3720, appendix B.4.
    #expect(Checksum.of([UInt8](repeating: 0, count: 32)) == 0x8A91_36AA)
    #expect(Checksum.of([UInt8](repeating: 0xFF, count: 32)) == 0x62A8_AB43)
    #expect(Checksum.of((0..<32).map(UInt8.init)) == 0x46DD_794E)
    #expect(Checksum.of((0..<32).reversed().map(UInt8.init)) == 0x113F_DB5C)
  }

  @Test func `the processor's instruction and the tables give one checksum for all lengths`() {
    var random = RandomInk(seed: 2)
    let bytes = (0..<300).map { _ in UInt8(random.whole(0...255)) }
    for count in 0...bytes.count {
      let part = bytes.suffix(count)
      for before: UInt32 in [0, 1, .max, 0xE306_9283] {
        let plain = part.withUnsafeBufferPointer { Checksum.byTables($0, after: before) }
        #expect(Checksum.of(part, after: before) == plain)
      }
    }
  }

  @Test func `the checksum of parts is that of the whole, for any cut and alignment`() {
    var random = RandomInk(seed: 1)
    let bytes = (0..<100).map { _ in UInt8(random.whole(0...255)) }
    for start in 0..<9 {
      let whole = Checksum.of(Array(bytes[start...]))
      #expect(Checksum.of(bytes[start...]) == whole)
      for cut in start...bytes.count {
        #expect(Checksum.of(bytes[cut...], after: Checksum.of(bytes[start..<cut])) == whole)
      }
    }
  }

  @Test func `a number has the checksum of its bytes`() {
    for number: UInt64 in [0, 1, 0x0123_4567_89AB_CDEF, .max] {
      let bytes = (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
      for before: UInt32 in [0, 0xE306_9283] {
        #expect(Checksum.of(number, after: before) == Checksum.of(bytes, after: before))
      }
    }
  }

  @Test func `the checksums of gzip and zlib are those of their standards`() {
    let digits = Array("123456789".utf8)
    #expect(digits.withUnsafeBufferPointer(CRC32.of) == 0xCBF4_3926)
    #expect(digits.withUnsafeBufferPointer(Adler32.of) == 0x091E_01DE)
    #expect([UInt8]().withUnsafeBufferPointer(CRC32.of) == 0)
    #expect([UInt8]().withUnsafeBufferPointer(Adler32.of) == 1)
    let large = [UInt8](repeating: 255, count: 200_000)
    // The sums of equally many bytes, modulo 65,521.
    let (sum, sums) = large.reduce((1, 0)) { sums, byte in
      let sum = (sums.0 + Int(byte)) % 65_521
      return (sum, (sums.1 + sum) % 65_521)
    }
    #expect(large.withUnsafeBufferPointer(Adler32.of) == UInt32(sums << 16 | sum))
  }

  @Test func `multiplication without carry and the tables give one checksum for all lengths`() {
    var random = RandomInk(seed: 3)
    let bytes = (0..<400).map { _ in UInt8(random.whole(0...255)) }
    for count in 0...bytes.count {
      for part in [bytes.prefix(count), bytes.suffix(count)] {
        let plain = part.withUnsafeBufferPointer { CRC32.byTables($0) }
        #expect(part.withUnsafeBufferPointer { CRC32.of($0) } == plain)
      }
    }
  }
}
