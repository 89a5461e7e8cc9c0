import Graphics

/// The actions of one side after the common events, without actions that it undid.
struct HistoryTail {
  /// An action. Strokes are in the state that the side saw.
  enum Step {
    /// A stroke was begun.
    case begun(PKStroke)
    /// The pen moved on, or left the page.
    case continued(Identifier, Recording.Action)
    /// Strokes were replaced: by an eraser, by clearing the page, or by undoing common events.
    case replaced(PKEraserTool, along: PKStrokePath, changes: [Change])
    /// Strokes were replaced, and others were added above and below all.
    case edited([Change], above: [PKStroke], below: [PKStroke])
    /// Strokes were moved.
    case moved([PKStroke], by: AffineTransform)
    /// Another tool was selected.
    case selected(PKTool)
  }

  /// A stroke in the state that the side saw, and its replacements.
  struct Change {
    let seen: PKStroke
    let replacements: [PKStroke]
  }

  /// The steps, their times, which do not run back, and the people.
  private(set) var steps: [(time: Timestamp, step: Step, person: UInt16)] = []
  /// The number of points that the side drew of each stroke.
  private(set) var pointCounts: [Identifier: Int] = [:]
  /// The strokes on the page at the end.
  let strokes: [PKStroke]
  /// Whether the side has no events after the common ones.
  let isEmpty: Bool

  /// Follows the events of a side, starting from the page after the common events.
  init(_ events: ArraySlice<Recording.Event>, on common: TrackedPage) {
    isEmpty = events.isEmpty
    var follower = Follower(page: common)
    for event in events { follower.follow(event) }
    strokes = follower.page.strokes

    let (before, after) = (common.done, follower.page.done)
    var now = events.first?.time ?? .referenceDate
    for record in follower.records {
      now = .later(now, record.time)
      switch record.condition {
      case .always: break
      case .whileDone(let edit): guard after.contains(edit) else { continue }
      case .ifChanged(let edit, let record):
        // Only the last time that an edit of the common events was undone or redone counts.
        guard after.contains(edit) != before.contains(edit), follower.flips[edit] == record else {
          continue
        }
      }
      steps.append((now, record.step, record.person))
      switch record.step {
      case .begun(let stroke): pointCounts[stroke.id, default: 0] += stroke.path.count
      case .continued(let id, .strokeExtended(_, let path)):
        pointCounts[id, default: 0] += path.count
      default: break
      }
    }
  }
}

/// Follows the events of a side, and notes each one's effect and the condition under which it
/// counts.
private struct Follower {
  /// The condition under which a step counts.
  enum Condition {
    case always
    /// If the edit of an event is not undone at the end.
    case whileDone(Int)
    /// If an edit of the common events is undone at the end and was not before, or the reverse. The
    /// number is that of the flip.
    case ifChanged(Int, flip: Int)
  }

  struct Record {
    let time: Timestamp
    let step: HistoryTail.Step
    let condition: Condition
    let person: UInt16
  }

  private(set) var page: TrackedPage
  private(set) var records: [Record] = []
  /// The last event that undid or redid an edit of the common events.
  private(set) var flips: [Int: Int] = [:]
  /// The events that began the strokes of this side.
  private var beginnings: [Identifier: Int] = [:]
  private let commonCount: Int

  init(page: TrackedPage) {
    self.page = page
    commonCount = page.eventCount
  }

  mutating func follow(_ event: Recording.Event) {
    let number = page.eventCount
    func add(_ step: HistoryTail.Step, _ condition: Condition) {
      records.append(
        Record(time: event.time, step: step, condition: condition, person: event.person))
    }
    switch event.action {
    case .strokeBegun(let stroke):
      beginnings[stroke.id] = number
      add(.begun(stroke), .whileDone(number))
    case .strokeExtended(let id, _), .strokeEnded(let id):
      if page.shown(id) != nil {
        add(
          .continued(id, event.action), beginnings[id].map { .whileDone($0) } ?? .always)
      }
    case .erased(let eraser, let path, let changes):
      let seen = seen(changes)
      // An eraser that touched nothing still moved.
      add(
        .replaced(eraser, along: path, changes: seen), seen.isEmpty ? .always : .whileDone(number))
    case .edited(let changes, let above, let below):
      let seen = seen(changes)
      if !seen.isEmpty || !above.isEmpty || !below.isEmpty {
        add(.edited(seen, above: above, below: below), .whileDone(number))
      }
    case .moved(let ids, let transform):
      let seen = ids.compactMap { page.shown($0) }
      if !seen.isEmpty { add(.moved(seen, by: transform), .whileDone(number)) }
    case .cleared:
      let all = page.strokes.map { HistoryTail.Change(seen: $0, replacements: []) }
      if !all.isEmpty { add(Self.replaced(all), .whileDone(number)) }
    case .undone, .redone: break
    case .toolChanged(let tool): add(.selected(tool), .always)
    }
    guard let effect = page.append(event), effect.edit < commonCount else { return }
    flips[effect.edit] = number
    for step in steps(exchanging: effect) {
      add(step, .ifChanged(effect.edit, flip: number))
    }
  }

  /// The changes of strokes that are on the page. Of several changes of one stroke, the last
  /// counts.
  private func seen(_ changes: [StrokeChange<PKStroke>]) -> [HistoryTail.Change] {
    var replacements = changes.replacementsByID()
    return changes.compactMap { change in
      guard let strokes = replacements.removeValue(forKey: change.strokeID),
        let seen = page.shown(change.strokeID)
      else { return nil }
      return HistoryTail.Change(seen: seen, replacements: strokes)
    }
  }

  /// The steps with the effect of an undo or redo.
  private func steps(exchanging effect: TrackedPage.Effect) -> [HistoryTail.Step] {
    var added: [Identifier: [PKStroke]] = [:]
    let new = effect.added.map { page.page.stroke($0) }
    for stroke in new { added[stroke.rootID, default: []].append(stroke) }
    let changes = effect.removed.map { number in
      let stroke = page.page.stroke(number)
      return HistoryTail.Change(
        seen: stroke, replacements: added.removeValue(forKey: stroke.rootID) ?? [])
    }
    var steps = changes.isEmpty ? [] : [Self.replaced(changes)]
    for stroke in new where added[stroke.rootID] != nil {
      steps += [.begun(stroke), .continued(stroke.id, .strokeEnded(stroke.id))]
    }
    return steps
  }

  private static func replaced(_ changes: [HistoryTail.Change]) -> HistoryTail.Step {
    .replaced(PKEraserTool(.vector), along: PKStrokePath(), changes: changes)
  }
}
