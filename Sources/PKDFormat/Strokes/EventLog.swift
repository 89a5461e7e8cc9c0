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

/// What events need to know of the strokes of a file.
protocol RecordFacts {
  /// How many there are.
  var count: Int { get }
  /// The name of one.
  func id(ofRecord number: Int) -> Identifier
  /// When it began.
  func begin(ofRecord number: Int) -> Timestamp
  /// How many seconds drawing it took, which may be rounded up by less than a millisecond.
  func roundedDuration(ofRecord number: Int) -> Double
  /// How many seconds drawing it took, which may take reading its points.
  func duration(ofRecord number: Int) -> Double
}

extension [PKStroke]: RecordFacts {
  func id(ofRecord number: Int) -> Identifier { self[number].id }
  func begin(ofRecord number: Int) -> Timestamp { self[number].path.creationDate }
  func roundedDuration(ofRecord number: Int) -> Double { duration(ofRecord: number) }
  func duration(ofRecord number: Int) -> Double { Swift.max(self[number].path.duration, 0) }
}

/// The moment of the last event. Where that is the end of a record, which heads of files only tell to
/// a millisecond, its points are read if an event happens before that millisecond is over.
struct ScriptClock {
  /// When the last event happened, as far as that is known without the points of the record.
  private var known: Timestamp
  /// A record that may have ended later, and the moment that its times count from.
  private var drawn: (record: Int, start: Timestamp)?
  /// When the last event happened, or less than a millisecond later.
  private(set) var latest: Timestamp

  init(_ moment: Timestamp) { (known, latest) = (moment, moment) }

  /// Goes on to the end of a record that was begun at some moment, if that is later.
  mutating func draw(_ record: Int, of records: some RecordFacts, from start: Timestamp) {
    let end = start + records.roundedDuration(ofRecord: record)
    // The end itself may be nearly a millisecond earlier, and far from 2001 as much as a date is rounded.
    let slack = 0.001_01 + 2 * end.secondsSinceReferenceDate.ulp
    if latest > end + -slack { settle(records) }
    guard end > known else { return }
    (drawn, latest) = ((record, start), end)
  }

  /// The moment of the last event, or a given one if that is later.
  mutating func moment(of records: some RecordFacts, notBefore least: Timestamp) -> Timestamp {
    if least < latest { settle(records) }
    return max(known, least)
  }

  /// When the last event happened.
  mutating func moment(of records: some RecordFacts) -> Timestamp {
    settle(records)
    return known
  }

  private mutating func settle(_ records: some RecordFacts) {
    if let (record, start) = drawn {
      known = max(known, start + records.duration(ofRecord: record))
    }
    drawn = nil
    latest = known
  }
}

/// Reads the events of a file whose strokes are known, one chunk after the other.
struct EventReader {
  /// The strokes of the file, which may become more.
  var strokes: [PKStroke]
  private var script: ScriptReader
  /// What was read so far.
  private(set) var events: [Recording.Event] = []
  /// When the last event happened.
  var now: Timestamp { script.clock.latest }
  /// The first stroke that no event has told of.
  var next: Int { script.next }

  init(_ strokes: [PKStroke], base: Timestamp, limits: PKDLimits) {
    self.strokes = strokes
    script = ScriptReader(base: base, limits: limits)
  }

  /// Reads the events of one more chunk.
  mutating func read(_ bytes: [UInt8], in payload: Range<Int>) throws(PKDError) {
    defer {
      for event in script.events[events.count...] {
        let action = event.action.map(stroke: { strokes[$0] }, path: { strokes[$0].path })
        events.append(Recording.Event(time: event.time, action: action))
      }
    }
    try script.read(bytes, in: payload, of: strokes)
  }
}

/// Reads events whose strokes are told by their numbers, one chunk after the other.
struct ScriptReader {
  private var reader = ByteReader([], in: 0..<0)
  /// When the last event happened.
  private(set) var clock: ScriptClock
  /// What was read so far.
  private(set) var events: [RecordingScript.Event] = []
  private let limits: PKDLimits
  /// The first stroke that no event has told of.
  private(set) var next = 0

