package import Strokes

/// The content of a recording that grows, as chunks that are added to the end of its bytes. It
/// does not write them anywhere: `PKDJournal` does, on a disk.
package struct JournalContent {
  /// Chunks that were not written yet.
  private var buffer = ByteWriter()
  /// The number of bytes that were written.
  package private(set) var length = 0

  private let header: Header
  private var table = FormTable(version: .latest)
  private var list = RecordList()
  private var names = NameTable()
  private var nameRows: [NameTable.Row] = []
  private var index = FileIndex()
  private var tools = BlockTools()
  /// The time of the last event that was written into a chunk.
  private var lastEventTime: Timestamp
  /// The stroke events implied by a continued file that stores no events.
  private var impliedEvents: [Recording.Event] = []

  private var live: LiveStroke?
  private var check = ContentCheck()
  private var liveStart = Timestamp.referenceDate
  /// The number of the live stroke's points in live chunks; nil before its first chunk.
  private var livePointCount: Int?
  /// Events during the live stroke, which are written when it ends.
  private var heldEvents: [Recording.Event] = []

  /// A new recording, whose first chunk is pending.
  package init(
    canvas: Recording.Canvas, profile: PKDProfile, startingAt moment: Timestamp
  ) throws(PKDContentError) {
    try ContentCheck.canvas(canvas)
    try ContentCheck.moment(moment, .file)
    self.init(header: Header(profile: profile, base: moment, canvas: canvas))
  }

  init(header: Header) {
    self.header = header
    lastEventTime = header.base
    buffer.append(Signature.bytes)
    buffer.chunk(.header, header.payload)
  }

  /// Continues a recording of the latest version behind its last complete chunk. An unfinished
  /// stroke ends there.
  package init(continuing reader: PKDReader) throws(PKDError) {
    var strokes: [PKStroke] = []
    for number in 0..<reader.recordCount { strokes.append(try reader.stroke(at: number)) }
    var events = EventReader(strokes, base: reader.header.base, limits: reader.limits)
    for chunk in reader.eventChunks { try events.read(reader.bytes, in: chunk.payload) }

    header = reader.header
    table = reader.table
    list = reader.recordList(strokes)
    names = reader.names
    nameRows = reader.nameRows
    lastEventTime = events.now
    impliedEvents = reader.impliedEvents(of: strokes, from: events.next, at: events.now)
    check = ContentCheck(strokes: strokes, eventCount: events.events.count + impliedEvents.count)
    for block in reader.blocks {
      index.add(block.heads.heads, at: block.offset, base: header.base)
    }
    length = reader.validEnd
    if let stroke = reader.live?.whole {
      let now = max(impliedEvents.last?.time ?? lastEventTime, stroke.path.creationDate)
      write([
        Recording.Event(time: now, action: .strokeBegun(stroke)),
        Recording.Event(
          time: max(now, stroke.path.lastMoment), action: .strokeEnded(stroke.id)),
      ])
    }
  }
}

// MARK: - Recording

extension JournalContent {
  /// The identifier of the stroke being drawn; nil while there is none.
  package var liveStrokeID: Identifier? { live?.stroke.id }
  /// The number of strokes, including the one being drawn and those that were erased.
  package var strokeCount: Int { list.records.count + (live == nil ? 0 : 1) }

  /// Begins a stroke; points follow. No other stroke may be open.
  package mutating func begin(_ stroke: PKStroke, at time: Timestamp) throws(PKDContentError) {
    precondition(live == nil, "a stroke must end before the next begins")
    try accept(Recording.Event(time: time, action: .strokeBegun(stroke)))
    live = LiveStroke(stroke, record: list.records.count)
    liveStart = time
    livePointCount = nil
  }

  /// Appends control points to the open stroke.
  package mutating func append(
    points: some Collection<PKStrokePoint>
  ) throws(PKDContentError) {
    precondition(live != nil, "points can be appended only to a stroke that has begun")
    let scale = live?.scale ?? .current
    try check.append(pointCount: points.count, after: live?.points.count ?? 0)
    live?.points.append(points, in: scale)
  }

  /// Ends the open stroke.
  package mutating func endStroke(at time: Timestamp) throws(PKDContentError) {
    precondition(live != nil, "only a stroke that has begun can end")
    try ContentCheck.moment(time, .event(check.eventCount))
    endLiveStroke(at: time)
  }

