public import Strokes

extension PKDReader {
  /// Decodes the words that a program has recognized in the drawing; nil if no program has searched
  /// it.
  public func readWords() throws(PKDError) -> RecognizedText? {
    guard let chunk = chunks.last(where: { $0.type == .words }) else { return nil }
    return try WordList.read(bytes, in: chunk.payload, names: names.strokes, limits: limits)
  }

  /// The bytes of the file with other recognized words, or without any. Everything else stays as it
  /// is. Nil if the file is damaged or not finished.
  public func replacingWords(_ words: RecognizedText?) throws(PKDContentError) -> [UInt8]? {
    guard isFinished, damage == nil else { return nil }
    // Words, index and tail come last. All chunks before them are copied, including unknown ones.
    let ends: Set<ChunkType> = [.words, .index, .tail]
    let kept = chunks.last { !ends.contains($0.type) }?.end ?? validEnd
    var file = ByteWriter()
    file.append(bytes[..<kept])
    if let words {
      try ContentCheck.words(words)
      var numbers: [Identifier: Int] = [:]
      for number in names.strokes.indices where !isBare(number) {
        numbers[names.strokes[number]] = number
      }
      let payload = WordList.payload(of: words) { numbers[$0] }
      try ContentCheck.chunk(payload.count)
      file.chunk(.words, payload)
    } else if pageEnd == kept {
      // A page ends a file without an index.
      return file.bytes
    }
    var index = FileIndex()
    for (chunk, block) in zip(chunks.lazy.filter { $0.type == .strokes }, blocks) {
      index.add(block.heads.heads, at: chunk.offset, base: header.base)
    }
    let offset = file.bytes.count
    file.chunk(.index, index.payload)
    var tail = ByteWriter()
    tail.littleEndian(UInt64(offset), count: 8)
    file.chunk(.tail, tail.bytes)
    return file.bytes
  }
}
