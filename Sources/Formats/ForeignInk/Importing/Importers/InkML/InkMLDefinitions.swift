import InkFiles
import Graphics
import Strokes
import XML

/// A channel of a trace: one value of each point.
struct InkMLChannel {
  let name: String
  let minimum, maximum, standard: Double?
  /// Whether greater values are further left, further up, or less inclined.
  let isReversed: Bool
  let units: String
  /// Whether points may omit the value. Such values are written after those of the other channels.
  let isIntermittent: Bool

  /// The channel of our own files for the amount of ink, which the standard has none for.
  static let opacityName = "opacity"
  /// The channels of our own files for the extents of a tip along its own axes: the drawn ones, in
  /// points.
  static let tipNames = (width: "tipWidth", height: "tipHeight")

  init(_ element: XMLElement, isIntermittent: Bool) {
    name = element["name"] ?? ""
    minimum = element.number("min")
    maximum = element.number("max")
    standard = element.number("default")
    isReversed = element["orientation"] == "-ve"
    units = element["units"] ?? ""
    self.isIntermittent = isIntermittent
  }

  /// A channel of the format that traces have without a description.
  init(name: String) {
    self.name = name
    (minimum, maximum, standard) = (nil, nil, nil)
    (isReversed, units, isIntermittent) = (false, "", false)
  }
}

/// The channels of traces, in their order.
struct InkMLFormat {
  var channels: [InkMLChannel] = []

  /// The format of traces that have none: x and y.
  static let standard: InkMLFormat = {
    var format = InkMLFormat()
    format.channels = [InkMLChannel(name: "X"), InkMLChannel(name: "Y")]
    return format
  }()

  /// The format of traces without a declared one and with more than two values in a point, as in
  /// some data sets. The third value is a time in milliseconds, and further ones are unknown.
  static func undeclared(values count: Int) -> InkMLFormat {
    var format = standard
    for index in 2..<max(count, 2) {
      format.channels.append(InkMLChannel(name: index == 2 ? "T" : ""))
    }
    return format
  }
}

/// The steps of a channel in a unit.
struct InkMLResolution {
  let value: Double
  let units: String
}

/// The device that made traces.
struct InkMLSource {
  var format: Int?
  /// Points a second, if they are evenly spaced.
  var sampleRate: Double?
  var resolutions: [String: InkMLResolution] = [:]
}

/// The definitions that apply to traces. Numbers are those of references.
struct InkMLContext {
  var parent: Int?
  var format, source, brush, timestamp, canvas, transform: Int?
}

/// The moment that times are relative to.
struct InkMLTimestamp {
  var time: Timestamp?
  /// Another moment from which this one is counted, and the seconds.
  var reference: Int?
  var seconds = 0.0
}

/// The brush of traces.
struct InkMLBrush {
  /// A length, and its unit as the file names it.
  struct Length {
    let value: Double
    let units: String
  }

  var parent: Int?
  var width, height: Length?
  var color: Color?
  /// From 0, which is opaque, to 255.
  var transparency: Double?
  var isRectangle: Bool?
  var isMask: Bool?
  var ignoresPressure: Bool?
  var isFitted: Bool?
  /// The ink that our own files name, and its colour.
  var inkType: PKInk.InkType?
  var inkColor: Color?

  /// The types of annotations that our own files give to brushes.
  static let (inkAnnotation, colorAnnotation) = ("ink", "inkColor")

  /// Reads an annotation of the brush. Those of other programs have no meaning here.
  mutating func annotate(_ type: String, _ text: String) {
    switch type {
    case Self.inkAnnotation:
      let type = PKInk.InkType(rawValue: text)
      // An unknown ink is accepted if its identifier begins with a domain.
      if case .other = type, !text.hasPrefix("com.") { return }
      inkType = type
    case Self.colorAnnotation: inkColor = Color(inkMLText: text)
    default: break
    }
  }

