import InkFiles
import Compression
import Graphics
import Strokes
import System

/// Reads the strokes of Omniglot's characters: a text for each drawing, or the zip archive with all
/// of them.
enum OmniglotImporter: InkImporter {
  static func recognizes(_ start: FileStart) -> Bool {
    if isDrawing(start.bytes) { return true }
    guard let archive = start.archive, let first = archive.drawings.first,
      let text = try? archive.start(of: first, count: recognizedBytes)
    else { return false }
    return isDrawing(text)
  }

  static func read(_ bytes: [UInt8], _ options: ImportOptions) throws(ImportError) -> ImportedInk {
    guard ZipArchive.recognizes(bytes) else { return ImportedInk([page(of: bytes, 0, options)]) }
    let archive: ZipArchive
    do throws(ZipError) {
      archive = try ZipArchive(bytes)
    } catch {
      throw ImportError(.compression(error.reason), at: error.offset)
    }
    let drawings = archive.drawings
    guard !drawings.isEmpty else { throw ImportError(.missing("a drawing"), at: 0) }
    return ImportedInk(pageCount: drawings.count) { index in
      let drawing = drawings[index]
      do throws(ZipError) {
        let text = try archive.contents(of: drawing, limit: options.decompressedBytes)
        return page(of: text, named: drawing.drawingName, index, options)
      } catch {
        // The other drawings can be read.
        var page = PageBuilder(unit: unit, page: index, fileBytes: 0, options)
        page.damage.append(ImportError(.compression(error.reason), at: error.offset))
        return page.page(name: drawing.drawingName)
      }
    }
  }

  /// The points in a pixel. Drawings have 105 pixels; at 96 pixels an inch, they are about an inch
  /// wide.
  private static let unit = 72.0 / 96
  /// The width of the pen in pixels, chosen by eye.
  private static let penWidth = 3.0

  /// The maximum number of damaged rows. A drawing with more is not read further.
  static let damageLimit = 100

  /// The number of bytes by which a drawing is recognized.
  private static let recognizedBytes = 256

  /// Whether a text begins with the mark of a drawing and a row.
  private static func isDrawing(_ text: [UInt8]) -> Bool {
    text.withUnsafeBufferPointer { bytes in
      var scanner = TextScanner(UnsafeBufferPointer(rebasing: bytes.prefix(recognizedBytes)))
      guard scanner.starts(with: "START") else { return false }
      scanner.skipLine()
      return row(&scanner) != nil
    }
  }

  /// A row of x, y and milliseconds.
  static func row(_ scanner: inout TextScanner) -> PKStrokePoint? {
    guard let x = scanner.number(), scanner.accept(UInt8(ascii: ",")) else { return nil }
    scanner.skipSpace()
    guard let y = scanner.number(), scanner.accept(UInt8(ascii: ",")) else { return nil }
    scanner.skipSpace()
    guard let time = scanner.number() else { return nil }
    return PKStrokePoint(x: x, y: y, width: penWidth, time: time / 1000)
  }

  private static func page(
    of text: [UInt8], named name: String = "", _ index: Int, _ options: ImportOptions
  ) -> ImportedPage {
    var page = PageBuilder(
      unit: unit, page: index, fileBytes: text.count, options.fitting(pixelsOf: unit))
    page.isYUp = true
    do throws(ImportError) {
      try text.withUnsafeBufferPointer { (bytes) throws(ImportError) in
        try read(TextScanner(bytes), into: &page)
      }
    } catch {
      page.damage.append(error)
    }
    page.notes.add("the drawing has no pen: a black one of \(Int(penWidth)) pixels is taken")
    return page.page(name: name, metadata: name.isEmpty ? [:] : ["title": name])
  }

  /// Reads the strokes of a drawing. Rows that are damaged are left out.
  private static func read(
    _ text: TextScanner, into page: inout PageBuilder
  ) throws(ImportError) {
    var scanner = text
    var points: [PKStrokePoint] = []
    var number = 0
    while !scanner.isAtEnd {
      number += 1
      if scanner.starts(with: "BREAK") {
        try add(&points, to: &page)
      } else if let point = row(&scanner) {
        points.append(point)
      } else if !scanner.starts(with: "START"), !scanner.isAtLineBreak {
        page.damage.append(ImportError(.expected("a row of x, y and time"), at: .line(number)))
        guard page.damage.count < damageLimit else {
          throw ImportError(.tooMany("damaged rows", limit: damageLimit), at: .line(number))
        }
      }
      scanner.skipLine()
    }
    if !points.isEmpty {
      try add(&points, to: &page)
      throw ImportError(.missing("the end of the last stroke"), at: .line(number + 1))
    }
  }

  /// Adds a stroke. Times count from the start of the drawing, including pauses.
  private static func add(
    _ points: inout [PKStrokePoint], to page: inout PageBuilder
  ) throws(ImportError) {
    let start = min(max(points.first?.timeOffset ?? 0, -1e9), 1e9)
    for index in points.indices { points[index].timeOffset -= start }
    try page.add(
      ForeignStroke(
        points: points, ink: ForeignBrush.evenPen.ink(.black), start: .referenceDate + start,
        hasTimes: true))
    points.removeAll(keepingCapacity: true)
  }
}

extension ZipArchive {
  /// The drawings: texts in folders of characters, without files that systems add.
  var drawings: [Entry] {
    entries.filter { entry in
      entry.name.hasSuffix(".txt") && !entry.name.hasPrefix("__MACOSX/")
        && entry.name.includes("/character")
    }
  }
}

extension ZipArchive.Entry {
  /// The alphabet, the character and the drawing, without the archive's own folder.
  var drawingName: String {
    let parts = name.dropLast(4).split(separator: "/")
    return parts.suffix(3).joined(separator: "/")
  }
}
