import Glibc
import Graphics
public import Strokes

/// A `.pkd` recording that is written while the pen moves.
///
/// Nothing that was flushed is ever lost: after a crash or a power cut `PKDReader` gives every stroke
/// that has ended and the points of the one under the pen. `append`, `endStroke` and `record` flush by
/// themselves when something has waited for `flushInterval`; who waits for the pen calls `flush` after
/// `secondsUntilFlush`.
///
/// After an error nothing is forgotten: what could not be written is kept, and the next flush tries
/// again: a call that throws `PKDFileError` has still been heard. But when synchronizing fails, what the disk holds is
/// not known, and every further call throws the same error. What readers would refuse is not taken, and
/// nothing changes: that is `PKDContentError`.
public final class PKDJournal {
  /// How long what was drawn may wait until it is written and safe, in seconds.
  public var flushInterval = 0.1
  /// The file.
  public var path: String { file.path }
  /// The name of the stroke under the pen; nil while there is none.
  public var liveStrokeID: Identifier? { live?.stroke.id }
  /// How many strokes there are, with the one under the pen and those that were erased.
  public var strokeCount: Int { list.records.count + (live == nil ? 0 : 1) }
  /// How many bytes of a damaged end were cut off when the file was opened.
  public let cutByteCount: Int

  /// Whether flushed bytes are made safe from power cuts; benchmarks do without to measure the rest.
  package var isSynchronizing = true
  /// Seconds of a clock that only runs forwards.
  var clock: () -> Double = PKDJournal.monotonicSeconds

  private let file: DurableFile
  private let header: Header
  private var table = FormTable()
  private var list = RecordList()
  private var names = NameTable()
  private var nameRows: [NameTable.Row] = []
  private var index = FileIndex()
  private var tools = BlockTools()
  /// When the last event that was written happened.
  private var moment: Timestamp
  /// What happened before this journal was opened, if the file does not tell.
  private var untold: [Recording.Event] = []

  private var live: LiveStroke?
  private var check = ContentCheck()
  private var liveBegan = Timestamp.referenceDate
  /// How many of the live stroke's points are in live chunks; nil while there is none.
  private var livePlaced: Int?
  /// What happened while the pen was down: it is written when the stroke has its end.
  private var held: [Recording.Event] = []

  /// Chunks that are not in the file yet.
  private var buffer = ByteWriter()
  /// How many bytes the file holds.
  private var length: Int
  /// Since when the oldest of what is not safe has waited.
  private var waitingSince: Double?
  /// What made it impossible to go on.
  private var failure: PKDFileError?

  private enum State {
    /// Nothing has been added to a file that is finished.
    case unchanged
    case open
    /// Index and tail are in the buffer.
    case sealed
    case finished
  }
  private var state = State.open

  /// Begins a recording in a new file; one that exists is left alone, with an error. Dates of
  /// strokes are told against a moment, so it should be near the first; without one it is now.
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
    moment = header.base
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

  /// Goes on with a recording, finished or not. Nothing that is complete is written again: an end
  /// that a crash left incomplete is cut off, and a stroke that was under the pen gets its end.
  ///
  /// Throws `PKDError` for what is no recording, or has something complete that cannot be read: it
  /// may come from a newer program and must not be cut off.
  public convenience init(appendingTo path: String, limits: PKDLimits = PKDLimits()) throws {
    try self.init(appendingTo: path, limits: limits, in: MachineFiles())
  }

  init(appendingTo path: String, limits: PKDLimits, in system: any FileSystem) throws {
    file = try DurableFile(path, for: .changing, in: system)
    let bytes = try file.bytes()
    let reader = try PKDReader(bytes, limits: limits)
    if let damage = reader.damage, !reader.isTorn { throw damage }
    var strokes: [PKStroke] = []
    for number in 0..<reader.recordCount { strokes.append(try reader.stroke(at: number)) }
    var events = EventReader(strokes, base: reader.header.base, limits: limits)
    for log in reader.logs { try events.read(bytes, in: log.payload) }

    header = reader.header
    table = reader.table
    list = reader.recordList(strokes)
    names = reader.names
    nameRows = reader.nameRows
    moment = events.now
    untold = reader.untold(after: events)
    check = ContentCheck(strokes: strokes, eventCount: events.events.count + untold.count)
    for block in reader.blocks {
      index.add(block.heads.heads, at: block.offset, base: header.base)
    }
    length = reader.soundEnd
    cutByteCount = bytes.count - length
    if cutByteCount > 0 {
      try file.truncate(to: length)
      // What follows must not meet the rest of what was cut off.
      try file.synchronize(dataOnly: false)
    }
    if reader.isFinished { state = .unchanged }
    if let live = reader.live {
      let stroke = live.whole
      let now = max(untold.last?.time ?? moment, stroke.path.creationDate)
      write([
        Recording.Event(time: now, action: .strokeBegun(stroke)),
        Recording.Event(
          time: max(now, stroke.path.lastMoment), action: .strokeEnded(stroke.id)),
      ])
      try flush()
    }
  }
}

// MARK: - What happens

extension PKDJournal {
  /// The pen touches the page. The stroke says all but its points, which follow; there must be no
  /// other stroke under the pen.
  public func begin(stroke: PKStroke, at time: Timestamp) throws {
    try prepare()
    precondition(live == nil, "one stroke ends before the next begins")
    try accept(Recording.Event(time: time, action: .strokeBegun(stroke)))
    live = LiveStroke(stroke, record: list.records.count)
    liveBegan = time
    livePlaced = nil
    try noteWaiting()
  }

