public import Strokes

/// Reads a recording while it is being written, and reads no byte twice that was complete.
public struct PKDFollower {
  /// The file.
  public var path: String { file.path }
  /// Whether the recording has ended; it may still be continued.
  public var isFinished: Bool { reader?.isFinished ?? false }
  /// The page; nil until the file tells it.
  public var canvas: Recording.Canvas? { reader?.canvas }

  private let file: DurableFile
  private let limits: PKDLimits
  private var reader: PKDReader?
  private var log: EventReader?
  /// How many chunks have been looked at.
  private var chunkCount = 0
  /// How many blocks of strokes have been read.
  private var blockCount = 0
  /// How many events of the log have been given.
  private var givenEvents = 0
  private var lastTime: Timestamp?
  /// The stroke that was given while it was under the pen, and how many of its points were.
  private var shown: (id: Identifier, pointCount: Int)?

  /// Follows a file, which may hold nothing yet.
  public init(_ path: String, limits: PKDLimits = PKDLimits()) throws(PKDFileError) {
    try self.init(path, limits: limits, in: MachineFiles())
  }

  init(_ path: String, limits: PKDLimits, in system: any FileSystem) throws(PKDFileError) {
    file = try DurableFile(path, for: .reading, in: system)
    self.limits = limits
  }

  /// What has happened since the last call, so that all events that were ever given make up the
  /// recording so far. A stroke under the pen begins with the points it has and is extended; a mask
  /// or a group that it has is told by the file only when it ends, so it is not known then.
  ///
  /// Throws `PKDFileError` where the file cannot be read, and `PKDError` for what is no recording. An
  /// end that is not complete is no error: it may be in a moment.
  public mutating func poll() throws -> [Recording.Event] {
    guard let reader = try readOn() else { return [] }
    var log = log ?? EventReader([], base: reader.header.base, limits: limits)
    self.log = nil  // so that what it holds is not copied
    defer { self.log = log }
    for chunk in reader.chunks[chunkCount...] where chunk.type == .events || chunk.type == .tail {
      try readStrokes(of: reader, before: chunk.offset, into: &log)
      if chunk.type == .events { try log.read(reader.bytes, in: chunk.payload) }
    }
    chunkCount = reader.chunks.count
    var told = log.events.dropFirst(givenEvents)
    if reader.isFinished, reader.logs.isEmpty {
      // Its strokes alone say all that happened. Should it be continued, its log tells the same.
      told = reader.untold(after: log).dropFirst(givenEvents)
    }
    givenEvents += told.count
    var events: [Recording.Event] = []
    for event in told { give(event, to: &events) }
    if let live = reader.live {
      let stroke = live.whole
      if shown?.id == stroke.id {
        extend(by: stroke.path, to: &events)
      } else {
        shown = (stroke.id, stroke.path.count)
        add(.strokeBegun(stroke), at: stroke.path.creationDate, to: &events)
      }
    }
    return events
  }

  /// Strokes have their names when events tell of them, which may be a moment after they are there.
  private mutating func readStrokes(
    of reader: PKDReader, before offset: Int, into log: inout EventReader
  ) throws(PKDError) {
    while blockCount < reader.blocks.count, reader.blocks[blockCount].offset < offset {
      for _ in reader.blocks[blockCount].heads.heads {
        log.strokes.append(try reader.stroke(at: log.strokes.count))
      }
      blockCount += 1
    }
  }

  private mutating func readOn() throws -> PKDReader? {
    if let reader {
      reader.readOn(try file.bytes(from: reader.soundEnd))
    } else {
      let bytes = try file.bytes()
      do throws(PKDError) {
        reader = try PKDReader(bytes, limits: limits)
      } catch {
        // The first bytes may be on their way.
        if bytes.isEmpty || error.reason == .truncated { return nil }
        throw error
      }
    }
    if let reader, let damage = reader.damage, !reader.isTorn { throw damage }
    return reader
  }

  /// Gives an event, unless it is the beginning of a stroke that was given before it had its end.
  private mutating func give(_ event: Recording.Event, to events: inout [Recording.Event]) {
    if case .strokeBegun(let stroke) = event.action, stroke.id == shown?.id {
      extend(by: stroke.path, to: &events)
      shown = nil
    } else {
      add(event.action, at: event.time, to: &events)
    }
  }

  private mutating func extend(by path: PKStrokePath, to events: inout [Recording.Event]) {
    guard let (id, count) = shown, path.count > count else { return }
    shown = (id, path.count)
    add(
      .strokeExtended(id, by: path.controlPoints(in: count..<path.count)), at: path.lastMoment,
      to: &events)
  }

  private mutating func add(
    _ action: Recording.Action, at time: Timestamp, to events: inout [Recording.Event]
  ) {
    let now = max(lastTime ?? time, time)
    lastTime = now
    events.append(Recording.Event(time: now, action: action))
  }
}
