package import Graphics

/// Applies the events of a recording to a page. Only this type defines the effects of events;
/// `UndoHistory` stores the edits for undo.
///
/// It refers to strokes by their index in a source, and reads none of their points. A stroke that
/// is moved, and each piece that an eraser leaves, becomes a new `Showing`; undo and redo exchange
/// showings.
package struct PageEditor {
  /// A stroke in one form and position.
  package struct Showing: Sendable {
    /// The index of the stroke in its source.
    package let stroke: Int
    /// The transform by which it was moved from the showing that it replaced; nil if it was not
    /// moved.
    package let move: AffineTransform?
    /// The showing that it replaced; nil for a stroke that was drawn.
    package var replaced: Int32? { origin < 0 ? nil : origin }
    /// The showing that it replaced; `onTop` or `atBottom` for none.
    fileprivate let origin: Int32

    fileprivate static let (onTop, atBottom): (Int32, Int32) = (-1, -2)
  }

  /// A change of the page: the showings that it removes and adds.
  package struct Edit {
    package fileprivate(set) var removed: [Int32] = []
    package fileprivate(set) var added: [Int32] = []
    var isEmpty: Bool { removed.isEmpty && added.isEmpty }
    var inverse: Edit { Edit(removed: added, added: removed) }
  }

  /// All showings that were ever on the page, in the order in which they first came to it.
  package private(set) var showings: [Showing] = []
  /// The indices of the paths that extend a stroke, by the stroke's index. They apply to all
  /// showings of the stroke: undoing a move keeps the points that were drawn after it.
  package private(set) var extensions: [Int: [Int]] = [:]

  /// The identifiers of all showings.
  private var ids: [Identifier] = []
  /// The showings on the page by identifier, nearly always one for each, in the order of
  /// `showings`. If there are several, an event that refers to a single stroke means the last one.
  private var shown: [Identifier: [Int32]] = [:]
  private var shownCount = 0
  private var changeCount = 0
  private var histories: [UInt16: UndoHistory] = [:]

  package init() {}

  /// The maximum number of changes of single strokes, which take some seconds. It limits the work
  /// for files in which many events change many strokes; no drawing made by hand comes near it.
  package static let maximumChanges = 5_000_000
  /// Whether there were more changes than the maximum; further actions do nothing.
  package var isFull: Bool { changeCount > Self.maximumChanges }

  /// Whether a person has an edit that can be undone.
  func canUndo(by person: UInt16) -> Bool { histories[person]?.canUndo ?? false }
  /// Whether a person has an edit that can be redone.
  func canRedo(by person: UInt16) -> Bool { histories[person]?.canRedo ?? false }

  /// Lets nothing before now be undone.
  mutating func clearHistory() { histories = [:] }

  /// The showing that an event with an identifier refers to; nil if there is none.
  func showing(of id: Identifier) -> Int32? { shown[id]?.last }

  /// Applies an event and returns its change of the page; nil if there is none. References to
  /// strokes that are not on the page are skipped and passed to `missing`.
  package mutating func apply(
    _ event: RecordingScript.Event, in source: some RecordingSource,
    missing: (Identifier) -> Void = { _ in }
  ) -> Edit? {
    guard !isFull else { return nil }
    let person = event.person
    switch event.action {
    case .strokeBegun(let stroke):
      return perform(Edit(added: [show(stroke, source.id(ofStroke: stroke))]), person)
    case .strokeExtended(let id, let path):
      if let showing = shown[id]?.last {
        extensions[showings[Int(showing)].stroke, default: []].append(path)
      } else {
        missing(id)
      }
      return nil
    case .erased(_, _, let changes): return perform(edit(changes, source, missing), person)
    case .edited(let changes, let above, let below):
      var edit = edit(changes, source, missing)
      edit.added += above.map { show($0, source.id(ofStroke: $0)) }
      // From front to back: of two showings at the bottom, the later one is behind.
      edit.added += below.reversed().map {
        show($0, source.id(ofStroke: $0), origin: Showing.atBottom)
      }
      return perform(edit, person)
    case .moved(let ids, let transform):
      return perform(move(ids, by: transform, missing), person)
    case .cleared: return perform(Edit(removed: shown.values.flatMap { $0 }.sorted()), person)
    case .undone:
      return takeBack(person) {
        $0.takeUndoable()
      } note: {
        $0.noteUndone($1)
      }
    case .redone:
      return takeBack(person) {
        $0.takeRedoable()
      } note: {
        $0.noteRedone($1)
      }
    case .strokeEnded, .toolChanged: return nil
    }
  }

  /// The edit for changes of strokes. A change applies to one stroke, and of several changes with
  /// one identifier the last counts. So the page cannot become larger than its events.
  private mutating func edit(
    _ changes: [StrokeChange<Int>], _ source: some RecordingSource,
    _ missing: (Identifier) -> Void
  ) -> Edit {
    var edit = Edit()
    var replacements = changes.replacementsByID()
    for change in changes {
      guard let strokes = replacements.removeValue(forKey: change.strokeID) else { continue }
      guard let old = shown[change.strokeID]?.last else {
        missing(change.strokeID)
        continue
      }
      edit.removed.append(old)
      for stroke in strokes {
        edit.added.append(show(stroke, source.id(ofStroke: stroke), origin: old))
      }
    }
    return edit
  }

  private mutating func move(
    _ ids: [Identifier], by transform: AffineTransform, _ missing: (Identifier) -> Void
  ) -> Edit {
    var edit = Edit()
    var seen: Set<Identifier> = []
    for id in ids where seen.insert(id).inserted {
      guard let all = shown[id] else {
        missing(id)
        continue
      }
      for old in all {
        edit.removed.append(old)
        edit.added.append(
          show(showings[Int(old)].stroke, id, move: transform, origin: old))
      }
    }
    return edit
  }

  /// Creates a showing, which is not on the page yet, and returns its index.
  private mutating func show(
    _ stroke: Int, _ id: Identifier, move: AffineTransform? = nil,
    origin: Int32 = Showing.onTop
  ) -> Int32 {
    let number = Int32(showings.count)
    showings.append(Showing(stroke: stroke, move: move, origin: origin))
    ids.append(id)
    return number
  }

  /// Makes an edit that can be undone. An edit that changes nothing is not recorded.
  private mutating func perform(_ edit: Edit, _ person: UInt16) -> Edit? {
    guard !edit.isEmpty else { return nil }
    histories[person, default: UndoHistory()].record(edit)
    return exchange(edit)
  }

  /// Takes back a person's edit, as far as others have left it, and notes what was taken back.
  private mutating func takeBack(
    _ person: UInt16, _ take: (inout UndoHistory) -> Edit?,
    note: (inout UndoHistory, Edit) -> Void
  ) -> Edit? {
    guard var history = histories[person], let edit = take(&history) else { return nil }
    let inverse = left(of: edit).inverse
    note(&history, inverse)
    histories[person] = history
    return inverse.isEmpty ? nil : exchange(inverse)
  }

  /// The part of an edit that is still on the page. Where others have replaced one of the strokes
  /// that it put in the place of another, that place stays as it is now. What others have left of
  /// strokes that it added counts as these strokes.
  private func left(of edit: Edit) -> Edit {
    if edit.added.allSatisfy(isShown) { return edit }
    var left = Edit()
    var changed: Set<Int32> = []
    for showing in edit.added where !isShown(showing) {
      if let origin = showings[Int(showing)].replaced { changed.insert(origin) }
    }
    for showing in edit.added {
      if let origin = showings[Int(showing)].replaced {
        if !changed.contains(origin) { left.added.append(showing) }
      } else {
        left.added += remains(of: showing)
      }
    }
    left.removed = edit.removed.filter { !changed.contains($0) }
    return left
  }

  /// A showing, or those on the page that replaced it.
  private func remains(of showing: Int32) -> [Int32] {
    if isShown(showing) { return [showing] }
    var family: Set<Int32> = [showing]
    var remains: [Int32] = []
    for later in showings.indices[Int(showing + 1)...] {
      guard let origin = showings[later].replaced, family.contains(origin) else { continue }
      family.insert(Int32(later))
      if isShown(Int32(later)) { remains.append(Int32(later)) }
    }
    return remains
  }

  /// Whether a showing is on the page.
  private func isShown(_ showing: Int32) -> Bool {
    let id = ids[Int(showing)]
    guard let all = shown[id] else { return false }
    let index = index(of: showing, in: id)
    return index < all.count && all[index] == showing
  }

  /// Exchanges the showings on the page.
  private mutating func exchange(_ edit: Edit?) -> Edit? {
    guard let edit else { return nil }
    changeCount += edit.removed.count + edit.added.count
    if edit.removed.count == shownCount {
      shown = [:]
    } else {
      for run in runs(edit.removed) {
        let id = ids[Int(run[run.startIndex])]
        let index = index(of: run[run.startIndex], in: id)
        if run.count == shown[id]?.count {
          shown[id] = nil
        } else if run.count == 1 {
          shown[id]?.remove(at: index)
        } else {
          let gone = Set(run)
          shown[id]?.removeAll { gone.contains($0) }
        }
      }
    }
    for run in runs(edit.added) {
      let id = ids[Int(run[run.startIndex])]
      if run.count == 1 {
        let index = index(of: run[run.startIndex], in: id)
        shown[id, default: []].insert(run[run.startIndex], at: index)
      } else {
        shown[id] = ((shown[id] ?? []) + run).sorted()
      }
    }
    shownCount += edit.added.count - edit.removed.count
    return edit
  }

  /// Splits a list into runs of showings with the same identifier. So an edit that moves thousands
  /// of strokes with one identifier costs no more than one with thousands of identifiers.
  private func runs(_ list: [Int32]) -> [ArraySlice<Int32>] {
    var runs: [ArraySlice<Int32>] = []
    var start = 0
    while start < list.count {
      let id = ids[Int(list[start])]
      let end = list[start...].firstIndex { ids[Int($0)] != id } ?? list.count
      runs.append(list[start..<end])
      start = end
    }
    return runs
  }

  /// The index of a showing among those with its identifier, or the index at which to insert it.
  private func index(of showing: Int32, in id: Identifier) -> Int {
    shown[id]?.partitioningIndex { $0 >= showing } ?? 0
  }
}

