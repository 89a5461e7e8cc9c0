import InkFiles
import Graphics
import JSON
import Strokes

/// Reads a page of a document of tldraw's first version: an object with shapes.
struct TldrawFirstPage {
  private struct Shape {
    var id = ""
    var kind = ""
    var parent = ""
    var order = 0.0
    var stroke: ForeignStroke?
  }

  private var shapes: [Shape] = []
  private var members: [String: [Int]] = [:]
  private var visited: Set<String> = []

  /// Adds the strokes of a page's shapes.
  @discardableResult
  init(_ json: JSONReader, _ page: inout PageBuilder) {
    var json = json
    do throws(JSONError) {
      try json.object { (key, json) throws(JSONError) in
        var shape: Shape?
        let error = try json.attempt { (json) throws(JSONError) in
          shape = try Self.readShape(key, &json, &page.notes)
        }
        if let shape { shapes.append(shape) }
        if let error { page.add(ImportError(error)) }
      }
    } catch {
      page.add(ImportError(error))
    }
    let ids = Set(shapes.map(\.id))
    for index in shapes.indices {
      // Shapes without a group belong to the page, which is not a shape.
      let parent = ids.contains(shapes[index].parent) ? shapes[index].parent : ""
      members[parent, default: []].append(index)
    }
    let orders = shapes.map(\.order)
    for parent in members.keys {
      members[parent]?.sort { (orders[$0], $0) < (orders[$1], $1) }
    }
    do throws(ImportError) {
      try addMembers(of: "", to: &page, depth: 0)
    } catch {
      page.add(error)
    }
  }

  private mutating func addMembers(
    of parent: String, to page: inout PageBuilder, depth: Int
  ) throws(ImportError) {
    guard depth < 64, visited.insert(parent).inserted else { return }
    for index in members[parent] ?? [] {
      if let stroke = shapes[index].stroke {
        try page.add(stroke)
      } else if shapes[index].kind != "group" {
        page.notes.add(
          "shapes that are no ink are left out: \(Self.otherKinds[shapes[index].kind] ?? "others")")
      }
      try addMembers(of: shapes[index].id, to: &page, depth: depth + 1)
    }
  }

  private static let otherKinds = [
    "rectangle": "rectangles", "ellipse": "ellipses", "triangle": "triangles", "line": "lines",
    "arrow": "arrows", "text": "texts", "sticky": "notes", "image": "pictures",
    "video": "pictures",
  ]

  // MARK: - Shapes

  private static func readShape(
    _ id: String, _ json: inout JSONReader, _ notes: inout ImportNotes
  ) throws(JSONError) -> Shape {
    var shape = Shape(id: id)
    var drawing = TldrawFirstDrawing()
    var isHidden = false
    try json.object { (key, json) throws(JSONError) in
      switch key {
      case "type": shape.kind = try json.stringIfAny()
      case "parentId": shape.parent = try json.stringIfAny()
      case "childIndex": shape.order = try json.numberIfAny() ?? 0
      case "isGhost": isHidden = try json.truthIfAny()
      case "points" where json.isAtList() && (shape.kind.isEmpty || shape.kind == "draw"):
        try json.list { (json) throws(JSONError) in
          let (values, count) = try json.coordinates()
          guard count >= 2 else { throw json.error("x and y are expected") }
          drawing.points.append(
            PKStrokePoint(
              x: values[0], y: values[1], width: 0, force: count > 2 ? values[2] : 0.5))
        }
      case "point" where json.isAtList(): drawing.origin = try json.place()
      case "rotation": drawing.rotation = try json.numberIfAny() ?? 0
      case "style" where json.isAtObject(): try drawing.readStyle(&json)
      default: try json.skip()
      }
    }
    if shape.kind == "draw" {
      shape.stroke = drawing.stroke(&notes)
      shape.stroke?.isVisible = !isHidden
    }
    return shape
  }
}

/// A shape that was drawn by hand.
private struct TldrawFirstDrawing {
  var points: [PKStrokePoint] = []
  var origin = Point.zero
  var rotation = 0.0
  private var color = "black"
  private var size = "small"
  private var dash = "draw"
  private var isFilled = false

  init() {}

  mutating func readStyle(_ json: inout JSONReader) throws(JSONError) {
    try json.object { (key, json) throws(JSONError) in
      switch key {
      case "color": color = try json.stringIfAny()
      case "size": size = try json.stringIfAny()
      case "dash": dash = try json.stringIfAny()
      case "isFilled": isFilled = try json.truthIfAny()
      default: try json.skip()
      }
    }
  }

  consuming func stroke(_ notes: inout ImportNotes) -> ForeignStroke {
    let width = TldrawLook.firstWidths[size] ?? 2
    var brush = ForeignBrush.pen
    if dash == "draw" {
      // The second point shows whether the device has a sensor.
      let simulates = points.count < 2 || points[1].force == 0.5
      FreehandPen(
        size: 1 + 1.5 * width, thinning: 0.65, streamline: 0.65,
        easing: simulates ? .linear : .square, simulatesPressure: simulates
      ).draw(&points)
    } else {
      if dash != "solid" { notes.add("dashed lines are drawn whole") }
      FreehandPen(size: width, thinning: 0, simulatesPressure: true).draw(&points)
      brush = .evenPen
    }
    if isFilled { notes.add("fills are left out") }
    var stroke = ForeignStroke(ink: brush.ink(TldrawLook.firstColors[color] ?? .black))
    for index in points.indices { points[index].location += origin }
    if rotation != 0 { stroke.transform = .rotation(by: rotation, aroundMiddleOf: points) }
    stroke.points = points
    return stroke
  }
}
