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
    /// Whether it does not lie where it was drawn.
    public let isMoved: Bool
    /// Its position among all that was ever on the page: a higher one is drawn over a lower one.
    public let rank: Int32
    /// The step after which it first came, and the one after which it was first gone.
    fileprivate let life: Range<Int32>
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
  /// The page after the last event.
  private var editor = PageEditor()
  /// The showings that each step removed and added, one step after the other.
  private var changed: [Int32] = []
  private var lives = Lives()

  /// More gaps than these are only counted.
  private static let maximumGaps = 100

  /// The history of a recording. Events that cannot be followed are skipped, and `gaps` reports them.
  public init(of source: some RecordingSource) throws(ReplayError) {
    var families = Families()
    for (number, event) in source.script.events.enumerated() {
      var missing: [Identifier] = []
      if let edit = editor.apply(event.action, in: source, missing: { missing.append($0) }) {
        if case .strokeBegun(let stroke) = event.action {
          if families.isContinued(by: stroke, in: source) {
            join(edit.added[0])
          } else {
            addStep(.drawing, event.time, edit)
          }
        } else {
          addStep(.change, event.time, edit)
        }
      }
      for id in missing { note(id, number) }
      families.note(event.action, in: source)
      guard !editor.isFull else {
        throw .tooManyChanges(limit: PageEditor.maximumChanges)
      }
    }
    let ranks = editor.ranks
    showings = editor.showings.indices.map { number in
      Showing(
        stroke: editor.showings[number].stroke, isMoved: editor.showings[number].move != nil,
        rank: ranks[number], life: lives.first[number])
    }
  }

  private mutating func addStep(_ kind: Step.Kind, _ time: Timestamp, _ edit: PageEditor.Edit) {
    let step = Int32(steps.count)
    let start = Int32(changed.count)
    changed += edit.removed
    let middle = Int32(changed.count)
    changed += edit.added
    for showing in edit.removed { lives.end(showing, after: step) }
    for showing in edit.added { lives.begin(showing, after: step) }
    steps.append(
      Step(
        kind: kind, time: time, removed: start..<middle, added: middle..<Int32(changed.count)))
  }

  /// Adds a piece to the stroke that is being drawn.
  private mutating func join(_ showing: Int32) {
    lives.begin(showing, after: Int32(steps.count - 1))
    changed.append(showing)
    let added = steps[steps.count - 1].added
    steps[steps.count - 1].added = added.lowerBound..<added.upperBound + 1
  }

  private mutating func note(_ id: Identifier, _ event: Int) {
    gapCount += 1
    if gaps.count < Self.maximumGaps { gaps.append(Gap(event: event, strokeID: id)) }
  }
}

/// After which steps each showing was on the page.
private struct Lives {
  /// The first life of each showing, by its number; most have no other.
  var first: [Range<Int32>] = []
  /// Later lives of showings that were undone and redone.
  var later: [Int32: [Range<Int32>]] = [:]

  /// Showings begin in the order of their numbers.
  mutating func begin(_ showing: Int32, after step: Int32) {
    let life = step + 1..<Int32.max
    if Int(showing) == first.count {
      first.append(life)
    } else {
      later[showing, default: []].append(life)
    }
  }

  mutating func end(_ showing: Int32, after step: Int32) {
    if let last = later[showing]?.popLast() {
      later[showing]?.append(last.lowerBound..<max(step + 1, last.lowerBound))
    } else {
      let start = first[Int(showing)].lowerBound
      first[Int(showing)] = start..<max(step + 1, start)
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

  /// Whether a stroke got more points after it was begun.
  public func isExtended(stroke number: Int) -> Bool { editor.extensions[number] != nil }

  /// The whole path of a stroke, with all points that it got while it was drawn.
  public func path(
    ofStroke number: Int, in source: some RecordingSource
  ) throws(ReplayError) -> PKStrokePath {
    do {
      return try source.path(
        ofStroke: number, extendedBy: editor.extensions[number] ?? [])
    } catch {
      throw .unreadable(stroke: number, reason: "\(error)")
    }
  }

  /// A showing as the stroke that is drawn.
  public func stroke(
    ofShowing number: Int, in source: some RecordingSource
  ) throws(ReplayError) -> PKStroke {
    let stroke = showings[number].stroke
    do {
      return try source.stroke(
        at: stroke, extendedBy: editor.extensions[stroke] ?? [],
        movedBy: editor.showings.moves(of: number))
    } catch {
      throw .unreadable(stroke: stroke, reason: "\(error)")
    }
  }

  /// Whether a showing is on the page after some of the steps.
  public func isShown(_ showing: Int, afterSteps count: Int) -> Bool {
    let count = Int32(count)
    if showings[showing].life.contains(count) { return true }
    guard !lives.later.isEmpty, let lives = lives.later[Int32(showing)] else { return false }
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

/// Finds the pieces that were drawn as one stroke: they follow each other and name the same parent.
private struct Families {
  private var newest: Identifier?

  func isContinued(by stroke: Int, in source: some RecordingSource) -> Bool {
    newest != nil && source.parentID(ofStroke: stroke) == newest
  }

  mutating func note(_ action: RecordingScript.Action, in source: some RecordingSource) {
    switch action {
    case .strokeBegun(let stroke): newest = source.parentID(ofStroke: stroke)
    case .strokeExtended, .strokeEnded, .toolChanged: break
    default: newest = nil
    }
  }
}