  /// Records any other event. While a stroke is open, the event is held back until its end.
  package mutating func record(
    _ action: Recording.Action, at time: Timestamp
  ) throws(PKDContentError) {
    let event = Recording.Event(time: time, action: action)
    try accept(event)
    if live == nil {
      write([event])
    } else {
      heldEvents.append(event)
    }
  }

  /// Ends the recording with an index and a tail. An open stroke ends with its last point.
  package mutating func seal() {
    if let live { endLiveStroke(at: max(liveStart, live.whole.path.lastMoment)) }
    let offset = length + buffer.bytes.count
    buffer.chunk(.index, index.payload)
    var tail = ByteWriter()
    tail.littleEndian(UInt64(offset), count: 8)
    buffer.chunk(.tail, tail.bytes)
  }

  /// Adds an event to the counts of `check`. An error leaves the counts unchanged.
  private mutating func accept(_ event: Recording.Event) throws(PKDContentError) {
    var check = check
    try check.add(event, to: table)
    self.check = check
  }

  private mutating func endLiveStroke(at time: Timestamp) {
    guard let live else { return }
    self.live = nil
    let stroke = live.whole
    var events = [Recording.Event(time: liveStart, action: .strokeBegun(stroke))]
    events += heldEvents
    events.append(Recording.Event(time: time, action: .strokeEnded(stroke.id)))
    heldEvents = []
    write(events)
  }
}

// MARK: - Chunks

extension JournalContent {
  /// The chunks that were not written yet, with all points of the open stroke.
  package mutating func pendingBytes() -> [UInt8] {
    bufferLivePoints()
    return buffer.bytes
  }

  /// Removes the pending chunks, which were written.
  package mutating func removePending() {
    length += buffer.bytes.count
    buffer.removeAll()
  }

  /// Puts points since the last call into live chunks in the buffer. They stay there even if
  /// writing fails, since the next attempt must write the same bytes.
  private mutating func bufferLivePoints() {
    guard let live else { return }
    repeat {
      let first = livePointCount ?? 0
      let end = min(first + LivePoints.chunkPoints, live.points.count)
      guard livePointCount == nil || end > first else { return }
      let head = LivePoints(
        record: live.record, first: first,
        description: livePointCount == nil ? live.description : nil, scale: live.scale,
        present: live.present)
      buffer.chunk(.live) { $0.live(head, live.points, first..<end) }
      livePointCount = end
    } while true
  }

  /// Puts events into the buffer, preceded by the strokes that they need. Each drawn stroke has a
  /// chunk of its own.
  private mutating func write(_ events: [Recording.Event]) {
    if !impliedEvents.isEmpty {
      write(log: impliedEvents)
      impliedEvents = []
    }
    for event in events {
      let start = list.records.count
      list.add(event.action)
      if list.records.count > start { write(records: list.records[start...]) }
    }
    writeNames()
    write(log: events)
  }

  private mutating func write(records: ArraySlice<StrokeRecord>) {
    let mark = table.mark
    let plan = BlockPlan(records, header: header, after: table)
    table = plan.table
    if table.mark != mark { buffer.chunk(.table, table.rows(after: mark)) }
    for block in plan.blocks {
      index.add(block.heads, at: length + buffer.bytes.count, base: header.base)
      buffer.chunk(
        .strokes,
        StrokeBlock.write(
          block.heads, paths: plan.paths[block.paths], table: table, base: header.base,
          tools: &tools))
    }
  }

  private mutating func writeNames() {
    let mark = names.mark
    guard list.records.count > mark.strokes else { return }
    for record in list.records[mark.strokes...] {
      names.strokes.append(record.stroke.id)
      nameRows.append(NameTable.Row(family: record.family, isBare: record.isBare))
    }
    names.families = list.families
    names.groups = list.groups
    buffer.chunk(.names, names.payload(nameRows, after: mark))
  }

  private mutating func write(log events: [Recording.Event]) {
    var log = ByteWriter()
    log.events(events, after: lastEventTime, records: list)
    buffer.chunk(.events, log.bytes)
    lastEventTime = events.last?.time ?? lastEventTime
  }
}
