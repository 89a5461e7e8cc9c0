import InkFiles
import Graphics
import Strokes
import XML

/// Collects definitions while the XML is read: those that traces refer to, and those that apply to
/// all following traces.
struct InkMLDefinitionReader {
  private(set) var contexts: [Int: InkMLContext] = [:]
  private(set) var brushes: [Int: InkMLBrush] = [:]
  private(set) var formats: [Int: InkMLFormat] = [:]
  private(set) var sources: [Int: InkMLSource] = [:]
  private(set) var timestamps: [Int: InkMLTimestamp] = [:]
  /// The formats of canvases: the units of transformed coordinates.
  private(set) var canvases: [Int: InkMLFormat] = [:]
  private(set) var transforms: [Int: AffineTransform] = [:]
  private(set) var notes = ImportNotes()
  /// Whether one of Microsoft's programs wrote the file.
  var isMicrosoft = false
  /// The definitions that apply from now on to traces without references of their own.
  private(set) var current = InkMLContext()
  /// The context that applies from now on.
  private(set) var currentContext: Int?
  /// The number of open elements inside of which nothing is drawn.
  private(set) var depth = 0

  private var references = InkMLReferences()
  private var mapping: Mapping?
  private var context: (number: Int, InkMLContext)?
  private var source: (number: Int, InkMLSource)?
  private var format: (number: Int, InkMLFormat)?
  private var brush: (number: Int, InkMLBrush)?
  private var canvas: (number: Int, InkMLFormat)?
  private var transform: (number: Int, AffineTransform?)?
  private var isIntermittent = false

  private struct Mapping {
    let type: String
    var text: [UInt8] = []
  }

  /// Begins a definition, or a part of one.
  mutating func begin(_ element: XMLElement) {
    if element.name == "definitions" {
      depth += 1
      return
    }
    let number = name(of: element) ?? references.freshNumber()
    switch element.name {
    case "context":
      var new = InkMLContext()
      new.parent = reference(element, "contextRef")
      new.format = reference(element, "traceFormatRef")
      new.source = reference(element, "inkSourceRef")
      new.brush = reference(element, "brushRef")
      new.timestamp = reference(element, "timestampRef")
      new.canvas = reference(element, "canvasRef")
      new.transform = reference(element, "canvasTransformRef")
      context = (number, new)
    case "inkSource":
      var new = InkMLSource()
      new.format = reference(element, "traceFormatRef")
      source = (number, new)
      if Self.hasNumberedName(element, "inkSrc") { isMicrosoft = true }
    case "traceFormat":
      format = (number, InkMLFormat())
      isIntermittent = false
    case "intermittentChannels": isIntermittent = true
    case "channel":
      // More channels than this are not meaningful.
      guard let count = format?.1.channels.count, count < 64 else { return }
      format?.1.channels.append(InkMLChannel(element, isIntermittent: isIntermittent))
    case "sampleRate":
      source?.1.sampleRate = element["uniform"] == "false" ? nil : element.number("value")
    case "channelProperty":
      guard element["name"] == "resolution", let channel = element["channel"],
        let value = element.number("value")
      else { return }
      source?.1.resolutions[channel] = InkMLResolution(
        value: value, units: element["units"] ?? "")
    case "brush":
      var new = InkMLBrush()
      new.parent = reference(element, "brushRef")
      brush = (number, new)
    case "brushProperty": brush?.1.set(element, notes: &notes)
    case "timestamp": endTimestamp(element, number)
    case "canvas": canvas = (number, formats[reference(element, "traceFormatRef") ?? -1] ?? .init())
    case "canvasTransform": transform = (number, nil)
    case "mapping", "affine", "matrix":
      mapping = Mapping(type: element["type"] ?? mapping?.type ?? "affine")
    default: break
    }
  }

  /// Ends a definition, or a part of one.
  mutating func end(_ name: String) {
    switch name {
    case "definitions": depth -= 1
    case "context":
      guard let (number, value) = context else { return }
      contexts[number] = value
      context = nil
      if depth == 0 { currentContext = number }
    case "inkSource":
      guard let (number, value) = source else { return }
      sources[number] = value
      source = nil
      attach(\.source, number)
    case "traceFormat": endFormat()
    case "intermittentChannels": isIntermittent = false
    case "brush":
      guard let (number, value) = brush else { return }
      brushes[number] = value
      brush = nil
      attach(\.brush, number)
    case "canvas":
      guard let (number, value) = canvas else { return }
      canvases[number] = value
      canvas = nil
      attach(\.canvas, number)
    case "mapping", "affine", "matrix": endMapping()
    case "canvasTransform":
      guard let (number, value) = transform else { return }
      transforms[number] = value
      transform = nil
      attach(\.transform, number)
    default: break
    }
  }

