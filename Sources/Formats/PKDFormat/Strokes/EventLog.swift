import Graphics
import Strokes

// The log of events, which exists if the recording is more than one stroke after the other. An
// event consists of a byte for its kind, its time and its fields. The time is stored only if it
// differs from the one that the kind implies; a flag in the byte shows this. Strokes are given by
// their numbers.

private enum EventKind: UInt8 {
  case begun, extended, ended, erased, undone, redone, moved, cleared, toolChanged, edited
  /// The person who did the events that follow.
  case person

  /// The flag of an event whose time is stored.
  static let ownTime: UInt8 = 0x80
}

extension Recording {
  /// Whether the records alone imply all events.
  func isPlain(_ list: RecordList) -> Bool {
    guard !events.isEmpty else { return words == nil }
    return self == Recording(PKDrawing(strokes: list.records.map { $0.stroke }), canvas: canvas)
  }
}

extension ByteWriter {
  /// Writes events that follow a moment.
  mutating func events(
    _ events: some Collection<Recording.Event>, after moment: Timestamp, records: RecordList
  ) {
    var now = moment
    func reference(_ id: Identifier, _ writer: inout ByteWriter) {
      if let number = records.number(of: id) {
        writer.count(number + 1)
      } else {
        writer.count(0)
        writer.append(id.bytes)
      }
    }
    func write(_ changes: [StrokeChange<PKStroke>], _ writer: inout ByteWriter) {
      writer.count(changes.count)
      for change in changes {
        reference(change.strokeID, &writer)
        writer.count(change.replacements.count)
      }
    }
    var person: UInt16 = 0
    var switches = 0
    for event in events where event.person != person {
      person = event.person
      switches += 1
    }
    count(events.count + switches)
    person = 0
    for event in events {
      if event.person != person {
        person = event.person
        byte(EventKind.person.rawValue)
        count(Int(person))
      }
      let kind = EventKind(event.action)
      var expected = now
      switch event.action {
      case .strokeBegun(let stroke): expected = max(now, stroke.path.creationDate)
      case .strokeEnded(let id):
        if let number = records.number(of: id) {
          expected = max(now, records.records[number].stroke.path.lastMoment)
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
        write(changes, &self)
      case .undone, .redone, .cleared: break
      case .moved(let ids, let transform):
        count(ids.count)
        for id in ids { reference(id, &self) }
        numbers(transform.numbers)
      case .toolChanged(let tool): self.tool(tool)
      case .edited(let changes, let above, let below):
        write(changes, &self)
        count(above.count)
        count(below.count)
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
    case .edited: self = .edited
    }
  }
}

extension PKStrokePath {
  /// The time of the last point.
  var lastMoment: Timestamp { creationDate + Swift.max(duration, 0) }
}

/// The properties of a file's strokes that decoding events needs.
protocol RecordFacts {
  /// The number of records.
  var count: Int { get }
  /// The name of a record.
  func id(ofRecord number: Int) -> Identifier
  /// The time at which a record began.
  func begin(ofRecord number: Int) -> Timestamp
  /// The duration of a record in seconds, which may be rounded up by less than a millisecond.
  func roundedDuration(ofRecord number: Int) -> Double
  /// The exact duration of a record in seconds, which may need its points to be read.
  func duration(ofRecord number: Int) -> Double
}

extension [PKStroke]: RecordFacts {
  func id(ofRecord number: Int) -> Identifier { self[number].id }
  func begin(ofRecord number: Int) -> Timestamp { self[number].path.creationDate }
  func roundedDuration(ofRecord number: Int) -> Double { duration(ofRecord: number) }
  func duration(ofRecord number: Int) -> Double { Swift.max(self[number].path.duration, 0) }
}

/// The time of the last event. Heads store the end of a record to a millisecond only, so where an
/// event follows within that millisecond, the record's points are read for the exact time.
struct ScriptClock {
  /// A lower bound of the time of the last event: the time before `drawn`.
  private var known: Timestamp
  /// A record that may have ended later, and the moment that its times are relative to.
  private var drawn: (record: Int, start: Timestamp)?
  /// The time of the last event, or less than a millisecond later.
  private(set) var latest: Timestamp

  init(_ moment: Timestamp) { (known, latest) = (moment, moment) }

  /// Advances to the end of a record that began at `start`, if that is later.
  mutating func draw(_ record: Int, of records: some RecordFacts, from start: Timestamp) {
    let end = start + records.roundedDuration(ofRecord: record)
    // The exact end may be nearly a millisecond earlier; far from 2001, the rounding of dates adds
    // to this.
    let slack = 0.001_01 + 2 * end.secondsSinceReferenceDate.ulp
    if latest > end + -slack { settle(records) }
    guard end > known else { return }
    (drawn, latest) = ((record, start), end)
  }

  /// The time of the last event, or `earliest` if that is later.
  mutating func moment(of records: some RecordFacts, notBefore earliest: Timestamp) -> Timestamp {
    if earliest < latest { settle(records) }
    return max(known, earliest)
  }

  /// The exact time of the last event.
  mutating func moment(of records: some RecordFacts) -> Timestamp {
    settle(records)
    return known
  }

  /// Replaces the rounded end of a record by the exact one.
  private mutating func settle(_ records: some RecordFacts) {
    if let (record, start) = drawn {
      known = max(known, start + records.duration(ofRecord: record))
    }
    drawn = nil
    latest = known
  }
}

/// Reads the events of a file whose strokes are decoded, one chunk after the other.
struct EventReader {
  /// The strokes of the file; more may be appended between chunks.
  var strokes: [PKStroke]
  private var script: ScriptReader
  /// The events that were read so far.
  private(set) var events: [Recording.Event] = []
  /// The time of the last event.
  var now: Timestamp { script.clock.latest }
  /// The number of the first stroke that no event has mentioned.
  var next: Int { script.next }

  init(_ strokes: [PKStroke], base: Timestamp, limits: PKDLimits) {
    self.strokes = strokes
    script = ScriptReader(base: base, limits: limits)
  }

  /// Reads the events of one more chunk.
  mutating func read(_ bytes: [UInt8], in payload: Range<Int>) throws(PKDError) {
    defer {
      for event in script.events[events.count...] {
        events.append(event.map(stroke: { strokes[$0] }, path: { strokes[$0].path }))
      }
    }
    try script.read(bytes, in: payload, of: strokes)
  }
}

/// Reads events, with strokes as numbers, one chunk after the other.
struct ScriptReader {
  private var reader = ByteReader([], in: 0..<0)
  /// The time of the last event.
  private(set) var clock: ScriptClock
  /// The events that were read so far.
  private(set) var events: [RecordingScript.Event] = []
  private let limits: PKDLimits
  /// The number of the first stroke that no event has mentioned.
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
    // The file's bytes may be appended to, which would copy them if the reader still held them.
    defer { reader = ByteReader([], in: 0..<0) }
    // Between two events, another person may be named.
    let count = try reader.count(
      limit: min(2 * (limits.events - events.count), reader.remaining), .events)
    var person: UInt16 = 0
    for _ in 0..<count {
      let start = reader.offset
      let byte = try reader.byte()
      guard let kind = EventKind(rawValue: byte & 0x7F) else {
        throw PKDError(.unknownValue("event", UInt64(byte & 0x7F)), at: start)
      }
      if kind == .person {
        guard byte == kind.rawValue else { throw PKDError(.notCanonical, at: start) }
        person = UInt16(try reader.count(limit: Int(UInt16.max), .people))
        continue
      }
      guard events.count < limits.events else {
        throw PKDError(
          .tooMany(.events, declared: UInt64(events.count) + 1, limit: limits.events), at: start)
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
        // The strokes of a damaged event count as not mentioned.
        (next, clock) = (first, before)
        throw error
      }
      events.append(
        RecordingScript.Event(time: clock.latest, action: action, person: person))
    }
    guard reader.remaining == 0 else {
      throw PKDError(.trailingBytes(reader.remaining), at: reader.offset)
    }
  }

  /// Reads an event, and sets the clock to its stored time or to the one that is implied.
  private mutating func action(
    _ kind: EventKind, _ strokes: some RecordFacts, _ time: Timestamp?
  ) throws(PKDError) -> RecordingScript.Action {
    if let time { clock = ScriptClock(time) }
    func advance(notBefore earliest: Timestamp? = nil) {
      guard time == nil else { return }
      clock = ScriptClock(
        earliest.map { clock.moment(of: strokes, notBefore: $0) } ?? clock.moment(of: strokes))
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
      let (id, number) = try reference(to: strokes)
      // The number is that of the last stroke with this name when the event was written.
      if let number { advance(behind: number) }
      return .strokeEnded(id)
    case .erased:
      let number = try nextStroke(of: strokes)
      let start = reader.offset
      guard case .eraser(let eraser) = try tool() else {
        throw PKDError(.unknownValue("eraser", 0), at: start)
      }
      let changes = try changes(of: strokes)
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
    case .edited:
      let changes = try changes(of: strokes)
      let above = try nextStrokes(of: strokes)
      let below = try nextStrokes(of: strokes)
      advance()
      return .edited(changes, above: above, below: below)
    // Read with the event that follows.
    case .person: throw PKDError(.unknownValue("event", UInt64(kind.rawValue)), at: reader.offset)
    }
  }

  private mutating func changes(
    of strokes: some RecordFacts
  ) throws(PKDError) -> [StrokeChange<Int>] {
    var changes: [StrokeChange<Int>] = []
    for _ in 0..<(try reader.count(limit: reader.remaining, .strokes)) {
      let id = try reference(to: strokes).id
      changes.append(StrokeChange(strokeID: id, replacements: try nextStrokes(of: strokes)))
    }
    return changes
  }

  /// The next strokes, whose number is stored.
  private mutating func nextStrokes(of strokes: some RecordFacts) throws(PKDError) -> [Int] {
    let count = try reader.count(limit: strokes.count - next, .strokes)
    defer { next += count }
    return Array(next..<next + count)
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
  ) throws(PKDError) -> (id: Identifier, number: Int?) {
    let start = reader.offset
    let number = try reader.varint()
    guard number > 0 else { return (try reader.identifier(), nil) }
    guard number <= UInt64(strokes.count) else {
      throw PKDError(
        .reference(.strokes, index: Int(clamping: number - 1), count: strokes.count), at: start)
    }
    return (strokes.id(ofRecord: Int(number) - 1), Int(number) - 1)
  }

  private mutating func tool() throws(PKDError) -> PKTool {
    let start = reader.offset
    let kind = try reader.byte()
    switch kind {
    case 0:
      let type = PKInk.InkType(rawValue: try reader.text(limit: limits.textBytes))
      let space = try reader.byte()
      guard space <= 1 else { throw PKDError(.notCanonical, at: start) }
      let (red, green, blue) = (try reader.double(), try reader.double(), try reader.double())
      let alpha = try reader.double()
      let color = Color(
        red: red, green: green, blue: blue, alpha: alpha, space: space == 1 ? .displayP3 : .sRGB)
      // Set here, since the initializer would limit the width to the usual ones.
      var tool = PKInkingTool(type, color: color)
      tool.width = try reader.double()
      return .inking(tool)
    case 1...3:
      let types: [PKEraserTool.EraserType] = [.vector, .bitmap, .fixedWidthBitmap]
      var tool = PKEraserTool(types[Int(kind) - 1])
      tool.width = try reader.double()
      return .eraser(tool)
    case 4: return .lasso
    default: throw PKDError(.unknownValue("tool", UInt64(kind)), at: start)
    }
  }
}