extension PageEditor {
  /// The position of each showing among all showings, from back to front. Showings that replaced
  /// another one come right after it, in the order of `showings`.
  package var ranks: [Int32] {
    var ranks = [Int32](repeating: 0, count: showings.count)
    var children = [Int32](repeating: -1, count: showings.count)
    var siblings = children
    // In the order in which they are taken from the end: those at the bottom, the latest first.
    var roots: [Int32] = []
    var bottom: [Int32] = []
    // From the last to the first, so that the lists begin with the oldest showing.
    for showing in showings.indices.reversed() {
      let origin = Int(showings[showing].origin)
      if origin >= 0 {
        siblings[showing] = children[origin]
        children[origin] = Int32(showing)
      } else if origin == Showing.atBottom {
        bottom.append(Int32(showing))
      } else {
        roots.append(Int32(showing))
      }
    }
    var next: Int32 = 0
    var waiting = roots + bottom.reversed()
    while let showing = waiting.popLast() {
      ranks[Int(showing)] = next
      next += 1
      var child = children[Int(showing)]
      var line: [Int32] = []
      while child >= 0 {
        line.append(child)
        child = siblings[Int(child)]
      }
      waiting += line.reversed()
    }
    return ranks
  }

  /// The showings on the page, from back to front.
  package var page: [Int32] {
    let ranks = ranks
    return shown.values.flatMap { $0 }.sorted { ranks[Int($0)] < ranks[Int($1)] }
  }
}

