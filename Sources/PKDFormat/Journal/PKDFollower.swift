public import Strokes

/// Reads a recording while it is being written. Bytes of complete chunks are read only once.
public struct PKDFollower {
  /// The path of the file.
  public var path: String { file.path }
  /// Whether the recording is finished. It may be continued later.
  public var isFinished: Bool { reader?.isFinished ?? false }
  /// The page; nil until the file's header is complete.
  public var canvas: Recording.Canvas? { reader?.canvas }

  private let file: DurableFile
  private let limits: PKDLimits
  private var reader: PKDReader?
  private var log: EventReader?
  /// The number of chunks that were processed.
  private var chunkCount = 0
  /// The number of blocks of strokes that were read.
  private var blockCount = 0
  /// The number of events of the log that were returned.
  private var returnedEventCount = 0
  private var lastTime: Timestamp?
  /// The unfinished stroke that was returned, and the number of its points that were.
  private var returnedStroke: (id: Identifier, pointCount: Int)?

  /// Follows a file, which must exist and may be empty.
  public init(_ path: String, limits: PKDLimits = PKDLimits()) throws(PKDFileError) {
    try self.init(path, limits: limits, in: MachineFiles())
  }

  init(_ path: String, limits: PKDLimits, in system: any FileSystem) throws(PKDFileError) {
    file = try DurableFile(path, for: .reading, in: system)
    self.limits = limits
  }

  /// The events since the last call, so that all returned events together are the recording so far.
  /// A stroke that is being drawn begins with the points that it has and is extended by later
  /// calls. The file stores its mask and group only when it ends, so they are missing until then.
  ///
  /// Throws `PKDFileError` if the file cannot be read, and `PKDError` if it is not a recording. An
  /// incomplete chunk at the end is not an error, since it may be complete a moment later.
  public mutating func poll() throws -> [Recording.Event] {
    guard let reader = try readOn() else { return [] }
    var log = log ?? EventReader([], base: reader.header.base, limits: limits)
    self.log = nil  // so that appending to its strokes does not copy them
    defer { self.log = log }
    for chunk in reader.chunks[chunkCount...] where chunk.type == .events || chunk.type == .tail {
      try readStrokes(of: reader, before: chunk.offset, into: &log)
      if chunk.type == .events { try log.read(reader.bytes, in: chunk.payload) }
    }
    chunkCount = reader.chunks.count
    var newEvents = log.events.dropFirst(returnedEventCount)
    if reader.isFinished, reader.eventChunks.isEmpty {
      // The strokes alone imply all events. If the file is continued, its log starts with the same
      // ones.
      newEvents = reader.impliedEvents(after: log).dropFirst(returnedEventCount)
    }
    returnedEventCount += newEvents.count
    var events: [Recording.Event] = []
    for event in newEvents { append(event, to: &events) }
    if let live = reader.live {
      let stroke = live.whole
      if returnedStroke?.id == stroke.id {
        extend(by: stroke.path, to: &events)
      } else {
        returnedStroke = (stroke.id, stroke.path.count)
        add(.strokeBegun(stroke), at: stroke.path.creationDate, to: &events)
      }
    }
    return events
  }

  /// Reads the strokes in front of an offset. This waits for a chunk of events, since the chunk
  /// with their names comes between the strokes and their events.
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
      reader.readOn(try file.bytes(from: reader.validEnd))
    } else {
      let bytes = try file.bytes()
      do throws(PKDError) {
        reader = try PKDReader(bytes, limits: limits)
      } catch {
        // The first bytes may not be written yet.
        if bytes.isEmpty || error.reason == .truncated { return nil }
        throw error
      }
    }
    if let reader, let damage = reader.damage, !reader.isTorn { throw damage }
    return reader
  }

  /// Appends an event. The beginning of a stroke that was returned unfinished extends it instead.
  private mutating func append(_ event: Recording.Event, to events: inout [Recording.Event]) {
    if case .strokeBegun(let stroke) = event.action, stroke.id == returnedStroke?.id {
      extend(by: stroke.path, to: &events)
      returnedStroke = nil
    } else {
      add(event.action, at: event.time, to: &events)
    }
  }

  private mutating func extend(by path: PKStrokePath, to events: inout [Recording.Event]) {
    guard let (id, count) = returnedStroke, path.count > count else { return }
    returnedStroke = (id, path.count)
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
