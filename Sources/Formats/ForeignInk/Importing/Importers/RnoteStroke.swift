import InkFiles
import CMath
import Graphics
import JSON
import Strokes

/// A stroke of Rnote: ink, a shape, or anything else.
struct RnoteStroke {
  private var kind = ""
  /// The points of ink, with their pressures as forces; the corners or samples of shapes.
  private var points: [PKStrokePoint] = []
  private var shape = ForeignStroke.Shape.samples
  private var isArrow = false
  private var style = RnoteStyle()

  /// Reads the value of a stroke: an object with one key, its kind.
  init(_ json: inout JSONReader) throws(JSONError) {
    try json.object { (key, json) throws(JSONError) in
      kind = key
      guard key == "brushstroke" || key == "shapestroke" else { return try json.skip() }
      try json.object { (key, json) throws(JSONError) in
        switch key {
        case "path": try readPath(&json)
        case "shape" where json.isAtObject():
          try json.object { (key, json) throws(JSONError) in
            let outline = try RnoteShape(key, &json)
            (points, shape) = (outline.points, outline.shape)
          }
        case "style" where json.isAtObject(): style = try RnoteStyle(&json)
        default: try json.skip()
        }
      }
    }
  }

  /// The stroke as it is drawn, if it is one.
  consuming func foreignStroke(
    _ layer: RnoteLayer, _ notes: inout ImportNotes
  ) -> ForeignStroke? {
    switch kind {
    case "brushstroke", "shapestroke": break
    case "textstroke": notes.add("texts are left out")
    case "vectorimage", "bitmapimage": notes.add("pictures are left out")
    default: notes.add("strokes of unknown kinds are left out")
    }
    guard kind.hasSuffix("stroke"), kind != "textstroke" else { return nil }
    let isShape = kind == "shapestroke"
    if isShape {
      if points.isEmpty {
        notes.add("shapes of unknown kinds are left out")
        return nil
      }
      if style.isFilled { notes.add("fills of shapes are left out") }
    }
    style.addNotes(&notes)
    for index in points.indices {
      let pressure = points[index].force
      points[index].setWidth(isShape ? style.width : style.width(at: pressure))
      points[index].force = isShape ? 1 : 2 * pressure
    }
    let isEven = isShape || style.curve == .constant
    // Rnote's highlighter is opaque and below all other ink.
    var brush: ForeignBrush = layer == .highlighter ? .marker : isEven ? .evenPen : .pen
    if style.isTextured { brush = .crayon }
    var stroke = ForeignStroke(ink: brush.ink(style.color ?? .clear))
    stroke.isVisible = (style.color?.alpha ?? 0) > 0
    (stroke.points, stroke.shape, stroke.isShape) = (points, shape, isShape)
    return stroke
  }

  // MARK: - Paths

  private mutating func readPath(_ json: inout JSONReader) throws(JSONError) {
    // Older versions have only the segments.
    if json.isAtList() { return try readSegments(&json) }
    try json.object { (key, json) throws(JSONError) in
      switch key {
      case "start" where json.isAtObject():
        let start = try readElement(&json)
        points.insert(start, at: 0)
      case "segments" where json.isAtList(): try readSegments(&json)
      default: try json.skip()
      }
    }
  }

  private mutating func readSegments(_ json: inout JSONReader) throws(JSONError) {
    try json.list { (json) throws(JSONError) in
      // An object with one key, the kind of the segment. The fields also show the kind.
      try json.object { (_, json) throws(JSONError) in
        guard json.isAtObject() else { return try json.skip() }
        var (controls, controlCount) = ((Point.zero, Point.zero), 0)
        try json.object { (key, json) throws(JSONError) in
          switch key {
          case "start" where json.isAtObject():
            // The segments of older paths state where they start, which is where the one before
            // ends.
            let start = try readElement(&json)
            if points.isEmpty { points.append(start) }
          case "end" where json.isAtObject(), "element" where json.isAtObject():
            let end = try readElement(&json)
            add(end, controls, controlCount)
          case "cp", "cp1":
            controls.0 = try json.place()
            controlCount = max(controlCount, 1)
          case "cp2":
            controls.1 = try json.place()
            controlCount = 2
          default: try json.skip()
          }
        }
      }
    }
  }

