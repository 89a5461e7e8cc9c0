import InkFiles
import Compression
import JSON
import Strokes

/// Reads notebooks of reMarkable tablets: zip archives of a list of pages, `NAME.content`, and the
/// pages, `NAME/ID.rm`.
enum RemarkableNotebook {
  private static let listEnding = ".content"
  private static let pageEnding = ".rm"
  /// The number of pages that a notebook may have.
  private static let pageLimit = 10_000

  static func recognizes(_ start: FileStart) -> Bool {
    guard let archive = start.archive else { return false }
    return archive.entries.contains { hasEnding($0.name, listEnding) }
      && archive.entries.contains { hasEnding($0.name, pageEnding) }
  }

  private static func hasEnding(_ name: String, _ ending: String) -> Bool {
    name.utf8.suffix(ending.utf8.count).elementsEqual(ending.utf8)
  }

  static func read(_ bytes: [UInt8], _ options: ImportOptions) throws(ImportError) -> ImportedInk {
    let archive: ZipArchive
    do throws(ZipError) {
      archive = try ZipArchive(bytes)
    } catch {
      throw ImportError(.compression(error.reason), at: error.offset)
    }
    guard let list = archive.entries.first(where: { hasEnding($0.name, listEnding) }) else {
      throw ImportError(.missing("the list of pages"), at: 0)
    }
    let folder = String(decoding: list.name.utf8.dropLast(listEnding.utf8.count), as: UTF8.self)
    let contents = try Contents(try contents(of: list, archive, options), list.name)
    var notes = ImportNotes()
    if contents.hasDocument { notes.add("the document below the ink is left out") }
    // A page that is listed a thousand times is one page.
    var known: Set<String> = []
    let names = contents.pages.filter { known.insert($0).inserted }
      .map { "\(folder)/\($0)\(pageEnding)" }
    return ImportedInk(pageCount: names.count, notes: notes) { (index) throws(ImportError) in
      // Pages on which nothing was ever drawn have no file.
      guard let entry = archive.entry(named: names[index]) else {
        return PageBuilder(unit: RemarkableScreen.unit, page: index, fileBytes: 0, options)
          .page(size: RemarkableExtent(screen: RemarkableScreen.size).size)
      }
      let bytes = try Self.contents(of: entry, archive, options)
      do throws(ImportError) {
        return try RemarkableImporter.page(bytes, number: index, options).page
      } catch {
        throw ImportError(error.reason, at: .part(entry.name, byte: error.offset ?? 0))
      }
    }
  }

  private static func contents(
    of entry: ZipArchive.Entry, _ archive: ZipArchive, _ options: ImportOptions
  ) throws(ImportError) -> [UInt8] {
    do throws(ZipError) {
      return try archive.contents(of: entry, limit: options.decompressedBytes)
    } catch {
      throw ImportError(.compression(error.reason), at: error.offset)
    }
  }

  /// The list of pages.
  private struct Contents {
    var pages: [String] = []
    /// Whether the ink was written on a PDF or a book.
    var hasDocument = false

    init(_ text: [UInt8], _ name: String) throws(ImportError) {
      do throws(JSONError) {
        var json = JSONReader(text)
        try read(&json)
      } catch {
        throw ImportError(.syntax(error.reason), at: .part(name, byte: error.offset))
      }
    }

    private mutating func read(_ json: inout JSONReader) throws(JSONError) {
      var (pages, hasDocument) = (pages, hasDocument)
      try json.object { (key, json) throws(JSONError) in
        switch (key, json.peek()) {
        case ("fileType", UInt8(ascii: "\"")):
          let kind = try json.string()
          hasDocument = kind == "pdf" || kind == "epub"
        // Old notebooks list names, newer ones objects in which pages can be deleted.
        case ("pages", UInt8(ascii: "[")):
          pages = []
          try json.list { (json) throws(JSONError) in
            try Self.add(json.peek() == 0x22 ? try json.string() : nil, &pages, &json)
          }
        case ("cPages", UInt8(ascii: "{")):
          try json.object { (key, json) throws(JSONError) in
            guard key == "pages", json.peek() == UInt8(ascii: "[") else { return try json.skip() }
            pages = []
            try json.list { (json) throws(JSONError) in try Self.addPage(&pages, &json) }
          }
        default: try json.skip()
        }
      }
      (self.pages, self.hasDocument) = (pages, hasDocument)
    }

    /// Adds a page, which is read from the text; a value that is not a name is skipped.
    private static func add(
      _ name: String?, _ pages: inout [String], _ json: inout JSONReader
    ) throws(JSONError) {
      guard let name else { return try json.skip() }
      guard pages.count < pageLimit else {
        throw json.error("there are more than \(pageLimit) pages")
      }
      pages.append(name)
    }

    private static func addPage(
      _ pages: inout [String], _ json: inout JSONReader
    ) throws(JSONError) {
      var (name, isDeleted) = (String?.none, false)
      guard json.peek() == UInt8(ascii: "{") else { return try json.skip() }
      try json.object { (key, json) throws(JSONError) in
        switch (key, json.peek()) {
        case ("id", UInt8(ascii: "\"")): name = try json.string()
        // A page with this key is deleted, whatever its value.
        case ("deleted", _):
          isDeleted = true
          try json.skip()
        default: try json.skip()
        }
      }
      if let name, !isDeleted { try add(name, &pages, &json) }
    }
  }
}
