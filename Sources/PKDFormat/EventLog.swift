import Graphics
import Strokes

// What happened, where that is more than one stroke after the other. Every event is a byte for what
// it is, with a mark where its time is not the one that follows from what it is; then what it needs.
// Strokes are told by their numbers.

private enum EventKind: UInt8 {
  case begun, extended, ended, erased, undone, redone, moved, cleared, toolChanged

  static let ownTime: UInt8 = 0x80
}

/// The strokes and paths of a recording as records, in the order in which its events need them.
struct RecordingRecords {
  private(set) var list = RecordList()

  init(_ recording: Recording) {
    for event in recording.events { list.add(event.action) }
  }
}

extension Recording {
  /// Whether the strokes alone say all that happened.
  func isPlain(_ strokes: [PKStroke]) -> Bool {
    self == Recording(PKDrawing(strokes: strokes), canvas: canvas)
  }
}

extension ByteWriter {
  /// Writes events that follow a moment.
  mutating func events(
    _ events: some Collection<Recording.Event>, after moment: Timestamp, records: RecordList
  ) {
    var now = moment
    func reference(_ id: Identifier, _ writer: inout ByteWriter) {
      if let place = records.place(of: id) {
        writer.count(place + 1)
      } else {
        writer.count(0)
        writer.append(id.bytes)
      }
    }
    count(events.count)
    for event in events {
      let kind = EventKind(event.action)
      var expected = now
      switch event.action {
      case .strokeBegun(let stroke): expected = max(now, stroke.path.creationDate)
      case .strokeEnded(let id):
        if let place = records.place(of: id) {
          expected = max(now, records.records[place].stroke.path.lastMoment)
        }
      case .strokeExtended(_, let path): expected = max(now, path.lastMoment)
      case .erased(_, let path, _): expected = max(now, path.creationDate)
      default: break
      }
      byte(kind.rawValue | (event.time == expected ? 0 : EventKind.ownTime))
      if event.time != expected { double(event.time.secondsSinceReferenceDate) }
      now = event.time
      switch event.action {
      case .strokeBegun: break
      case .strokeExtended(let id, _): reference(id, &self)
      case .strokeEnded(let id): reference(id, &self)
      case .erased(let eraser, _, let changes):
        tool(.eraser(eraser))
        count(changes.count)
        for change in changes {
          reference(change.strokeID, &self)
          count(change.replacements.count)
        }
      case .undone, .redone, .cleared: break
      case .moved(let ids, let transform):
        count(ids.count)
        for id in ids { reference(id, &self) }
        numbers(transform.numbers)
      case .toolChanged(let tool): self.tool(tool)
      }
    }
  }

  private mutating func tool(_ tool: PKTool) {
    switch tool {
    case .inking(let tool):
      byte(0)
      text(tool.inkType.rawValue)
      let color = tool.color
      byte(color.space == .displayP3 ? 1 : 0)
      for number in [color.red, color.green, color.blue, color.alpha, tool.width] { double(number) }
    case .eraser(let eraser):
      switch eraser.eraserType {
      case .vector: byte(1)
      case .bitmap: byte(2)
      case .fixedWidthBitmap: byte(3)
      }
      double(eraser.width)
    case .lasso: byte(4)
    }
  }
}

extension EventKind {
  init(_ action: Recording.Action) {
    switch action {
    case .strokeBegun: self = .begun
    case .strokeExtended: self = .extended
    case .strokeEnded: self = .ended
    case .erased: self = .erased
    case .undone: self = .undone
    case .redone: self = .redone
    case .moved: self = .moved
    case .cleared: self = .cleared
    case .toolChanged: self = .toolChanged
    }
  }
}

extension PKStrokePath {
  /// When its last point came.
  var lastMoment: Timestamp { creationDate + Swift.max(duration, 0) }
}

/// Reads the events of a file whose strokes are known, one chunk after the other.
struct EventReader {
  private var reader = ByteReader([], in: 0..<0)
  /// When the last event happened.
  private(set) var now: Timestamp
  /// What was read so far.
  private(set) var events: [Recording.Event] = []
  /// The strokes of the file, which may become more.
  var strokes: [PKStroke]
  private let limits: PKDLimits
  /// The first stroke that no event has told of.
  private(set) var next = 0

  init(_ strokes: [PKStroke], base: Timestamp, limits: PKDLimits) {
    now = base
    self.strokes = strokes
    self.limits = limits
  }

