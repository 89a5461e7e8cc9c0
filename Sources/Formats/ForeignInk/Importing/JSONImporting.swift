import InkFiles
import Graphics
import JSON
import Strokes

extension ImportError {
  /// An error of a JSON text.
  init(_ error: JSONError) { self.init(.syntax(error.reason), at: error.offset) }
}

extension JSONReader {
  /// A number. `null` is NaN: other programs write it for numbers that JSON does not have.
  mutating func numberOrNull() throws(JSONError) -> Double {
    try skipNull() ? .nan : try number()
  }

  /// The first four numbers of a list, and how many it has.
  mutating func coordinates() throws(JSONError) -> (values: SIMD4<Double>, count: Int) {
    var (values, count) = (SIMD4<Double>(), 0)
    try list { (json) throws(JSONError) in
      let value = try json.numberOrNull()
      if count < 4 { values[count] = value }
      count += 1
    }
    return (values, count)
  }

  /// A list of x and y; further numbers are not read.
  mutating func place() throws(JSONError) -> Point {
    let start = offset
    let (values, count) = try coordinates()
    guard count >= 2 else { throw JSONError(reason: "x and y are expected", offset: start) }
    return Point(x: values[0], y: values[1])
  }

  /// A text; empty for a value of another kind.
  mutating func stringIfAny() throws(JSONError) -> String {
    if peek() == UInt8(ascii: "\"") { return try string() }
    try skip()
    return ""
  }

  /// Whether the value is `true`.
  mutating func truthIfAny() throws(JSONError) -> Bool {
    if peek() == UInt8(ascii: "t") { return try truth() }
    try skip()
    return false
  }

  /// A number; nil for a value of another kind.
  mutating func numberIfAny() throws(JSONError) -> Double? {
    let next = peek()
    if next == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next) {
      return try number()
    }
    try skip()
    return nil
  }

  /// Whether the next value is a list.
  mutating func isAtList() -> Bool { peek() == UInt8(ascii: "[") }

  /// Whether the next value is an object.
  mutating func isAtObject() -> Bool { peek() == UInt8(ascii: "{") }
}

extension PageBuilder {
  /// Adds the stroke that a value describes, if any. A damaged value loses only itself. A truncated
  /// text and too many strokes are errors.
  mutating func addStroke(
    of json: inout JSONReader,
    _ read: (inout JSONReader, inout PageBuilder) throws(JSONError) -> ForeignStroke?
  ) throws(JSONError) {
    let start = json.offset
    var stroke: ForeignStroke?
    let error = try json.attempt { (json) throws(JSONError) in stroke = try read(&json, &self) }
    if let error {
      add(ImportError(error))
    } else if let stroke {
      do throws(ImportError) {
        try add(stroke)
      } catch {
        throw JSONError(reason: "\(error.reason)", offset: start)
      }
    }
  }

  /// Adds the strokes of a list. Strokes before damage of the text are kept.
  mutating func addStrokes(
    of json: inout JSONReader,
    _ read: (inout JSONReader, inout PageBuilder) throws(JSONError) -> ForeignStroke?
  ) {
    do throws(JSONError) {
      try json.list { (json) throws(JSONError) in try addStroke(of: &json, read) }
    } catch {
      add(ImportError(error))
    }
  }
}

/// A page of a JSON text that is decoded on request.
struct JSONPage {
  var name = ""
  /// The offset of its value.
  var offset: Int
  /// The number that defines its position, if pages are ordered.
  var order = 0.0
}

extension AffineTransform {
  /// A rotation around the middle of the box that holds points.
  static func rotation(by angle: Double, aroundMiddleOf points: [PKStrokePoint]) -> Self {
    let box = Rect(around: points.lazy.map(\.location).filter(\.isFinite))
    let (x, y) = ((box.minX + box.maxX) / 2, (box.minY + box.maxY) / 2)
    guard x.isFinite, y.isFinite, angle.isFinite else { return .identity }
    return AffineTransform(translationX: -x, y: -y)
      .concatenating(AffineTransform(rotation: angle))
      .concatenating(AffineTransform(translationX: x, y: y))
  }
}
