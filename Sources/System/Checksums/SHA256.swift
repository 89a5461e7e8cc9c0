import CSystem

/// SHA-256, which identifies contents: a stored file, the options of a picture.
package struct SHA256: Sendable {
  private var state: [UInt32] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a,
    0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
  ]
  /// Bytes that do not fill a block yet.
  private var rest: [UInt8] = []
  private var count = 0
  private let implementation: Int32

  /// The state before any bytes.
  package init() { self.init(implementation: Self.fastestImplementation) }

  init(implementation: Int32) { self.implementation = implementation }

  /// The result: 32 bytes.
  package struct Digest: Hashable, Sendable {
    package let bytes: [UInt8]
  }

  /// The hash of some bytes.
  package static func of(_ bytes: [UInt8]) -> Digest {
    var hash = SHA256()
    hash.add(bytes)
    return hash.digest
  }

  /// A hash that only holders of the key can compute: HMAC (RFC 2104).
  package static func authenticate(_ message: [UInt8], with key: [UInt8]) -> Digest {
    let blockSize = 64
    var key = key.count > blockSize ? SHA256.of(key).bytes : key
    key += Array(repeating: 0, count: blockSize - key.count)
    let inner = SHA256.of(key.map { $0 ^ 0x36 } + message)
    return SHA256.of(key.map { $0 ^ 0x5C } + inner.bytes)
  }

  /// Appends bytes.
  package mutating func add(_ bytes: some Collection<UInt8>) {
    let isWhole: Void? = bytes.withContiguousStorageIfAvailable { add($0) }
    if isWhole == nil { Array(bytes).withUnsafeBufferPointer { add($0) } }
  }

  private mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
    count += bytes.count
    var start = 0
    if !rest.isEmpty {
      start = min(64 - rest.count, bytes.count)
      rest += bytes[..<start]
      guard rest.count == 64 else { return }
      rest.withUnsafeBufferPointer { block in addBlocks(block) }
      rest.removeAll(keepingCapacity: true)
    }
    let end = start + (bytes.count - start) / 64 * 64
    addBlocks(UnsafeBufferPointer(rebasing: bytes[start..<end]))
    rest += UnsafeBufferPointer(rebasing: bytes[end...])
  }

  private mutating func addBlocks(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
    let implementation = implementation
    state.withUnsafeMutableBufferPointer { state in
      sha256_add(implementation, state.baseAddress, start, bytes.count / 64)
    }
  }

  /// The hash of all bytes so far; more can be added afterwards.
  package var digest: Digest {
    var last = self
    let bits = UInt64(count) * 8
    let zeros = (119 - count % 64) % 64
    last.add([0x80] + [UInt8](repeating: 0, count: zeros))
    last.add((0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * $0)) })
    return Digest(
      bytes: last.state.flatMap { word in
        (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) }
      })
  }

  /// The implementations that this processor supports and that give correct results, the fastest
  /// last.
  static let implementations: [Int32] = {
    func digest(_ implementation: Int32) -> Digest {
      var hash = SHA256(implementation: implementation)
      hash.add((0..<200).map { UInt8($0) })
      return hash.digest
    }
    return (0...2).filter { sha256_has_implementation($0) && digest($0) == digest(0) }
  }()
  private static let fastestImplementation = implementations.last ?? 0
}

extension SHA256.Digest: CustomStringConvertible, LosslessStringConvertible {
  /// 64 lower-case hexadecimal digits.
  package var description: String { bytes.hexadecimal }

  /// Parses the text of `description`; nil for anything else.
  package init?(_ description: String) {
    guard let bytes = [UInt8](hexadecimal: description), bytes.count == 32 else { return nil }
    self.bytes = bytes
  }
}
