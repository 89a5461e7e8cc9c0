import Graphics
import Strokes
import XML

/// A trace as it was read: its text, and by which definitions it is understood. These may follow later in the file.
struct InkMLTrace {
  /// The offset of the element.
  let offset: Int
  /// The range of its points in the document's texts.
  var text: Range<Int>
  /// Numbers of references.
  let name, context, brush, format: Int?
  /// The trace that this one continues.
  let prior: Int?
  /// Milliseconds from the context's moment; of the whole trace.
  let timeOffset, duration: Double?
  /// Whether the pen was above the page.
  let isPenUp: Bool
  /// Whether it is only defined, to be shown by a view.
  let isDefinition: Bool
}

/// Collects traces and definitions while the XML is read.
final class InkMLDocument: XMLHandler {
  private(set) var traces: [InkMLTrace] = []
  /// The texts of all traces.
  private(set) var text: [UInt8] = []
  private(set) var contexts: [Int: InkMLContext] = [:]
  private(set) var brushes: [Int: InkMLBrush] = [:]
  private(set) var formats: [Int: InkMLFormat] = [:]
  private(set) var sources: [Int: InkMLSource] = [:]
  private(set) var timestamps: [Int: InkMLTimestamp] = [:]
  /// The formats of canvases, which have the units of what transforms give.
  private(set) var canvases: [Int: InkMLFormat] = [:]
  private(set) var transforms: [Int: AffineTransform] = [:]
  /// Traces and groups that views show.
  private(set) var viewed: Set<Int> = []
  /// The groups around defined traces, by the index of the trace.
  private(set) var definedGroups: [Int: [Int]] = [:]
  /// The traces by their names.
  private(set) var indices: [Int: Int] = [:]
  private(set) var notes = ImportNotes()
  /// What the page is called: the text that was written, for example.
  private(set) var name = ""
  private(set) var isInkML = false
  /// Whether one of Microsoft's programs wrote the file.
  private(set) var isMicrosoft = false

  /// The numbers of references, by their texts.
  private var numbers: [String: Int] = [:]
  private var unnamed = 0
  /// What holds from now on for traces without references of their own.
  private var current = InkMLContext()
  private var currentContext: Int?
  private var groups: [Group] = []
  private var definitionDepth = 0
  /// The number of elements around what is read, whose contents are foreign.
  private var foreignDepth = 0
  private var annotation: Annotation?
  private var mapping: Mapping?

  private var context: (number: Int, InkMLContext)?
  private var source: (number: Int, InkMLSource)?
  private var format: (number: Int, InkMLFormat)?
  private var brush: (number: Int, InkMLBrush)?
  private var canvas: (number: Int, InkMLFormat)?
  private var transform: (number: Int, AffineTransform?)?
  private var isIntermittent = false
  private var isInTrace = false

  private struct Group {
    let context, brush, name: Int?
  }

  private struct Annotation {
    let type: String
    var text: [UInt8] = []
  }

  private struct Mapping {
    let type: String
    var text: [UInt8] = []
  }

  func begin(_ element: XMLElement) throws(XMLError) {
    if foreignDepth > 0 {
      // Microsoft's programs tell what they recognized, with boxes.
      if element["rotatedBoundingBox"] != nil { isMicrosoft = true }
      foreignDepth += 1
      return
    }
    switch element.name {
    case "ink": isInkML = true
    case "annotationXML": foreignDepth = 1
    case "annotation": annotation = Annotation(type: element["type"] ?? "")
    case "definitions": definitionDepth += 1
    case "traceGroup":
      let around = groups.last
      groups.append(
        Group(
          context: reference(element, "contextRef") ?? around?.context,
          brush: reference(element, "brushRef") ?? around?.brush, name: name(of: element)))
    case "trace": beginTrace(element)
    case "traceView":
      if definitionDepth == 0, let shown = reference(element, "traceDataRef") {
        viewed.insert(shown)
      }
    default: beginDefinition(element)
    }
  }

  func text(_ bytes: UnsafeBufferPointer<UInt8>) throws(XMLError) {
    if isInTrace {
      text.append(contentsOf: bytes)
    } else if mapping != nil {
      mapping?.text.append(contentsOf: bytes)
    } else if annotation != nil, foreignDepth == 0 {
      annotation?.text.append(contentsOf: bytes)
    }
  }

