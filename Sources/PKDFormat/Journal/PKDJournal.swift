public import Files
import Glibc
import Graphics
public import Strokes

/// Writes a `.pkd` recording while the pen moves.
///
/// Flushed content survives: after a crash or a power cut, `PKDReader` reads every stroke that has
/// ended and the points of the one being drawn. `append`, `endStroke` and `record` flush when
/// content has waited for `flushInterval`; a caller that waits for the pen calls `flush` after
/// `secondsUntilFlush`.
///
/// A call that throws `PKDFileError` has still taken effect: content that could not be written is
/// kept, and the next flush writes it again. But after a failed synchronization the content of the
/// disk is unknown, and every further call throws the same error. A call with content that readers
/// would refuse throws `PKDContentError` and has no effect.
public final class PKDJournal {
  /// The maximum time in seconds that content waits until it is written and synchronized.
  public var flushInterval = 0.1
  /// The path of the file.
  public var path: String { file.path }
  /// The identifier of the stroke being drawn; nil while there is none.
  public var liveStrokeID: Identifier? { live?.stroke.id }
  /// The number of strokes, including the one being drawn and those that were erased.
  public var strokeCount: Int { list.records.count + (live == nil ? 0 : 1) }
  /// The number of bytes of a damaged end that were cut off when the file was opened.
  public let cutByteCount: Int

  /// Whether flushing synchronizes the file with the disk; benchmarks turn it off to measure the
  /// rest.
  package var isSynchronizing = true
  /// A monotonic clock in seconds.
  var clock: () -> Double = PKDJournal.monotonicSeconds

  private let file: DurableFile
  private let header: Header
  private var table = FormTable(version: .latest)
  private var list = RecordList()
  private var names = NameTable()
  private var nameRows: [NameTable.Row] = []
  private var index = FileIndex()
  private var tools = BlockTools()
  /// The time of the last event that was written.
  private var lastEventTime: Timestamp
  /// Events of strokes that the file had when it was opened, if it does not store them.
  private var impliedEvents: [Recording.Event] = []

  private var live: LiveStroke?
  private var check = ContentCheck()
  private var liveStart = Timestamp.referenceDate
  /// The number of the live stroke's points in live chunks; nil before its first chunk.
  private var livePointCount: Int?
  /// Events during the live stroke, which are written when it ends.
  private var heldEvents: [Recording.Event] = []

  /// Chunks that are not in the file yet.
  private var buffer = ByteWriter()
  /// The number of bytes in the file.
  private var length: Int
  /// The time since which the oldest unsynchronized content has waited.
  private var waitingSince: Double?
  /// The error of a failed synchronization.
  private var failure: PKDFileError?

  private enum State {
    /// The file is finished, and nothing was added since it was opened.
    case unchanged
    case open
    /// The index and the tail are in the buffer.
    case sealed
    case finished
  }
  private var state = State.open

  /// Begins a recording in a new file; an existing file is left as it is, with an error. Dates of
  /// strokes are stored relative to `moment`, so it should be near the first; by default it is now.
  public convenience init(
    creating path: String, canvas: Recording.Canvas = Recording.Canvas(),
    profile: PKDProfile = .exact, startingAt moment: Timestamp? = nil
  ) throws {
    try ContentCheck.canvas(canvas)
    if let moment { try ContentCheck.moment(moment, .file) }
    try self.init(
      creating: path, header: Header(profile: profile, base: moment ?? .now, canvas: canvas),
      in: MachineFiles())
  }

  init(creating path: String, header: Header, in system: any FileSystem) throws(PKDFileError) {
    file = try DurableFile(path, for: .creating, in: system)
    self.header = header
    lastEventTime = header.base
    cutByteCount = 0
    var start = ByteWriter()
    start.append(Signature.bytes)
    start.chunk(.header, header.payload)
    length = start.bytes.count
    do throws(PKDFileError) {
      try file.write(start.bytes, at: 0)
      try file.synchronize()
      try DurableFile.synchronizeFolder(of: path, in: system)
    } catch {
      DurableFile.remove(path, in: system)
      throw error
    }
  }

  /// Continues a recording, finished or not. Complete chunks stay as they are; an incomplete end,
  /// as crashes leave one, is cut off, and an unfinished stroke is ended. A recording of an earlier
  /// version of the format is replaced by the same one in the latest version first.
  ///
  /// Throws `PKDError` if the file is not a recording, or has a complete chunk that cannot be read:
  /// it may come from a newer program and must not be cut off.
  public convenience init(appendingTo path: String, limits: PKDLimits = PKDLimits()) throws {
    try self.init(appendingTo: Self.resolved(path), limits: limits, in: MachineFiles())
  }

