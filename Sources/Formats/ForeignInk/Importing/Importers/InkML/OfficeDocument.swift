import InkFiles
import Compression
import XML
import System

/// A document of Office (Office Open XML): a zip archive in which each piece of ink is a part of
/// its own in InkML.
///
/// The parts become pages in the order in which the document's text or slides refer to them. Parts
/// without a reference follow, ordered by their numbers.
struct OfficeDocument {
  private let archive: ZipArchive
  private let entries: [String: ZipArchive.Entry]
  private let options: ImportOptions
  /// The remaining bytes of parts that may be read only to find the order.
  private var allowance: Int
  private var visited: Set<String> = []
  /// The parts with ink, with the number of the slide.
  private var pages: [(entry: ZipArchive.Entry, slide: Int)] = []
  private var slideCount = 0
  private var notes = ImportNotes()

  /// Whether a file is a document with ink.
  static func recognizes(_ start: FileStart) -> Bool {
    start.archive?.entries.contains { isInk($0.name) } ?? false
  }

  /// The folders in which Word, PowerPoint and Excel keep ink.
  private static func isInk(_ name: String) -> Bool {
    name.hasSuffix(".xml") && ["word/ink/", "ppt/ink/", "xl/ink/"].contains { name.hasPrefix($0) }
  }

  init(_ bytes: [UInt8], _ options: ImportOptions) throws(ImportError) {
    do throws(ZipError) {
      archive = try ZipArchive(bytes)
    } catch {
      throw ImportError(.compression(error.reason), at: error.offset)
    }
    self.options = options
    allowance = options.decompressedLimit(of: bytes.count)
    entries = Dictionary(
      archive.entries.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for root in ["word/document.xml", "ppt/presentation.xml", "xl/workbook.xml"] {
      follow(root, depth: 0)
    }
    let rest = archive.entries.filter { Self.isInk($0.name) && visited.insert($0.name).inserted }
    for entry in rest.sorted(by: { Self.number($0.name) < Self.number($1.name) }) {
      pages.append((entry, 0))
    }
    if rest.count > 1 { notes.add("pages that no text refers to are ordered by their numbers") }
  }

  /// The ink, whose pages are decoded on request.
  func ink() throws(ImportError) -> ImportedInk {
    guard !pages.isEmpty else { throw ImportError(.missing("ink in this document"), at: 0) }
    var notes = notes
    notes.add("the document around the ink is left out")
    return ImportedInk(pageCount: pages.count, notes: notes) {
      [pages, archive, options] (index) throws(ImportError) in
      let (entry, slide) = pages[index]
      let text: [UInt8]
      do throws(ZipError) {
        text = try archive.contents(of: entry, limit: options.decompressedBytes)
      } catch {
        throw ImportError(.compression(error.reason), at: error.offset)
      }
      return try InkMLImporter.page(
        text, index, InkMLPlace(part: entry.name), named: slide > 0 ? "slide \(slide)" : "", options
      )
    }
  }

  /// The number in a name like `ppt/ink/ink12.xml`, and the name.
  private static func number(_ name: String) -> (Int, String) {
    let digits = name.utf8.reversed().drop { !(48...57 ~= $0) }.prefix { 48...57 ~= $0 }.prefix(9)
    return (digits.reversed().reduce(0) { 10 * $0 + Int($1) - 48 }, name)
  }

  // MARK: - Order

  /// The depth of references: from the document to slides or sheets, to drawings, to ink.
  private static let depthLimit = 4

  /// Follows the references of a part in their order. Unreadable parts have none.
  private mutating func follow(_ part: String, depth: Int) {
    guard depth < Self.depthLimit, entries[part] != nil, visited.insert(part).inserted else {
      return
    }
    let isSlide = part.hasPrefix("ppt/slides/")
    if isSlide { slideCount += 1 }
    let (folder, name) = Self.split(part)
    let relations = OfficeReferences()
    read("\(folder)_rels/\(name).rels", into: relations)
    guard !relations.targets.isEmpty else { return }
    let references = OfficeReferences(relations.targets)
    read(part, into: references)
    for target in references.found {
      let path = Self.path(of: target, from: folder)
      if Self.isInk(path) {
        guard let entry = entries[path], visited.insert(path).inserted else { continue }
        pages.append((entry, isSlide ? slideCount : 0))
      } else if ["/slides/", "/worksheets/", "/drawings/"].contains(where: {
        path.utf8.count < 200 && "/\(path)".includes($0)
      }) {
        follow(path, depth: depth + 1)
      }
    }
  }

  private mutating func read(_ part: String, into handler: OfficeReferences) {
    guard let entry = entries[part],
      let text = try? archive.contents(of: entry, limit: allowance)
    else { return }
    allowance -= text.count
    try? XMLReader.read(text, into: handler)
  }

  /// The folder of a part with a trailing slash, and the part's name in it.
  private static func split(_ part: String) -> (folder: String, name: String) {
    guard let slash = part.lastIndex(of: "/") else { return ("", part) }
    return (String(part[...slash]), String(part[part.index(after: slash)...]))
  }

  /// The path of a target that is relative to a folder.
  private static func path(of target: String, from folder: String) -> String {
    if target.hasPrefix("/") { return String(target.dropFirst()) }
    var steps = folder.split(separator: "/")
    for step in target.split(separator: "/") {
      switch step {
      case "..": _ = steps.popLast()
      case ".": break
      default: steps.append(step)
      }
    }
    return steps.joined(separator: "/")
  }
}

/// Collects the relations of a part to others, or the references in the part's text.
private final class OfficeReferences: XMLHandler {
  /// The targets by their names.
  private(set) var targets: [String: String] = [:]
  /// The targets in the order in which the part refers to them.
  private(set) var found: [String] = []
  private let isCollecting: Bool

  /// An upper bound of the references of a part.
  private static let limit = 1 << 16

  /// Collects relations.
  init() { isCollecting = true }

  /// Finds references to targets.
  init(_ targets: [String: String]) {
    self.targets = targets
    isCollecting = false
  }

  func begin(_ element: XMLElement) throws(XMLError) {
    if isCollecting {
      guard element.name == "Relationship", let name = element["Id"],
        let target = element["Target"],
        targets.count < Self.limit
      else { return }
      targets[name] = target
    } else {
      for attribute in element.attributes where found.count < Self.limit {
        if let target = targets[attribute.value] { found.append(target) }
      }
    }
  }

  func text(_: UnsafeBufferPointer<UInt8>) throws(XMLError) {}
  func end(_: String) throws(XMLError) {}
}