  /// Reads the events of one more chunk.
  mutating func read(_ bytes: [UInt8], in payload: Range<Int>) throws(PKDError) {
    reader = ByteReader(bytes, in: payload)
    // The file may grow, and should not be copied for our sake.
    defer { reader = ByteReader([], in: 0..<0) }
    let count = try reader.count(
      limit: min(limits.events - events.count, reader.remaining), .events)
    for _ in 0..<count {
      let place = reader.offset
      let byte = try reader.byte()
      guard let kind = EventKind(rawValue: byte & 0x7F) else {
        throw PKDError(.unknownValue("event", UInt64(byte & 0x7F)), at: place)
      }
      var time: Timestamp?
      if byte & EventKind.ownTime != 0 {
        time = Timestamp(secondsSinceReferenceDate: try reader.double())
      }
      let first = next
      let (action, expected): (Recording.Action, Timestamp)
      do throws(PKDError) {
        (action, expected) = try self.action(kind, now: now)
      } catch {
        // What it would have told of is untold then.
        next = first
        throw error
      }
      now = time ?? expected
      events.append(Recording.Event(time: now, action: action))
    }
    guard reader.remaining == 0 else {
      throw PKDError(.trailingBytes(reader.remaining), at: reader.offset)
    }
  }

  private mutating func action(
    _ kind: EventKind, now: Timestamp
  ) throws(PKDError) -> (Recording.Action, expected: Timestamp) {
    switch kind {
    case .begun:
      let stroke = try nextStroke()
      return (.strokeBegun(stroke), max(now, stroke.path.creationDate))
    case .extended:
      let path = try nextStroke().path
      let id = try reference().id
      return (.strokeExtended(id, by: path), max(now, path.lastMoment))
    case .ended:
      let (id, place) = try reference()
      // The stroke that was the last of its name when this was written.
      let last = place.map { strokes[$0].path.lastMoment }
      return (.strokeEnded(id), max(now, last ?? now))
    case .erased:
      let path = try nextStroke().path
      let place = reader.offset
      guard case .eraser(let eraser) = try tool() else {
        throw PKDError(.unknownValue("eraser", 0), at: place)
      }
      var changes: [StrokeChange] = []
      for _ in 0..<(try reader.count(limit: reader.remaining, .strokes)) {
        let id = try reference().id
        let count = try reader.count(limit: strokes.count - next, .strokes)
        changes.append(
          StrokeChange(strokeID: id, replacements: Array(strokes[next..<next + count])))
        next += count
      }
      return (.erased(eraser, along: path, changes: changes), max(now, path.creationDate))
    case .undone: return (.undone, now)
    case .redone: return (.redone, now)
    case .moved:
      var ids: [Identifier] = []
      for _ in 0..<(try reader.count(limit: reader.remaining, .strokes)) {
        ids.append(try reference().id)
      }
      return (.moved(ids, by: AffineTransform(numbers: try reader.numbers(6))), now)
    case .cleared: return (.cleared, now)
    case .toolChanged: return (.toolChanged(try tool()), now)
    }
  }

  private mutating func nextStroke() throws(PKDError) -> PKStroke {
    guard next < strokes.count else {
      throw PKDError(.reference(.strokes, index: next, count: strokes.count), at: reader.offset)
    }
    defer { next += 1 }
    return strokes[next]
  }

  private mutating func reference() throws(PKDError) -> (id: Identifier, place: Int?) {
    let place = reader.offset
    let number = try reader.varint()
    guard number > 0 else { return (try reader.identifier(), nil) }
    guard number <= UInt64(strokes.count) else {
      throw PKDError(
        .reference(.strokes, index: Int(clamping: number - 1), count: strokes.count), at: place)
    }
    return (strokes[Int(number) - 1].id, Int(number) - 1)
  }

  private mutating func tool() throws(PKDError) -> PKTool {
    let place = reader.offset
    let kind = try reader.byte()
    switch kind {
    case 0:
      let type = PKInk.InkType(rawValue: try reader.text(limit: limits.textBytes))
      let space = try reader.byte()
      guard space <= 1 else { throw PKDError(.notCanonical, at: place) }
      let (red, green, blue) = (try reader.double(), try reader.double(), try reader.double())
      let alpha = try reader.double()
      let color = Color(
        red: red, green: green, blue: blue, alpha: alpha, space: space == 1 ? .displayP3 : .sRGB)
      // A tool's width may have been set beyond what is usual.
      var tool = PKInkingTool(type, color: color)
      tool.width = try reader.double()
      return .inking(tool)
    case 1...3:
      let types: [PKEraserTool.EraserType] = [.vector, .bitmap, .fixedWidthBitmap]
      var tool = PKEraserTool(types[Int(kind) - 1])
      tool.width = try reader.double()
      return .eraser(tool)
    case 4: return .lasso
    default: throw PKDError(.unknownValue("tool", UInt64(kind)), at: place)
    }
  }
}
