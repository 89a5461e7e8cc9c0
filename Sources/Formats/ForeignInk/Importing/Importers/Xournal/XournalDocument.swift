import InkFiles
import Graphics
import Strokes
import XML

/// Collects the pages of a document while its XML is read.
final class XournalDocument: XMLHandler {
  private(set) var pages: [XournalPage] = []
  /// The stated version of the file: a whole number, or 0 for Xournal's texts like `0.4.8`.
  private(set) var version = 0

  private var page: XournalPage?
  /// The stroke whose text is read, and the text.
  private var stroke: XournalStroke?
  private var text: [UInt8] = []
  /// The number of pages that a file of this size can have.
  private let pageLimit: Int

  init(pageLimit: Int) { self.pageLimit = pageLimit }

  func begin(_ element: XMLElement) throws(XMLError) {
    switch element.name {
    case "xournal": version = element["fileversion"].flatMap { Int($0) } ?? 0
    case "page":
      endPage()
      guard pages.count < pageLimit else {
        throw XMLError("there are more than \(pageLimit) pages for the file's size", at: 0)
      }
      page = XournalPage(
        size: Size(
          width: Self.length(element["width"]) ?? 595.28,
          height: Self.length(element["height"]) ?? 841.89))
    case "background": page?.setBackground(element)
    case "stroke":
      stroke = XournalStroke(element, notes: &pageNotes)
      text.removeAll(keepingCapacity: true)
    case "text": page?.notes.add("typed text is left out")
    case "image": page?.notes.add("pictures are left out")
    case "teximage": page?.notes.add("formulas are left out")
    default: break
    }
  }

  func text(_ bytes: UnsafeBufferPointer<UInt8>) throws(XMLError) {
    if stroke != nil { text.append(contentsOf: bytes) }
  }

  func end(_ name: String) throws(XMLError) {
    switch name {
    case "stroke": endStroke()
    case "page": endPage()
    default: break
    }
  }

  /// Keeps the current page. The text may end inside of it, and inside of a stroke.
  func endPage() {
    endStroke()
    if let page { pages.append(page) }
    page = nil
  }

  private func endStroke() {
    guard var stroke else { return }
    self.stroke = nil
    if let error = stroke.readPoints(text.span) { page?.damage.append(error) }
    page?.strokes.append(stroke)
  }

  private var pageNotes: ImportNotes {
    get { page?.notes ?? ImportNotes() }
    set { page?.notes = newValue }
  }

  /// A side of a page in points, if it can be one.
  private static func length(_ text: String?) -> Double? {
    guard let length = text.flatMap({ Double($0) }), length > 0, length <= 1e6 else { return nil }
    return length
  }
}

/// A page of a document, as it was read.
struct XournalPage: Sendable {
  let size: Size
  var background: Color?
  var paper: String?
  var strokes: [XournalStroke] = []
  var notes = ImportNotes()
  var damage: [ImportError] = []

  init(size: Size) { self.size = size }

  /// Reads the colour and the lines of the page.
  mutating func setBackground(_ element: XMLElement) {
    switch element["type"] {
    case "pdf":
      notes.add("the page of a PDF file below the ink is left out")
      background = .white
    case "pixmap":
      notes.add("the picture below the ink is left out")
      background = .white
    default:
      background = element["color"].flatMap { Self.color($0, named: Self.paperColors) } ?? .white
      guard let style = element["style"], style != "plain" else { return }
      paper = Self.papers[style]
      notes.add(
        paper == nil
          ? "the paper's style “\(style.prefix(40))” is unknown"
          : "the paper's lines have our distances")
    }
  }

  /// Converts the page to our form.
  func imported(
    _ index: Int, fileBytes: Int, damage cut: ImportError?, _ options: ImportOptions
  ) throws(ImportError) -> ImportedPage {
    // Points of 1/72 inch.
    var page = PageBuilder(unit: 1, page: index, fileBytes: fileBytes, options)
    page.notes = notes
    for error in damage { page.add(error) }
    if let cut { page.add(cut) }
    for stroke in strokes { try page.add(stroke.foreign) }
    return page.page(size: size, background: background, paper: paper)
  }

  /// The names of our papers that resemble Xournal's.
  private static let papers = [
    "lined": "lined", "ruled": "lined", "graph": "grid", "dotted": "dotted", "staves": "staves",
    "isograph": "isometric", "isodotted": "isometric",
  ]

  /// A colour from `#RRGGBBAA`, `#RRGGBB` or a name.
  static func color(_ text: String, named names: [String: UInt32]) -> Color? {
    if let value = names[text] { return Color(rgb: value) }
    return Color(hex: text)
  }

  /// The names of colours of paper.
  private static let paperColors: [String: UInt32] = [
    "white": 0xFFFFFF, "blue": 0xA0E8FF, "pink": 0xFFC0D4, "green": 0x80FFC0, "orange": 0xFFC080,
    "yellow": 0xFFFF80,
  ]
}

extension Color {
  /// An opaque colour of 24 bits, red first.
  fileprivate init(rgb: UInt32) {
    func part(_ shift: UInt32) -> Double { Double(rgb >> shift & 0xFF) / 255 }
    self.init(red: part(16), green: part(8), blue: part(0))
  }
}
