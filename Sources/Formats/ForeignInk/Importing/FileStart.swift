import InkFiles
import Compression

/// The first bytes of a file, by which its format is recognized.
struct FileStart {
  /// The whole file.
  let bytes: [UInt8]
  /// The local name of the first element, if the file is XML; else empty.
  let rootElement: String
  /// The keys of the first object with their short texts, if the file is JSON; else empty.
  let keys: [String: String]
  /// The first bytes of the unpacked file, if it is packed by gzip; else empty.
  let unpacked: [UInt8]
  /// The file as a zip archive; nil if it is none.
  let archive: ZipArchive?

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    unpacked =
      GzipReader.recognizes(bytes)
      ? GzipReader.unpack(bytes, limit: 1 << 16).text : []
    let text = unpacked.isEmpty ? bytes : unpacked
    rootElement = Self.rootElement(of: text)
    keys = JSONKeys(startOf: text).texts
    archive = ZipArchive.recognizes(bytes) ? try? ZipArchive(bytes) : nil
  }

  /// Whether the file begins with bytes.
  func has(_ magic: some Sequence<UInt8>, at offset: Int = 0) -> Bool {
    bytes.dropFirst(offset).starts(with: magic)
  }

  /// Whether the file begins with a text.
  func has(_ text: String, at offset: Int = 0) -> Bool { has(text.utf8, at: offset) }

  /// The number of bytes among which the first element is searched.
  static let rootBytes = 1 << 14

  /// The lines among the first bytes, without the last one, which may be cut.
  var lines: [ArraySlice<UInt8>] {
    let lines = bytes.prefix(1 << 12).split { $0 == 0x0A || $0 == 0x0D }
    return bytes.count > 1 << 12 ? lines.dropLast() : lines
  }

  /// Text in UTF-16 as one byte a character, which is enough for names in ASCII.
  private static func narrowed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let isLittleEndian = text.starts(with: [0xFF, 0xFE])
    guard isLittleEndian || text.starts(with: [0xFE, 0xFF]) else { return text }
    let units = stride(from: text.startIndex + 2, to: text.endIndex - 1, by: 2)
    return units.map { offset in
      let (low, high) = isLittleEndian ? (offset, offset + 1) : (offset + 1, offset)
      return text[high] == 0 ? text[low] : UInt8(ascii: "?")
    }[...]
  }

  /// The name of the first element, after declarations and comments; empty if there is none among
  /// the first bytes.
  static func rootElement(of text: [UInt8]) -> String {
    var rest = narrowed(text.prefix(rootBytes)).drop { [0xEF, 0xBB, 0xBF].contains($0) }
    while true {
      rest = rest.drop { $0 <= 0x20 }
      guard rest.first == UInt8(ascii: "<") else { return "" }
      let ending: String
      switch rest.dropFirst().first {
      case UInt8(ascii: "?"): ending = "?>"
      case UInt8(ascii: "!"): ending = rest.starts(with: "<!--".utf8) ? "-->" : ">"
      default:
        let name = rest.dropFirst().prefix { $0 > 0x20 && $0 != 0x3E && $0 != 0x2F }
        let local = name.split(separator: UInt8(ascii: ":")).last ?? []
        return String(decoding: local, as: UTF8.self)
      }
      let end = rest.indices.first { rest[$0...].starts(with: ending.utf8) }
      guard let end else { return "" }
      rest = rest[(end + ending.utf8.count)...]
    }
  }
}
