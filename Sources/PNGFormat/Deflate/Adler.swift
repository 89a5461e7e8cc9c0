/// The checksum of a zlib stream (RFC 1950): the sum of all bytes, and the sum of these sums.
struct Adler {
  private var sum: UInt64 = 1
  private var sums: UInt64 = 0
  static let prime: UInt64 = 65_521

  /// Goes on with so many bytes, by their sum and their sum times their places, both less whole primes.
  mutating func add(count: UInt64, sum added: UInt64, weightedSum: UInt64) {
    let count = count % Self.prime
    let added = added % Self.prime
    // A byte is in all sums from its own on: count − place of them.
    let new = count * sum + count * added + Self.prime - weightedSum % Self.prime
    sums = (sums + new) % Self.prime
    sum = (sum + added) % Self.prime
  }

  var value: UInt32 { UInt32(sums << 16 | sum) }
}