  func end(_ name: String) throws(XMLError) {
    if foreignDepth > 0 {
      foreignDepth -= 1
      return
    }
    switch name {
    case "annotation": endAnnotation()
    case "definitions": definitionDepth -= 1
    case "traceGroup": groups.removeLast()
    case "trace": endTrace()
    default: endDefinition(name)
    }
  }

  // MARK: - Traces

  private func beginTrace(_ element: XMLElement) {
    // A trace in a trace is an error, which ends the first.
    endTrace()
    let group = groups.last
    let number = name(of: element)
    let continues = element["continuation"].map { $0 == "middle" || $0 == "end" } ?? false
    if let number { indices[number] = traces.count }
    if definitionDepth > 0 {
      definedGroups[traces.count] = groups.compactMap(\.name)
    }
    traces.append(
      InkMLTrace(
        offset: element.offset, text: text.count..<text.count, name: number,
        context: reference(element, "contextRef") ?? group?.context ?? currentContext,
        brush: reference(element, "brushRef") ?? group?.brush ?? current.brush,
        format: current.format, prior: continues ? reference(element, "priorRef") : nil,
        timeOffset: element.number("timeOffset"), duration: element.number("duration"),
        isPenUp: element["type"] == "penUp", isDefinition: definitionDepth > 0))
    isInTrace = true
  }

  /// Ends the trace that is read, also if the file ends inside of it.
  func endTrace() {
    guard isInTrace, let last = traces.indices.last else { return }
    isInTrace = false
    traces[last].text = traces[last].text.lowerBound..<text.count
  }

  private func endAnnotation() {
    guard let annotation else { return }
    self.annotation = nil
    let rank = ["truth", "label", "normalizedLabel"].firstIndex(of: annotation.type)
    // Labels of groups name parts of the page.
    guard let rank, groups.isEmpty, rank >= nameRank else { return }
    nameRank = rank
    let text = String(decoding: annotation.text.prefix(1_000), as: UTF8.self)
    name = String(text.split { $0.isWhitespace }.joined(separator: " "))
  }

  private var nameRank = 0

  // MARK: - Definitions

  private func beginDefinition(_ element: XMLElement) {
    let number = name(of: element) ?? freshNumber()
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
      // More than these have no meaning.
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

  private func endDefinition(_ name: String) {
    switch name {
    case "context":
      guard let (number, value) = context else { return }
      contexts[number] = value
      context = nil
      if definitionDepth == 0 { currentContext = number }
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

  /// A definition inside of a context belongs to it; one among the traces holds for those behind it.
  private func attach(_ part: WritableKeyPath<InkMLContext, Int?>, _ number: Int) {
    if context != nil {
      context?.1[keyPath: part] = number
    } else if definitionDepth == 0 {
      current[keyPath: part] = number
    }
  }

  private func endFormat() {
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

  private func endTimestamp(_ element: XMLElement, _ number: Int) {
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

  private func endMapping() {
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

  // MARK: - References

  /// The number of the definition that an attribute names. Definitions in other files are not read.
  private func reference(_ element: XMLElement, _ attribute: String) -> Int? {
    guard let text = element[attribute], !text.isEmpty else { return nil }
    return number(text.hasPrefix("#") ? String(text.dropFirst()) : text)
  }

  private func name(of element: XMLElement) -> Int? {
    element["id"].map { number($0) }
  }

  private func number(_ text: String) -> Int {
    if let number = numbers[text] { return number }
    numbers[text] = numbers.count
    return numbers.count - 1
  }

  /// The number of a definition without a name.
  private func freshNumber() -> Int {
    unnamed -= 1
    return unnamed - 1
  }

  /// Whether a definition is called by a word and digits, as Microsoft's programs on the desktop do it.
  private static func hasNumberedName(_ element: XMLElement, _ word: String) -> Bool {
    guard let name = element["id"], name.hasPrefix(word), name.utf8.count > word.utf8.count else {
      return false
    }
    return name.utf8.dropFirst(word.utf8.count).allSatisfy { 48...57 ~= $0 }
  }

  /// What holds for traces without a context.
  var standingContext: InkMLContext { current }
}
