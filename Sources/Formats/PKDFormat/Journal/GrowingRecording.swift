package import Strokes

/// A recording that is read while its bytes arrive. Bytes of complete chunks are read only once.
package struct GrowingRecording {
  /// Whether the recording is finished. It may be continued later.
  package var isFinished: Bool { reader?.isFinished ?? false }
  /// The page; nil until the header is complete.
  package var canvas: Recording.Canvas? { reader?.canvas }
  /// The offset of the first byte that the next call of `read` needs.
  package var nextOffset: Int { reader?.validEnd ?? 0 }

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
  /// The unfinished stroke that was returned, and the number of its points returned so far.
  private var returnedStroke: (id: Identifier, pointCount: Int)?

  /// A recording of which nothing was read.
  package init(limits: PKDLimits) { self.limits = limits }

  /// Reads the bytes from `nextOffset` on, as many as there are now, and returns the events since
  /// the last call. A stroke that is being drawn begins with the points that it has and is extended
  /// by later calls.
  package mutating func read(_ bytes: [UInt8]) throws(PKDError) -> [Recording.Event] {
    guard let reader = try readOn(bytes) else { return [] }
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
      newEvents = reader.impliedEvents(of: log.strokes, from: log.next, at: log.now)
        .dropFirst(returnedEventCount)
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

  private mutating func readOn(_ bytes: [UInt8]) throws(PKDError) -> PKDReader? {
    if let reader {
      reader.readOn(bytes)
    } else {
      do throws(PKDError) {
        reader = try PKDReader(bytes, limits: limits)
      } catch {
        // The first bytes may not be written yet.
        if bytes.isEmpty || error.reason == .truncated { return nil }
        throw error
      }
    }
    if let damage = reader?.seriousDamage { throw damage }
    return reader
  }

  /// Appends an event. The beginning of a stroke that was returned unfinished extends it instead.
  private mutating func append(_ event: Recording.Event, to events: inout [Recording.Event]) {
    if case .strokeBegun(let stroke) = event.action, stroke.id == returnedStroke?.id {
      extend(by: stroke.path, to: &events)
      returnedStroke = nil
    } else {
      add(event.action, at: event.time, by: event.person, to: &events)
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
    _ action: Recording.Action, at time: Timestamp, by person: UInt16 = 0,
    to events: inout [Recording.Event]
  ) {
    let now = max(lastTime ?? time, time)
    lastTime = now
    events.append(Recording.Event(time: now, action: action, person: person))
  }
}
