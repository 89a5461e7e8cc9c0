import InkFiles
import Compression
import Graphics
import Strokes
import XML

/// Reads the documents of Xournal and Xournal++: XML, packed by gzip, in a zip archive or as it is.
enum XournalImporter: InkImporter {
  static func recognizes(_ start: FileStart) -> Bool {
    if start.rootElement == "xournal" { return true }
    guard let archive = start.archive else { return false }
    if let type = archive.entry(named: "mimetype") {
      // An office document has the same parts with another type.
      let text = (try? archive.start(of: type, count: 64)) ?? []
      return text.drop { $0 <= 0x20 }.starts(with: "application/xournal++".utf8)
    }
    let text = archive.entry(named: contentName).flatMap {
      try? archive.start(of: $0, count: FileStart.rootBytes)
    }
    return FileStart.rootElement(of: text ?? []) == "xournal"
  }

  static func read(_ bytes: [UInt8], _ options: ImportOptions) throws(ImportError) -> ImportedInk {
    let (text, packingDamage) = try unpacked(
      bytes, limit: options.decompressedLimit(of: bytes.count))
    let document = XournalDocument(pageLimit: 1_000 + text.count / 64)
    var damage = packingDamage
    do throws(XMLError) {
      try XMLReader.read(text, into: document)
    } catch {
      damage = damage ?? ImportError(error)
    }
    document.endPage()
    let pages = document.pages
    if pages.isEmpty {
      throw damage ?? ImportError(.missing("a page"), at: 0)
    }
    // The limit counts from the compressed size, since long lines of points compress well.
    let (size, cut) = (bytes.count, damage)
    return ImportedInk(
      pageCount: pages.count, version: document.version
    ) { (index) throws(ImportError) in
      // Truncation affects the last page.
      let damage = index == pages.count - 1 ? cut : nil
      return try pages[index].imported(index, fileBytes: size, damage: damage, options)
    }
  }

  private static let contentName = "content.xml"

  /// The document's text, and the damage of its compression if some of the text can be read.
  private static func unpacked(
    _ bytes: [UInt8], limit: Int
  ) throws(ImportError) -> (text: [UInt8], damage: ImportError?) {
    if bytes.starts(with: [0x50, 0x4B, 3, 4]) {
      do throws(ZipError) {
        let archive = try ZipArchive(bytes)
        if let content = archive.entry(named: contentName) {
          return (try archive.contents(of: content, limit: limit), nil)
        }
      } catch {
        throw ImportError(.compression(error.reason), at: error.offset)
      }
      throw ImportError(.missing(contentName), at: 0)
    }
    guard bytes.starts(with: [0x1F, 0x8B]) else { return (bytes, nil) }
    do throws(InflateError) {
      return (try Inflate.inflate(bytes, limit: limit), nil)
    } catch {
      let damage = ImportError(.compression("the compressed text is damaged"), at: error.offset)
      if case .tooLarge = error.reason {
        throw ImportError(
          .compression("the text has more than \(limit) bytes"), at: error.offset)
      }
      return (Inflate.prefix(of: bytes, count: limit), damage)
    }
  }
}
