package import InkFiles

/// The kinds of data sets that are read into columns.
package enum InkCollection: Int32, CaseIterable, Sendable {
  /// Quick, Draw!'s lines of JSON, raw or simplified.
  case quickDraw
  /// Quick, Draw!'s binary records.
  case quickDrawBinary
  /// Omniglot's strokes: a text for each drawing, or the archive with all of them.
  case omniglot
  /// A text in InkML for each drawing, as MathWriting and CROHME have them.
  case inkML
}

extension InkCollection {
  /// Ranges of a file that can be read one by one, each about as large as a block, with the number
  /// of drawings or lines before each. Lines and records are never cut.
  package func blocks(
    of bytes: UnsafeBufferPointer<UInt8>, size: Int
  ) -> [(range: Range<Int>, before: Int)] {
    switch self {
    case .quickDraw: Self.blocksOfLines(bytes, size: size)
    case .quickDrawBinary: QuickDrawBinaryImporter.blocks(of: bytes, size: size)
    case .omniglot, .inkML: [(0..<bytes.count, 0)]
    }
  }

  /// The text of gzip data, up to damage. Nil for other bytes, and for kinds that are never packed.
  /// Throws if the text exceeds a limit.
  package func unpacked(
    _ bytes: UnsafeBufferPointer<UInt8>, limit: Int
  ) throws(ImportError) -> (text: [UInt8], damage: ImportError?)? {
    guard self == .quickDraw, GzipReader.recognizes(bytes) else { return nil }
    return try GzipReader.text(bytes, limit: limit)
  }

  private static func blocksOfLines(
    _ bytes: UnsafeBufferPointer<UInt8>, size: Int
  ) -> [(range: Range<Int>, before: Int)] {
    var blocks: [(range: Range<Int>, before: Int)] = []
    // Some programs begin a text with a mark of its encoding.
    var (start, lines) = (bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0, 0)
    while start < bytes.count {
      var (end, count) = (start, 0)
      while end < bytes.count, end == start || end - start < size {
        while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end += 1 }
        end = min(end + 1, bytes.count)
        count += 1
      }
      blocks.append((start..<end, lines))
      (start, lines) = (end, lines + count)
    }
    return blocks
  }

  /// Reads a block of a file, or a whole file. Damage is kept beside the drawings.
  package func read(
    _ bytes: UnsafeBufferPointer<UInt8>, before: Int = 0, into columns: inout InkColumns
  ) {
    switch self {
    case .quickDraw: QuickDrawImporter.read(bytes, lines: before, into: &columns)
    case .quickDrawBinary: QuickDrawBinaryImporter.read(bytes, into: &columns)
    case .omniglot: OmniglotImporter.read(bytes, into: &columns)
    case .inkML: InkMLImporter.read(bytes, into: &columns)
    }
  }
}
