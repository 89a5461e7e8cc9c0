import Graphics

// Drawing together. A room puts the events of all people into one order. A page shows its own events
// at once, behind those that it knows to be in order, and moves them when others come before them.

extension PenPage {
  /// The order of a room, as far as this page knows it.
  struct Room: Sendable {
    /// The strokes of the events that are in order.
    var known: KnownStrokes
    /// The number of the page's own last events that are not in order yet.
    var waitingCount = 0
    /// The number of the first of these that events of others have overtaken.
    var overtakenCount = 0
    /// The page without these events; nil if there are none.
    var ordered: LivePage?
    /// The strokes that others are drawing, in the order of their beginnings.
    var others: [OpenStroke] = []
    /// The number of others' strokes that began before this page's open stroke.
    var ownPlace = 0

    /// Notes that an own event comes to a page.
    mutating func willAppend(to page: LivePage) {
      if ordered == nil { ordered = page }
      waitingCount += 1
    }
  }

  /// A stroke that somebody else is drawing.
  struct OpenStroke: Sendable {
    let id: Identifier
    let tool: PKInkingTool
    let start: Timestamp
    var curve: PenCurve
    var sampleCount = 0
    var stroke: PKStroke?
  }

  /// Joins a room as a person. The events so far are in order, unless some are already waiting: the
  /// last `waitingCount`.
  package mutating func join(as person: UInt16) {
    self.person = person
    room = Room(known: KnownStrokes(of: recording))
  }

  /// The person's own events that have no place in the order yet.
  package var waitingEvents: ArraySlice<Recording.Event> {
    recording.events.suffix(room?.waitingCount ?? 0)
  }

  /// Whether events of others can be taken now. While ink is erased or dragged, they have to wait:
  /// both change a copy of the page.
  package var canReceive: Bool {
    switch gesture {
    case .none, .drawing: true
    case .erasing, .dragging: false
    }
  }

  /// Adds events of somebody, which a room has ordered at a time. They come before all own events
  /// that wait. Events are left out that bring a stroke with a name that is known.
  package mutating func receive(
    _ events: [Recording.Event], by person: UInt16, at time: Timestamp
  ) {
    reorder(adding: events, taking: 0, by: person, at: time)
  }

  /// Puts a number of own events into the order, at a time of the room: the first that wait.
  package mutating func confirm(_ count: Int, at time: Timestamp) {
    let own = waitingEvents.prefix(count)
    reorder(adding: Array(own), taking: own.count, by: person, at: time)
  }

  private mutating func reorder(
    adding events: [Recording.Event], taking count: Int, by person: UInt16, at time: Timestamp
  ) {
    guard canReceive, var room, !events.isEmpty else { return }
    self.room = nil  // so that changes do not copy it
    let before = (page: page, keys: keys)
    let waiting = recording.events.suffix(room.waitingCount).dropFirst(count)
    recording.events.removeLast(room.waitingCount)
    if let ordered = room.ordered { page = ordered }
    let kept = page.showingCount
    room.ordered = nil
    var missed: [Recording.Event] = []
    for (index, event) in events.enumerated() {
      let isOvertaken = index < count && index < room.overtakenCount
      // The pieces of two erasures of one stroke have the same names: the later one does not count.
      guard room.known.admit(event, to: page) else {
        if isOvertaken { missed.append(event) }
        continue
      }
      var isComplete = true
      let event = event.ordered(after: recording.events.last, by: person, at: time)
      page.append(event) { _ in isComplete = false }
      recording.events.append(event)
      if !isComplete, isOvertaken { missed.append(event) }
      if case .strokeBegun(let stroke) = event.action { room.end(stroke.id) }
    }
    room.waitingCount = waiting.count
    room.overtakenCount = count > 0 ? max(room.overtakenCount - count, 0) : waiting.count
    if !waiting.isEmpty { room.ordered = page }
    for event in waiting {
      page.append(event)
      recording.events.append(event)
    }
    keepKeys(of: before, from: kept)
    changeCount += 1
    self.room = room
    for event in missed { eraseAgain(event) }
  }

  /// Gives showings that were on the page before in the same form their former keys. The first
  /// `count` showings are the same.
  private mutating func keepKeys(of before: (page: LivePage, keys: [Int32]), from count: Int) {
    keys = Array(before.keys.prefix(count))
    nameShowings()
    guard count < before.keys.count, count < keys.count else { return }
    var former: [Identifier: [Int]] = [:]
    for showing in count..<before.keys.count {
      former[before.page.stroke(Int32(showing)).id, default: []].append(showing)
    }
    for showing in count..<keys.count {
      let stroke = page.stroke(Int32(showing))
      let match = former[stroke.id]?.first { before.page.stroke(Int32($0)) == stroke }
      if let match { keys[showing] = before.keys[match] }
    }
  }

  /// Erases once more where an erasure of this page came too late: others had changed its strokes.
  private mutating func eraseAgain(_ event: Recording.Event) {
    guard case .erased(let eraser, let path, let changes) = event.action, !path.isEmpty else {
      return
    }
    let families = page.families(of: changes.map { $0.strokeID })
    let again = page.changes(erasingAlong: path, with: eraser).filter { change in
      page.shown(change.strokeID).map { families.contains($0.rootID) } ?? false
    }
    if !again.isEmpty { add(.erased(eraser, along: path, changes: again), at: event.time) }
  }
}

