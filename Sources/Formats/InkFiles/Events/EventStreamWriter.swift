import JSON
import Graphics
public import Strokes

/// Writes events as text that a program can read live, one JSON object for each line.
/// `docs/formats/json.md` describes the format. Every number reads back as the same value.
public struct EventStreamWriter {
  /// The version of the format.
  public static let version = 1
  static let formatName = "pentimento-events"

  /// The points of each stroke that was written, which its pieces mostly share.
  private var writtenPoints: [Identifier: PointColumns] = [:]
  /// The last piece of each stroke that was cut.
  private var lastPieces: [Identifier: Identifier] = [:]
  /// The date of each stroke's path.
  private var dates: [Identifier: Timestamp] = [:]

  /// The points of strokes that the reader knows before all events.
  private var knownPoints: [Identifier: PointColumns] = [:]

  /// A writer that has written nothing.
  public init() {}

  /// A writer of events that follow the strokes they result in. The points of these strokes are not
  /// repeated.
  init(behind strokes: [PKStroke]) {
    for stroke in strokes { knownPoints[stroke.id] = stroke.path.columns }
  }

  /// The first line of the text.
  public static func header(_ canvas: Recording.Canvas) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.field("format", formatName)
      json.field("version", version)
      json.key("canvas")
      JSONDrawingWriter.write(canvas, into: &json)
    }
    json.finish()
    return json.bytes
  }

  /// The text of a whole recording.
  public static func encode(_ recording: Recording) -> [UInt8] {
    var writer = EventStreamWriter()
    var text = header(recording.canvas)
    for event in recording.events { text += writer.line(event) }
    return text
  }

  /// The line of an event. Events must come in the order of the recording.
  public mutating func line(_ event: Recording.Event) -> [UInt8] {
    var json = JSONWriter()
    write(event, into: &json)
    json.finish()
    return json.bytes
  }

  /// Writes an event as an object. Events must come in the order of the recording.
  mutating func write(_ event: Recording.Event, into json: inout JSONWriter) {
    json.object { json in
      json.field("event", event.action.name)
      json.key("time")
      JSONDrawingWriter.write(event.time, into: &json)
      if event.person != 0 { json.field("person", Int(event.person)) }
      writeFields(of: event, into: &json)
    }
  }

  private mutating func writeFields(of event: Recording.Event, into json: inout JSONWriter) {
    switch event.action {
    case .strokeBegun(let stroke):
      dates[stroke.id] = stroke.path.creationDate
      write(stroke, hasDate: stroke.path.creationDate != event.time, into: &json)
    case .strokeExtended(let id, let path):
      write(id, into: &json)
      write(path, after: dates[id], into: &json)
    case .strokeEnded(let id): write(id, into: &json)
    case .erased(let eraser, let path, let changes):
      json.object("eraser") { write(.eraser(eraser), into: &$0) }
      write(path, after: event.time, into: &json)
      write(changes, into: &json)
    case .undone, .redone, .cleared: break
    case .moved(let ids, let transform):
      json.list("ids", ids) { json, id in json.value(id.description) }
      JSONDrawingWriter.write(transform, into: &json)
    case .toolChanged(let tool):
      json.object("tool") { write(tool, into: &$0) }
    case .edited(let changes, let above, let below):
      write(changes, into: &json)
      write(above, named: "above", into: &json)
      write(below, named: "below", into: &json)
    }
  }

  private mutating func write(
    _ changes: [StrokeChange<PKStroke>], into json: inout JSONWriter
  ) {
    json.list("changes", changes) { json, change in
      json.object { json in
        write(change.strokeID, into: &json)
        write(change.replacements, named: "strokes", into: &json)
      }
    }
  }

  private mutating func write(
    _ strokes: [PKStroke], named name: String, into json: inout JSONWriter
  ) {
    json.list(name, strokes) { json, stroke in
      json.object { write(stroke, hasDate: true, into: &$0) }
    }
  }

  // MARK: - Strokes

  private mutating func write(
    _ stroke: PKStroke, hasDate: Bool, into json: inout JSONWriter
  ) {
    write(stroke.id, into: &json)
    json.key("ink")
    JSONDrawingWriter.write(stroke.ink, into: &json)
    if hasDate {
      json.key("date")
      JSONDrawingWriter.write(stroke.path.creationDate, into: &json)
    }
    json.field("seed", Int(stroke.randomSeed))
    JSONDrawingWriter.write(stroke.transform, into: &json)
    if let mask = stroke.mask {
      json.field("maskPath", PathText.encode(mask))
      if mask.fillRule == .evenOdd {
        json.field("maskRule", "evenodd")
      }
    }
    if let ranges = stroke.archivedMaskRanges {
      json.list("ranges", ranges) { json, range in json.list([range.lowerBound, range.upperBound]) }
      json.field("rangesFromArchive", true)
    }
    if stroke.isPartial {
      json.key("part")
      json.list([stroke.visiblePathRange.lowerBound, stroke.visiblePathRange.upperBound])
    }
    JSONDrawingWriter.writeRelations(of: stroke, into: &json)
    if let other = pointsOwner(of: stroke) {
      json.field("pointsOf", other.description)
    } else {
      write(stroke.path.columns, into: &json)
    }
    writtenPoints[stroke.id] = stroke.path.columns
    if let parent = stroke.parentID { lastPieces[parent] = stroke.id }
  }

  /// The earlier stroke that was written with the same points, stored in the same way.
  private func pointsOwner(of stroke: PKStroke) -> Identifier? {
    let columns = stroke.path.columns
    func hasSame(_ other: PointColumns?) -> Bool {
      guard let other else { return false }
      return other.varying == columns.varying && other.present == columns.present
        && other == columns
    }
    if hasSame(knownPoints[stroke.id]), writtenPoints[stroke.id] == nil { return stroke.id }
    guard let parent = stroke.parentID else { return nil }
    return [lastPieces[parent], parent].compactMap { $0 }.first { hasSame(writtenPoints[$0]) }
  }

  // MARK: - Parts

  private func write(_ id: Identifier, into json: inout JSONWriter) {
    json.field("id", id.description)
  }

  /// Writes a path of an event. The date is left out if it is the given one.
  private func write(_ path: PKStrokePath, after date: Timestamp?, into json: inout JSONWriter) {
    if path.creationDate != date {
      json.key("date")
      JSONDrawingWriter.write(path.creationDate, into: &json)
    }
    write(path.columns, into: &json)
  }

  private func write(_ columns: PointColumns, into json: inout JSONWriter) {
    JSONDrawingWriter.writeStorage(of: columns, into: &json)
    json.list("points", 0..<columns.count) { json, index in
      write(columns[index], of: columns, into: &json)
    }
  }

  /// Writes a point as a list, without the values at its end that are defaults.
  private func write(
    _ stored: StoredPoint, of columns: PointColumns, into json: inout JSONWriter
  ) {
    let point = PKStrokePoint(stored, scale: columns.scale)
    let (aspect, secondary) = (stored[word: .aspect], stored[float: .secondaryWidth])
    let hasNoWidth = point.size.width == 0
    let ownsAspect = hasNoWidth && aspect != 1000
    let ownsSecondary =
      secondary == StoredPoint.noSecondaryWidth
      ? columns.present.contains(.secondaryWidth) : hasNoWidth && secondary != 0
    json.list { json in
      for value in [
        point.location.x, point.location.y, point.timeOffset, point.size.width, point.size.height,
        point.opacity, point.force, point.azimuth, point.altitude, point.secondaryScale,
        point.threshold,
      ] {
        json.value(value)
      }
      let hasRaw = ownsAspect || ownsSecondary
      guard hasRaw || point.lateralJitter != 1 || point.edgeWidth != 0 else { return }
      json.value(point.lateralJitter)
      json.value(point.edgeWidth)
      guard hasRaw else { return }
      if ownsAspect { json.value(Double(aspect)) } else { json.null() }
      if ownsSecondary { json.value(Double(secondary)) } else { json.null() }
    }
  }

  private func write(_ tool: PKTool, into json: inout JSONWriter) {
    json.key("kind")
    switch tool {
    case .inking(let tool):
      json.value("ink")
      json.field("type", tool.inkType.name)
      JSONDrawingWriter.write(tool.color, into: &json)
      json.field("width", tool.width)
    case .eraser(let eraser):
      json.value("eraser")
      json.field("type", eraser.eraserType.rawValue)
      json.field("width", eraser.width)
    case .lasso: json.value("lasso")
    }
  }
}

extension Recording.Action {
  /// The name of the event in the text.
  var name: String {
    switch self {
    case .strokeBegun: "begin"
    case .strokeExtended: "points"
    case .strokeEnded: "end"
    case .erased: "erase"
    case .undone: "undo"
    case .redone: "redo"
    case .moved: "move"
    case .cleared: "clear"
    case .toolChanged: "tool"
    case .edited: "edit"
    }
  }
}
