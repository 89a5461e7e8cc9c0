import InkFiles
import Graphics
import JSON
import Strokes

/// Reads documents of tldraw: those of its first version, and the records of later ones. Only
/// hand-drawn shapes are ink.
enum TldrawImporter: InkImporter {
  static func recognizes(_ start: FileStart) -> Bool {
    let keys = start.keys
    if keys["tldrawFileFormatVersion"] != nil { return true }
    if keys["schema"] != nil, keys["store"] != nil || keys["records"] != nil { return true }
    return keys["document"] != nil
      && documentKeys(start).contains { $0 == "pages" || $0 == "store" }
  }

  /// The keys of the value `document` in the file's first bytes.
  private static func documentKeys(_ start: FileStart) -> [String] {
    var keys: [String] = []
    var json = JSONReader(Array(start.bytes.prefix(1 << 16)))
    do throws(JSONError) {
      try json.object { (key, json) throws(JSONError) in
        guard key == "document", json.isAtObject() else { return try json.skip() }
        try json.object { (key, json) throws(JSONError) in
          keys.append(key)
          try json.skip()
        }
      }
    } catch {}
    return keys
  }

  static func read(_ bytes: [UInt8], _ options: ImportOptions) throws(ImportError) -> ImportedInk {
    let index = TldrawIndex(bytes)
    guard !index.pages.isEmpty else {
      throw index.failure ?? ImportError(.missing("a page"), at: 0)
    }
    let reader = JSONReader(bytes)
    return ImportedInk(pageCount: index.pages.count, version: index.version) { number in
      // The canvas has no edges; its pixels are 96 an inch.
      var page = PageBuilder(unit: 72.0 / 96, page: number, fileBytes: bytes.count, options)
      let found = index.pages[number]
      if found.offset >= 0 {
        TldrawFirstPage(reader.value(at: found.offset), &page)
      } else {
        for shape in index.paintOrder(of: found.id) { add(shape, to: &page, reader) }
      }
      // Reading a page of the first version again finds its damage.
      if let failure = index.failure, page.damage.isEmpty { page.add(failure) }
      return page.page(name: found.name)
    }
  }

  private static func add(
    _ shape: TldrawPlacedShape, to page: inout PageBuilder, _ reader: JSONReader
  ) {
    var json = reader.value(at: shape.offset)
    do throws(JSONError) {
      try page.addStroke(of: &json) { (json, page) throws(JSONError) in
        guard shape.kind.isInk else {
          if let name = shape.kind.name {
            page.notes.add("shapes that are no ink are left out: \(name)")
          }
          return nil
        }
        return try TldrawDrawing(&json).stroke(shape, &page.notes)
      }
    } catch {
      page.add(ImportError(error))
    }
  }
}

/// The kinds of shapes.
enum TldrawKind: String {
  case draw, highlight, group, frame, geo, arrow, line, text, note, image, video, bookmark, embed
  case other

  var isInk: Bool { self == .draw || self == .highlight }

  /// The name of the kind for notes about shapes that are left out; nil for groups, which consist
  /// of their members only.
  var name: String? {
    switch self {
    case .group, .draw, .highlight: nil
    case .frame: "frames"
    case .geo: "figures"
    case .arrow: "arrows"
    case .line: "lines"
    case .text: "texts"
    case .note: "notes"
    case .image, .video: "pictures"
    case .bookmark, .embed: "web pages"
    case .other: "others"
    }
  }
}

/// A shape with the effects of its groups.
struct TldrawPlacedShape {
  let kind: TldrawKind
  /// The offset of its properties.
  let offset: Int
  let transform: AffineTransform
  let opacity: Double
}

/// The pages and shapes of a document, without the content of shapes.
struct TldrawIndex {
  /// A page. In the first version it contains its shapes, at an offset; the offset is negative in
  /// others.
  struct Page {
    var id = ""
    var name = ""
    var order = ""
    var number = 0.0
    var offset = -1
  }

  private struct Shape {
    var id = ""
    var parent = ""
    var order = ""
    var kind = TldrawKind.other
    var location = Point.zero
    var rotation = 0.0
    var opacity = 1.0
    var offset = -1
  }

  private(set) var pages: [Page] = []
  private(set) var version = 0
  /// The reason why a part of the file could not be read.
  private(set) var failure: ImportError?
  private var shapes: [Shape] = []
  /// The indices of shapes by their parents.
  private var members: [String: [Int]] = [:]

  init(_ bytes: [UInt8]) {
    var json = JSONReader(bytes)
    do throws(JSONError) {
      try readFile(&json)
    } catch {
      failure = ImportError(error)
    }
    pages.sort { ($0.number, $0.order, $0.id) < ($1.number, $1.order, $1.id) }
    for index in shapes.indices { members[shapes[index].parent, default: []].append(index) }
    let shapes = shapes
    for parent in members.keys {
      members[parent]?.sort {
        (shapes[$0].order, shapes[$0].id) < (shapes[$1].order, shapes[$1].id)
      }
    }
  }

