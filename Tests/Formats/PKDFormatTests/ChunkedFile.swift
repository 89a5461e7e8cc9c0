@testable import PKDFormat

/// A file as a list of chunks, which can be changed and written again with valid checksums.
struct ChunkedFile {
  struct Part {
    var type: ChunkType
    var payload: [UInt8]
  }

  var parts: [Part] = []

  init(_ parts: [Part]) { self.parts = parts }

  /// The chunks of a file, up to the first that cannot be read.
  init?(_ bytes: [UInt8]) {
    guard bytes.starts(with: Signature.bytes) else { return nil }
    var walker = ChunkWalker(bytes)
    while let chunk = try? walker.next(limits: PKDLimits()) {
      parts.append(Part(type: chunk.type, payload: Array(bytes[chunk.payload])))
    }
  }

  var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.append(Signature.bytes)
    for part in parts { writer.chunk(part.type, part.payload) }
    return writer.bytes
  }

  /// The index of the first chunk of a type.
  func index(of type: ChunkType) -> Int? { parts.firstIndex { $0.type == type } }

  /// The file with a changed payload in the first chunk of a type.
  func replacing(_ type: ChunkType, _ body: (inout [UInt8]) -> Void) -> ChunkedFile {
    var copy = self
    if let index = index(of: type) { body(&copy.parts[index].payload) }
    return copy
  }

  /// The offset in the file of a chunk's payload.
  func offset(ofPayload index: Int) -> Int {
    parts[..<index].reduce(Signature.bytes.count + 8) { $0 + $1.payload.count + Chunk.overhead }
  }
}

extension ChunkType {
  /// The type with these four letters.
  static func named(_ text: String) -> ChunkType {
    ChunkType(letters: text.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) })
  }
}
