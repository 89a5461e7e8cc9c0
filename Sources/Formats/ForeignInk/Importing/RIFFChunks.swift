import InkFiles

/// The chunks of a RIFF file: four letters, a size, and bytes.
struct RIFFChunks {
  /// A part of the file.
  struct Chunk {
    let name: String
    /// The range of its bytes in the file.
    let range: Range<Int>
  }

  private(set) var chunks: [Chunk] = []
  /// The error of a truncated file; nil if it is complete.
  private(set) var cut: ImportError?

  /// The maximum number of chunks. Files of ink have about ten.
  private static let limit = 1_000

  /// Whether the file has a form, given by four letters.
  static func recognizes(_ start: FileStart, form: String) -> Bool {
    start.has("RIFF") && start.has(form, at: 8)
  }

  /// Finds the chunks of a file of a form.
  init(_ bytes: [UInt8], form: String) throws(ImportError) {
    guard bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: form.utf8) else {
      throw ImportError(.expected("a RIFF file of the form \(form)"), at: 0)
    }
    var cursor = ByteCursor(bytes)
    try cursor.skip(12)
    while cursor.remaining >= 8 {
      guard chunks.count < Self.limit else {
        throw cursor.error(.tooMany("chunks", limit: Self.limit))
      }
      let name = String(decoding: try cursor.take(4), as: UTF8.self)
      let size = try cursor.uint32()
      if size > cursor.remaining { cut = ImportError(.truncated, at: bytes.count) }
      let start = cursor.offset
      try cursor.skip(min(size, cursor.remaining))
      chunks.append(Chunk(name: name, range: start..<cursor.offset))
      // Chunks begin at even offsets.
      if size % 2 == 1, cursor.remaining > 0 { try cursor.skip(1) }
    }
  }

  /// The first chunk with a name.
  func range(of name: String) -> Range<Int>? { chunks.first { $0.name == name }?.range }
}