  /// Adds a point, with points of the curve before it.
  private mutating func add(_ end: PKStrokePoint, _ controls: (Point, Point), _ count: Int) {
    defer { points.append(end) }
    guard count > 0, let start = points.last else { return }
    let curve = RnoteCurve(start.location, controls, count, end.location)
    for part in 1..<8 {
      let t = Double(part) / 8
      var point = start
      point.location = curve.location(at: t)
      point.force += (end.force - start.force) * t
      points.append(point)
    }
  }

  private func readElement(_ json: inout JSONReader) throws(JSONError) -> PKStrokePoint {
    let start = json.offset
    var place: Point?
    var pressure = 0.5
    try json.object { (key, json) throws(JSONError) in
      switch key {
      case "pos": place = try json.place()
      case "pressure": pressure = min(max(try json.numberIfAny() ?? 0.5, 0), 1)
      default: try json.skip()
      }
    }
    guard let place else { throw JSONError(reason: "a place is expected", offset: start) }
    return PKStrokePoint(x: place.x, y: place.y, width: 0, force: pressure)
  }
}

/// A Bézier curve with one or two control points.
struct RnoteCurve {
  private let start, first, second, end: Point

  init(_ start: Point, _ controls: (Point, Point), _ count: Int, _ end: Point) {
    (self.start, self.end) = (start, end)
    if count > 1 {
      (first, second) = controls
    } else {
      // The same curve with two control points.
      first = start + (controls.0 - start) * (2.0 / 3)
      second = end + (controls.0 - end) * (2.0 / 3)
    }
  }

  func location(at t: Double) -> Point {
    let u = 1 - t
    return start * (u * u * u) + first * (3 * u * u * t) + second * (3 * u * t * t)
      + end * (t * t * t)
  }
}

/// How a stroke of Rnote is drawn.
struct RnoteStyle {
  private(set) var color: Color?
  private(set) var width = 1.0
  private(set) var curve = Curve.linear
  private(set) var isTextured = false
  private(set) var isFilled = false
  private var isRough = false
  private var isDashed = false

  /// How the width follows from the pressure.
  enum Curve: String {
    case constant = "const"
    case linear
    case squareRoot = "sqrt"
    case cubeRoot = "cbrt"
    case square = "pow2"
    case cube = "pow3"
  }

  init() {}

  /// Reads an object with one key, the kind of the style.
  init(_ json: inout JSONReader) throws(JSONError) {
    try json.object { (key, json) throws(JSONError) in
      isTextured = key == "textured"
      isRough = key == "rough"
      guard json.isAtObject() else { return try json.skip() }
      try json.object { (key, json) throws(JSONError) in
        switch key {
        case "stroke_width": width = min(max(try json.numberIfAny() ?? 1, 0), 10_000)
        case "stroke_color": color = try json.rnoteColor()
        case "fill_color": isFilled = (try json.rnoteColor()?.alpha ?? 0) > 0
        case "pressure_curve": curve = Curve(rawValue: try json.stringIfAny()) ?? .linear
        case "line_style": isDashed = try json.stringIfAny() != "solid"
        default: try json.skip()
        }
      }
    }
  }

  /// The drawn width at a pressure from 0 to 1.
  func width(at pressure: Double) -> Double {
    switch curve {
    case .constant: width
    case .linear: width * pressure
    case .squareRoot: width * pressure.squareRoot()
    case .cubeRoot: width * mathCubeRoot(pressure)
    case .square: width * pressure * pressure
    case .cube: width * pressure * pressure * pressure
    }
  }

  func addNotes(_ notes: inout ImportNotes) {
    if isTextured { notes.add("textured strokes are drawn with a crayon") }
    if isRough { notes.add("rough lines are drawn smooth") }
    if isDashed { notes.add("dashed lines are drawn whole") }
  }
}
