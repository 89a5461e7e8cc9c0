import InkFiles
import Graphics
import Strokes

/// Reads notebooks of Supernote tablets (`.note`) and the ink of documents on them (`.mark`).
///
/// Blocks, which state their length, may be anywhere in the file. Texts of keys and values contain
/// their addresses.
enum SupernoteImporter: InkImporter {
  /// The number of pages that a notebook may have.
  private static let pageLimit = 10_000

  static func recognizes(_ start: FileStart) -> Bool {
    start.has("SN_FILE_") || start.has("noteSN_FILE_") || start.has("markSN_FILE_")
  }

  static func read(_ bytes: [UInt8], _ options: ImportOptions) throws(ImportError) -> ImportedInk {
    var cursor = ByteCursor(bytes)
    guard !bytes.starts(with: "SN_FILE_".utf8) else {
      throw cursor.error(.unsupported("a Supernote notebook that holds only pictures"))
    }
    let magic = "noteSN_FILE_VER_".utf8
    guard bytes.dropFirst(4).starts(with: magic.dropFirst(4)) else {
      throw cursor.error(.expected("the start of a Supernote notebook"))
    }
    try cursor.skip(magic.count)
    var version = 0
    for digit in try cursor.take(8) where 48...57 ~= digit {
      version = 10 * version + Int(digit) - 48
    }
    try cursor.move(to: max(bytes.count - 4, cursor.offset))
    let footer = try SupernoteKeys(bytes, at: try cursor.uint32())
    let header = footer.address("FILE_FEATURE").flatMap { try? SupernoteKeys(bytes, at: $0) }
    let screen = SupernoteScreen(equipment: header?["APPLY_EQUIPMENT"])
    var notes = ImportNotes()
    if bytes.starts(with: "mark".utf8) { notes.add("the document below the ink is left out") }
    let pages = try pages(footer)
    return ImportedInk(pageCount: pages.count, version: version, notes: notes) {
      (index) throws(ImportError) in
      try SupernotePage(bytes, at: pages[index], number: index, screen, options).page()
    }
  }

  /// The addresses of the pages.
  private static func pages(_ footer: SupernoteKeys) throws(ImportError) -> [Int] {
    var pages: [(number: Int, address: Int)] = []
    var addresses: Set<Int> = []
    for (key, value) in footer.values where key.utf8.starts(with: "PAGE".utf8) {
      // In a file of a thousand pages, no page may refer to the whole file again.
      guard let number = Int(String(decoding: key.utf8.dropFirst(4), as: UTF8.self)),
        let address = Int(value), addresses.insert(address).inserted
      else { continue }
      guard pages.count < pageLimit else {
        throw ImportError(.tooMany("pages", limit: pageLimit), at: footer.offset)
      }
      pages.append((number, address))
    }
    guard !pages.isEmpty else { throw ImportError(.missing("a page"), at: footer.offset) }
    return pages.sorted { $0.number < $1.number }.map(\.address)
  }
}

/// A text of keys and values: `<KEY:VALUE><KEY:VALUE>`.
struct SupernoteKeys {
  /// The offset of the text.
  let offset: Int
  private(set) var values: [(key: String, value: String)] = []

  /// The number of keys that a text may have: notebooks of a thousand pages have some thousand.
  private static let limit = 100_000

  init(_ bytes: [UInt8], at address: Int) throws(ImportError) {
    var cursor = ByteCursor(bytes)
    try cursor.move(to: address)
    offset = address
    var text = try cursor.take(try cursor.uint32())
    while let start = text.firstIndex(of: UInt8(ascii: "<")) {
      text = text[(start + 1)...]
      guard let colon = text.firstIndex(of: UInt8(ascii: ":")),
        let end = text[colon...].firstIndex(of: UInt8(ascii: ">"))
      else { break }
      guard values.count < Self.limit else {
        throw ImportError(.tooMany("keys in a text", limit: Self.limit), at: start)
      }
      values.append(
        (
          String(decoding: text[..<colon], as: UTF8.self),
          String(decoding: text[(colon + 1)..<end], as: UTF8.self)
        ))
      text = text[(end + 1)...]
    }
  }

  subscript(key: String) -> String? { values.first { $0.key == key }?.value }

  /// The address that a key states; nil if the file has no such block.
  func address(_ key: String) -> Int? {
    guard let value = self[key], let address = Int(value), address > 0 else { return nil }
    return address
  }
}

/// The screen of a tablet.
struct SupernoteScreen {
  /// The size of the upright screen, in pixels.
  let size: Size
  let pixelsPerInch: Double

  /// The screen of a device by its name in files.
  init(equipment: String?) {
    size =
      equipment == "N5" ? Size(width: 1920, height: 2560) : Size(width: 1404, height: 1872)
    pixelsPerInch = ["N5", "N6", "A6X"].contains(equipment ?? "") ? 300 : 226
  }
}
