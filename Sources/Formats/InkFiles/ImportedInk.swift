public import Graphics
public import Strokes

/// The pages of a foreign file.
public struct ImportedInk: Sendable {
  /// The number of pages. Some formats store many drawings in a file; each counts as a page.
  public let pageCount: Int
  /// The version of the format, as the file states it; 0 if it states none.
  public let version: Int
  /// Notes about the whole file.
  public let notes: ImportNotes
  private let decode: @Sendable (Int) throws(ImportError) -> ImportedPage

  /// Pages that are decoded already.
  package init(_ pages: [ImportedPage], version: Int = 0, notes: ImportNotes = ImportNotes()) {
    self.init(pageCount: pages.count, version: version, notes: notes) { pages[$0] }
  }

  /// Pages that are decoded on request, as files may hold thousands.
  package init(
    pageCount: Int, version: Int = 0, notes: ImportNotes = ImportNotes(),
    decode: @escaping @Sendable (Int) throws(ImportError) -> ImportedPage
  ) {
    self.pageCount = pageCount
    self.version = version
    self.notes = notes
    self.decode = decode
  }

  /// Decodes a page. The index must be valid.
  public func page(_ index: Int) throws(ImportError) -> ImportedPage {
    precondition((0..<pageCount).contains(index), "the file has no page of this index")
    return try decode(index)
  }
}

/// A page of a foreign file.
public struct ImportedPage: Sendable {
  /// The page's name in the file; empty if it has none.
  public let name: String
  /// The ink.
  public let drawing: PKDrawing
  /// The size, background and texts of the page.
  public let canvas: Recording.Canvas
  /// Counts of the file's own content, before conversion.
  public let source: SourceCounts
  /// Guesses, and content that has no counterpart here.
  public let notes: ImportNotes
  /// The damage because of which a part of the page is missing.
  public let damage: [ImportError]
  /// A picture of the page, a PNG or JPEG, where the ink itself cannot be read.
  public var picture: [UInt8]?

  package init(
    name: String, drawing: PKDrawing, canvas: Recording.Canvas, source: SourceCounts,
    notes: ImportNotes, damage: [ImportError], picture: [UInt8]? = nil
  ) {
    (self.name, self.drawing, self.canvas, self.source) = (name, drawing, canvas, source)
    (self.notes, self.damage, self.picture) = (notes, damage, picture)
  }
}

extension ImportedPage {
  /// A page of which nothing can be read.
  init(unreadable error: ImportError) {
    self.init(
      name: "", drawing: PKDrawing(), canvas: Recording.Canvas(), source: SourceCounts(),
      notes: ImportNotes(), damage: [error])
  }
}

/// The content of a page before conversion, in the file's own units.
public struct SourceCounts: Hashable, Sendable {
  /// The number of strokes, including those that are not drawn.
  public package(set) var strokes = 0
  /// The number of lines, boxes and other shapes that are drawn though no pen drew them.
  public package(set) var shapes = 0
  /// The number of the strokes' points.
  public package(set) var points = 0
  /// The smallest box with all points, in the file's units; nil without points.
  public package(set) var bounds: Rect?

  /// Counts of an empty page.
  package init() {}
}

/// The guesses and losses of an import, with a count for each kind.
public struct ImportNotes: Sendable {
  /// The prefixes of routine notes. Nearly every file of some formats gets these, because the
  /// format has no times or no pens at all, and they would hide the losses of a single file.
  /// Commands show them only if more details are requested.
  package static let routine = [
    "strokes without times are drawn at the pace of a hand",
    "strokes that are drawn as straight lines between points get curves",
    "the drawing has no pen: a black one",
    "the lists have no brush: perfect-freehand's own",
    "the log has no brush: a pen",
    "symbols have no brush: a pen",
    "the file states no unit of length: 10 of the sensor's units",
    "the file states no width: lines of",
    "the file does not state pauses",
    "brushes without a width get",
    "places are hundredths of a millimetre, as Microsoft's programs write them",
    "third values of points without a format are times",
    "times without a zone are taken as universal time",
  ]

  /// Whether a note is routine.
  public static func isRoutine(_ text: String) -> Bool {
    routine.contains { text.hasPrefix($0) }
  }

  /// The notes that are specific to this file: all but the routine ones.
  public var telling: [(text: String, count: Int)] { counts.filter { !Self.isRoutine($0.text) } }

  /// The kinds, in the order in which they were met.
  public private(set) var counts: [(text: String, count: Int)] = []

  /// No notes.
  public init() {}

  /// Counts an occurrence, described by a text like `pictures are left out`.
  package mutating func add(_ text: String, count: Int = 1) {
    if let index = counts.firstIndex(where: { $0.text == text }) {
      counts[index].count += count
    } else {
      counts.append((text, count))
    }
  }

  /// Adds the notes of another page.
  public mutating func add(_ other: ImportNotes) {
    for (text, count) in other.counts { add(text, count: count) }
  }
}
