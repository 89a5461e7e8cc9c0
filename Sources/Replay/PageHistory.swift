import Graphics
public import Strokes

/// What was on the page, step by step: every stroke that was ever there, from which step to which.
///
/// A stroke that was moved, and each piece that an eraser left, is a showing of its own. Undoing and
/// redoing bring showings back. Nothing of this needs a stroke's points.
public struct PageHistory: Sendable {
  /// One look of a stroke, for as long as it is on the page.
  public struct Showing: Sendable {
    /// The number of the stroke in its source.
    public let stroke: Int
    /// How it was moved from where the showing before it lay; nil where it was not.
    let move: AffineTransform?
    /// The showing in whose place it came.
    let origin: Int32
    /// Whether it lies where it was drawn.
    public var isMoved: Bool { move != nil }
    /// Where it lies between all that was ever there: a higher one is drawn over a lower one.
    public fileprivate(set) var rank: Int32 = 0
    /// The steps after which it was first there, and not any more.
    fileprivate var life: Range<Int32>
  }

  /// Something that is seen to happen.
  public struct Step: Sendable {
    /// What kind of thing.
    public enum Kind: Hashable, Sendable {
      /// A stroke is drawn, or the pieces of one.
      case drawing
      /// Something changes at once.
      case change
    }
    /// What kind of thing happens.
    public let kind: Kind
    /// When it began, by the clock of the recording.
    public let time: Timestamp
    /// Where its changes stand.
    fileprivate var removed: Range<Int32>
    fileprivate var added: Range<Int32>
  }

  /// An event that could not be followed, because it tells of a stroke that is not there.
  public struct Gap: Hashable, Sendable, CustomStringConvertible {
    /// The number of the event.
    public let event: Int
    /// The stroke that it tells of.
    public let strokeID: Identifier

    /// One sentence for people.
    public var description: String { "event \(event) tells of a stroke that is not there" }
  }

  /// Everything that was ever on the page, in the order of coming there.
  public private(set) var showings: [Showing] = []
  /// What happened.
  public private(set) var steps: [Step] = []
  /// The first events that could not be followed.
  public private(set) var gaps: [Gap] = []
  /// How many events could not be followed.
  public private(set) var gapCount = 0
  /// The numbers of paths that go on with a stroke, by its number.
  public private(set) var extensions: [Int: [Int]] = [:]
  private var changed: [Int32] = []
  /// Later lives of showings that were undone and redone.
  private var laterLives: [Int32: [Range<Int32>]] = [:]

  /// More gaps than these are only counted.
  private static let mostGaps = 100
  /// More changes than these, as no hand makes them, are not followed: some seconds' work.
  static let mostChanges = 5_000_000

  /// The history of a recording. Events that cannot be followed are skipped, and `gaps` tells of them.
  public init(of source: some RecordingSource) throws(ReplayError) {
    var page = ChangingPage()
    var families = Families()
    for (number, event) in source.script.events.enumerated() {
      if case .ended = event.action { continue }
      if case .toolChanged = event.action { continue }
      defer { families.note(event.action, in: source) }
      switch event.action {
      case .begun(let stroke):
        let showing = add(stroke, origin: -1)
        page.meet(showing, source.id(ofStroke: stroke), origin: -1)
        page.perform(ChangingPage.Edit(added: [showing]))
        if families.goesOn(with: stroke, in: source) {
          join(showing)
        } else {
          addStep(.drawing, event.time, removed: [], added: [showing])
        }
      case .extended(let id, let path):
        if let showing = page.last(of: id) {
          extensions[showings[Int(showing)].stroke, default: []].append(path)
        } else {
          note(id, number)
        }
      case .erased(_, _, let changes):
        var edit = ChangingPage.Edit()
        // Of several changes of one name the last counts.
        var replacements = Dictionary(
          changes.map { ($0.strokeID, $0.replacements) }, uniquingKeysWith: { $1 })
        for change in changes {
          guard let strokes = replacements.removeValue(forKey: change.strokeID) else { continue }
          guard let old = page.last(of: change.strokeID) else {
            note(change.strokeID, number)
            continue
          }
          edit.removed.append(old)
          for stroke in strokes {
            let piece = add(stroke, origin: old)
            page.meet(piece, source.id(ofStroke: stroke), origin: old)
            edit.added.append(piece)
          }
        }
        perform(edit, event.time, &page)
      case .moved(let ids, let transform):
        var edit = ChangingPage.Edit()
        var seen: Set<Identifier> = []
        for id in ids where seen.insert(id).inserted {
          let old = page.all(of: id)
          if old.isEmpty { note(id, number) }
          for old in old {
            let after = add(showings[Int(old)].stroke, move: transform, origin: old)
            page.meet(after, id, origin: old)
            edit.removed.append(old)
            edit.added.append(after)
          }
        }
        perform(edit, event.time, &page)
      case .cleared:
        perform(ChangingPage.Edit(removed: page.everything), event.time, &page)
      case .undone:
        if let edit = page.undo() {
          addStep(.change, event.time, removed: edit.added, added: edit.removed)
        }
      case .redone:
        if let edit = page.redo() {
          addStep(.change, event.time, removed: edit.removed, added: edit.added)
        }
      case .ended, .toolChanged: break
      }
      guard changed.count <= Self.mostChanges else {
        throw .tooManyChanges(limit: Self.mostChanges)
      }
    }
    rank()
  }