  // MARK: - Order

  /// The maximum depth of nested groups.
  private static let maximumDepth = 64

  /// The shapes of a page from back to front. Highlighters are below all others.
  func paintOrder(of page: String) -> [TldrawPlacedShape] {
    var found: [TldrawPlacedShape] = []
    // Damaged files may repeat identifiers.
    var visited: Set<String> = [page]
    place(page, .identity, 1, &found, &visited, depth: 0)
    return found.filter { $0.kind == .highlight } + found.filter { $0.kind != .highlight }
  }

  private func place(
    _ parent: String, _ transform: AffineTransform, _ opacity: Double,
    _ found: inout [TldrawPlacedShape], _ visited: inout Set<String>, depth: Int
  ) {
    guard depth < Self.maximumDepth else { return }
    for index in members[parent] ?? [] {
      let shape = shapes[index]
      let inner = AffineTransform(rotation: shape.rotation)
        .concatenating(AffineTransform(translationX: shape.location.x, y: shape.location.y))
        .concatenating(transform)
      let alpha = opacity * min(max(shape.opacity, 0), 1)
      found.append(
        TldrawPlacedShape(
          kind: shape.kind, offset: shape.offset, transform: inner, opacity: alpha))
      if visited.insert(shape.id).inserted {
        place(shape.id, inner, alpha, &found, &visited, depth: depth + 1)
      }
    }
  }

  // MARK: - Reading

  private mutating func readFile(_ json: inout JSONReader) throws(JSONError) {
    try json.object { (key, json) throws(JSONError) in
      switch key {
      case "tldrawFileFormatVersion": version = Int(clamping: try json.numberIfAny() ?? 0)
      case "records" where json.isAtList():
        try json.list { (json) throws(JSONError) in try readRecord(&json) }
      case "store" where json.isAtObject():
        try json.object { (_, json) throws(JSONError) in try readRecord(&json) }
      case "document" where json.isAtObject(): try readDocument(&json)
      default: try json.skip()
      }
    }
  }

  /// A document of the first version, or a later one inside a snapshot.
  private mutating func readDocument(_ json: inout JSONReader) throws(JSONError) {
    try json.object { (key, json) throws(JSONError) in
      switch key {
      case "version": version = Int(clamping: try json.numberIfAny() ?? 0)
      case "store" where json.isAtObject():
        try json.object { (_, json) throws(JSONError) in try readRecord(&json) }
      case "pages" where json.isAtObject():
        try json.object { (key, json) throws(JSONError) in
          guard json.isAtObject() else { return try json.skip() }
          try readFirstPage(key, &json)
        }
      default: try json.skip()
      }
    }
  }

  private mutating func readFirstPage(
    _ id: String, _ json: inout JSONReader
  ) throws(JSONError) {
    var page = Page(id: id)
    // If its text is truncated, a page has the shapes before that.
    defer { if page.offset >= 0 { pages.append(page) } }
    try json.object { (key, json) throws(JSONError) in
      switch key {
      case "name": page.name = try json.stringIfAny()
      case "childIndex": page.number = try json.numberIfAny() ?? 0
      case "shapes" where json.isAtObject():
        page.offset = json.offset
        try json.skip()
      default: try json.skip()
      }
    }
  }

  private mutating func readRecord(_ json: inout JSONReader) throws(JSONError) {
    guard json.isAtObject() else { return try json.skip() }
    var shape = Shape()
    var (type, name) = ("", "")
    try json.object { (key, json) throws(JSONError) in
      switch key {
      case "typeName": type = try json.stringIfAny()
      case "id": shape.id = try json.stringIfAny()
      case "name": name = try json.stringIfAny()
      case "parentId": shape.parent = try json.stringIfAny()
      case "index": shape.order = try json.stringIfAny()
      case "type": shape.kind = TldrawKind(rawValue: try json.stringIfAny()) ?? .other
      case "x": shape.location.x = try json.numberIfAny() ?? 0
      case "y": shape.location.y = try json.numberIfAny() ?? 0
      case "rotation": shape.rotation = try json.numberIfAny() ?? 0
      case "opacity": shape.opacity = try json.numberIfAny() ?? 1
      case "props":
        shape.offset = json.offset
        try json.skip()
      default: try json.skip()
      }
    }
    if type == "page" { pages.append(Page(id: shape.id, name: name, order: shape.order)) }
    if type == "shape", shape.offset >= 0 { shapes.append(shape) }
  }
}
