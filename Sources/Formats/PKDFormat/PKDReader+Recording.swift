public import Strokes

extension PKDReader {
  /// Decodes the whole recording, and returns the first damage that opening did not find. A stroke
  /// that has no end yet begins last.
  public func readRecording() -> (value: Recording, damage: PKDError?) {
    var (recording, damage) = readEvents()
    do throws(PKDError) {
      recording.words = try readWords()
    } catch {
      damage = damage ?? error
    }
    return (recording, damage)
  }

  /// Decodes the recording without its words.
  package func readEvents() -> (value: Recording, damage: PKDError?) {
    let (history, damage) = readHistory()
    return (history.recording, damage)
  }

  /// Decodes all strokes, and events that refer to them: a `Recording` takes several times as much
  /// memory, since every event has the size of a stroke.
  package func readHistory() -> (value: RecordedStrokes, damage: PKDError?) {
    var (strokes, damage) = readStrokes()
    let live = liveStroke(positions.count)
    if strokes.count > positions.count { strokes.removeLast() }
    var reader = ScriptReader(base: header.base, limits: limits)
    do throws(PKDError) {
      for chunk in eventChunks { try reader.read(bytes, in: chunk.payload, of: strokes) }
    } catch {
      damage = damage ?? error
    }
    let implied = impliedEvents(of: strokes, from: reader.next, at: reader.clock.latest)
    // Events mention strokes in their order; the implied ones bring the others.
    strokes.removeSubrange(reader.next...)
    var history = RecordedStrokes(
      strokes, RecordingScript(events: reader.events), canvas: canvas)
    for event in implied { history.append(event) }
    if let live {
      let now = history.script.events.last?.time ?? header.base
      history.append(
        Recording.Event(time: max(now, live.path.creationDate), action: .strokeBegun(live)))
    }
    return (history, damage)
  }

  /// The chunks of events.
  var eventChunks: [Chunk] { chunks.filter { $0.type == .events } }

  /// The events of strokes that no stored event mentions, which are those from `next` on: of all
  /// strokes in a file without events, or of the last ones if the file broke off before their
  /// events. `last` is the time of the last stored event.
  ///
  /// Each of them was drawn, with one exception. In a file with events, records after a bare path
  /// are pieces left by an eraser whose event was lost. They become an erasure that erases nothing,
  /// so that the numbers in later events still match.
  func impliedEvents(
    of strokes: [PKStroke], from next: Int, at last: Timestamp
  ) -> [Recording.Event] {
    let numbers = next..<strokes.count
    let hasEvents = !eventChunks.isEmpty
    let lost = hasEvents ? numbers.first { isBare($0) } ?? numbers.upperBound : nil
    let drawn = numbers.filter { !isBare($0) && $0 < lost ?? .max }
    var drawnEvents = Recording(PKDrawing(strokes: drawn.map { strokes[$0] })).events[...]
    var events: [Recording.Event] = []
    var now = hasEvents ? last : drawnEvents.first?.time ?? last
    func add(_ action: Recording.Action, at time: Timestamp) {
      now = max(now, time)
      events.append(Recording.Event(time: now, action: action))
    }
    for number in numbers {
      if isBare(number) {
        add(.erased(PKEraserTool(.bitmap), along: strokes[number].path, changes: []), at: now)
      } else if let lost, number > lost, let last = events.popLast(),
        case .erased(let eraser, let path, let changes) = last.action
      {
        let pieces = (changes.first?.replacements ?? []) + [strokes[number]]
        let change = StrokeChange(strokeID: .zero, replacements: pieces)
        add(.erased(eraser, along: path, changes: [change]), at: now)
      } else {
        for event in drawnEvents.prefix(2) { add(event.action, at: event.time) }
        drawnEvents = drawnEvents.dropFirst(2)
      }
    }
    return events
  }

  /// Decodes the drawing as it is after the last event, and returns the first damage that opening
  /// did not find. A drawing that came from an archive can be written as that archive again.
  public func readDrawing() -> (value: PKDrawing, damage: PKDError?) {
    let (recording, broken) = readRecording()
    var (drawing, damage) = (recording.drawing, broken)
    do throws(PKDError) {
      drawing.residue = try readResidue()
    } catch {
      damage = damage ?? error
    }
    return (drawing, damage)
  }

  /// Whether a record is not a stroke but a path that an event needs.
  func isBare(_ record: Int) -> Bool { traits(record).contains(.bare) }

  /// Decodes the residue of the archive that the drawing came from; nil without one.
  package func readResidue() throws(PKDError) -> ArchiveResidue? {
    guard let chunk = chunks.last(where: { $0.type == .archive }) else { return nil }
    var rootNames: [Identifier] = []
    for index in positions.indices {
      let name =
        traits(index).contains(.piece) ? names.families[head(index).family] : names.strokes[index]
      if rootNames.last != name { rootNames.append(name) }
    }
    return try ArchiveDecoder.decode(
      bytes, in: chunk.payload, names: rootNames, header.version, limits: limits)
  }
}

// MARK: - Continuing a file

extension PKDReader {
  /// The records of the file, to be continued.
  func recordList(_ strokes: [PKStroke]) -> RecordList {
    let records = positions.indices.map { number in
      let (head, traits) = (head(number), traits(number))
      return StrokeRecord(
        stroke: strokes[number], isBare: traits.contains(.bare),
        sharedPath: table.forms[head.form].ownsPath ? nil : number - head.sharedPath,
        family: traits.contains(.piece) ? head.family : nil,
        group: traits.contains(.group) ? head.group : nil)
    }
    return RecordList(records, families: names.families, groups: names.groups)
  }

  /// Ancillary chunks that the writer does not write itself.
  var unknownChunks: [(type: ChunkType, payload: ArraySlice<UInt8>)] {
    let made: Set<ChunkType> = [.names, .archive, .words, .index, .tail]
    return chunks.filter { $0.type.isAncillary && !made.contains($0.type) }
      .map { ($0.type, bytes[$0.payload]) }
  }
}