  /// Attaches a definition: to its context if it is inside of one, else to all following traces.
  private mutating func attach(_ part: WritableKeyPath<InkMLContext, Int?>, _ number: Int) {
    if context != nil {
      context?.1[keyPath: part] = number
    } else if depth == 0 {
      current[keyPath: part] = number
    }
  }

  private mutating func endFormat() {
    guard let (number, value) = format else { return }
    formats[number] = value
    format = nil
    if canvas != nil {
      canvas?.1 = value
    } else if source != nil {
      source?.1.format = number
    } else {
      attach(\.format, number)
    }
  }

  private mutating func endTimestamp(_ element: XMLElement, _ number: Int) {
    var new = InkMLTimestamp()
    new.reference = reference(element, "timestampRef")
    new.seconds = (element.number("timeOffset") ?? 0) / 1000
    if let milliseconds = element.number("time") {
      new.time = Timestamp(secondsSince1970: milliseconds / 1000)
    } else if let text = element["timeString"] {
      new.time = Timestamp(iso8601: text)
      if new.time == nil {
        // Microsoft's programs leave out the zone.
        new.time = Timestamp(iso8601: text + "Z")
        if new.time != nil { notes.add("times without a zone are taken as universal time") }
      }
    }
    timestamps[number] = new
    attach(\.timestamp, number)
  }

  private mutating func endMapping() {
    guard let mapping else { return }
    self.mapping = nil
    // The second mapping is the inverse of the first.
    guard let transform, transform.1 == nil else { return }
    if mapping.type == "identity" {
      self.transform?.1 = .identity
      return
    }
    let matrix = mapping.type == "affine" ? Self.matrix(mapping.text) : nil
    if let matrix {
      self.transform?.1 = matrix
    } else if !mapping.text.allSatisfy({ $0 <= 0x20 }) || mapping.type != "affine" {
      notes.add("mappings that are not affine are left out")
    }
  }

  /// The transform of two rows of three numbers.
  private static func matrix(_ text: [UInt8]) -> AffineTransform? {
    var numbers: [Double] = []
    var index = 0
    let span = text.span
    while index < span.count, numbers.count < 7 {
      if span[index] <= 0x20 || span[index] == UInt8(ascii: ",") {
        index += 1
      } else if let value = NumberText.number(in: span, at: &index) {
        numbers.append(value)
      } else {
        return nil
      }
    }
    guard numbers.count == 6, numbers.allSatisfy(\.isFinite) else { return nil }
    return AffineTransform(
      a: numbers[0], b: numbers[3], c: numbers[1], d: numbers[4], tx: numbers[2], ty: numbers[5])
  }

  /// Whether a definition is named by a word and digits, as Microsoft's desktop programs do.
  private static func hasNumberedName(_ element: XMLElement, _ word: String) -> Bool {
    guard let name = element["id"], name.hasPrefix(word), name.utf8.count > word.utf8.count else {
      return false
    }
    return name.utf8.dropFirst(word.utf8.count).allSatisfy { 48...57 ~= $0 }
  }

  // MARK: - Access

  /// Whether text at this position belongs to a definition.
  var takesText: Bool { mapping != nil }

  /// Adds text to the open definition.
  mutating func add(text: some Sequence<UInt8>) { mapping?.text.append(contentsOf: text) }

  /// Whether a brush is open, to which annotations belong.
  var isInBrush: Bool { brush != nil }

  /// Adds an annotation to the open brush.
  mutating func annotateBrush(_ type: String, _ text: String) { brush?.1.annotate(type, text) }

  /// The number of the definition that an attribute names. Definitions in other files are not read.
  mutating func reference(_ element: XMLElement, _ attribute: String) -> Int? {
    references.reference(element, attribute)
  }

  /// The number for an element's own name.
  mutating func name(of element: XMLElement) -> Int? { references.name(of: element) }
}

/// Names as numbers, which take less memory than texts where there are thousands.
private struct InkMLReferences {
  /// The numbers of references, by their texts.
  private var numbers: [String: Int] = [:]
  private var unnamed = 0

  /// The number of the definition that an attribute names. Definitions in other files are not read.
  mutating func reference(_ element: XMLElement, _ attribute: String) -> Int? {
    guard let text = element[attribute], !text.isEmpty else { return nil }
    return number(text.hasPrefix("#") ? String(text.dropFirst()) : text)
  }

  /// The number for an element's own name.
  mutating func name(of element: XMLElement) -> Int? {
    element["id"].map { number($0) }
  }

  private mutating func number(_ text: String) -> Int {
    if let number = numbers[text] { return number }
    numbers[text] = numbers.count
    return numbers.count - 1
  }

  /// The number of a definition without a name.
  mutating func freshNumber() -> Int {
    unnamed -= 1
    return unnamed - 1
  }
}
