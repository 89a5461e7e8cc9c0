import JSON
import Graphics
import PKDFormat
public import Strokes

/// Reads the text that `EventStreamWriter` writes, and simpler texts of the same format, line by
/// line: an event can be read as soon as its line is complete.
public struct EventStreamReader {
  /// The page; nil until the first line was read.
  public private(set) var canvas: Recording.Canvas?
  /// The number of lines that were read.
  public private(set) var lineCount = 0

  private var bytes: [UInt8] = []
  /// The index of the next line's first byte.
  private var start = 0
  /// The index up to which the next line was searched for its break.
  private var scanned = 0
  private var hasEnded = false
  /// Whether useless content is kept because recordings may contain it: events of strokes that
  /// never began, and widths that no tool can be set to.
  private var isLossless = false

  /// The page after all events so far, from which the changes of an eraser are computed if its line
  /// has none.
  private var page = LivePage()
  private var now: Timestamp?
  /// The points that each stroke began with.
  private var strokePoints: [Identifier: PointColumns] = [:]
  /// The date of each stroke's path.
  private var dates: [Identifier: Timestamp] = [:]
  /// The stroke that began last, until it ends.
  private var openStroke: Identifier?
  private var strokeCount = 0
  private var pointCount = 0
  /// Counts that limit the work of erasers whose lines list no changes: the pieces that they made,
  /// and the bytes read so far. A short line can cut all strokes, again and again.
  private var (pieceCount, byteCount) = (0, 0)
  private static let pieceLimit = 20_000

  /// The maximum length of a line in bytes. A line of a million points is shorter.
  static let lineLimit = 1 << 28
  /// The limits of `.pkd` readers, so that the recording can be stored.
  private let limits = PKDLimits()

  /// A reader that has read nothing.
  public init() {}

  /// Adds bytes, which may end anywhere.
  public mutating func append(_ more: some Sequence<UInt8>) {
    if start > bytes.count / 2 {
      bytes.removeFirst(start)
      scanned -= start
      start = 0
    }
    let known = bytes.count
    bytes += more
    byteCount += bytes.count - known
  }

  /// Ends the text, so that the last line needs no line break.
  public mutating func end() { hasEnded = true }

  /// The next event; nil until its line is complete. The call after an error continues with the
  /// next line; but a line that is too long, and the end of a text without a header, throw again.
  public mutating func next() throws(EventStreamError) -> Recording.Event? {
    while let line = try nextLine() {
      lineCount += 1
      guard line.contains(where: { ![0x20, 0x09, 0x0D].contains($0) }) else { continue }
      do throws(EventStreamError.Reason.Found) {
        if canvas == nil {
          canvas = try readHeader(line)
        } else {
          let event = try readEvent(line)
          page.append(event)
          now = event.time
          return event
        }
      } catch {
        throw EventStreamError(reason: error.reason, line: lineCount)
      }
    }
    if hasEnded, canvas == nil { throw EventStreamError(reason: .noHeader, line: lineCount + 1) }
    return nil
  }

  /// Reads a whole text. Lines that are wrong are left out; the first hundred of them are returned.
  static func readAll(
    _ bytes: [UInt8]
  ) throws(EventStreamError) -> (recording: Recording, damage: [EventStreamError]) {
    var reader = EventStreamReader()
    reader.append(bytes)
    reader.end()
    var events: [Recording.Event] = []
    var damage: [EventStreamError] = []
    while damage.count < 100 {
      do throws(EventStreamError) {
        guard let event = try reader.next() else { break }
        events.append(event)
      } catch {
        // Without a header line, no later line can be read.
        if reader.canvas == nil { throw error }
        damage.append(error)
        if case .lineTooLong = error.reason { break }
      }
    }
    guard let canvas = reader.canvas else {
      throw EventStreamError(reason: .noHeader, line: reader.lineCount + 1)
    }
    return (Recording(canvas: canvas, events: events), damage)
  }

