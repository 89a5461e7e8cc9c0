import InkFiles
import Graphics
import JSON
import Strokes

/// The content of a drawn shape of tldraw, from the second version on.
struct TldrawDrawing {
  private var points: [PKStrokePoint] = []
  private var addedPoints = 0
  private var color = "black"
  private var size = "m"
  private var dash = "draw"
  private var isFilled = false
  private var isPen = false
  private var scale = 1.0
  private var scaleX = 1.0
  private var scaleY = 1.0

  /// Reads the properties of a shape.
  init(_ json: inout JSONReader) throws(JSONError) {
    try json.object { (key, json) throws(JSONError) in
      switch key {
      case "segments" where json.isAtList():
        try json.list { (json) throws(JSONError) in try readSegment(&json) }
      case "color": color = try json.stringIfAny()
      case "size": size = try json.stringIfAny()
      case "dash": dash = try json.stringIfAny()
      case "fill": isFilled = try json.stringIfAny() != "none"
      case "isPen": isPen = try json.truthIfAny()
      case "scale": scale = try json.numberIfAny() ?? 1
      case "scaleX": scaleX = try json.numberIfAny() ?? 1
      case "scaleY": scaleY = try json.numberIfAny() ?? 1
      default: try json.skip()
      }
    }
  }

  /// The stroke on its page.
  consuming func stroke(_ shape: TldrawPlacedShape, _ notes: inout ImportNotes) -> ForeignStroke {
    let isHighlighter = shape.kind == .highlight
    let factor = min(max(scale, 0.001), 1_000)
    for index in points.indices {
      let place = points[index].location
      points[index].location = Point(x: place.x * scaleX, y: place.y * scaleY)
        .applying(shape.transform)
    }
    let brush: ForeignBrush
    if isHighlighter {
      // As wide as a line of text is high, independent of the pressure.
      let width = 1.12 * (TldrawLook.textSizes[size] ?? 24) * factor
      FreehandPen(size: width, thinning: 0, simulatesPressure: !isPen).draw(&points)
      brush = .marker
    } else {
      // The program draws all lines a pixel wider than their named width.
      let width = ((TldrawLook.widths[size] ?? 3.5) + 1) * factor
      brush = draw(width, &notes) ? .pen : .evenPen
    }
    let palette = isHighlighter ? TldrawLook.highlighters : TldrawLook.colors
    var ink = palette[color]
    if ink == nil {
      notes.add("colours that are unknown are black")
      ink = palette["black"]
    }
    // The highlighter is below all other shapes, except for a little of its opacity above them.
    let alpha = shape.opacity * (isHighlighter ? 0.82 : 1)
    var stroke = ForeignStroke(ink: brush.ink((ink ?? .black).withAlpha(alpha)))
    stroke.isVisible = alpha > 0
    stroke.points = points
    stroke.addedPoints = addedPoints
    if isFilled, !isHighlighter { notes.add("fills are left out") }
    return stroke
  }

  /// Sets the widths of the points, and returns whether they vary.
  private mutating func draw(_ width: Double, _ notes: inout ImportNotes) -> Bool {
    guard dash == "draw" else {
      if dash != "solid" { notes.add("dashed lines are drawn whole") }
      FreehandPen(size: width, thinning: 0, simulatesPressure: true).draw(&points)
      return false
    }
    if isPen {
      FreehandPen(
        size: 1 + 1.2 * width, thinning: 0.62, streamline: 0.62, easing: .mixed,
        simulatesPressure: false
      ).draw(&points)
    } else {
      // From 9 to 16 pixels the pen lags more.
      let part = min(max((width - 9) / 7, 0), 1)
      FreehandPen(
        size: width, thinning: 0.5, streamline: 0.64 + 0.1 * part, easing: .sine,
        simulatesPressure: true, firstPressure: 0.5
      ).draw(&points)
    }
    return true
  }

  // MARK: - Segments

  private mutating func readSegment(_ json: inout JSONReader) throws(JSONError) {
    let first = points.count
    var (isStraight, dimensions, path) = (false, 3, "")
    var pathOffset = 0
    try json.object { (key, json) throws(JSONError) in
      switch key {
      case "type": isStraight = try json.stringIfAny() == "straight"
      case "dim": dimensions = try json.numberIfAny() == 2 ? 2 : 3
      case "path":
        pathOffset = json.offset
        path = try json.stringIfAny()
      case "points" where json.isAtList():
        try json.list { (json) throws(JSONError) in points.append(try readPoint(&json)) }
      case "points":
        let start = json.offset
        let text = try json.stringIfAny()
        guard let read = TldrawPoints(absolute: text) else {
          throw JSONError(reason: "points in base 64 are expected", offset: start)
        }
        points += read.points
      default: try json.skip()
      }
    }
    if !path.isEmpty {
      guard let read = TldrawPoints(path: path, dimensions: dimensions) else {
        throw JSONError(reason: "points in base 64 are expected", offset: pathOffset)
      }
      points += read.points
    }
    if isStraight { straighten(from: first) }
  }

  private func readPoint(_ json: inout JSONReader) throws(JSONError) -> PKStrokePoint {
    var (x, y, z) = (Double.nan, Double.nan, 0.5)
    try json.object { (key, json) throws(JSONError) in
      switch key {
      case "x": x = try json.numberOrNull()
      case "y": y = try json.numberOrNull()
      case "z": z = try json.numberOrNull()
      default: try json.skip()
      }
    }
    return PKStrokePoint(x: x, y: y, width: 0, force: z)
  }

