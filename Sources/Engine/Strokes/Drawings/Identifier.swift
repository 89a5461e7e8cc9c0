/// A permanent identifier of sixteen bytes: of a stroke, a drawing or a device.
public struct Identifier: Hashable, Sendable {
  /// The first eight bytes, as a big-endian number.
  package let high: UInt64
  /// The last eight bytes, as a big-endian number.
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// A new random identifier (a version 4 UUID).
  public init() {
    var generator = SystemRandomNumberGenerator()
    self.init(using: &generator)
  }

  /// A random identifier from the caller's generator, for repeatable results.
  public init(using generator: inout some RandomNumberGenerator) {
    let (high, low) = (generator.next(), generator.next())
    self.init(
      high: high & ~0xF000 | 0x4000,
      low: low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
  }

  /// An identifier from its sixteen bytes; nil for any other count.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    let halves = (bytes.prefix(8), bytes.dropFirst(8))
    self.init(
      high: halves.0.reduce(0) { $0 << 8 | UInt64($1) },
      low: halves.1.reduce(0) { $0 << 8 | UInt64($1) })
  }

  /// The sixteen bytes, the most significant first.
  public var bytes: [UInt8] {
    [high, low].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * $0)) } }
  }

  /// The identifier with all bits 0, which means none.
  public static let zero = Identifier(high: 0, low: 0)

  /// An identifier that depends only on this one, a purpose and an index. The same three always
  /// give the same identifier.
  package func derived(_ purpose: StaticString, _ index: Int = 0) -> Identifier {
    DerivedIdentifiers(of: self, purpose)[index]
  }
}

/// The identifiers that are derived from another one for a purpose, by their index.
package struct DerivedIdentifiers: Sendable {
  private var start = StableHash()

  package init(of id: Identifier, _ purpose: StaticString) {
    start.combine(id)
    purpose.withUTF8Buffer { for byte in $0 { start.combine(UInt64(byte)) } }
  }

  package subscript(index: Int) -> Identifier {
    var hash = start
    hash.combine(UInt64(truncatingIfNeeded: index))
    return hash.identifier
  }
}

extension Identifier: CustomStringConvertible, LosslessStringConvertible {
  /// The usual text of a UUID: 32 hexadecimal digits in groups of 8-4-4-4-12, upper case.
  public var description: String {
    var text = ""
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { text += "-" }
      text += (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
    return text
  }

  /// Reads the text of `description`, in either case; nil for anything else.
  public init?(_ description: String) {
    let groups = description.split(separator: "-", omittingEmptySubsequences: false)
    guard groups.map({ $0.utf8.count }) == [8, 4, 4, 4, 12] else { return nil }
    guard groups.allSatisfy({ $0.utf8.allSatisfy { Character(UnicodeScalar($0)).isHexDigit } }),
      let high = UInt64(groups[0...2].joined(), radix: 16),
      let low = UInt64(groups[3...4].joined(), radix: 16)
    else { return nil }
    self.init(high: high, low: low)
  }
}

/// A hash that is the same in every run and on every machine, for identifiers that depend on
/// content. It is not secure: an attacker can construct two contents with the same hash.
package struct StableHash: Sendable {
  private var a: UInt64 = 0x9E37_79B9_7F4A_7C15
  private var b: UInt64 = 0xC2B2_AE3D_27D4_EB4F

  package init() {}

  package mutating func combine(_ word: UInt64) {
    a = Self.mixed(a ^ word)
    b = Self.mixed(b &+ word &+ 0x1656_67B1_9E37_79F9)
  }

  package mutating func combine(_ id: Identifier) {
    combine(id.high)
    combine(id.low)
  }

  package mutating func combine(_ value: Double) { combine(value.bitPattern) }

  /// The finaliser of SplitMix64: every input bit reaches every output bit.
  private static func mixed(_ word: UInt64) -> UInt64 {
    var z = word &+ 0x9E37_79B9_7F4A_7C15
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// The hash as an identifier, a version 4 UUID.
  package var identifier: Identifier {
    Identifier(
      high: a & ~0xF000 | 0x4000, low: b & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
  }

  /// The hash as the seed of a stroke's texture.
  package var seed: UInt32 { UInt32(truncatingIfNeeded: a ^ b >> 32) }
}
