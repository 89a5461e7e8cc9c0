import InkFiles
import Compression
import Graphics
import JSON
import Strokes

/// Reads Rnote's documents: JSON in gzip, of the versions 0.5 to 0.15.
enum RnoteImporter: InkImporter {
  /// The keys of a document's content, the newer one first.
  fileprivate static let snapshotKeys = ["engine_snapshot", "store_snapshot"]

  static func recognizes(_ start: FileStart) -> Bool {
    guard !start.unpacked.isEmpty, start.keys["data"] != nil else { return false }
    var json = JSONReader(start.unpacked)
    var isKnown = false
    do throws(JSONError) {
      try json.object { (key, json) throws(JSONError) in
        guard key == "data", json.isAtObject() else { return try json.skip() }
        try json.object { (key, json) throws(JSONError) in
          if snapshotKeys.contains(key) { isKnown = true }
          try json.skip()
        }
      }
    } catch {}
    return isKnown
  }

  static func read(_ bytes: [UInt8], _ options: ImportOptions) throws(ImportError) -> ImportedInk {
    var failure: ImportError?
    let text: [UInt8]
    let limit = options.decompressedLimit(of: bytes.count)
    do throws(InflateError) {
      text = try Inflate.inflate(bytes, limit: limit)
    } catch {
      failure = ImportError(.compression("\(error.reason)"), at: error.offset)
      if case .tooLarge = error.reason { throw failure ?? ImportError(.truncated, at: 0) }
      text = Inflate.prefix(of: bytes, count: limit)
    }
    let document = RnoteDocument(text)
    failure = failure ?? document.failure
    guard document.isKnown else {
      throw failure ?? ImportError(.missing("a snapshot of a document"), at: 0)
    }
    var page = PageBuilder(unit: 72 / document.dpi, fileBytes: bytes.count, options)
    if let failure { page.add(failure) }
    if document.hasEdges { page.origin = -document.origin }
    let reader = JSONReader(text)
    do throws(JSONError) {
      for (layer, offset) in document.paintOrder() {
        var json = reader.value(at: offset)
        try page.addStroke(of: &json) { (json, page) throws(JSONError) in
          try RnoteStroke(&json).foreignStroke(layer, &page.notes)
        }
      }
    } catch {
      page.add(ImportError(error))
    }
    if document.paper != nil {
      page.notes.add("the lines of the paper have other distances")
    }
    var size: Size?
    if document.hasEdges {
      size = Size(
        width: document.size.width * page.unit, height: document.size.height * page.unit)
    }
    return ImportedInk(
      [page.page(size: size, background: document.background, paper: document.paper)],
      version: document.version)
  }
}

/// The layers of a document, from the bottom to the top.
enum RnoteLayer: Comparable {
  case document, image, highlighter
  case user(Double)

  /// Reads the name of a layer; names had capitals in older versions.
  init(_ json: inout JSONReader) throws(JSONError) {
    var layer = RnoteLayer.user(0)
    if json.isAtObject() {
      try json.object { (_, json) throws(JSONError) in
        if let number = try json.numberIfAny() { layer = .user(number) }
      }
    } else {
      switch try json.stringIfAny() {
      case "document", "Document": layer = .document
      case "image", "Image": layer = .image
      case "highlighter", "Highlighter": layer = .highlighter
      default: break
      }
    }
    self = layer
  }
}

/// The parts of a document, without its strokes.
private struct RnoteDocument {
  /// The second number of the version: 15 for 0.15.
  private(set) var version = 0
  private(set) var dpi = 96.0
  private(set) var origin = Point(x: 0, y: 0)
  private(set) var size = Size(width: 0, height: 0)
  private(set) var background: Color?
  /// The name of our paper that resembles the document's pattern; nil for none.
  private(set) var paper: String?
  /// Whether the file contains the parts of a document.
  private(set) var isKnown = false
  /// The reason why a part of the file could not be read.
  private(set) var failure: ImportError?
  private var layout = ""
  /// The offsets of strokes in the text, by their slots.
  private var strokes: [(slot: Int, offset: Int)] = []
  /// The times at which strokes were drawn or moved to the front, by their slots.
  private var times: [(layer: RnoteLayer, time: Double)] = []

  init(_ text: [UInt8]) {
    var json = JSONReader(text)
    do throws(JSONError) {
      try json.object { (key, json) throws(JSONError) in
        switch key {
        case "version": version = Self.version(try json.stringIfAny())
        case "data" where json.isAtObject(): try readSnapshot(&json)
        default: try json.skip()
        }
      }
    } catch {
      failure = ImportError(error)
    }
  }