  init(base: Timestamp, limits: PKDLimits) {
    clock = ScriptClock(base)
    self.limits = limits
  }

  /// Reads the events of one more chunk.
  mutating func read(
    _ bytes: [UInt8], in payload: Range<Int>, of strokes: some RecordFacts
  ) throws(PKDError) {
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
      let (first, before) = (next, clock)
      let action: RecordingScript.Action
      do throws(PKDError) {
        action = try self.action(kind, strokes, time)
      } catch {
        // What it would have told of is untold then.
        (next, clock) = (first, before)
        throw error
      }
      events.append(RecordingScript.Event(time: clock.latest, action: action))
    }
    guard reader.remaining == 0 else {
      throw PKDError(.trailingBytes(reader.remaining), at: reader.offset)
    }
  }

  /// Reads an event, and moves the clock to the moment that is told of it or follows.
  private mutating func action(
    _ kind: EventKind, _ strokes: some RecordFacts, _ time: Timestamp?
  ) throws(PKDError) -> RecordingScript.Action {
    if let time { clock = ScriptClock(time) }
    func advance(notBefore least: Timestamp? = nil) {
      guard time == nil else { return }
      clock = ScriptClock(
        least.map { clock.moment(of: strokes, notBefore: $0) } ?? clock.moment(of: strokes))
    }
    func advance(behind record: Int) {
      guard time == nil else { return }
      clock.draw(record, of: strokes, from: strokes.begin(ofRecord: record))
    }
    switch kind {
    case .begun:
      let number = try nextStroke(of: strokes)
      advance(notBefore: strokes.begin(ofRecord: number))
      return .strokeBegun(number)
    case .extended:
      let number = try nextStroke(of: strokes)
      let id = try reference(to: strokes).id
      advance(behind: number)
      return .strokeExtended(id, by: number)
    case .ended:
      let (id, place) = try reference(to: strokes)
      // The stroke that was the last of its name when this was written.
      if let place { advance(behind: place) }
      return .strokeEnded(id)
    case .erased:
      let number = try nextStroke(of: strokes)
      let place = reader.offset
      guard case .eraser(let eraser) = try tool() else {
        throw PKDError(.unknownValue("eraser", 0), at: place)
      }
      var changes: [StrokeChange<Int>] = []
      for _ in 0..<(try reader.count(limit: reader.remaining, .strokes)) {
        let id = try reference(to: strokes).id
        let count = try reader.count(limit: strokes.count - next, .strokes)
        changes.append(StrokeChange(strokeID: id, replacements: Array(next..<next + count)))
        next += count
      }
      advance(notBefore: strokes.begin(ofRecord: number))
      return .erased(eraser, along: number, changes: changes)
    case .undone, .redone, .cleared:
      advance()
      return kind == .undone ? .undone : kind == .redone ? .redone : .cleared
    case .moved:
      var ids: [Identifier] = []
      for _ in 0..<(try reader.count(limit: reader.remaining, .strokes)) {
        ids.append(try reference(to: strokes).id)
      }
      let transform = AffineTransform(numbers: try reader.numbers(6))
      advance()
      return .moved(ids, by: transform)
    case .toolChanged:
      let tool = try tool()
      advance()
      return .toolChanged(tool)
    }
  }

  private mutating func nextStroke(of strokes: some RecordFacts) throws(PKDError) -> Int {
    guard next < strokes.count else {
      throw PKDError(.reference(.strokes, index: next, count: strokes.count), at: reader.offset)
    }
    defer { next += 1 }
    return next
  }

  private mutating func reference(
    to strokes: some RecordFacts
  ) throws(PKDError) -> (id: Identifier, place: Int?) {
    let place = reader.offset
    let number = try reader.varint()
    guard number > 0 else { return (try reader.identifier(), nil) }
    guard number <= UInt64(strokes.count) else {
      throw PKDError(
        .reference(.strokes, index: Int(clamping: number - 1), count: strokes.count), at: place)
    }
    return (strokes.id(ofRecord: Int(number) - 1), Int(number) - 1)
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
