/// The sections of a page, a chunk that is a whole small file. Each is a byte, a varint length and
/// the payload of a chunk, in place of chunks with a length, a type and a checksum each.
enum PageSections {
  /// The types of sections. Their numbers in a file count from 1.
  private static let types: [ChunkType] = [.header, .table, .strokes, .events, .names, .archive]

  /// Whether a type of chunk may be a section.
  static func contains(_ type: ChunkType) -> Bool { types.contains(type) }

  static func append(
    _ type: ChunkType, _ payload: some Collection<UInt8>, to page: inout ByteWriter
  ) {
    guard let number = types.firstIndex(of: type) else { return }
    page.byte(UInt8(number + 1))
    page.count(payload.count)
    page.append(payload)
  }

  /// The next section of a page as a chunk, which ends where the page does; nil at the end.
  static func next(_ reader: inout ByteReader, end: Int) throws(PKDError) -> Chunk? {
    guard reader.remaining > 0 else { return nil }
    let start = reader.offset
    let number = Int(try reader.byte())
    guard types.indices.contains(number - 1) else {
      throw PKDError(.unknownValue("section", UInt64(number)), at: start)
    }
    let length = try reader.count(limit: reader.remaining, .chunkBytes)
    return Chunk(
      type: types[number - 1], offset: start, payload: try reader.range(length), end: end)
  }
}

extension Chunk {
  /// The chunk itself, or the sections of a page up to one that is damaged.
  func sections(_ bytes: [UInt8]) -> (chunks: [Chunk], damage: PKDError?) {
    guard type == .page else { return ([self], nil) }
    var reader = ByteReader(bytes, in: payload)
    var chunks: [Chunk] = []
    do throws(PKDError) {
      while let next = try PageSections.next(&reader, end: end) { chunks.append(next) }
      return (chunks, nil)
    } catch {
      return (chunks, error)
    }
  }
}

/// A page at the start of a file that was cut, or whose checksum does not match. Readers refuse it,
/// since damage inside a section shows only if the section cannot be read. A repair takes the
/// readable sections.
struct DamagedPage {
  let chunk: Chunk
  let error: PKDError

  /// Nil if a file does not begin with a damaged page.
  init?(of bytes: [UInt8], limits: PKDLimits) {
    let start = Signature.bytes.count
    var reader = ByteReader(bytes, in: min(start, bytes.count)..<bytes.count)
    guard let length = try? reader.littleEndian(4), let letters = try? reader.littleEndian(4),
      UInt32(letters) == ChunkType.page.letters
    else { return nil }
    guard length + 4 <= UInt64(reader.remaining) else {
      // If the page was cut or its length is wrong, all remaining bytes may be sections.
      chunk = Chunk(
        type: .page, offset: start, payload: reader.offset..<bytes.count, end: bytes.count)
      error = PKDError(.truncated, at: start)
      return
    }
    var walker = ChunkWalker(bytes)
    guard let chunk = try? walker.next(limits: limits) else { return nil }
    do throws(PKDError) {
      try chunk.check(bytes)
      return nil
    } catch {
      (self.chunk, self.error) = (chunk, error)
    }
  }

  /// The header of the file. Throws the page's own error if the header cannot be read.
  func header(_ bytes: [UInt8], limits: PKDLimits) throws(PKDError) -> Header {
    guard let section = chunk.sections(bytes).chunks.first, section.type == .header,
      let header = try? Header(bytes, in: section.payload, limits: limits),
      header.version != .first
    else { throw error }
    return header
  }
}
