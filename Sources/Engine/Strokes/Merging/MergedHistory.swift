import Graphics

/// The events of a merged recording: the common ones, then those of both sides in order of time.
struct MergedHistory {
  private(set) var events: [Recording.Event]
  private var page: LivePage
  private var now: Timestamp
  /// The person whose step is being added.
  private var person: UInt16 = 0

  init(
    common: [Recording.Event], page: TrackedPage, earlier: HistoryTail, later: HistoryTail
  ) {
    events = common
    self.page = page.page
    now = common.last?.time ?? Timestamp(secondsSinceReferenceDate: -.infinity)
    var (a, b) = (earlier.steps[...], later.steps[...])
    while let x = a.first ?? b.first {
      // At the same time, the earlier side's step comes first.
      let isEarlier =
        !a.isEmpty
        && (b.first.map { a[a.startIndex].time.orderedBits <= $0.time.orderedBits } ?? true)
      let next = isEarlier ? x : b[b.startIndex]
      if isEarlier { a.removeFirst() } else { b.removeFirst() }
      let (side, other) = isEarlier ? (earlier, later) : (later, earlier)
      person = next.person
      add(next.step, at: next.time) { id in
        // A stroke that both sides drew comes once: from the side that has more of it.
        let (count, otherCount) = (side.pointCounts[id] ?? 0, other.pointCounts[id] ?? -1)
        return isEarlier ? count > otherCount : count >= otherCount
      }
    }
  }

  private mutating func append(_ action: Recording.Action, at time: Timestamp) {
    now = .later(now, time)
    let event = Recording.Event(time: now, action: action, person: person)
    page.append(event)
    events.append(event)
  }

  /// Adds a step of a side. It changes only strokes that are still in the state that this side saw.
  /// Strokes that the other side changed in between are left to the correction at the end.
  private mutating func add(
    _ step: HistoryTail.Step, at time: Timestamp, isDrawn: (Identifier) -> Bool
  ) {
    switch step {
    case .begun(let stroke):
      if isDrawn(stroke.id), page.shown(stroke.id) == nil { append(.strokeBegun(stroke), at: time) }
    case .continued(let id, let action):
      if isDrawn(id), page.shown(id) != nil { append(action, at: time) }
    case .replaced(let eraser, let path, let changes):
      let (valid, _) = valid(changes)
      if valid.isEmpty, !changes.isEmpty { return }
      append(.erased(eraser, along: path, changes: valid), at: time)
    case .edited(let changes, let above, let below):
      let (valid, isNew) = valid(changes)
      let (above, below) = (above.filter(isNew), below.filter(isNew))
      if valid.isEmpty, above.isEmpty, below.isEmpty { return }
      append(.edited(valid, above: above, below: below), at: time)
    case .moved(let strokes, let transform):
      let ids = strokes.filter { isAsSeen($0) }.map { $0.id }
      if !ids.isEmpty { append(.moved(ids, by: transform), at: time) }
    case .selected(let tool): append(.toolChanged(tool), at: time)
    }
  }

  /// The changes of strokes that are still in the state that a side saw, and whether a stroke can
  /// come to the page with them: it is not on it, or replaces itself.
  private func valid(
    _ changes: [HistoryTail.Change]
  ) -> ([StrokeChange<PKStroke>], isNew: (PKStroke) -> Bool) {
    let valid = changes.filter { isAsSeen($0.seen) }
    let gone = Set(valid.map { $0.seen.id })
    let isNew = { [page] (stroke: PKStroke) in
      gone.contains(stroke.id) || page.shown(stroke.id) == nil
    }
    let changes = valid.map {
      StrokeChange(strokeID: $0.seen.id, replacements: $0.replacements.filter(isNew))
    }
    return (changes, isNew)
  }

  /// Whether a stroke is on the page and not cut in another way than a side saw it.
  private func isAsSeen(_ stroke: PKStroke) -> Bool {
    page.shown(stroke.id).map {
      $0.mask == stroke.mask && $0.pathRange == stroke.pathRange
    } ?? false
  }

  /// Adds an erasure that replaces strokes, if the page is not yet the merged drawing.
  mutating func correct(to strokes: [PKStroke]) {
    let shown = page.drawing.strokes
    if shown == strokes { return }
    person = 0
    let time = Timestamp.later(now, events.last?.time ?? .referenceDate)
    if shown.isEmpty {
      draw(strokes, at: time)
    } else {
      let changes = Correction(from: shown, to: strokes).changes
      append(.erased(PKEraserTool(.vector), along: PKStrokePath(), changes: changes), at: time)
    }
    if page.drawing.strokes == strokes { return }
    // Several strokes may have one identifier, by which changes mean only the last of them.
    append(.cleared, at: time)
    draw(strokes, at: time)
    if page.drawing.strokes == strokes { return }
    // A page takes a limited number of changes.
    (events, page) = (Recording(PKDrawing(strokes: strokes)).events, LivePage())
  }

  private mutating func draw(_ strokes: [PKStroke], at time: Timestamp) {
    for stroke in strokes {
      append(.strokeBegun(stroke), at: time)
      append(.strokeEnded(stroke.id), at: time)
    }
  }
}

/// The changes that make one list of strokes of another. Strokes that keep their order stay.
private struct Correction {
  private(set) var changes: [StrokeChange<PKStroke>] = []

  init(from old: [PKStroke], to new: [PKStroke]) {
    var places: [Identifier: Int] = [:]
    for (index, stroke) in old.enumerated() { places[stroke.id] = index }
    let kept = new.map { stroke in
      places[stroke.id].flatMap { old[$0] == stroke ? $0 : nil }
    }.longestRise()

    /// The replacements of each stroke, by its index.
    var replacements = old.map { [$0] }
    let keptOld = kept.compactMap { places[new[$0].id] }
    var isKept = [Bool](repeating: false, count: old.count)
    for index in keptOld { isKept[index] = true }
    for index in old.indices where !isKept[index] { replacements[index] = [] }
    // New strokes are in the gaps between kept strokes.
    for gap in 0...kept.count {
      let (from, to) = (
        gap > 0 ? kept[gap - 1] + 1 : 0, gap < kept.count ? kept[gap] : new.count
      )
      guard from < to else { continue }
      let inserted = Array(new[from..<to])
      let (oldFrom, oldTo) = (
        gap > 0 ? keptOld[gap - 1] + 1 : 0, gap < kept.count ? keptOld[gap] : old.count
      )
      if oldFrom < oldTo {
        replacements[oldFrom] = inserted
      } else if gap > 0 {
        replacements[keptOld[gap - 1]] += inserted
      } else {
        replacements[keptOld[0]] = inserted + replacements[keptOld[0]]
      }
    }
    for index in old.indices where !isKept[index] || replacements[index].count > 1 {
      changes.append(
        StrokeChange(strokeID: old[index].id, replacements: replacements[index]))
    }
  }
}