  /// Whether the document has edges, so that it is a sheet.
  var hasEdges: Bool {
    !layout.hasSuffix("infinite") && size.width > 0 && size.height > 0
      && origin.isFinite
  }

  /// The strokes in the order in which they are painted.
  func paintOrder() -> [(layer: RnoteLayer, offset: Int)] {
    let ordered = strokes.map { slot, offset in
      // A stroke with an unknown time is painted last.
      let known = times.indices.contains(slot) ? times[slot] : (.user(0), .infinity)
      return (layer: known.layer, time: known.time, slot: slot, offset: offset)
    }
    return
      ordered.sorted { ($0.layer, $0.time, $0.slot) < ($1.layer, $1.time, $1.slot) }
      .map { ($0.layer, $0.offset) }
  }

  private static func version(_ text: String) -> Int {
    let parts = text.split(separator: ".")
    return parts.count > 1 ? Int(parts[1]) ?? 0 : 0
  }

  // MARK: - Reading

  private mutating func readSnapshot(_ json: inout JSONReader) throws(JSONError) {
    try json.object { (key, json) throws(JSONError) in
      switch key {
      case "engine_snapshot" where json.isAtObject(), "store_snapshot" where json.isAtObject():
        isKnown = true
        try readSnapshot(&json)
      case "document" where json.isAtObject(): try readDocument(&json)
      case "stroke_components" where json.isAtList(): try readStrokes(&json)
      case "chrono_components" where json.isAtList(): try readTimes(&json)
      default: try json.skip()
      }
    }
  }

  private mutating func readStrokes(_ json: inout JSONReader) throws(JSONError) {
    var slot = 0
    try json.list { (json) throws(JSONError) in
      defer { slot += 1 }
      guard json.isAtObject() else { return try json.skip() }
      try json.object { (key, json) throws(JSONError) in
        if key == "value", json.isAtObject() { strokes.append((slot, json.offset)) }
        try json.skip()
      }
    }
  }

  private mutating func readTimes(_ json: inout JSONReader) throws(JSONError) {
    try json.list { (json) throws(JSONError) in
      var (layer, time) = (RnoteLayer.user(0), Double.infinity)
      _ = try json.attempt { (json) throws(JSONError) in
        try json.object { (key, json) throws(JSONError) in
          guard key == "value", json.isAtObject() else { return try json.skip() }
          try json.object { (key, json) throws(JSONError) in
            switch key {
            case "t": time = try json.numberIfAny() ?? .infinity
            case "layer": layer = try RnoteLayer(&json)
            default: try json.skip()
            }
          }
        }
      }
      times.append((layer, time))
    }
  }

  private mutating func readDocument(_ json: inout JSONReader) throws(JSONError) {
    try json.object { (key, json) throws(JSONError) in
      switch key {
      // Newer versions store the document's settings in one object.
      case "config" where json.isAtObject(): try readDocument(&json)
      case "x": origin.x = try json.numberIfAny() ?? 0
      case "y": origin.y = try json.numberIfAny() ?? 0
      case "width": size.width = try json.numberIfAny() ?? 0
      case "height": size.height = try json.numberIfAny() ?? 0
      case "layout": layout = try json.stringIfAny()
      case "format" where json.isAtObject():
        try json.object { (key, json) throws(JSONError) in
          guard key == "dpi" else { return try json.skip() }
          let value = try json.numberIfAny() ?? 96
          if (1...10_000).contains(value) { dpi = value }
        }
      case "background" where json.isAtObject():
        try json.object { (key, json) throws(JSONError) in
          switch key {
          case "color": background = try json.rnoteColor()
          case "pattern": paper = Self.papers[try json.stringIfAny()]
          default: try json.skip()
          }
        }
      default: try json.skip()
      }
    }
  }

  private static let papers = [
    "lines": "lined", "grid": "grid", "dots": "dotted", "isometric_grid": "isometric",
    "isometric_dots": "isometric",
  ]
}

extension JSONReader {
  /// A colour as Rnote writes it; nil if there is none.
  mutating func rnoteColor() throws(JSONError) -> Color? {
    guard isAtObject() else {
      try skip()
      return nil
    }
    var color = Color.black
    try object { (key, json) throws(JSONError) in
      let value = try json.numberIfAny() ?? 0
      switch key {
      case "r": color.red = value
      case "g": color.green = value
      case "b": color.blue = value
      case "a": color.alpha = value
      default: break
      }
    }
    return color.clamped
  }
}
