import Checksums

/// A part of a file with a length, a type, a payload and a checksum.
struct Chunk {
  let type: ChunkType
  /// The offset in the file of the chunk's first byte.
  let offset: Int
  let payload: Range<Int>
  /// The offset behind its last byte.
  let end: Int

  /// The bytes around a payload: length, type and checksum.
  static let overhead = 12
}

/// Four ASCII letters. As in PNG, a lower-case first letter marks a chunk that readers may skip,
/// and a lower-case last letter a chunk that editors may keep though they do not know it.
struct ChunkType: Hashable {
  let letters: UInt32

  init(letters: UInt32) { self.letters = letters }

  private init(_ text: StaticString) {
    precondition(text.utf8CodeUnitCount == 4, "a chunk's type has four letters")
    letters = text.withUTF8Buffer { $0.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
  }

  static let header = ChunkType("HEAD")
  static let table = ChunkType("TABL")
  static let strokes = ChunkType("STRK")
  static let live = ChunkType("LIVE")
  static let events = ChunkType("EVNT")
  static let names = ChunkType("nAME")
  static let archive = ChunkType("aRCH")
  static let preview = ChunkType("pREV")
  static let words = ChunkType("wORD")
  static let index = ChunkType("iNDX")
  static let tail = ChunkType("tAIL")
  /// A whole file of at most one block, since version 2.
  static let page = ChunkType("PAGE")

  private func letter(_ index: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: letters >> (8 * UInt32(index)))
  }

  /// Whether the four bytes are ASCII letters.
  var isValid: Bool { (0..<4).allSatisfy { (65...90).contains(letter($0) & 0xDF) } }

  /// Whether readers that do not know the type may skip the chunk.
  var isAncillary: Bool { letter(0) & 0x20 != 0 }
  /// Whether editors that change strokes may keep the chunk without knowing its type.
  var isSafeToCopy: Bool { letter(3) & 0x20 != 0 }
}

extension ChunkType: CustomStringConvertible {
  var description: String {
    String(decoding: (0..<4).map { letter($0) }, as: UTF8.self)
  }
}

/// The first bytes of every file, chosen like PNG's: they show whether line ends were changed, the
/// high bit was cut, or the file was cut at an end-of-text character.
enum Signature {
  static let bytes: [UInt8] = [0x89, 0x50, 0x4B, 0x44, 0x0D, 0x0A, 0x1A, 0x0A]

  /// Throws if a file does not begin with the signature.
  static func check(_ file: [UInt8]) throws(PKDError) {
    if file.starts(with: bytes) { return }
    if file.count < bytes.count, bytes.starts(with: file), !file.isEmpty {
      throw PKDError(.truncated, at: file.count)
    }
    let letters = bytes[1..<4]
    let isText =
      file.dropFirst().starts(with: letters) && file.first.map { $0 & 0x7F == 0x09 } ?? false
    throw PKDError(isText ? .damagedAsText : .notARecording, at: 0)
  }
}

extension ByteWriter {
  mutating func chunk(_ type: ChunkType, _ payload: some Collection<UInt8>) {
    chunk(type) { $0.append(payload) }
  }

  /// Writes a chunk whose payload the closure writes.
  mutating func chunk(_ type: ChunkType, _ payload: (inout ByteWriter) -> Void) {
    let lengthOffset = bytes.count
    littleEndian(0, count: 4)
    let start = bytes.count
    littleEndian(UInt64(type.letters), count: 4)
    payload(&self)
    replace(UInt64(bytes.count - start - 4), count: 4, at: lengthOffset)
    let checksum = Checksum.of(bytes[start...])
    littleEndian(UInt64(checksum), count: 4)
  }
}

/// Iterates over the chunks of a file.
struct ChunkWalker {
  let bytes: [UInt8]
  private(set) var offset: Int

  init(_ bytes: [UInt8], from offset: Int = Signature.bytes.count) {
    self.bytes = bytes
    self.offset = offset
  }

  /// The next chunk, whose checksum is not checked yet; nil at the end.
  mutating func next(limits: PKDLimits) throws(PKDError) -> Chunk? {
    guard offset < bytes.count else { return nil }
    var reader = ByteReader(bytes, in: offset..<bytes.count)
    let start = offset
    let length = try reader.littleEndian(4)
    guard length <= UInt64(limits.chunkBytes) else {
      throw PKDError(.tooMany(.chunkBytes, declared: length, limit: limits.chunkBytes), at: start)
    }
    let type = ChunkType(letters: UInt32(try reader.littleEndian(4)))
    guard type.isValid else {
      throw PKDError(.unknownValue("chunk type", UInt64(type.letters)), at: start + 4)
    }
    let payload = try reader.range(Int(length))
    try reader.skip(4)
    offset = reader.offset
    return Chunk(type: type, offset: start, payload: payload, end: offset)
  }
}

extension Chunk {
  /// Throws if the stored checksum does not match the bytes.
  func check(_ bytes: [UInt8]) throws(PKDError) {
    var reader = ByteReader(bytes, in: payload.upperBound..<payload.upperBound + 4)
    let stored = UInt32(try reader.littleEndian(4))
    guard Checksum.of(bytes[payload.lowerBound - 4..<payload.upperBound]) == stored else {
      throw PKDError(.checksum(chunk: type.description), at: offset)
    }
  }
}