  /// Reads a list of events that follows the strokes it results in. Events may refer to the points
  /// of these strokes. Also returns the strokes that the events really result in.
  static func readEvents(
    _ json: inout JSONReader, byteCount: Int, behind strokes: [PKStroke]
  ) throws(JSONError) -> (events: [Recording.Event], strokes: [PKStroke]) {
    var reader = EventStreamReader()
    reader.isLossless = true
    reader.byteCount = byteCount
    for stroke in strokes { reader.strokePoints[stroke.id] = stroke.path.columns }
    var events: [Recording.Event] = []
    try json.list { (json) throws(JSONError) in
      let start = json.offset
      do throws(EventStreamError.Reason.Found) {
        let event = try reader.readEvent(&json)
        reader.page.append(event)
        reader.now = event.time
        events.append(event)
      } catch {
        if case .json(let inner) = error.reason { throw inner }
        throw JSONError(reason: "\(error.reason)", offset: start)
      }
    }
    return (events, reader.page.drawing.strokes)
  }

  private mutating func nextLine() throws(EventStreamError) -> [UInt8]? {
    while scanned < bytes.count, bytes[scanned] != UInt8(ascii: "\n") { scanned += 1 }
    guard scanned - start <= Self.lineLimit else {
      throw EventStreamError(reason: .lineTooLong(limit: Self.lineLimit), line: lineCount + 1)
    }
    guard scanned < bytes.count || hasEnded && start < bytes.count else { return nil }
    defer {
      scanned = min(scanned + 1, bytes.count)
      start = scanned
    }
    return Array(bytes[start..<scanned])
  }
}

// MARK: - Lines

extension EventStreamReader {
  private typealias Failure = EventStreamError.Reason.Found

  private func readHeader(_ line: [UInt8]) throws(Failure) -> Recording.Canvas {
    var json = JSONReader(line)
    var format: String?
    var version = 0
    var canvas = Recording.Canvas()
    do throws(JSONError) {
      try json.object { (key, json) throws(JSONError) in
        switch key {
        case "format": format = try json.string()
        case "version": version = try json.integer(in: 1...Int(Int32.max))
        case "canvas": canvas = try JSONDrawingReader.readCanvas(&json)
        default: try json.skip()
        }
      }
      try json.end()
    } catch {
      throw Failure(.json(error))
    }
    guard format == EventStreamWriter.formatName, version > 0 else { throw Failure(.noHeader) }
    guard version <= EventStreamWriter.version else { throw Failure(.newerVersion(version)) }
    return canvas
  }

  /// The fields of a line, whose keys may come in any order.
  private struct Line {
    var event: String?
    var time: Timestamp?
    var person: UInt16 = 0
    var date: Timestamp?
    /// The fields that strokes have.
    var stroke = JSONDrawingReader.Fields()
    var points: JSONReader?
    var ids: [Identifier]?
    var hasTransform = false
    var tool: PKTool?
    var eraser: PKTool?
    var changes: JSONReader?
    var (above, below): (JSONReader?, JSONReader?)
  }

  private mutating func readEvent(_ text: [UInt8]) throws(Failure) -> Recording.Event {
    var json = JSONReader(text)
    let event = try readEvent(&json)
    do throws(JSONError) {
      try json.end()
    } catch {
      throw Failure(.json(error))
    }
    return event
  }