  /// Adds points between the ends of a straight segment, so that no curve overshoots there.
  private mutating func straighten(from first: Int) {
    guard points.count - first >= 2 else { return }
    let (start, end) = (points[first], points[points.count - 1])
    addedPoints += 1 + 8 - (points.count - first)
    points.removeSubrange((first + 1)...)
    for part in 1...8 {
      var point = end
      point.location = start.location.interpolated(to: end.location, at: Double(part) / 8)
      points.append(point)
    }
  }
}

/// Points of tldraw in base 64.
struct TldrawPoints {
  private(set) var points: [PKStrokePoint] = []

  /// Points as triples of half floats.
  init?(absolute text: String) {
    guard let bytes = Base64.decode(text, needsPadding: false), bytes.count.isMultiple(of: 6) else {
      return nil
    }
    points.reserveCapacity(bytes.count / 6)
    for offset in stride(from: 0, to: bytes.count, by: 6) {
      points.append(
        PKStrokePoint(
          x: Self.half(bytes, offset), y: Self.half(bytes, offset + 2), width: 0,
          force: Self.half(bytes, offset + 4)))
    }
  }

  /// A first point as floats, then differences as half floats, of two or three numbers each.
  init?(path text: String, dimensions: Int) {
    guard let bytes = Base64.decode(text, needsPadding: false) else { return nil }
    let (head, step) = (4 * dimensions, 2 * dimensions)
    guard bytes.count >= head, (bytes.count - head).isMultiple(of: step) else { return nil }
    points.reserveCapacity(1 + (bytes.count - head) / step)
    var (x, y) = (Self.float(bytes, 0), Self.float(bytes, 4))
    var z = dimensions > 2 ? Self.float(bytes, 8) : 0.5
    points.append(PKStrokePoint(x: x, y: y, width: 0, force: z))
    for offset in stride(from: head, to: bytes.count, by: step) {
      // A difference that is not a number would make all later points invalid.
      x += Self.finiteHalf(bytes, offset)
      y += Self.finiteHalf(bytes, offset + 2)
      if dimensions > 2 { z += Self.finiteHalf(bytes, offset + 4) }
      points.append(PKStrokePoint(x: x, y: y, width: 0, force: z))
    }
  }

  private static func finiteHalf(_ bytes: [UInt8], _ offset: Int) -> Double {
    let value = half(bytes, offset)
    return value.isFinite ? value : 0
  }

  private static func float(_ bytes: [UInt8], _ offset: Int) -> Double {
    let bits = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[offset + $1]) << UInt32(8 * $1) }
    return Double(Float(bitPattern: bits))
  }

  /// A floating-point number of 16 bits: a sign, 5 bits of exponent, 10 of fraction.
  static func half(_ bytes: [UInt8], _ offset: Int) -> Double {
    let bits = UInt16(bytes[offset]) | UInt16(bytes[offset + 1]) << 8
    let (exponent, fraction) = (Int(bits >> 10 & 31), Double(bits & 1023))
    let size: Double =
      switch exponent {
      case 0: fraction * 0x1p-24
      case 31: fraction == 0 ? .infinity : .nan
      default:
        (1024 + fraction) * Double(sign: .plus, exponent: exponent - 25, significand: 1)
      }
    return bits >> 15 == 1 ? -size : size
  }
}

/// The look of tldraw's shapes.
enum TldrawLook {
  /// Widths of lines in pixels, by the names of sizes.
  static let widths = ["s": 2.0, "m": 3.5, "l": 5, "xl": 10]
  /// Sizes of text in pixels; the width of highlighters follows from them.
  static let textSizes = ["s": 18.0, "m": 24, "l": 36, "xl": 44]

  /// The colours on a light page.
  static let colors = palette([
    "black": 0x1D1D1D, "grey": 0x9FA8B2, "light-violet": 0xE085F4, "violet": 0xAE3EC9,
    "blue": 0x4465E9, "light-blue": 0x4BA1F1, "yellow": 0xF1AC4B, "orange": 0xE16919,
    "green": 0x099268, "light-green": 0x4CB05E, "light-red": 0xF87777, "red": 0xE03131,
    "white": 0xFFFFFF,
  ])
  static let highlighters = palette([
    "black": 0xFDDD00, "grey": 0xCBE7F1, "light-violet": 0xFF88FF, "violet": 0xC77CFF,
    "blue": 0x10ACFF, "light-blue": 0x00F4FF, "yellow": 0xFDDD00, "orange": 0xFFA500,
    "green": 0x00FFC8, "light-green": 0x65F641, "light-red": 0xFF7FA3, "red": 0xFF636E,
    "white": 0xFFFFFF,
  ])
  /// The colours of the first version.
  static let firstColors = palette([
    "black": 0x1D1D1D, "white": 0xF0F1F3, "lightGray": 0xC6CBD1, "gray": 0x788492,
    "green": 0x36B24D, "cyan": 0x0E98AD, "blue": 0x1C7ED6, "indigo": 0x4263EB,
    "violet": 0x7746F1, "red": 0xFF2133, "orange": 0xFF9433, "yellow": 0xFFC936,
  ])
  static let firstWidths = ["small": 2.0, "medium": 3.5, "large": 5]

  private static func palette(_ colors: [String: Int]) -> [String: Color] {
    colors.mapValues { hex in
      Color(
        red: Double(hex >> 16 & 255) / 255, green: Double(hex >> 8 & 255) / 255,
        blue: Double(hex & 255) / 255)
    }
  }
}
