import Checksums

/// The container of a deflate stream: the header before it, and the checksum behind it.
struct Frame {
  private enum Form {
    case zlib, gzip
  }

  private let form: Form
  /// The offset of the deflate stream.
  let offset: Int

  /// Reads the header.
  init(_ bytes: UnsafeBufferPointer<UInt8>) throws(InflateError) {
    var header = HeaderReader(bytes)
    let magic = try header.number(2)
    if magic == 0x8B1F {
      form = .gzip
      try Self.readGzip(&header)
    } else {
      form = .zlib
      let (method, flags) = (magic & 0xFF, magic >> 8)
      guard (method << 8 | flags).isMultiple(of: 31) else {
        throw InflateError(.header, at: 0)
      }
      guard method & 15 == 8 else { throw InflateError(.method, at: 0) }
      guard method >> 4 <= 7 else { throw InflateError(.windowSize, at: 0) }
      if flags & 0x20 != 0 {
        _ = try header.number(4)
        throw InflateError(.dictionary, at: 2)
      }
    }
    offset = header.offset
  }

  private static func readGzip(_ header: inout HeaderReader) throws(InflateError) {
    let method = try header.number(1)
    let flags = try header.number(1)
    guard method == 8 else { throw InflateError(.method, at: 2) }
    guard flags & 0xE0 == 0 else { throw InflateError(.headerFlags, at: 3) }
    // The time, the compressor's effort, and its system.
    _ = try header.number(6)
    if flags & 4 != 0 { for _ in 0..<(try header.number(2)) { _ = try header.number(1) } }
    // The file's name, and a comment.
    for flag in [8, 16] where flags & flag != 0 { while try header.number(1) != 0 {} }
    if flags & 2 != 0 {
      let checksum = Int(header.checksum & 0xFFFF)
      let start = header.offset
      guard try header.number(2) == checksum else {
        throw InflateError(.headerChecksum, at: start)
      }
    }
  }

  /// Checks the decompressed bytes by the checksum that follows them.
  func check(
    _ output: UnsafeBufferPointer<UInt8>, followedBy input: inout BitInput
  ) throws(InflateError) {
    guard let stored = input.takeWord() else { throw input.error(.truncated) }
    switch form {
    case .zlib:
      guard stored.byteSwapped == Adler32.of(output) else {
        throw input.error(.checksum)
      }
    case .gzip:
      guard stored == CRC32.of(output) else { throw input.error(.checksum) }
      guard let size = input.takeWord() else { throw input.error(.truncated) }
      guard size == UInt32(truncatingIfNeeded: output.count) else { throw input.error(.size) }
    }
  }
}

/// Reads the numbers of a header.
private struct HeaderReader {
  private let bytes: UnsafeBufferPointer<UInt8>
  private(set) var offset = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// A number of some bytes, the lowest first.
  mutating func number(_ count: Int) throws(InflateError) -> Int {
    guard count <= bytes.count - offset else { throw InflateError(.truncated, at: bytes.count) }
    defer { offset += count }
    return (0..<count).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
  }

  /// The checksum of the bytes so far.
  var checksum: UInt32 { CRC32.of(UnsafeBufferPointer(rebasing: bytes[..<offset])) }
}
