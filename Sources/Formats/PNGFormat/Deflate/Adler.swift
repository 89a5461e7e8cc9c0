/// Adler-32, the checksum of a zlib stream (RFC 1950): the sum of all bytes, and the sum of these
/// sums.
struct Adler {
  private var sum: UInt64 = 1
  private var sums: UInt64 = 0
  static let prime: UInt64 = 65_521

  /// Appends `count` bytes, given their sum and their sum weighted by index, both modulo the prime.
  mutating func add(count: UInt64, sum added: UInt64, weightedSum: UInt64) {
    let count = count % Self.prime
    let added = added % Self.prime
    // A byte counts in every sum from its own on, which are (count − index) sums.
    let new = count * sum + count * added + Self.prime - weightedSum % Self.prime
    sums = (sums + new) % Self.prime
    sum = (sum + added) % Self.prime
  }

  var value: UInt32 { UInt32(sums << 16 | sum) }
}
