@testable import PKDFormat

/// A file as its chunks, which can be changed and put together again with sound checksums.
struct ChunkedFile {
  struct Part {
    var type: ChunkType
    var payload: [UInt8]
  }

  var parts: [Part] = []

  init(_ parts: [Part]) { self.parts = parts }

  /// The chunks of a file, up to the first that is none.
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

  /// The place of the first chunk of a type.
  func place(of type: ChunkType) -> Int? { parts.firstIndex { $0.type == type } }

  /// The file with another payload in the first chunk of a type.
  func replacing(_ type: ChunkType, _ body: (inout [UInt8]) -> Void) -> ChunkedFile {
    var copy = self
    if let place = place(of: type) { body(&copy.parts[place].payload) }
    return copy
  }

  /// Where the payload of a chunk begins in the file.
  func offset(ofPayload place: Int) -> Int {
    parts[..<place].reduce(Signature.bytes.count + 8) { $0 + $1.payload.count + Chunk.overhead }
  }
}

extension ChunkType {
  /// The type of four letters.
  static func named(_ text: String) -> ChunkType {
    ChunkType(letters: text.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) })
  }
}