  init(appendingTo path: String, limits: PKDLimits, in system: any FileSystem) throws {
    var file = try DurableFile(path, for: .changing, in: system)
    var bytes = try file.bytes()
    var reader = try PKDReader(bytes, limits: limits)
    if let damage = reader.damage, !reader.isTorn { throw damage }
    let cutByteCount = bytes.count - reader.validEnd
    if reader.header.version != .latest {
      bytes = try Self.compacted(reader, endingStroke: true)
      try file.replace(with: bytes)
      file = try DurableFile(path, for: .changing, in: system)
      reader = try PKDReader(bytes, limits: limits)
    }
    self.file = file
    var strokes: [PKStroke] = []
    for number in 0..<reader.recordCount { strokes.append(try reader.stroke(at: number)) }
    var events = EventReader(strokes, base: reader.header.base, limits: limits)
    for chunk in reader.eventChunks { try events.read(bytes, in: chunk.payload) }

    header = reader.header
    table = reader.table
    list = reader.recordList(strokes)
    names = reader.names
    nameRows = reader.nameRows
    lastEventTime = events.now
    impliedEvents = reader.impliedEvents(after: events)
    check = ContentCheck(strokes: strokes, eventCount: events.events.count + impliedEvents.count)
    for block in reader.blocks {
      index.add(block.heads.heads, at: block.offset, base: header.base)
    }
    length = reader.validEnd
    self.cutByteCount = cutByteCount
    if bytes.count > length {
      try file.truncate(to: length)
      // Without this, a power cut could leave new chunks in front of the rest of the old end.
      try file.synchronize(dataOnly: false)
    }
    if reader.isFinished { state = .unchanged }
    if let live = reader.live {
      let stroke = live.whole
      let now = max(impliedEvents.last?.time ?? lastEventTime, stroke.path.creationDate)
      write([
        Recording.Event(time: now, action: .strokeBegun(stroke)),
        Recording.Event(
          time: max(now, stroke.path.lastMoment), action: .strokeEnded(stroke.id)),
      ])
      try flush()
    }
  }
}

// MARK: - Recording

extension PKDJournal {
  /// Begins a stroke when the pen touches the page. The stroke has all fields; points follow. No
  /// other stroke may be open.
  public func begin(stroke: PKStroke, at time: Timestamp) throws {
    try prepare()
    precondition(live == nil, "a stroke must end before the next begins")
    try accept(Recording.Event(time: time, action: .strokeBegun(stroke)))
    live = LiveStroke(stroke, record: list.records.count)
    liveStart = time
    livePointCount = nil
    try flushIfDue()
  }

  /// Appends control points to the open stroke. Their times are relative to the stroke's start.
  public func append(points: some Collection<PKStrokePoint>) throws {
    try prepare()
    precondition(live != nil, "points can be appended only to a stroke that has begun")
    let scale = live?.scale ?? .current
    try check.append(pointCount: points.count, after: live?.points.count ?? 0)
    live?.points.append(points, in: scale)
    try flushIfDue()
  }

  /// Ends the open stroke when the pen leaves the page.
  public func endStroke(at time: Timestamp) throws {
    try prepare()
    precondition(live != nil, "only a stroke that has begun can end")
    try ContentCheck.moment(time, .event(check.eventCount))
    endLiveStroke(at: time)
    try flushIfDue()
  }

  /// Records any other event. While a stroke is open, the event is held back until its end.
  public func record(_ action: Recording.Action, at time: Timestamp) throws {
    try prepare()
    let event = Recording.Event(time: time, action: action)
    try accept(event)
    if live == nil {
      write([event])
    } else {
      heldEvents.append(event)
    }
    try flushIfDue()
  }

  /// Adds an event to the content that was checked; an error leaves the counts as they were.
  private func accept(_ event: Recording.Event) throws(PKDContentError) {
    var check = check
    try check.add(event, to: table)
    self.check = check
  }

  private func prepare() throws(PKDFileError) {
    precondition(state == .open || state == .unchanged, "nothing can be recorded after finish()")
    if let failure { throw failure }
    state = .open
  }

