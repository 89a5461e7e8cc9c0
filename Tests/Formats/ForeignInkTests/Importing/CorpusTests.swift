import InkFiles
import Foundation
import Graphics
import ForeignInk
import PKDFormat
import Strokes
import TestSupport
import Testing

/// Real files of other programs, beside this checkout. They are never part of the repository.
@Suite(.enabled(if: Corpus.isPresent, "\(Corpus.absence)"))
struct CorpusTests {
  @Test(arguments: ManifestRow.importable)
  func `foreign files contain the counted pages, strokes and points`(row: ManifestRow) throws {
    let file = try DrawingFile(try Corpus.bytes(row.path))
    let pages = try (0..<file.pageCount).map { try file.page($0) }
    let sources = pages.compactMap(\.page?.source)
    #expect(file.format.rawValue == row.importedFormat)
    #expect(row.drawings == nil || sources.count == row.drawings)
    #expect(sources.reduce(0) { $0 + $1.strokes } == row.strokes)
    #expect(sources.reduce(0) { $0 + $1.points } == row.points)
    var bounds: Rect?
    for part in sources.compactMap(\.bounds) { bounds = bounds.map { $0.union(part) } ?? part }
    let box = try #require(bounds)
    let found = [box.minX, box.minY, box.maxX, box.maxY]
    for (value, expected) in zip(found, row.bounds) {
      #expect(abs(value - expected) <= 1e-4 * max(abs(expected), 1), "\(found)")
    }
    // Every imported drawing can be stored.
    for page in pages {
      let source = try #require(page.page?.source)
      #expect(page.strokes().strokes.count <= source.strokes + source.shapes)
      _ = try page.contents().encodeRecording()
    }
  }

  @Test(arguments: ManifestRow.smallest)
  func `a foreign file that is cut anywhere is refused or read in part`(row: ManifestRow) throws {
    let bytes = try Corpus.bytes(row.path)
    let format = try #require(DrawingFile.Format(rawValue: row.importedFormat))
    let step = max(bytes.count / RunLength.count(50, long: 400), 1)
    for end in stride(from: 0, to: bytes.count, by: step) {
      do throws(DrawingFileError) {
        let file = try DrawingFile(bytes[..<end], as: format)
        for page in 0..<min(file.pageCount, 4) { _ = try file.page(page).strokes() }
      } catch {
        #expect(!"\(error)".isEmpty)
      }
    }
  }
}

/// The counts of a file of the corpus.
struct ManifestRow: CustomTestStringConvertible {
  let format, file: String
  let drawings: Int?
  let strokes, points: Int
  let bounds: [Double]

  var path: String { "\(format)/\(file)" }
  var testDescription: String { path }

  /// The name of the format here; empty if it is not read.
  var importedFormat: String {
    let suffix = file.split(separator: ".").last ?? ""
    return Self.formats["\(format)/\(suffix)"] ?? Self.formats[format] ?? ""
  }

  /// The formats of the corpus that are read, by folder names. Some folders contain files of
  /// several formats, which file extensions distinguish.
  static let formats = [
    "mypaint-events": "mypaint",
    "omniglot": "omniglot",
    "quickdraw-raw": "quickdraw",
    "quickdraw-simplified": "quickdraw",
    "isf": "isf",
    "remarkable": "remarkable",
    "wacom-uim": "uim", "wacom-will": "will",
    "inkml": "inkml",
    "xournalpp": "xournal",
    "rnote": "rnote",
    "excalidraw": "excalidraw",
    "freehand-json": "freehand",
    "freehand-json/tldr": "tldraw",
    "hwrt": "hwrt",
  ]

  static let all: [ManifestRow] = {
    guard let bytes = try? Corpus.bytes("CORPORA_MANIFEST.tsv") else { return [] }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").dropFirst().compactMap {
      line in
      let cells = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard cells.count == 12, let strokes = Int(cells[5]), let points = Int(cells[6]) else {
        return nil
      }
      return ManifestRow(
        format: cells[0], file: cells[1], drawings: Int(cells[4]), strokes: strokes,
        points: points, bounds: cells[8...].compactMap { Double($0) })
    }
  }()

  /// The files with ink in a format that is read.
  static let importable = all.filter {
    // A table of numbers beside the ink is no format of ink.
    !$0.importedFormat.isEmpty && $0.strokes > 0 && !$0.file.hasSuffix(".csv")
  }

  /// The smallest file of each format.
  static let smallest = Set(formats.values).sorted().compactMap { format in
    importable.filter { $0.importedFormat == format }.min {
      (try? Corpus.bytes($0.path).count) ?? 0 < (try? Corpus.bytes($1.path).count) ?? 0
    }
  }
}
