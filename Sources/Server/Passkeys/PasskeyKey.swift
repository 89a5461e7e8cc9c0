import Tokens

/// The public key of a passkey, in the form of COSE (RFC 9053).
package struct PasskeyKey: Sendable {
  /// The algorithm by its number in COSE.
  package enum Algorithm: Int64, CaseIterable, Sendable {
    case es256 = -7
    case eddsa = -8
    case rs256 = -257
  }

  package let algorithm: Algorithm
  private let key: PublicKey

  /// The maximum size of a key; an RSA key of 4096 bits has 530 bytes.
  package static let maximumByteCount = 1200

  /// Reads a key that fills its bytes.
  package init(_ bytes: [UInt8]) throws(PasskeyError) {
    var reader = CBORReader(bytes)
    try self.init(&reader)
    guard reader.isAtEnd else { throw .malformed }
  }

  init(_ reader: inout CBORReader) throws(PasskeyError) {
    var numbers: [Int64: Int64] = [:]
    var texts: [Int64: [UInt8]] = [:]
    var seen: Set<Int64> = []
    // The names: 1 is the kind, 3 the algorithm; -1 to -3 depend on the kind.
    let kind = Name.kind, algorithm = Name.algorithm
    for _ in 0..<(try reader.map()) {
      let name = try reader.integer()
      guard seen.insert(name).inserted else { throw .malformed }
      switch name {
      case kind, algorithm: numbers[name] = try reader.integer()
      // The first parameter is a number of a curve, or the bytes of a modulus.
      case Name.first where numbers[kind] == Kind.rsa: texts[name] = try reader.byteString()
      case Name.first: numbers[name] = try reader.integer()
      case Name.second, Name.third: texts[name] = try reader.byteString()
      default: try reader.skip()
      }
    }
    guard let found = numbers[algorithm].flatMap(Algorithm.init(rawValue:)) else {
      throw .unknownAlgorithm
    }
    func bytes(_ name: Int64) -> [UInt8] { texts[name] ?? [] }
    let key: PublicKey?
    switch (found, numbers[kind], numbers[Name.first]) {
    case (.es256, Kind.points, Curve.p256):
      key = PublicKey(x: bytes(Name.second), y: bytes(Name.third))
    case (.eddsa, Kind.octets, Curve.ed25519): key = PublicKey(ed25519: bytes(Name.second))
    case (.rs256, Kind.rsa, nil):
      key = PublicKey(modulus: bytes(Name.first), exponent: bytes(Name.second))
    default: throw .unknownAlgorithm
    }
    guard let key else { throw .weakKey }
    (self.algorithm, self.key) = (found, key)
  }

  func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    key.verifies(coded: signature, of: message)
  }

  private enum Name {
    static let kind: Int64 = 1, algorithm: Int64 = 3
    static let first: Int64 = -1, second: Int64 = -2, third: Int64 = -3
  }
  private enum Kind { static let octets: Int64 = 1, points: Int64 = 2, rsa: Int64 = 3 }
  private enum Curve { static let p256: Int64 = 1, ed25519: Int64 = 6 }
}