  private func endLiveStroke(at time: Timestamp) {
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

// MARK: - The file

extension PKDJournal {
  /// The seconds until content has to be flushed; nil while nothing waits.
  public var secondsUntilFlush: Double? {
    waitingSince.map { max(0, $0 + flushInterval - clock()) }
  }

  /// Writes all waiting content, and returns when crashes and power cuts cannot lose it.
  public func flush() throws(PKDFileError) {
    if let failure { throw failure }
    bufferLivePoints()
    if !buffer.bytes.isEmpty {
      try file.write(buffer.bytes, at: length)
      length += buffer.bytes.count
      buffer.removeAll()
      if isSynchronizing {
        do throws(PKDFileError) {
          try file.synchronize()
        } catch {
          failure = error
          throw error
        }
      }
    }
    waitingSince = nil
  }

  /// Ends the recording with an index and a tail, which show readers that nothing is missing. An
  /// open stroke ends with its last point.
  public func finish() throws(PKDFileError) {
    if let failure { throw failure }
    if state == .open {
      if let live { endLiveStroke(at: max(liveStart, live.whole.path.lastMoment)) }
      let offset = length + buffer.bytes.count
      buffer.chunk(.index, index.payload)
      var tail = ByteWriter()
      tail.littleEndian(UInt64(offset), count: 8)
      buffer.chunk(.tail, tail.bytes)
      state = .sealed
    }
    try flush()
    state = .finished
  }

  /// Ends the recording and replaces the file by other bytes. After a crash at any moment the file
  /// has either content, and at no moment another process can lock the file.
  package func finish(as bytes: [UInt8]) throws(PKDFileError) {
    try finish()
    try file.replace(with: bytes)
  }

  /// Flushes if content has waited for `flushInterval`.
  private func flushIfDue() throws(PKDFileError) {
    let now = clock()
    if waitingSince == nil { waitingSince = now }
    if let waitingSince, now - waitingSince >= flushInterval { try flush() }
  }

  /// Puts points since the last call into live chunks in the buffer. They stay there even if
  /// writing fails, since the next attempt must write the same bytes.
  private func bufferLivePoints() {
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
  private func write(_ events: [Recording.Event]) {
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

  private func write(records: ArraySlice<StrokeRecord>) {
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

  private func writeNames() {
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

  private func write(log events: [Recording.Event]) {
    var log = ByteWriter()
    log.events(events, after: lastEventTime, records: list)
    buffer.chunk(.events, log.bytes)
    lastEventTime = events.last?.time ?? lastEventTime
  }

  private static func monotonicSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
}

// MARK: - Compacting

extension PKDJournal {
  /// Replaces a file by the same recording as `PKDWriter` writes it, which is smaller. After a
  /// power cut at any moment there is the old file or the new one. Names, the residue of an archive
  /// and unknown chunks are kept.
  ///
  /// Throws `PKDError` if the file is not a recording or has a complete chunk that cannot be read,
  /// and `PKDFileError` if it cannot be read or written, or is being recorded to.
  public static func compact(_ path: String, limits: PKDLimits = PKDLimits()) throws {
    try compact(resolved(path), limits: limits, in: MachineFiles())
  }

  /// The path of a file without links, since the target of a link is replaced and not the link.
  private static func resolved(_ path: String) -> String {
    let resolved = realpath(path, nil)
    defer { free(resolved) }
    return resolved.map { String(cString: $0) } ?? path
  }

  static func compact(_ path: String, limits: PKDLimits, in system: any FileSystem) throws {
    let file = try DurableFile(path, for: .changing, in: system)
    try withExtendedLifetime(file) {  // which keeps its lock
      let reader = try PKDReader(try file.bytes(), limits: limits)
      if let damage = reader.damage, !reader.isTorn { throw damage }
      try file.replace(with: try compacted(reader))
    }
  }

  /// The same recording as `PKDWriter` writes it; a stroke without an end may be ended.
  private static func compacted(
    _ reader: PKDReader, endingStroke isEnding: Bool = false
  ) throws -> [UInt8] {
    let (original, damage) = reader.readRecording()
    var recording = original
    let residue = try reader.readResidue()
    if let damage { throw damage }
    if isEnding, let stroke = reader.live?.whole {
      let now = max(recording.events.last?.time ?? .referenceDate, stroke.path.lastMoment)
      recording.events.append(Recording.Event(time: now, action: .strokeEnded(stroke.id)))
    }
    return try PKDWriter.encode(
      recording, residue: residue, keeping: reader.unknownChunks,
      options: PKDWriter.Options(profile: reader.profile))
  }
}

extension Timestamp {
  /// The time of the machine's clock.
  fileprivate static var now: Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(secondsSince1970: Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9)
  }
}