// MARK: - Open strokes of others

extension PenPage {
  /// The maximum number of strokes that others are drawing at once.
  private static let maximumOthers = 512
  /// The maximum number of samples of a stroke that is not finished.
  private static let maximumSamples = 1 << 16

  /// All open strokes, in the order of their beginnings.
  package var openStrokes: [PKStroke] {
    guard let room, !room.others.isEmpty else { return openStroke.map { [$0] } ?? [] }
    let place = min(room.ownPlace, room.others.count)
    return room.others[..<place].compactMap { $0.stroke } + (openStroke.map { [$0] } ?? [])
      + room.others[place...].compactMap { $0.stroke }
  }

  /// Shows a stroke that somebody else begins. It goes away when its event comes, or by `hideOther`.
  package mutating func showOther(
    _ id: Identifier, with tool: PKInkingTool, tolerance: Double?, at time: Timestamp
  ) {
    guard room != nil, room?.others.count ?? 0 < Self.maximumOthers,
      room?.known.contains(id) == false
    else { return }
    hideOther(id)
    room?.others.append(
      OpenStroke(id: id, tool: tool, start: time, curve: PenCurve(tolerance: tolerance)))
  }

  /// Continues a stroke of somebody else with the samples from a number on. Samples that are there
  /// already are left out, and so are those after a gap.
  package mutating func drawOther(_ id: Identifier, _ samples: [PenSample], from first: Int) {
    guard let index = room?.others.firstIndex(where: { $0.id == id }),
      var open = room?.others[index], first >= 0, first <= open.sampleCount,
      open.sampleCount - first < samples.count,
      first + samples.count <= Self.maximumSamples
    else { return }
    for sample in samples[(open.sampleCount - first)...] {
      if let point = sample.point(of: open.tool, after: open.curve.shown.last) {
        open.curve.append(point)
      }
      open.sampleCount += 1
    }
    open.stroke =
      open.curve.shown.isEmpty
      ? nil : Self.stroke(open.tool, open.curve.shown, open.start, id)
    room?.others[index] = open
  }

  /// Stops showing a stroke of somebody else, which was cancelled or lost.
  package mutating func hideOther(_ id: Identifier) { room?.end(id) }
}

extension PenPage.Room {
  mutating func end(_ id: Identifier) {
    guard let index = others.firstIndex(where: { $0.id == id }) else { return }
    others.remove(at: index)
    if index < ownPlace { ownPlace -= 1 }
  }
}

extension RecordedEvent {
  /// The event as a room orders it after another one: not earlier than that, and unless that is
  /// later, not after the room's time, since a person's clock may be wrong.
  package func ordered(
    after last: Self?, by person: UInt16, at now: Timestamp
  ) -> Self {
    var event = self
    event.person = person
    event.time = min(time, now)
    if let last { event.time = max(event.time, last.time) }
    return event
  }
}

/// The names of strokes that the events of a room have brought. All members and the server follow
/// the same rule, so that a name never means two strokes.
package struct KnownStrokes: Sendable {
  /// The stroke that each is a piece of, or the stroke itself.
  private var roots: [Identifier: Identifier] = [:]

  /// The strokes of a recording.
  package init(of recording: Recording) {
    for event in recording.events {
      let (new, replacements) = Self.strokes(of: event)
      for stroke in new + replacements.map({ $0.stroke }) { roots[stroke.id] = stroke.rootID }
    }
  }

  /// Whether a stroke is known.
  package func contains(_ id: Identifier) -> Bool { roots[id] != nil }

  /// Notes the strokes of an event that is about to come to a page. False if one has the name of
  /// another stroke; then the event does not count. A stroke may replace the one of its own name: it
  /// got another colour. Pieces have the same names again after an undo.
  package mutating func admit(_ event: Recording.Event, to page: LivePage) -> Bool {
    let (new, replacements) = Self.strokes(of: event)
    var names: Set<Identifier> = []
    for stroke in new {
      guard roots[stroke.id] == nil, names.insert(stroke.id).inserted else { return false }
    }
    for (replaced, stroke) in replacements {
      let isFree = roots[stroke.id].map { $0 == stroke.rootID && page.shown(stroke.id) == nil }
      guard isFree ?? true || stroke.id == replaced, names.insert(stroke.id).inserted else {
        return false
      }
    }
    for stroke in new + replacements.map({ $0.stroke }) { roots[stroke.id] = stroke.rootID }
    return true
  }

  /// The strokes that an event adds, and those that it puts in the place of others, with the names of
  /// these.
  private static func strokes(
    of event: Recording.Event
  ) -> (new: [PKStroke], replacements: [(replaced: Identifier, stroke: PKStroke)]) {
    func replacements(
      _ changes: [StrokeChange<PKStroke>]
    ) -> [(replaced: Identifier, stroke: PKStroke)] {
      changes.flatMap { change in change.replacements.map { (change.strokeID, $0) } }
    }
    switch event.action {
    case .strokeBegun(let stroke): return ([stroke], [])
    case .erased(_, _, let changes): return ([], replacements(changes))
    case .edited(let changes, let above, let below): return (above + below, replacements(changes))
    default: return ([], [])
    }
  }
}