  private mutating func readEvent(_ json: inout JSONReader) throws(Failure) -> Recording.Event {
    var line: Line
    do throws(JSONError) {
      line = try readLine(&json)
    } catch {
      throw Failure(.json(error))
    }
    guard let name = line.event else { throw Failure(.missing("event")) }
    let action: Recording.Action
    var expected = now
    do throws(LineError) {
      switch name {
      case "begin":
        guard line.date ?? line.time ?? now != nil else { throw .missing("time") }
        line.stroke.date = line.date ?? line.time ?? now ?? .referenceDate
        let stroke = try stroke(line.stroke, points: line.points)
        dates[stroke.id] = stroke.path.creationDate
        openStroke = stroke.id
        expected = now.map { max($0, stroke.path.creationDate) } ?? stroke.path.creationDate
        action = .strokeBegun(stroke)
      case "points":
        let id = try strokeID(line)
        let date = dates[id] ?? .referenceDate
        let path = try path(line, date: line.date ?? date)
        let last = path.isEmpty ? date : date + path[path.count - 1].timeOffset
        expected = now.map { max($0, last) } ?? last
        action = .strokeExtended(id, by: path)
      case "end":
        let id = try strokeID(line)
        if openStroke == id { openStroke = nil }
        action = .strokeEnded(id)
      case "erase":
        guard case .eraser(let eraser)? = line.eraser else { throw .missing("eraser") }
        guard let date = line.date ?? line.time ?? now else { throw .missing("time") }
        let path = try path(line, date: date)
        expected = now.map { max($0, date) } ?? date
        let changes: [StrokeChange<PKStroke>]
        if let text = line.changes {
          changes = try readChanges(text)
        } else {
          // Checked before the work, so that at most one line exceeds the limit.
          let limit = Self.pieceLimit + byteCount / 4
          guard pieceCount <= limit else {
            throw .other(.tooMany("pieces of erased strokes", limit: limit))
          }
          changes = page.changes(erasingAlong: path, with: eraser)
          let pieces = changes.reduce(0) { $0 + $1.replacements.count }
          strokeCount += pieces
          pieceCount += pieces
        }
        action = .erased(eraser, along: path, changes: changes)
      case "undo": action = .undone
      case "redo": action = .redone
      case "move":
        guard let ids = line.ids else { throw .missing("ids") }
        guard line.hasTransform else { throw .missing("transform") }
        action = .moved(ids, by: line.stroke.transform)
      case "clear": action = .cleared
      case "tool":
        guard let tool = line.tool else { throw .missing("tool") }
        action = .toolChanged(tool)
      case "edit":
        let changes = try readChanges(line.changes)
        let above = try readStrokes(line.above)
        action = .edited(changes, above: above, below: try readStrokes(line.below))
      default: throw .other(.unknownEvent(name))
      }
    } catch {
      throw Failure(error.reason)
    }
    guard let time = line.time ?? expected else { throw Failure(.missing("time")) }
    guard page.eventCount < limits.events else {
      throw Failure(.tooMany("events", limit: limits.events))
    }
    return Recording.Event(time: time, action: action, person: line.person)
  }

  private func readLine(_ json: inout JSONReader) throws(JSONError) -> Line {
    var line = Line()
    try json.object { (key, json) throws(JSONError) in
      switch key {
      case "event": line.event = try json.string()
      case "time": line.time = try JSONDrawingReader.readDate(&json)
      case "person": line.person = UInt16(try json.integer(in: 0...Int(UInt16.max)))
      case "date": line.date = try JSONDrawingReader.readDate(&json)
      case "points":
        line.points = json
        try json.skip()
      case "ids":
        var ids: [Identifier] = []
        try json.list { (json) throws(JSONError) in
          ids.append(try JSONDrawingReader.identifier(&json))
        }
        line.ids = ids
      case "tool": line.tool = try readTool(&json)
      case "eraser": line.eraser = try readTool(&json, kind: "eraser")
      case "changes":
        line.changes = json
        try json.skip()
      case "above":
        line.above = json
        try json.skip()
      case "below":
        line.below = json
        try json.skip()
      default:
        if key == "transform" { line.hasTransform = true }
        try JSONDrawingReader.read(key, into: &line.stroke, from: &json)
      }
    }
    return line
  }

  /// Why a line cannot be an event.
  private enum LineError: Error {
    case json(JSONError)
    case missing(String)
    case other(EventStreamError.Reason)

    var reason: EventStreamError.Reason {
      switch self {
      case .json(let error): .json(error)
      case .missing(let field): .missing(field)
      case .other(let reason): reason
      }
    }
  }

  /// The stroke of a line; by default the open one.
  private func strokeID(_ line: Line) throws(LineError) -> Identifier {
    guard let id = line.stroke.identifier ?? openStroke else { throw .other(.noOpenStroke) }
    guard isLossless || dates[id] != nil else { throw .other(.unknownStroke(id)) }
    return id
  }

  private mutating func path(_ line: Line, date: Timestamp) throws(LineError) -> PKStrokePath {
    guard line.points != nil else { throw .missing("points") }
    return PKStrokePath(columns: try columns(line.stroke, points: line.points), creationDate: date)
  }