extension StrokeSource {
  /// The whole path of a stroke, with the points of paths that extend it.
  package func path(
    ofStroke number: Int, extendedBy extensions: [Int]
  ) throws(Failure) -> PKStrokePath {
    let path = try stroke(at: number).path
    guard !extensions.isEmpty else { return path }
    var points = path.columns.converted(to: .current).points
    for number in extensions {
      points += try stroke(at: number).path.columns.converted(to: .current).points
    }
    return PKStrokePath(storedPoints: points, creationDate: path.creationDate)
  }

  /// A stroke as it is drawn after it was extended and moved.
  package func stroke(
    at number: Int, extendedBy extensions: [Int], movedBy moves: [AffineTransform]
  ) throws(Failure) -> PKStroke {
    var stroke = try stroke(at: number)
    if !extensions.isEmpty {
      stroke.path = try path(ofStroke: number, extendedBy: extensions)
    }
    // One after the other, because rounded sums depend on their order.
    for move in moves { stroke.transform = stroke.transform.finitelyConcatenating(move) }
    return stroke
  }
}

extension [PageEditor.Showing] {
  /// The transforms by which a showing was moved since its stroke was drawn, in order.
  package func moves(of number: Int) -> [AffineTransform] {
    var moves: [AffineTransform] = []
    var showing = self[number]
    while let move = showing.move, let origin = showing.replaced {
      moves.append(move)
      showing = self[Int(origin)]
    }
    return moves.reversed()
  }
}
