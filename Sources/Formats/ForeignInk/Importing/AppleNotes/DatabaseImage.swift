/// The bytes of a SQLite database with the changes of its write-ahead log. The log contains the
/// newest changes until they are copied into the database. Both formats are described at
/// sqlite.org/fileformat.html.
enum DatabaseImage {
  static func recognizes(_ bytes: [UInt8]) -> Bool { bytes.starts(with: "SQLite format 3\0".utf8) }

  /// Whether the database keeps its newest changes in a log.
  static func usesLog(_ database: [UInt8]) -> Bool { database.count >= 100 && database[18] == 2 }

  /// Whether the bytes are such a log, with a header that is intact.
  static func isLog(_ bytes: [UInt8]) -> Bool { LogReader(bytes) != nil }

  /// The database after all transactions of the log that are complete, as one without a log.
  static func applying(_ log: [UInt8], to database: [UInt8]) -> [UInt8] {
    var image = database
    if let changes = LogReader(log)?.committed() {
      // A transaction writes nearly every page that it adds, so a much larger size than the log's
      // own is damage.
      let end = min(changes.size, database.count + 2 * log.count)
      for (page, frame) in changes.pages {
        let start = (page - 1) * changes.pageSize
        guard start < end else { continue }
        if image.count < start + changes.pageSize {
          image += [UInt8](repeating: 0, count: start + changes.pageSize - image.count)
        }
        image.replaceSubrange(start..<start + changes.pageSize, with: log[frame])
      }
      if image.count > changes.size { image.removeLast(image.count - changes.size) }
    }
    if image.count >= 100 { (image[18], image[19]) = (1, 1) }
    return image
  }
}

/// Reads the frames of a write-ahead log.
private struct LogReader {
  private let log: [UInt8]
  private let pageSize: Int
  private let isBigEndian: Bool

  /// The changes of all complete transactions.
  struct Changes {
    /// The newest frame of each page, as its range in the log. Pages are counted from 1.
    var pages: [Int: Range<Int>] = [:]
    let pageSize: Int
    /// The size of the database afterwards, in bytes.
    var size = 0
  }

  private static let headerSize = 32
  private static let frameHeaderSize = 24

  /// Nil if the log has no valid header: it then holds no changes.
  init?(_ log: [UInt8]) {
    self.log = log
    guard log.count >= Self.headerSize else { return nil }
    let magic = Self.word(log, 0)
    guard magic & ~1 == 0x377F_0682 else { return nil }
    isBigEndian = magic & 1 == 1
    pageSize = Int(Self.word(log, 8))
    guard (512...65536).contains(pageSize), pageSize & (pageSize - 1) == 0 else { return nil }
    var sum = Checksum()
    sum.add(log[0..<24], isBigEndian)
    guard sum.first == Self.word(log, 24), sum.second == Self.word(log, 28) else { return nil }
  }

  /// The changes up to the last transaction that is complete; nil if there is none.
  func committed() -> Changes? {
    var sum = Checksum()
    sum.add(log[0..<24], isBigEndian)
    var (pending, changes): ([Int: Range<Int>], Changes) = ([:], Changes(pageSize: pageSize))
    var offset = Self.headerSize
    while offset + Self.frameHeaderSize + pageSize <= log.count {
      let page = offset + Self.frameHeaderSize..<offset + Self.frameHeaderSize + pageSize
      // The salts distinguish frames of this log from those of an earlier one.
      guard log[offset + 8..<offset + 16].elementsEqual(log[16..<24]) else { break }
      sum.add(log[offset..<offset + 8], isBigEndian)
      sum.add(log[page], isBigEndian)
      guard sum.first == Self.word(log, offset + 16), sum.second == Self.word(log, offset + 20)
      else { break }
      let number = Int(Self.word(log, offset))
      if number > 0 { pending[number] = page }
      let pageCount = Int(Self.word(log, offset + 4))
      if pageCount > 0 {
        changes.pages.merge(pending) { $1 }
        changes.size = pageCount * pageSize
        pending = [:]
      }
      offset = page.upperBound
    }
    return changes.size > 0 ? changes : nil
  }

  private static func word(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// The running checksum of a log.
  private struct Checksum {
    private(set) var first: UInt32 = 0
    private(set) var second: UInt32 = 0

    mutating func add(_ bytes: ArraySlice<UInt8>, _ isBigEndian: Bool) {
      var (a, b) = (first, second)
      bytes.withUnsafeBytes { bytes in
        func word(_ offset: Int) -> UInt32 {
          let value = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
          return isBigEndian ? UInt32(bigEndian: value) : UInt32(littleEndian: value)
        }
        for offset in stride(from: 0, to: bytes.count - 7, by: 8) {
          a = a &+ word(offset) &+ b
          b = b &+ word(offset + 4) &+ a
        }
      }
      (first, second) = (a, b)
    }
  }
}
