import Graphics
public import Strokes

/// The history of a page, step by step: every stroke that was ever on it, and from which step to
/// which.
///
/// Each position of a stroke that was moved, and each piece that an eraser left, is a showing of
/// its own. Undo and redo bring showings back. Building a history reads no stroke's points.
public struct PageHistory: Sendable {
  /// A stroke in one form and position, which is on the page from one step to another.
  public struct Showing: Sendable {
    /// The index of the stroke in its source.
    public let stroke: Int
    /// Whether it was moved away from its original position.
    public let isMoved: Bool
    /// Its position in the order of all showings: a higher one is drawn over a lower one.
    public let rank: Int32
    /// The counts of steps after which it is on the page for the first time.
    fileprivate let lifetime: Range<Int32>
  }

  /// A visible change of the page.
  public struct Step: Sendable {
    /// The kinds of steps.
    public enum Kind: Hashable, Sendable {
      /// A stroke is drawn, or the pieces of one. This takes time.
      case drawing
      /// Something changes at once: strokes are erased, moved or cleared, or a change is undone or
      /// redone.
      case change
    }
    /// Whether the step is a drawing or a change.
    public let kind: Kind
    /// The start of the step, by the clock of the recording.
    public let time: Timestamp
    /// The range of its removed showings in `changed`.
    fileprivate var removed: Range<Int32>
    /// The range of its added showings in `changed`.
    fileprivate var added: Range<Int32>
  }

  /// An event that was skipped because it refers to a stroke that does not exist.
  public struct Gap: Hashable, Sendable, CustomStringConvertible {
    /// The index of the event.
    public let event: Int
    /// The identifier of the missing stroke.
    public let strokeID: Identifier

    /// One sentence for people.
    public var description: String { "event \(event) refers to a stroke that does not exist" }
  }

  /// All showings, in the order in which they first came to the page.
  public private(set) var showings: [Showing] = []
  /// All steps, in the order of the events.
  public private(set) var steps: [Step] = []
  /// The first 100 events that were skipped.
  public private(set) var gaps: [Gap] = []
  /// The number of all events that were skipped.
  public private(set) var gapCount = 0
  /// The page after the last event.
  private(set) var editor = PageEditor()
  /// The showings that each step removed and added, one step after the other.
  private var changed: [Int32] = []
  private var lifetimes = Lifetimes()

  /// Further gaps are only counted.
  private static let maximumGaps = 100

  /// The history of a recording. Events that refer to missing strokes are skipped and reported in
  /// `gaps`. Throws if the events change more strokes than `PageEditor` can hold.
  public init(of source: some RecordingSource) throws(ReplayError) {
    var siblings = SiblingPieces()
    for (number, event) in source.script.events.enumerated() {
      var missing: [Identifier] = []
      if let edit = editor.apply(event, in: source, missing: { missing.append($0) }) {
        if case .strokeBegun(let stroke) = event.action {
          if siblings.isContinued(by: stroke, in: source) {
            appendPiece(edit.added[0])
          } else {
            addStep(.drawing, event.time, edit)
          }
        } else {
          addStep(.change, event.time, edit)
        }
      }
      for id in missing { addGap(id, number) }
      siblings.follow(event.action, in: source)
      guard !editor.isFull else {
        throw .tooManyChanges(limit: PageEditor.maximumChanges)
      }
    }
    let ranks = editor.ranks
    showings = editor.showings.indices.map { number in
      Showing(
        stroke: editor.showings[number].stroke, isMoved: editor.showings[number].move != nil,
        rank: ranks[number], lifetime: lifetimes.first[number])
    }
  }

  private mutating func addStep(_ kind: Step.Kind, _ time: Timestamp, _ edit: PageEditor.Edit) {
    let step = Int32(steps.count)
    let start = Int32(changed.count)
    changed += edit.removed
    let middle = Int32(changed.count)
    changed += edit.added
    for showing in edit.removed { lifetimes.end(showing, after: step) }
    for showing in edit.added { lifetimes.begin(showing, after: step) }
    steps.append(
      Step(
        kind: kind, time: time, removed: start..<middle, added: middle..<Int32(changed.count)))
  }

  /// Adds a piece to the last step, which draws the stroke it belongs to.
  private mutating func appendPiece(_ showing: Int32) {
    lifetimes.begin(showing, after: Int32(steps.count - 1))
    changed.append(showing)
    let added = steps[steps.count - 1].added
    steps[steps.count - 1].added = added.lowerBound..<added.upperBound + 1
  }

  private mutating func addGap(_ id: Identifier, _ event: Int) {
    gapCount += 1
    if gaps.count < Self.maximumGaps { gaps.append(Gap(event: event, strokeID: id)) }
  }
}

/// The counts of steps after which each showing is on the page.
private struct Lifetimes {
  /// The first lifetime of each showing, by its index; most showings have no other.
  var first: [Range<Int32>] = []
  /// The later lifetimes of showings that were undone and redone, in order.
  var later: [Int32: [Range<Int32>]] = [:]

  /// Begins a lifetime. Showings begin their first one in the order of their indices.
  mutating func begin(_ showing: Int32, after step: Int32) {
    let lifetime = step + 1..<Int32.max
    if Int(showing) == first.count {
      first.append(lifetime)
    } else {
      later[showing, default: []].append(lifetime)
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
  /// The showings that a step removes from the page.
  public func removed(in step: Int) -> ArraySlice<Int32> {
    changed[Int(steps[step].removed.lowerBound)..<Int(steps[step].removed.upperBound)]
  }

  /// The showings that a step adds to the page.
  public func added(in step: Int) -> ArraySlice<Int32> {
    changed[Int(steps[step].added.lowerBound)..<Int(steps[step].added.upperBound)]
  }

  /// Whether events added points to a stroke after it was begun.
  public func isExtended(stroke number: Int) -> Bool { editor.extensions[number] != nil }

  /// The whole path of a stroke, with all points that events added to it. Reads the stroke.
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

  /// The stroke that a showing looks like. Reads the stroke.
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

  /// Whether a showing is on the page after the first `count` steps.
  public func isShown(_ showing: Int, afterSteps count: Int) -> Bool {
    let count = Int32(count)
    if showings[showing].lifetime.contains(count) { return true }
    guard !lifetimes.later.isEmpty, let later = lifetimes.later[Int32(showing)] else {
      return false
    }
    // Later lifetimes are in order and do not overlap.
    let index = later.partitioningIndex { $0.upperBound > count }
    return index < later.count && later[index].contains(count)
  }

  /// Whether a showing was on the page at any time during the first `count` steps.
  func hasBeenShown(_ showing: Int, beforeStep count: Int) -> Bool {
    showings[showing].lifetime.lowerBound <= Int32(count)
  }

  /// The showings on the page after the first `count` steps, from back to front. Looks at all
  /// showings.
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

/// Finds the pieces that were drawn as one stroke: they are consecutive and have the same parent.
private struct SiblingPieces {
  private var newestParent: Identifier?

  /// Whether a stroke that begins is another piece of the last one.
  func isContinued(by stroke: Int, in source: some RecordingSource) -> Bool {
    newestParent != nil && source.parentID(ofStroke: stroke) == newestParent
  }

  mutating func follow(_ action: RecordingScript.Action, in source: some RecordingSource) {
    switch action {
    case .strokeBegun(let stroke): newestParent = source.parentID(ofStroke: stroke)
    case .strokeExtended, .strokeEnded, .toolChanged: break
    default: newestParent = nil
    }
  }
}
