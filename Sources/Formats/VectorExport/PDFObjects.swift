import Checksums
import PNGFormat

/// The objects of a PDF file, in the order of their numbers, and the file that they make.
struct PDFObjects {
  private enum Body {
    /// A dictionary or an array.
    case plain(String)
    /// Bytes with a dictionary, whose length is added.
    case stream(String, [UInt8])
  }

  private var bodies: [Body] = []

  /// Objects without bytes of their own are compressed together, this many at a time.
  private static let objectsPerStream = 200

  /// A number for an object that is set later.
  mutating func reserve() -> Int {
    bodies.append(.plain("null"))
    return bodies.count
  }

  mutating func set(_ number: Int, _ text: String) { bodies[number - 1] = .plain(text) }

  /// Adds a dictionary or an array, and returns its number.
  mutating func add(_ text: String) -> Int {
    bodies.append(.plain(text))
    return bodies.count
  }

  /// Adds bytes as they are; `entries` are those of the dictionary besides the length.
  mutating func add(_ bytes: [UInt8], _ entries: String) -> Int {
    bodies.append(.stream(entries, bytes))
    return bodies.count
  }

  /// Adds bytes that are compressed.
  mutating func addCompressed(_ bytes: [UInt8], _ entries: String) -> Int {
    let packed = DeflateStream.zlib(bytes)
    guard packed.count < bytes.count else { return add(bytes, entries) }
    return add(packed, entries + "/Filter/FlateDecode")
  }

  /// The file. Its identifier is a hash of its bytes. The content is freed as it is written.
  mutating func file(version: String, root: Int, information: Int?) -> [UInt8] {
    var bytes = Array("%PDF-\(version)\n%".utf8) + [0xE2, 0xE3, 0xCF, 0xD3, 0x0A]
    // For each number the type, and the offset, or the stream's number and the index in it.
    var table: [(type: Int, place: Int, index: Int)] = [(0, 0, 65_535)]
    table += Array(repeating: (0, 0, 0), count: bodies.count)
    var packed: [(number: Int, text: String)] = []
    for index in bodies.indices {
      let body = bodies[index]
      bodies[index] = .plain("")
      switch body {
      case .plain(let text): packed.append((index + 1, text))
      case .stream(let entries, let content):
        table[index + 1] = (1, bytes.count, 0)
        Self.append(index + 1, entries, content, to: &bytes)
      }
    }
    for first in stride(from: 0, to: packed.count, by: Self.objectsPerStream) {
      let objects = packed[first..<min(first + Self.objectsPerStream, packed.count)]
      let number = table.count
      var (head, content): ([String], [UInt8]) = ([], [])
      for (index, object) in objects.enumerated() {
        table[object.number] = (2, number, index)
        head.append("\(object.number) \(content.count)")
        content += Array(object.text.utf8) + [0x0A]
      }
      let start = Array(head.joined(separator: " ").utf8) + [0x0A]
      table.append((1, bytes.count, 0))
      Self.append(
        number, "/Type/ObjStm/N \(objects.count)/First \(start.count)/Filter/FlateDecode",
        DeflateStream.zlib(start + content), to: &bytes)
    }
    let start = bytes.count
    table.append((1, start, 0))
    var rows: [UInt8] = []
    for row in table {
      rows.append(UInt8(row.type))
      for shift in [24, 16, 8, 0] { rows.append(UInt8(truncatingIfNeeded: row.place >> shift)) }
      for shift in [8, 0] { rows.append(UInt8(truncatingIfNeeded: row.index >> shift)) }
    }
    let hash = MD5.of(bytes).hexadecimal
    let entries =
      "/Type/XRef/Size \(table.count)/W[1 4 2]/Root \(root) 0 R"
      + (information.map { "/Info \($0) 0 R" } ?? "") + "/ID[<\(hash)><\(hash)>]/Filter/FlateDecode"
    Self.append(table.count - 1, entries, DeflateStream.zlib(rows), to: &bytes)
    bytes += "startxref\n\(start)\n%%EOF\n".utf8
    return bytes
  }

  private static func append(
    _ number: Int, _ entries: String, _ content: [UInt8], to bytes: inout [UInt8]
  ) {
    bytes += "\(number) 0 obj\n<<\(entries)/Length \(content.count)>>stream\n".utf8
    bytes += content
    bytes += "\nendstream\nendobj\n".utf8
  }
}

/// Texts in the syntax of PDF.
enum PDFText {
  /// A text string: ASCII as it is, anything else as UTF-16.
  static func string(_ text: String) -> String {
    if text.utf8.allSatisfy({ 32..<127 ~= $0 }) {
      var escaped = "("
      for scalar in text.unicodeScalars {
        if scalar == "(" || scalar == ")" || scalar == "\\" { escaped += "\\" }
        escaped.unicodeScalars.append(scalar)
      }
      return escaped + ")"
    }
    let units = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
    let digits = units.hexadecimal.utf8.map { 97...102 ~= $0 ? $0 - 32 : $0 }
    return "<FEFF\(String(decoding: digits, as: UTF8.self))>"
  }

  /// A date from one of the form `2026-11-21T12:40:51Z`.
  static func date(_ iso8601: String) -> String {
    let digits = iso8601.utf8.filter { 48...57 ~= $0 }
    return "(D:\(String(decoding: digits, as: UTF8.self))Z)"
  }
}