  private mutating func perform(
    _ edit: ChangingPage.Edit, _ time: Timestamp, _ page: inout ChangingPage
  ) {
    // What changes nothing leaves nothing to undo.
    guard !edit.removed.isEmpty || !edit.added.isEmpty else { return }
    page.perform(edit)
    addStep(.change, time, removed: edit.removed, added: edit.added)
  }

  private mutating func add(
    _ stroke: Int, move: AffineTransform? = nil, origin: Int32
  ) -> Int32 {
    showings.append(Showing(stroke: stroke, move: move, origin: origin, life: -1 ..< -1))
    return Int32(showings.count - 1)
  }

  private mutating func addStep(
    _ kind: Step.Kind, _ time: Timestamp, removed: [Int32], added: [Int32]
  ) {
    let step = Int32(steps.count)
    let start = Int32(changed.count)
    changed += removed
    let middle = Int32(changed.count)
    changed += added
    for showing in removed { end(showing, at: step) }
    for showing in added { begin(showing, at: step) }
    steps.append(
      Step(
        kind: kind, time: time, removed: start..<middle, added: middle..<Int32(changed.count)))
  }

  /// Adds a piece to the stroke that is being drawn.
  private mutating func join(_ showing: Int32) {
    begin(showing, at: Int32(steps.count - 1))
    changed.append(showing)
    let added = steps[steps.count - 1].added
    steps[steps.count - 1].added = added.lowerBound..<added.upperBound + 1
  }

  private mutating func begin(_ showing: Int32, at step: Int32) {
    if showings[Int(showing)].life.lowerBound < 0 {
      showings[Int(showing)].life = step + 1..<Int32.max
    } else {
      laterLives[showing, default: []].append(step + 1..<Int32.max)
    }
  }

  private mutating func end(_ showing: Int32, at step: Int32) {
    if let last = laterLives[showing]?.last {
      laterLives[showing]?.removeLast()
      laterLives[showing]?.append(last.lowerBound..<max(step + 1, last.lowerBound))
    } else {
      let first = showings[Int(showing)].life.lowerBound
      showings[Int(showing)].life = first..<max(step + 1, first)
    }
  }

  private mutating func note(_ id: Identifier, _ event: Int) {
    gapCount += 1
    if gaps.count < Self.mostGaps { gaps.append(Gap(event: event, strokeID: id)) }
  }

  /// Gives each showing its place between all others: what came in the place of something lies where
  /// that lay, in the order of coming.
  private mutating func rank() {
    var children = [Int32](repeating: -1, count: showings.count)
    var siblings = children
    var roots: [Int32] = []
    // From the last to the first, so that lists begin with the oldest.
    for showing in showings.indices.reversed() {
      let origin = Int(showings[showing].origin)
      if origin >= 0 {
        siblings[showing] = children[origin]
        children[origin] = Int32(showing)
      } else {
        roots.append(Int32(showing))
      }
    }
    var next: Int32 = 0
    var waiting = roots
    while let showing = waiting.popLast() {
      showings[Int(showing)].rank = next
      next += 1
      var child = children[Int(showing)]
      var line: [Int32] = []
      while child >= 0 {
        line.append(child)
        child = siblings[Int(child)]
      }
      waiting += line.reversed()
    }
  }
}

extension PageHistory {
  /// The showings that leave the page in a step.
  public func removed(in step: Int) -> ArraySlice<Int32> {
    changed[Int(steps[step].removed.lowerBound)..<Int(steps[step].removed.upperBound)]
  }

