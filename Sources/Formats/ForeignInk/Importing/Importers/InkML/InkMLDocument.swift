import XML

/// A trace as read: its text, and its references to definitions, which may come later in the file.
struct InkMLTrace {
  /// The offset of the element.
  let offset: Int
  /// The range of its points in the document's texts.
  var text: Range<Int>
  /// The numbers of references.
  let name, context, brush, format: Int?
  /// The trace that this one continues.
  let prior: Int?
  /// Milliseconds since the context's moment, and the duration of the trace in milliseconds.
  let timeOffset, duration: Double?
  /// Whether the pen was above the page.
  let isPenUp: Bool
  /// Whether it is only defined, and drawn by a view.
  let isDefinition: Bool
}

/// Collects traces and definitions while the XML is read.
final class InkMLDocument: XMLHandler {
  private(set) var traces: [InkMLTrace] = []
  /// The texts of all traces.
  private(set) var text: [UInt8] = []
  /// The definitions that traces refer to.
  private(set) var definitions = InkMLDefinitionReader()
  /// The traces and groups that views draw.
  private(set) var viewed: Set<Int> = []
  /// The groups around defined traces, by the index of the trace.
  private(set) var definedGroups: [Int: [Int]] = [:]
  /// The traces by their names.
  private(set) var indices: [Int: Int] = [:]
  /// The page's name: the written text, for example.
  private(set) var name = ""
  /// The page's key in its data set: the identifier of a sample.
  private(set) var key = ""
  private(set) var isInkML = false
  /// The texts about the page, such as its title, from our own files and some others.
  private(set) var texts: [String: String] = [:]
  /// Whether a picture is below the ink, as in Wacom's `.paper`.
  private(set) var hasTemplate = false

  private var groups: [Group] = []
  /// The number of open elements whose contents are foreign.
  private var foreignDepth = 0
  private var annotation: Annotation?

  private var isInTrace = false

  private struct Group {
    let context, brush, name: Int?
  }

  private struct Annotation {
    let type: String
    var text: [UInt8] = []
  }

  func begin(_ element: XMLElement) throws(XMLError) {
    if foreignDepth > 0 {
      // Microsoft's programs write recognition results with boxes.
      if element["rotatedBoundingBox"] != nil { definitions.isMicrosoft = true }
      foreignDepth += 1
      return
    }
    switch element.name {
    case "ink": isInkML = true
    case "templateImage": hasTemplate = true
    case "annotationXML": foreignDepth = 1
    case "annotation": annotation = Annotation(type: element["type"] ?? "")
    case "traceGroup":
      let around = groups.last
      groups.append(
        Group(
          context: definitions.reference(element, "contextRef") ?? around?.context,
          brush: definitions.reference(element, "brushRef") ?? around?.brush,
          name: definitions.name(of: element)))
    case "trace": beginTrace(element)
    case "traceView":
      if definitions.depth == 0, let shown = definitions.reference(element, "traceDataRef") {
        viewed.insert(shown)
      }
    default: definitions.begin(element)
    }
  }

  func text(_ bytes: UnsafeBufferPointer<UInt8>) throws(XMLError) {
    if isInTrace {
      text.append(contentsOf: bytes)
    } else if definitions.takesText {
      definitions.add(text: bytes)
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
    case "traceGroup": groups.removeLast()
    case "trace": endTrace()
    default: definitions.end(name)
    }
  }

  // MARK: - Traces

  private func beginTrace(_ element: XMLElement) {
    // A trace in a trace is an error, which ends the first.
    endTrace()
    let group = groups.last
    let number = definitions.name(of: element)
    let continues = element["continuation"].map { $0 == "middle" || $0 == "end" } ?? false
    if let number { indices[number] = traces.count }
    if definitions.depth > 0 {
      definedGroups[traces.count] = groups.compactMap(\.name)
    }
    traces.append(
      InkMLTrace(
        offset: element.offset, text: text.count..<text.count, name: number,
        context: definitions.reference(element, "contextRef") ?? group?.context
          ?? definitions.currentContext,
        brush: definitions.reference(element, "brushRef") ?? group?.brush
          ?? definitions.current.brush,
        format: definitions.current.format,
        prior: continues ? definitions.reference(element, "priorRef") : nil,
        timeOffset: element.number("timeOffset"), duration: element.number("duration"),
        isPenUp: element["type"] == "penUp", isDefinition: definitions.depth > 0))
    isInTrace = true
  }

  /// Ends the open trace, also if the file ends inside of it.
  func endTrace() {
    guard isInTrace, let last = traces.indices.last else { return }
    isInTrace = false
    traces[last].text = traces[last].text.lowerBound..<text.count
  }

  private func endAnnotation() {
    guard let annotation else { return }
    self.annotation = nil
    if definitions.isInBrush {
      return definitions.annotateBrush(
        annotation.type, String(decoding: annotation.text.prefix(1_000), as: UTF8.self))
    }
    if groups.isEmpty, Self.pageTexts.contains(annotation.type) {
      texts[annotation.type] = String(decoding: annotation.text.prefix(10_000), as: UTF8.self)
      return
    }
    if groups.isEmpty, ["sampleId", "UI"].contains(annotation.type) {
      key = String(decoding: annotation.text.prefix(1_000), as: UTF8.self)
      return
    }
    let rank = ["truth", "label", "normalizedLabel"].firstIndex(of: annotation.type)
    // Labels of groups name parts of the page.
    guard let rank, groups.isEmpty, rank >= nameRank else { return }
    nameRank = rank
    let text = String(decoding: annotation.text.prefix(1_000), as: UTF8.self)
    name = String(text.split { $0.isWhitespace }.joined(separator: " "))
  }

  private var nameRank = 0

  /// The types of annotations about the page.
  static let pageTexts = ["title", "author", "description", "paper", "background"]
}
