import InkFiles
import Graphics
import JSON
import Strokes

/// Reads documents and libraries of Excalidraw. Only hand-drawn elements are ink.
enum ExcalidrawImporter: InkImporter {
  static func recognizes(_ start: FileStart) -> Bool {
    ["excalidraw", "excalidrawlib", "excalidraw/clipboard"].contains(start.keys["type"] ?? "")
  }

  static func read(_ bytes: [UInt8], _ options: ImportOptions) throws(ImportError) -> ImportedInk {
    let index = ExcalidrawIndex(bytes)
    guard !index.pages.isEmpty else {
      throw index.failure ?? ImportError(.missing("a list of elements"), at: 0)
    }
    let reader = JSONReader(bytes)
    return ImportedInk(
      pageCount: index.pages.count, version: index.version, notes: index.notes
    ) { number in
      let found = index.pages[number]
      var page = PageBuilder(unit: 72.0 / 96, page: number, fileBytes: bytes.count, options)
      var json = reader.value(at: found.offset)
      page.addStrokes(of: &json) { (json, page) throws(JSONError) in
        let element = try ExcalidrawElement(&json)
        return element.stroke(&page.notes)
      }
      // Decoding a page again finds the damage inside it, but not the damage after it.
      if number == index.pages.count - 1, page.damage.isEmpty, let failure = index.failure {
        page.add(failure)
      }
      return page.page(name: found.name, background: index.background)
    }
  }
}

/// The positions of the lists of elements in a file.
private struct ExcalidrawIndex {
  var pages: [JSONPage] = []
  var version = 0
  var background: Color?
  var notes = ImportNotes()
  /// The reason why a part of the file could not be read.
  var failure: ImportError?
  private var emptyItems: [JSONPage] = []

  init(_ bytes: [UInt8]) {
    var json = JSONReader(bytes)
    do throws(JSONError) {
      try json.object { (key, json) throws(JSONError) in
        switch key {
        case "version": version = Int(clamping: try json.numberIfAny() ?? 0)
        case "elements" where json.isAtList():
          pages.append(JSONPage(offset: json.offset))
          try json.skip()
        case "appState" where json.isAtObject():
          try json.object { (key, json) throws(JSONError) in
            if key == "viewBackgroundColor" {
              background = Color(web: try json.stringIfAny())
            } else {
              try json.skip()
            }
          }
        case "library", "libraryItems":
          guard json.isAtList() else { return try json.skip() }
          try json.list { (json) throws(JSONError) in try readItem(&json) }
        default: try json.skip()
        }
      }
    } catch {
      failure = ImportError(error)
    }
    if pages.isEmpty {
      // A library without ink is shown as one empty page.
      pages = Array(emptyItems.prefix(1))
    } else if !emptyItems.isEmpty {
      notes.add("items of the library without ink are left out", count: emptyItems.count)
    }
  }

  /// An item of a library: a list of elements, or an object with one.
  private mutating func readItem(_ json: inout JSONReader) throws(JSONError) {
    var item = JSONPage(offset: -1)
    var hasInk = false
    defer {
      if item.offset >= 0 {
        if hasInk { pages.append(item) } else { emptyItems.append(item) }
      }
    }
    if json.isAtList() {
      item.offset = json.offset
      return try readKinds(&json, &hasInk)
    }
    guard json.isAtObject() else { return try json.skip() }
    try json.object { (key, json) throws(JSONError) in
      switch key {
      case "name": item.name = try json.stringIfAny()
      case "elements" where json.isAtList():
        item.offset = json.offset
        try readKinds(&json, &hasInk)
      default: try json.skip()
      }
    }
  }

  private func readKinds(_ json: inout JSONReader, _ hasInk: inout Bool) throws(JSONError) {
    try json.list { (json) throws(JSONError) in
      guard json.isAtObject() else { return try json.skip() }
      try json.object { (key, json) throws(JSONError) in
        if key == "type" {
          if ExcalidrawElement.inkKinds.contains(try json.stringIfAny()) { hasInk = true }
        } else {
          try json.skip()
        }
      }
    }
  }
}

/// An element of a drawing.
private struct ExcalidrawElement {
  /// The kinds of hand-drawn elements; `draw` is the older one.
  static let inkKinds = ["freedraw", "draw"]

