import CMath
import Graphics
import JSON
import Strokes

/// The outline of a shape of Rnote as points. Shapes of unknown kinds have none.
struct RnoteShape {
  private(set) var points: [PKStrokePoint] = []
  private(set) var shape = ForeignStroke.Shape.polygon

  /// The fields of all kinds of shapes. Each kind uses some of them.
  private struct Fields {
    var start, end: Point?
    var controls = (Point.zero, Point.zero)
    var controlCount = 0
    var path: [Point] = []
    /// Half the size of a box, or the radii of an ellipse.
    var extent: Point?
    var transform = AffineTransform.identity
  }

  /// Reads the fields of a shape of a kind.
  init(_ kind: String, _ json: inout JSONReader) throws(JSONError) {
    var fields = Fields()
    guard json.isAtObject() else {
      try json.skip()
      return
    }
    try Self.read(&fields, &json)
    let corners: [Point]
    switch kind {
    case "line": corners = [fields.start, fields.end].compactMap { $0 }
    case "arrow": corners = Self.arrow(from: fields.start, to: fields.end)
    case "rectangle": corners = fields.extent.map { Self.box($0, fields.transform) } ?? []
    case "ellipse":
      corners = fields.extent.map { Self.ellipse($0, fields.transform) } ?? []
      shape = .samples
    case "quadbez", "cubbez":
      corners = Self.curve(fields)
      shape = .samples
    case "polyline": corners = [fields.start].compactMap { $0 } + fields.path
    case "polygon":
      let first = [fields.start].compactMap { $0 }
      corners = first + fields.path + first
    default: corners = []
    }
    points = corners.map { PKStrokePoint(x: $0.x, y: $0.y, width: 0) }
  }

  private static func read(_ fields: inout Fields, _ json: inout JSONReader) throws(JSONError) {
    try json.object { (key, json) throws(JSONError) in
      switch key {
      case "start": fields.start = try json.place()
      case "end", "tip": fields.end = try json.place()
      case "cp", "cp1":
        fields.controls.0 = try json.place()
        fields.controlCount = max(fields.controlCount, 1)
      case "cp2":
        fields.controls.1 = try json.place()
        fields.controlCount = 2
      case "path" where json.isAtList():
        try json.list { (json) throws(JSONError) in fields.path.append(try json.place()) }
      case "half_extents", "radii": fields.extent = try json.place()
      case "cuboid" where json.isAtObject(), "transform" where json.isAtObject():
        try read(&fields, &json)
      case "affine" where json.isAtList(): fields.transform = try readTransform(&json)
      default: try json.skip()
      }
    }
  }

  /// Nine numbers are a matrix by columns. Newer versions leave out the last row, which is 0, 0, 1.
  private static func readTransform(_ json: inout JSONReader) throws(JSONError) -> AffineTransform {
    let start = json.offset
    let values = try json.numbers()
    switch values.count {
    case 9:
      return AffineTransform(
        a: values[0], b: values[1], c: values[3], d: values[4], tx: values[6], ty: values[7])
    case 6:
      return AffineTransform(
        a: values[0], b: values[1], c: values[2], d: values[3], tx: values[4], ty: values[5])
    default: throw JSONError(reason: "six or nine numbers are expected", offset: start)
    }
  }

  // MARK: - Outlines

  private static func box(_ half: Point, _ transform: AffineTransform) -> [Point] {
    [(-1.0, -1.0), (1, -1), (1, 1), (-1, 1), (-1, -1)].map { x, y in
      Point(x: x * half.x, y: y * half.y).applying(transform)
    }
  }

  private static func ellipse(_ radii: Point, _ transform: AffineTransform) -> [Point] {
    (0...64).map { index in
      let angle = Double(index) / 32 * .pi
      return Point(x: radii.x * mathCosine(angle), y: radii.y * mathSine(angle))
        .applying(transform)
    }
  }

  private static func curve(_ fields: Fields) -> [Point] {
    guard let start = fields.start, let end = fields.end, fields.controlCount > 0 else { return [] }
    let curve = RnoteCurve(start, fields.controls, fields.controlCount, end)
    return (0...32).map { curve.location(at: Double($0) / 32) }
  }

  /// A line with the two sides of its tip, in one stroke.
  private static func arrow(from start: Point?, to tip: Point?) -> [Point] {
    guard let start, let tip else { return [] }
    let length = start.distance(to: tip)
    guard length > 0, length.isFinite else { return [start, tip] }
    // Sides of 10 to 20 pixels, at 36° to the line.
    let back = (start - tip) / length * min(max(length / 8, 10), 20)
    func side(_ angle: Double) -> Point {
      tip + back.applyingLinearPart(of: AffineTransform(rotation: angle))
    }
    return [start, tip, side(0.63), tip, side(-0.63)]
  }
}