  /// The showings that come to the page in a step.
  public func added(in step: Int) -> ArraySlice<Int32> {
    changed[Int(steps[step].added.lowerBound)..<Int(steps[step].added.upperBound)]
  }

  /// How a showing was moved since its stroke was drawn, the first time first.
  func moves(ofShowing number: Int) -> [AffineTransform] {
    var moves: [AffineTransform] = []
    var showing = showings[number]
    while let move = showing.move, showing.origin >= 0 {
      moves.append(move)
      showing = showings[Int(showing.origin)]
    }
    return moves.reversed()
  }

  /// Whether a showing is on the page after some of the steps.
  public func isShown(_ showing: Int, afterSteps count: Int) -> Bool {
    let count = Int32(count)
    if showings[showing].life.contains(count) { return true }
    guard !laterLives.isEmpty, let lives = laterLives[Int32(showing)] else { return false }
    // They follow each other.
    let index = lives.partitioningIndex { $0.upperBound > count }
    return index < lives.count && lives[index].contains(count)
  }

  /// What is on the page after some of the steps, from back to front.
  public func page(afterSteps count: Int) -> [Int32] {
    var page: [Int32] = []
    var isSorted = true
    for showing in showings.indices where isShown(showing, afterSteps: count) {
      if let last = page.last, showings[Int(last)].rank > showings[showing].rank {
        isSorted = false
      }
      page.append(Int32(showing))
    }
    if !isSorted { page.sort { showings[Int($0)].rank < showings[Int($1)].rank } }
    return page
  }
}

/// The page while events happen, with what undoing needs.
private struct ChangingPage {
  /// A change: showings that left, and others in their place.
  struct Edit {
    var removed: [Int32] = []
    var added: [Int32] = []
  }

  /// What is on the page of each name, nearly always one, from back to front.
  private var shown: [Identifier: [Int32]] = [:]
  private var count = 0
  /// The names of all showings, and the stroke that each came from, by number.
  private var names: [Identifier] = []
  private var roots: [Int32] = []
  private var undoable: [Edit] = []
  private var redoable: [Edit] = []

  var everything: [Int32] { shown.values.flatMap { $0 }.sorted() }

  func all(of id: Identifier) -> [Int32] { shown[id] ?? [] }

  func last(of id: Identifier) -> Int32? { shown[id]?.last }

  /// Gets to know a showing, which is not on the page yet.
  mutating func meet(_ showing: Int32, _ id: Identifier, origin: Int32) {
    names.append(id)
    roots.append(origin < 0 ? showing : roots[Int(origin)])
  }

  mutating func perform(_ edit: Edit) {
    redoable = []
    redo(edit)
  }

  mutating func undo() -> Edit? {
    guard let edit = undoable.popLast() else { return nil }
    exchange(edit.added, for: edit.removed)
    redoable.append(edit)
    return edit
  }

  mutating func redo() -> Edit? {
    guard let edit = redoable.popLast() else { return nil }
    redo(edit)
    return edit
  }

  private mutating func redo(_ edit: Edit) {
    exchange(edit.removed, for: edit.added)
    undoable.append(edit)
  }

  private mutating func exchange(_ old: [Int32], for new: [Int32]) {
    if old.count == count {
      shown = [:]
    } else {
      for showing in old {
        let id = names[Int(showing)]
        guard let place = place(of: showing, in: id) else { continue }
        shown[id]?.remove(at: place)
        if shown[id]?.isEmpty == true { shown[id] = nil }
      }
    }
    for showing in new {
      let id = names[Int(showing)]
      shown[id, default: []].insert(showing, at: place(of: showing, in: id) ?? 0)
    }
    count += new.count - old.count
  }

  /// Where a showing stands between those of its name, or would.
  private func place(of showing: Int32, in id: Identifier) -> Int? {
    guard let all = shown[id] else { return nil }
    func key(_ showing: Int32) -> (Int32, Int32) { (roots[Int(showing)], showing) }
    return all.partitioningIndex { key($0) >= key(showing) }
  }
}

/// Tells pieces that were drawn as one stroke.
private struct Families {
  private var newest: Identifier?

  func goesOn(with stroke: Int, in source: some RecordingSource) -> Bool {
    newest != nil && source.parentID(ofStroke: stroke) == newest
  }

  mutating func note(_ action: RecordingScript.Action, in source: some RecordingSource) {
    switch action {
    case .begun(let stroke): newest = source.parentID(ofStroke: stroke)
    case .extended, .ended, .toolChanged: break
    default: newest = nil
    }
  }
}