  private var kind = ""
  private var origin = Point(x: 0, y: 0)
  private var angle = 0.0
  private var color = "#000000"
  private var fill = "transparent"
  private var strokeWidth = 1.0
  private var opacity = 100.0
  private var isDeleted = false
  private var simulatesPressure: Bool?
  private var hasOneWidth = false
  private var streamline = 0.5
  private var points: [PKStrokePoint] = []
  private var pressures: [Double] = []

  private var isInk: Bool { Self.inkKinds.contains(kind) }

  init(_ json: inout JSONReader) throws(JSONError) {
    try json.object { (key, json) throws(JSONError) in
      // The fields of other elements are not checked.
      if !kind.isEmpty, !isInk { return try json.skip() }
      switch key {
      case "type": kind = try json.stringIfAny()
      case "x": origin.x = try json.numberOrNull()
      case "y": origin.y = try json.numberOrNull()
      case "angle": angle = try json.numberIfAny() ?? 0
      case "strokeColor": color = try json.stringIfAny()
      case "backgroundColor": fill = try json.stringIfAny()
      case "strokeWidth": strokeWidth = try json.numberIfAny() ?? 1
      case "opacity": opacity = try json.numberIfAny() ?? 100
      case "isDeleted": isDeleted = try json.truthIfAny()
      case "simulatePressure": simulatesPressure = try json.truthIfAny()
      case "strokeOptions" where json.isAtObject(): try readOptions(&json)
      case "pressures" where json.isAtList():
        try json.list { (json) throws(JSONError) in pressures.append(try json.numberOrNull()) }
      case "points" where json.isAtList():
        try json.list { (json) throws(JSONError) in
          let place = try json.place()
          points.append(PKStrokePoint(x: place.x, y: place.y, width: 0, force: .nan))
        }
      default: try json.skip()
      }
    }
  }

  private mutating func readOptions(_ json: inout JSONReader) throws(JSONError) {
    try json.object { (key, json) throws(JSONError) in
      switch key {
      case "variability": hasOneWidth = try json.stringIfAny() == "constant"
      case "streamline": streamline = min(max(try json.numberIfAny() ?? 0.5, 0), 1)
      default: try json.skip()
      }
    }
  }

  /// The stroke, if this is one.
  consuming func stroke(_ notes: inout ImportNotes) -> ForeignStroke? {
    guard isInk else {
      notes.add("elements that are no ink are left out: \(Self.otherKinds[kind] ?? "others")")
      return nil
    }
    var ink = Color(web: color)
    if ink == nil {
      notes.add("colours that are unknown are black")
      ink = .black
    }
    if fill != "transparent", !fill.isEmpty, isClosed {
      notes.add("fills of closed strokes are left out")
    }
    let alpha = (ink?.alpha ?? 1) * min(max(opacity / 100, 0), 1)
    let isEven = hasOneWidth || kind == "draw"
    let brush: ForeignBrush = isEven ? .evenPen : .pen
    var stroke = ForeignStroke(ink: brush.ink((ink ?? .black).withAlpha(alpha)))
    stroke.isVisible = !isDeleted && alpha > 0
    setWidths(isEven)
    for index in points.indices { points[index].location += origin }
    if angle != 0 { stroke.transform = .rotation(by: angle, aroundMiddleOf: points) }
    stroke.points = points
    return stroke
  }

  private mutating func setWidths(_ isEven: Bool) {
    let width = min(max(strokeWidth, 0.01), 1_000)
    if isEven {
      // The outline extends 1.4 stroke widths to each side. Older lines have exactly their width.
      let diameter = kind == "draw" ? width : 2.8 * width
      for index in points.indices {
        points[index].setWidth(diameter)
        points[index].force = 1
      }
      return
    }
    for (index, pressure) in zip(points.indices, pressures) { points[index].force = pressure }
    FreehandPen(
      size: 4.25 * width, thinning: 0.6, streamline: streamline, easing: .sine,
      simulatesPressure: simulatesPressure ?? pressures.isEmpty
    ).draw(&points)
  }

  /// Whether the stroke ends near its start. Excalidraw fills such strokes.
  private var isClosed: Bool {
    guard points.count > 2, let first = points.first, let last = points.last else { return false }
    return first.location.distance(to: last.location) <= 8
  }

  private static let otherKinds = [
    "rectangle": "rectangles", "diamond": "diamonds", "ellipse": "ellipses", "arrow": "arrows",
    "line": "lines", "text": "texts", "image": "pictures", "frame": "frames",
    "magicframe": "frames", "embeddable": "web pages", "iframe": "web pages",
  ]
}
