import Graphics

extension Recording {
  /// Merges two versions of a recording that were continued separately. The result does not depend
  /// on which of them is called ours.
  ///
  /// It has the events that both have in common, then those of both in order of time. Its drawing
  /// is that of `PKDrawing.merging`, where the later side is that with the later last event.
  ///
  /// - Parameters:
  ///   - base: the version that both sides began with; nil if it is unknown.
  ///   - ours: one side.
  ///   - theirs: the other side.
  package static func merging(base: Recording?, ours: Recording, theirs: Recording) -> Recording {
    let isOursLater = ours.isLater(than: theirs)
    return RecordingMerge(
      base: base, earlier: isOursLater ? theirs : ours, later: isOursLater ? ours : theirs
    ).merged()
  }
}

/// Merges two versions of a recording, ordered by their content into the earlier and the later one.
struct RecordingMerge {
  let base: Recording?
  let earlier: Recording
  let later: Recording

  func merged() -> Recording {
    if earlier == later { return later }
    if let base {
      if earlier == base { return later }
      if later == base { return earlier }
    }
    let common = commonEventCount
    let canvas = Recording.Canvas.merged(
      base: base?.canvas, earlier: earlier.canvas, later: later.canvas)
    if isBaseCommon(common) {
      // If one side has only the common events, the other one continued it.
      if earlier.events.count == common { return Recording(canvas: canvas, events: later.events) }
      if later.events.count == common { return Recording(canvas: canvas, events: earlier.events) }
    }
    var page = TrackedPage()
    for event in later.events.prefix(common) { page.append(event) }
    let (earlierTail, laterTail) = (
      HistoryTail(earlier.events.dropFirst(common), on: page),
      HistoryTail(later.events.dropFirst(common), on: page)
    )
    var base = baseDrawing(page, common)
    let erased =
      strokes(of: earlierTail, erasedBy: laterTail, in: later, since: common)
      + strokes(of: laterTail, erasedBy: earlierTail, in: earlier, since: common)
    if !erased.isEmpty { base = PKDrawing(strokes: (base?.strokes ?? []) + erased) }
    let drawing = DrawingMerge(
      base: base, earlier: PKDrawing(strokes: earlierTail.strokes),
      later: PKDrawing(strokes: laterTail.strokes)
    ).merged()
    // A side may have no events of its own and yet, by the base, have erased something.
    if earlierTail.isEmpty, laterTail.strokes == drawing.strokes {
      return Recording(canvas: canvas, events: later.events)
    }
    if laterTail.isEmpty, earlierTail.strokes == drawing.strokes {
      return Recording(canvas: canvas, events: earlier.events)
    }
    var history = MergedHistory(
      common: Array(later.events.prefix(common)), page: page, earlier: earlierTail,
      later: laterTail)
    history.correct(to: drawing.strokes)
    return Recording(canvas: canvas, events: history.events)
  }

  /// Strokes of one side that the other side has drawn or received since the common events and no
  /// longer has. Both sides knew them, so they are no additions. If the common events do not begin
  /// both sides' work, as with archives, this is unknown: an undo may have restored strokes that
  /// were erased before the base.
  private func strokes(
    of side: HistoryTail, erasedBy other: HistoryTail, in recording: Recording, since common: Int
  ) -> [PKStroke] {
    guard common > 0, isBaseCommon(common) else { return [] }
    var begun: Set<Identifier> = []
    for event in recording.events.dropFirst(common) {
      if case .strokeBegun(let stroke) = event.action { begun.insert(stroke.rootID) }
    }
    begun.subtract(other.strokes.map { $0.rootID })
    return side.strokes.filter { begun.contains($0.rootID) }
  }

  /// The number of events before the first difference.
  private var commonEventCount: Int {
    let pairs = zip(earlier.events, later.events)
    var count = 0
    for (a, b) in pairs {
      guard a == b else { break }
      count += 1
    }
    return count
  }

  /// Whether the base is a part of the events that both sides have, or unknown.
  private func isBaseCommon(_ common: Int) -> Bool {
    guard let base else { return true }
    return base.events.count <= common
      && base.events.elementsEqual(later.events.prefix(base.events.count))
  }

  /// The drawing that both sides began with; nil if it is unknown.
  ///
  /// If the base's events are a common prefix of both sides, the common events are at least as new
  /// as the base, and determine which strokes both sides knew. If not, one side was re-encoded from
  /// its drawing, as archives are, and its log no longer shows erasures; then the base is used. The
  /// base may also be older than the common events, so strokes
  /// that are only in those events are added.
  private func baseDrawing(_ page: TrackedPage, _ common: Int) -> PKDrawing? {
    let strokes = page.strokes
    guard !isBaseCommon(common), var drawing = base?.drawing else {
      return common > 0 ? PKDrawing(strokes: strokes) : nil
    }
    let known = Set(drawing.strokes.map { $0.rootID })
    drawing.strokes += strokes.filter { !known.contains($0.rootID) }
    return drawing
  }
}