  /// The pen moves on: more control points, whose times count from the stroke's start.
  public func append(points: some Collection<PKStrokePoint>) throws {
    try prepare()
    precondition(live != nil, "points belong to a stroke that has begun")
    let scale = live?.scale ?? .current
    try check.append(pointCount: points.count, after: live?.points.count ?? 0)
    live?.points.append(points, in: scale)
    try noteWaiting()
  }

  /// The pen leaves the page.
  public func endStroke(at time: Timestamp) throws {
    try prepare()
    precondition(live != nil, "only a stroke that has begun can end")
    try ContentCheck.moment(time, .event(check.eventCount))
    endLiveStroke(at: time)
    try noteWaiting()
  }

  /// Something else happens. While a stroke is under the pen, this is kept until its end.
  public func record(_ action: Recording.Action, at time: Timestamp) throws {
    try prepare()
    let event = Recording.Event(time: time, action: action)
    try accept(event)
    if live == nil {
      write([event])
    } else {
      held.append(event)
    }
    try noteWaiting()
  }

  private func accept(_ event: Recording.Event) throws(PKDContentError) {
    var check = check
    try check.add(event, to: table)
    self.check = check
  }

  private func prepare() throws(PKDFileError) {
    precondition(state == .open || state == .unchanged, "nothing happens after the end")
    if let failure { throw failure }
    state = .open
  }

  private func endLiveStroke(at time: Timestamp) {
    guard let live else { return }
    self.live = nil
    let stroke = live.whole
    var events = [Recording.Event(time: liveBegan, action: .strokeBegun(stroke))]
    events += held
    events.append(Recording.Event(time: time, action: .strokeEnded(stroke.id)))
    held = []
    write(events)
  }
}

// MARK: - The file

extension PKDJournal {
  /// The seconds until something has waited for long enough; nil while nothing waits.
  public var secondsUntilFlush: Double? {
    waitingSince.map { max(0, $0 + flushInterval - clock()) }
  }

  /// Writes what waits, and returns when it is safe from crashes and power cuts.
  public func flush() throws(PKDFileError) {
    if let failure { throw failure }
    placeLivePoints()
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

  /// Ends the recording with an index and a tail, so that readers know that nothing is missing. A
  /// stroke under the pen ends with its last point.
  public func finish() throws(PKDFileError) {
    if let failure { throw failure }
    if state == .open {
      if let live { endLiveStroke(at: max(liveBegan, live.whole.path.lastMoment)) }
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

  /// Ends the recording and puts other bytes in the place of the file. After a crash at any moment one
  /// or the other is there, and at no moment another process can take the file.
  package func finish(as bytes: [UInt8]) throws(PKDFileError) {
    try finish()
    try file.replace(with: bytes)
  }

  private func noteWaiting() throws(PKDFileError) {
    let now = clock()
    if waitingSince == nil { waitingSince = now }
    if let waitingSince, now - waitingSince >= flushInterval { try flush() }
  }

  /// Puts the points that came since the last time into live chunks. They stay there even if they
  /// cannot be written: what is tried again must be the same bytes.
  private func placeLivePoints() {
    guard let live else { return }
    repeat {
      let first = livePlaced ?? 0
      let end = min(first + LivePoints.chunkPoints, live.points.count)
      guard livePlaced == nil || end > first else { return }
      let head = LivePoints(
        record: live.record, first: first,
        description: livePlaced == nil ? live.description : nil, scale: live.scale,
        present: live.present)
      buffer.chunk(.live) { $0.live(head, live.points, first..<end) }
      livePlaced = end
    } while true
  }

  /// Puts events into the buffer, and before them the strokes that they need, each drawn one in a
  /// chunk of its own.
  private func write(_ events: [Recording.Event]) {
    if !untold.isEmpty {
      write(log: untold)
      untold = []
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
    log.events(events, after: moment, records: list)
    buffer.chunk(.events, log.bytes)
    moment = events.last?.time ?? moment
  }

  private static func monotonicSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
}

// MARK: - Compacting

extension PKDJournal {
  /// Writes a recording anew, as small as `PKDWriter` does, in the place of the file: whenever the
  /// power is cut there is the old file or the new one. Names, what an archive said and chunks that
  /// nobody here knows stay.
  ///
  /// Throws `PKDError` for what is no recording, or has something complete that cannot be read, and
  /// `PKDFileError` where the file cannot be read, written, or is being recorded to.
  public static func compact(_ path: String, limits: PKDLimits = PKDLimits()) throws {
    // A link stays a link.
    let resolved = realpath(path, nil)
    defer { free(resolved) }
    try compact(resolved.map { String(cString: $0) } ?? path, limits: limits, in: MachineFiles())
  }

  static func compact(_ path: String, limits: PKDLimits, in system: any FileSystem) throws {
    let file = try DurableFile(path, for: .changing, in: system)
    try withExtendedLifetime(file) {  // and so its lock
      let reader = try PKDReader(try file.bytes(), limits: limits)
      if let damage = reader.damage, !reader.isTorn { throw damage }
      let (recording, damage) = reader.readRecording()
      let residue = try reader.readResidue()
      if let damage { throw damage }
      let bytes = try PKDWriter.encode(
        recording, residue: residue, keeping: reader.unknownChunks,
        options: PKDWriter.Options(profile: reader.profile))
      try file.replace(with: bytes)
    }
  }
}

extension Timestamp {
  /// The moment that the machine's clock shows.
  fileprivate static var now: Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(secondsSince1970: Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9)
  }
}
