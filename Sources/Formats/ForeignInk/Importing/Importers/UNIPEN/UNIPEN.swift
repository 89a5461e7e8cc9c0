import InkFiles
import Graphics
import Strokes

/// Reads UNIPEN: text with rows of numbers, and keywords that define the meaning of the numbers.
enum UNIPENImporter: InkImporter {
  /// The width of the pen in points, as usual ballpoint pens have it.
  private static let penWidth = 1.5

  /// The keywords at the start of files. `.DT` is left out, since it is also a command of manual
  /// pages.
  private static let firstKeywords: Set<String> = [
    "VERSION", "DATA_SOURCE", "DATA_ID", "DATA_CONTACT", "DATA_INFO", "COMMENT", "HIERARCHY",
    "COORD",
    "SETUP", "PAD", "ALPHABET", "LEXICON", "WRITER_ID", "INCLUDE", "X_DIM", "Y_DIM", "START_SET",
    "START_BOX", "X_POINTS_PER_INCH", "Y_POINTS_PER_INCH", "X_POINTS_PER_MM", "Y_POINTS_PER_MM",
    "POINTS_PER_SECOND", "SEGMENT", "PEN_DOWN", "PEN_UP",
  ]

  static func recognizes(_ start: FileStart) -> Bool {
    let text = start.bytes.prefix(256).drop { [0xEF, 0xBB, 0xBF].contains($0) || $0 <= 0x20 }
    guard text.first == UInt8(ascii: ".") else { return false }
    let keyword = text.dropFirst().prefix { $0 > 0x20 }
    return firstKeywords.contains(String(decoding: keyword, as: UTF8.self))
  }

  static func read(_ bytes: [UInt8], _ options: ImportOptions) throws(ImportError) -> ImportedInk {
    let document = UNIPENDocument(bytes)
    if document.pages.count == 1, document.pages[0].strokes.isEmpty {
      if document.includesFiles {
        throw ImportError(.unsupported("a file whose ink is in the files that it includes"), at: 0)
      }
      throw document.pages[0].damage.first ?? ImportError(.missing("a stroke"), at: 0)
    }
    return ImportedInk(
      pageCount: document.pages.count, version: document.version, notes: document.notes
    ) { index in
      page(index, of: document, fileBytes: bytes.count, options)
    }
  }

  private static func page(
    _ index: Int, of document: UNIPENDocument, fileBytes: Int, _ options: ImportOptions
  ) -> ImportedPage {
    let source = document.pages[index]
    let unit = source.resolution.map { 72 / $0.x } ?? document.likelyUnit
    let (name, unnamed) = source.name
    // Whole numbers are rounded positions.
    let fitting = document.hasFractions ? options : options.fitting(pixelsOf: unit)
    var page = PageBuilder(unit: unit, page: index, fileBytes: fileBytes, fitting)
    page.isYUp = true
    page.notes = source.notes
    for error in source.damage { page.add(error) }
    for stroke in source.strokes {
      let points = stroke.samples.map { sample in
        PKStrokePoint(
          x: sample.x, y: sample.y, width: penWidth / unit, time: sample.time,
          force: document.force(of: sample.pressure))
      }
      do throws(ImportError) {
        try page.add(
          ForeignStroke(
            points: points, ink: ForeignBrush.evenPen.ink(.black),
            start: stroke.start.map { .referenceDate + $0 }, hasTimes: stroke.hasTimes,
            transform: source.resolution?.shape ?? .identity))
      } catch {
        page.add(error)
        break
      }
    }
    page.notes.add("the file states no width: lines of 1.5 points are taken")
    if source.resolution == nil {
      page.notes.add("the file states no unit of length: the size is a guess")
    }
    if unnamed > 0 {
      page.notes.add("texts of segments that are not the page's title are left out", count: unnamed)
    }
    return page.page(name: name, metadata: name.isEmpty ? [:] : ["title": name])
  }
}