  /// Reads a property of the brush.
  mutating func set(_ element: XMLElement, notes: inout ImportNotes) {
    let value = element["value"] ?? ""
    let length = element.number("value").map {
      Length(value: $0, units: element["units"] ?? "")
    }
    switch element["name"] {
    case "width": width = length ?? width
    case "height": height = length ?? height
    case "color":
      color = Color(hex: value)
      if color == nil { notes.add("colors that are unknown become black") }
    case "transparency": transparency = element.number("value")
    case "tip": isRectangle = value == "rectangle"
    case "rasterOp":
      isMask = value == "maskPen"
      if !["maskPen", "copyPen"].contains(value) {
        notes.add("ways of mixing colors are lost")
      }
    case "ignorePressure": ignoresPressure = Self.isTrue(value)
    case "fitToCurve": isFitted = Self.isTrue(value)
    default: break
    }
  }

  /// This brush, with missing properties taken from another one.
  func completed(by other: InkMLBrush) -> InkMLBrush {
    var brush = self
    brush.width = width ?? other.width
    brush.height = height ?? (width == nil ? other.height : nil)
    brush.color = color ?? other.color
    brush.transparency = transparency ?? other.transparency
    brush.isRectangle = isRectangle ?? other.isRectangle
    brush.isMask = isMask ?? other.isMask
    brush.ignoresPressure = ignoresPressure ?? other.ignoresPressure
    brush.isFitted = isFitted ?? other.isFitted
    // The two are taken together: an ink without its own colour would get that of another ink.
    if inkType == nil { (brush.inkType, brush.inkColor) = (other.inkType, other.inkColor) }
    return brush
  }

  private static func isTrue(_ text: String) -> Bool { text == "1" || text == "true" }
}

/// The units of the standard and of Microsoft's programs.
enum InkMLUnits {
  /// The points of 1/72 inch in a unit of length; nil for other units and for the device's own.
  static func points(in unit: String) -> Double? {
    switch name(unit) {
    case "m": 7200 / 2.54
    case "cm": 72 / 2.54
    case "mm": 7.2 / 2.54
    case "himetric": 72 / 2540
    case "in": 72
    case "pt": 1
    case "pc": 12
    case "px": 0.75
    default: nil
    }
  }

  /// The seconds in a unit of time; milliseconds if the unit is unknown.
  static func seconds(in unit: String) -> Double {
    switch name(unit) {
    case "s": 1
    case "us": 1e-6
    case "ns": 1e-9
    default: 1e-3
    }
  }

  /// The radians in a unit of angles; nil if the unit is unknown.
  static func radians(in unit: String) -> Double? {
    switch name(unit) {
    case "deg", "degree", "degrees": .pi / 180
    case "rad": 1
    default: nil
    }
  }

  /// The unit of a resolution like `1/cm`.
  private static func name(_ unit: String) -> Substring {
    unit.hasPrefix("1/") ? unit.dropFirst(2) : unit[...]
  }
}

extension XMLElement {
  /// A finite number in an attribute.
  func number(_ name: String) -> Double? {
    self[name].flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
  }
}

extension Color {
  /// Red, green, blue and alpha as numbers, and the name of the space: every colour that an ink can
  /// have.
  var inkMLText: String { "\(red) \(green) \(blue) \(alpha) \(space.rawValue)" }

  /// The colour of such a text; nil if it is none.
  fileprivate init?(inkMLText text: String) {
    let parts = text.split(separator: " ")
    guard parts.count == 5, let space = ColorSpace(rawValue: String(parts[4])) else { return nil }
    let numbers = parts.prefix(4).compactMap { Double($0) }
    guard numbers.count == 4, numbers.allSatisfy({ abs($0) <= 16 }) else { return nil }
    self.init(
      red: numbers[0], green: numbers[1], blue: numbers[2], alpha: min(max(numbers[3], 0), 1))
    self.space = space
  }
}