  private mutating func columns(
    _ fields: JSONDrawingReader.Fields, points: JSONReader?
  ) throws(LineError) -> PointColumns {
    let columns: PointColumns
    if var points {
      do throws(JSONError) {
        columns = JSONDrawingReader.columns(
          try JSONDrawingReader.readPoints(&points, fields), fields)
      } catch {
        throw .json(error)
      }
    } else if let other = fields.pointsOf {
      guard let shared = strokePoints[other] else { throw .other(.unknownStroke(other)) }
      columns = shared
    } else {
      columns = JSONDrawingReader.columns([], fields)
    }
    pointCount += columns.count
    guard pointCount <= limits.points else {
      throw .other(.tooMany("points", limit: limits.points))
    }
    return columns
  }

  private mutating func stroke(
    _ fields: JSONDrawingReader.Fields, points: JSONReader?
  ) throws(LineError) -> PKStroke {
    strokeCount += 1
    guard strokeCount <= limits.strokes else {
      throw .other(.tooMany("strokes", limit: limits.strokes))
    }
    let id = fields.identifier ?? Identifier.zero.derived("event", strokeCount)
    let columns = try columns(fields, points: points)
    strokePoints[id] = columns
    return JSONDrawingReader.stroke(id, fields, columns)
  }

  private mutating func readChanges(
    _ text: JSONReader?
  ) throws(LineError) -> [StrokeChange<PKStroke>] {
    guard let text else { return [] }
    var found: [(id: Identifier, strokes: JSONReader?)] = []
    do throws(JSONError) {
      var json = text
      try json.list { (json) throws(JSONError) in
        let error = json.error("a change has no id")
        var id: Identifier?
        var strokes: JSONReader?
        try json.object { (key, json) throws(JSONError) in
          switch key {
          case "id": id = try JSONDrawingReader.identifier(&json)
          case "strokes":
            strokes = json
            try json.skip()
          default: try json.skip()
          }
        }
        guard let id else { throw error }
        found.append((id, strokes))
      }
    } catch {
      throw .json(error)
    }
    var changes: [StrokeChange<PKStroke>] = []
    for (id, strokes) in found {
      changes.append(StrokeChange(strokeID: id, replacements: try readStrokes(strokes)))
    }
    return changes
  }

  private mutating func readStrokes(_ text: JSONReader?) throws(LineError) -> [PKStroke] {
    guard let text else { return [] }
    var found: [(fields: JSONDrawingReader.Fields, points: JSONReader?)] = []
    do throws(JSONError) {
      var json = text
      try json.list { (json) throws(JSONError) in
        var fields = JSONDrawingReader.Fields()
        var points: JSONReader?
        try json.object { (key, json) throws(JSONError) in
          if key == "points" { points = json }
          try JSONDrawingReader.read(key, into: &fields, from: &json)
        }
        found.append((fields, points))
      }
    } catch {
      throw .json(error)
    }
    var strokes: [PKStroke] = []
    for (fields, points) in found { strokes.append(try stroke(fields, points: points)) }
    return strokes
  }

  private func readTool(
    _ json: inout JSONReader, kind fixedKind: String? = nil
  ) throws(JSONError) -> PKTool {
    let unknown = json.error("the kind of a tool must be ink, eraser or lasso")
    let unknownEraser = json.error(
      "the type of an eraser must be vector, bitmap or fixedWidthBitmap")
    var (kind, type) = (fixedKind, String?.none)
    var color = Color.black
    var width: Double?
    try json.object { (key, json) throws(JSONError) in
      switch key {
      case "kind": kind = try json.string()
      case "type": type = try json.string()
      case "color", "colorSpace": try JSONDrawingReader.readColor(key, into: &color, from: &json)
      case "width": width = try json.number()
      default: try json.skip()
      }
    }
    switch kind {
    case "ink":
      let type = type.map { PKInk.InkType(rawValue: $0) } ?? .pen
      var tool = PKInkingTool(type, color: color, width: width)
      if isLossless, let width { tool.width = width }
      return .inking(tool)
    case "eraser":
      guard let type = PKEraserTool.EraserType(rawValue: type ?? "bitmap") else {
        throw unknownEraser
      }
      var tool = PKEraserTool(type, width: width)
      if isLossless, let width { tool.width = width }
      return .eraser(tool)
    case "lasso": return .lasso
    default: throw unknown
    }
  }
}

extension EventStreamError.Reason {
  /// A reason whose line number is not known yet.
  fileprivate struct Found: Error {
    let reason: EventStreamError.Reason

    init(_ reason: EventStreamError.Reason) { self.reason = reason }
  }
}
