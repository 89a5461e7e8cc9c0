import Checksums

/// Why a zip archive cannot be read, and at which byte.
package struct ZipError: Error, Hashable, CustomStringConvertible {
  /// The reason, without a full stop.
  package let reason: String
  package let offset: Int

  init(_ reason: String, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }

  package var description: String { "\(reason) at byte \(offset)" }
}

/// The files in a zip archive (PKWARE's APPNOTE): stored or deflated, without encryption, of less
/// than 4 GiB each.
package struct ZipArchive: Sendable {
  /// A file in the archive.
  package struct Entry: Sendable {
    package let name: String
    /// The size of the file that the archive states.
    package let size: Int
    fileprivate let method: Int
    fileprivate let flags: Int
    fileprivate let checksum: UInt32
    fileprivate let compressedSize: Int
    fileprivate let headerOffset: Int
  }

  /// The files, in the directory's order.
  package let entries: [Entry]
  private let bytes: [UInt8]

  package static func recognizes(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: [0x50, 0x4B, 3, 4]) || bytes.starts(with: [0x50, 0x4B, 5, 6])
  }

  /// Reads the directory at the end of the archive.
  package init(_ bytes: [UInt8]) throws(ZipError) {
    self.bytes = bytes
    func number(_ offset: Int, _ count: Int) throws(ZipError) -> Int {
      guard offset >= 0, offset + count <= bytes.count else {
        throw ZipError("the archive ends too early", at: max(offset, 0))
      }
      return (0..<count).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }
    // A comment of up to 64 kB may follow the end of the directory.
    let first = max(bytes.count - 22 - 0xFFFF, 0)
    let last = bytes.count - 22
    var end = last
    while end >= first, !bytes[end...].starts(with: [0x50, 0x4B, 5, 6]) { end -= 1 }
    guard end >= first else { throw ZipError("the directory of the archive is missing", at: 0) }
    var count = try number(end + 10, 2)
    var offset = try number(end + 16, 4)
    // Archives with more files count them in a second record, which a third one before the end
    // finds.
    if count == 0xFFFF, end >= 20, try number(end - 20, 4) == 0x0706_4B50 {
      let record = Int(clamping: try number(end - 12, 8))
      guard record >= 0, record <= end - 20, try number(record, 4) == 0x0606_4B50 else {
        throw ZipError("the directory of the archive is missing", at: end - 20)
      }
      (count, offset) = (try number(record + 32, 8), try number(record + 48, 8))
    }
    // Each file takes 46 bytes in the directory.
    guard (0...bytes.count / 46).contains(count), (0...bytes.count).contains(offset) else {
      throw ZipError("the directory of the archive is damaged", at: end)
    }
    var entries: [Entry] = []
    for _ in 0..<count {
      guard try number(offset, 4) == 0x0201_4B50 else {
        throw ZipError("the directory of the archive is damaged", at: offset)
      }
      let (nameSize, extra, comment) = (
        try number(offset + 28, 2), try number(offset + 30, 2), try number(offset + 32, 2)
      )
      guard offset + 46 + nameSize <= bytes.count else {
        throw ZipError("the archive ends too early", at: offset)
      }
      let name = String(decoding: bytes[offset + 46..<offset + 46 + nameSize], as: UTF8.self)
      entries.append(
        Entry(
          name: name, size: try number(offset + 24, 4), method: try number(offset + 10, 2),
          flags: try number(offset + 8, 2),
          checksum: UInt32(truncatingIfNeeded: try number(offset + 16, 4)),
          compressedSize: try number(offset + 20, 4), headerOffset: try number(offset + 42, 4)))
      offset += 46 + nameSize + extra + comment
    }
    self.entries = entries
  }

  /// The file with a name; nil if there is none.
  package func entry(named name: String) -> Entry? {
    entries.first { $0.name.utf8.elementsEqual(name.utf8) }
  }

  /// The first bytes of a file, at most `count`, for recognizing its content. They are not checked,
  /// and those of a damaged file are fewer.
  package func start(of entry: Entry, count: Int) throws(ZipError) -> [UInt8] {
    let compressed = try compressed(entry)
    return entry.method == 8
      ? Inflate.prefix(withoutFrame: compressed, count: count) : Array(compressed.prefix(count))
  }

  /// The bytes of a file, checked by its checksum; at most `limit`.
  package func contents(of entry: Entry, limit: Int) throws(ZipError) -> [UInt8] {
    guard entry.size <= limit else {
      throw ZipError("\(entry.name) has more than \(limit) bytes", at: entry.headerOffset)
    }
    let compressed = try compressed(entry)
    let contents: [UInt8]
    switch entry.method {
    case 0: contents = Array(compressed)
    default:
      do throws(InflateError) {
        contents = try Inflate.inflate(withoutFrame: compressed, limit: limit)
      } catch {
        throw ZipError(
          "\(entry.name) is damaged: \(error.reason)", at: compressed.startIndex + error.offset)
      }
    }
    guard contents.withUnsafeBufferPointer({ CRC32.of($0) }) == entry.checksum else {
      throw ZipError("the checksum of \(entry.name) is wrong", at: compressed.startIndex)
    }
    return contents
  }

  /// The stored or deflated bytes of a file.
  private func compressed(_ entry: Entry) throws(ZipError) -> ArraySlice<UInt8> {
    let header = entry.headerOffset
    guard entry.flags & 1 == 0 else { throw ZipError("\(entry.name) is encrypted", at: header) }
    guard header + 30 <= bytes.count, bytes[header...].starts(with: [0x50, 0x4B, 3, 4]) else {
      throw ZipError("the start of \(entry.name) is missing", at: header)
    }
    func length(_ offset: Int) -> Int { Int(bytes[offset]) | Int(bytes[offset + 1]) << 8 }
    let start = header + 30 + length(header + 26) + length(header + 28)
    guard start <= bytes.count, entry.compressedSize <= bytes.count - start else {
      throw ZipError("\(entry.name) is cut", at: min(start, bytes.count))
    }
    guard [0, 8].contains(entry.method) else {
      throw ZipError("\(entry.name) is packed by an unknown method", at: header)
    }
    return bytes[start..<start + entry.compressedSize]
  }
}
