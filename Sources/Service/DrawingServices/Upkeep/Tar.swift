/// Writes a tar archive in the POSIX pax format.
struct TarWriter {
  private static let block = 512

  /// The header before the bytes of a file; `seconds` since 1970 is its time of change.
  static func header(_ path: String, size: Int, seconds: Int64 = 0) -> [UInt8] {
    var records: [UInt8] = []
    if path.utf8.count > 100 { records += record("path", path) }
    if size > limit { records += record("size", String(size)) }
    var bytes: [UInt8] = []
    if !records.isEmpty {
      bytes += block("pax", size: records.count, type: UInt8(ascii: "x"))
      bytes += records + padding(after: records.count)
    }
    return bytes
      + block(
        path, size: min(size, limit), seconds: min(max(Int(seconds), 0), limit),
        type: UInt8(ascii: "0"))
  }

  /// The maximum number in a header field of eleven octal digits.
  private static let limit = 0o777_7777_7777

  /// The zeros after the bytes of a file, up to a full block.
  static func padding(after size: Int) -> [UInt8] {
    [UInt8](repeating: 0, count: (block - size % block) % block)
  }

  /// The end of an archive: two blocks of zeros.
  static let end = [UInt8](repeating: 0, count: 2 * block)

  /// A pax record, which begins with its own length.
  private static func record(_ key: String, _ value: String) -> [UInt8] {
    let rest = " \(key)=\(value)\n"
    var length = rest.utf8.count + 1
    while String(length).utf8.count + rest.utf8.count > length { length += 1 }
    return Array("\(length)\(rest)".utf8)
  }

  private static func block(
    _ path: String, size: Int, seconds: Int = 0, type: UInt8
  ) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: block)
    func put(_ text: some Sequence<UInt8>, at offset: Int) {
      for (index, byte) in text.enumerated() { bytes[offset + index] = byte }
    }
    func octal(_ value: Int, _ width: Int) -> [UInt8] {
      let digits = String(value, radix: 8)
      return Array((String(repeating: "0", count: width - digits.count) + digits).utf8)
    }
    put(path.utf8.prefix(100), at: 0)
    put(octal(0o644, 7), at: 100)
    put(octal(0, 7), at: 108)
    put(octal(0, 7), at: 116)
    put(octal(size, 11), at: 124)
    put(octal(seconds, 11), at: 136)
    put([UInt8](repeating: 32, count: 8), at: 148)
    bytes[156] = type
    put("ustar\u{0}00".utf8, at: 257)
    put(octal(bytes.reduce(0) { $0 + Int($1) }, 6) + [0, 32], at: 148)
    return bytes
  }
}

/// Reads archives of `TarWriter`. The source is called with the maximum number of bytes to return.
struct TarReader {
  private let source: (Int) throws -> [UInt8]
  private var rest = 0
  private var padding = 0

  init(_ source: @escaping (Int) throws -> [UInt8]) { self.source = source }

  private func exactly(_ count: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      let more = try source(count - bytes.count)
      guard !more.isEmpty else { throw ServiceError.badArchive("it ends too early") }
      bytes += more
    }
    return bytes
  }

  /// Throws if the next bytes differ from the expected ones.
  private func expect(_ wanted: [UInt8]) throws {
    guard try exactly(wanted.count) == wanted else { throw Self.damage }
  }

  private static let damage = ServiceError.badArchive(
    "it is damaged, or not an archive of this program")

  /// Advances to the next file; nil after the last one.
  mutating func next() throws -> (path: String, size: Int, seconds: Int64)? {
    while let piece = try read(1 << 16) { _ = piece }
    try expect([UInt8](repeating: 0, count: padding))
    padding = 0
    var (path, size) = (String?.none, Int?.none)
    var header: [UInt8] = []
    while true {
      let block = try exactly(512)
      if header.isEmpty, block.allSatisfy({ $0 == 0 }) {
        try expect(Array(TarWriter.end.dropFirst(512)))
        guard try source(1).isEmpty else { throw Self.damage }
        return nil
      }
      header += block
      func text(_ offset: Int, _ count: Int) -> String {
        String(decoding: block[offset..<offset + count].prefix { $0 != 0 }, as: UTF8.self)
      }
      guard let stored = Int(text(124, 12), radix: 8), stored >= 0,
        let seconds = Int64(text(136, 12), radix: 8)
      else { throw Self.damage }
      switch block[156] {
      case UInt8(ascii: "x"):
        guard header.count == 512, stored <= 1 << 16 else { throw Self.damage }
        let records = try exactly(stored)
        header += try records + exactly(TarWriter.padding(after: stored).count)
        for record in String(decoding: records, as: UTF8.self).split(separator: "\n") {
          let field = record.drop { $0 != " " }.dropFirst()
          if field.hasPrefix("path=") { path = String(field.dropFirst(5)) }
          if field.hasPrefix("size=") { size = Int(field.dropFirst(5)) }
        }
      case UInt8(ascii: "0"):
        let found = (path: path ?? text(0, 100), size: size ?? stored, seconds: seconds)
        // Every other header comes from another program.
        guard found.size >= 0,
          TarWriter.header(found.path, size: found.size, seconds: seconds) == header
        else { throw Self.damage }
        rest = found.size
        padding = TarWriter.padding(after: rest).count
        return found
      default: throw ServiceError.badArchive("it contains an entry that is not a file")
      }
    }
  }

  /// At most `count` bytes of the current file; nil at its end.
  mutating func read(_ count: Int) throws -> [UInt8]? {
    guard rest > 0 else { return nil }
    let bytes = try exactly(min(count, rest))
    rest -= bytes.count
    return bytes
  }
}
