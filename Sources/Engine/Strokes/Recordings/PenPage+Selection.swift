package import Graphics

// Selecting strokes, and changing the selected ones. Strokes keep their points: they are moved,
// scaled, turned and mirrored by a transform.

// MARK: - Selecting

extension PenPage {
  /// Cancels the current gesture, and selects the strokes of which more than half of the ink is
  /// inside a closed polygon. Strokes with one identifier are selected together.
  package mutating func select(inside polygon: [Point], adding: Bool = false) {
    cancel()
    let inside = page.ids(in: Lasso(polygon))
    let before = adding ? selection : []
    selection = before + inside.filter { !before.contains($0) }
  }

  /// Cancels the current gesture, and selects the front stroke with ink within a distance of a
  /// point, in points. With `adding`, the other strokes stay selected, and a selected one is
  /// deselected.
  package mutating func select(at point: Point, within distance: Double, adding: Bool = false) {
    cancel()
    let spot = PKStrokePath(controlPoints: [
      PKStrokePoint(
        location: point, timeOffset: 0, size: Size(width: 1, height: 1), opacity: 1, force: 1,
        azimuth: 0, altitude: .pi / 2)
    ])
    var touch = PKEraserTool(.vector)
    touch.width = 2 * distance
    let hit = page.changes(erasingAlong: spot, with: touch).last?.strokeID
    guard adding else { return selection = hit.map { [$0] } ?? [] }
    guard let hit else { return }
    if let index = selection.firstIndex(of: hit) {
      selection.remove(at: index)
    } else {
      selection.append(hit)
    }
  }

  /// Cancels the current gesture, and selects all strokes.
  package mutating func selectAll() {
    cancel()
    var seen: Set<Identifier> = []
    selection = shown.map { $0.stroke.id }.filter { seen.insert($0).inserted }
  }

  /// The selected strokes as they are shown, with their indices in `shown`.
  private var selected: [(index: Int, shown: Shown)] {
    guard !selection.isEmpty else { return [] }
    let ids = Set(selection)
    var selected: [(index: Int, shown: Shown)] = []
    for (index, item) in shown.enumerated() where ids.contains(item.stroke.id) {
      selected.append((index, item))
    }
    return selected
  }

  /// The selected strokes as they are shown, from back to front.
  package var selectedStrokes: [PKStroke] { selected.map { $0.shown.stroke } }
  /// The number of selected strokes.
  package var selectionCount: Int { selected.count }
  /// The box of the ink of the selected strokes, where they are shown; null if there is none.
  package var selectionBounds: Rect {
    selectedStrokes.reduce(.null) { $0.union($1.inkBounds()) }
  }
}

// MARK: - Dragging

extension PenPage {
  /// An unfinished move of the selected strokes.
  struct Drag: Sendable {
    /// The shown strokes, with the moving ones in their current position.
    var shown: [Shown]
    /// The moving strokes before the move, and their indices in `shown`.
    let moving: [(index: Int, shown: Shown)]
    var transform = AffineTransform.identity
  }

  /// Cancels the current gesture, and begins to drag the selected strokes. Without a selection,
  /// nothing happens.
  package mutating func beginDrag() {
    cancel()
    let selected = selected
    guard !selected.isEmpty else { return }
    gesture = .dragging(Drag(shown: shown, moving: selected))
  }

  /// Shows the selected strokes as a finite transform places them that is applied after their own
  /// at the start of the drag.
  package mutating func drag(by transform: AffineTransform) {
    guard case .dragging(var drag) = gesture, drag.transform != transform else { return }
    gesture = .none  // so that changes do not copy the shown strokes
    drag.transform = transform
    for (index, before) in drag.moving {
      guard transform != .identity else {
        drag.shown[index] = before
        continue
      }
      var stroke = before.stroke
      stroke.transform = stroke.transform.finitelyConcatenating(transform)
      drag.shown[index] = Shown(key: newKey(), stroke: stroke, box: stroke.controlBounds)
    }
    show(drag)
  }

  /// Moves, scales, turns or mirrors the selected strokes by a finite transform.
  package mutating func transformSelection(by transform: AffineTransform, at time: Timestamp) {
    beginDrag()
    drag(by: transform)
    end(at: time)
  }

  /// Ends a drag and records it. Nothing is recorded if the strokes did not move.
  mutating func end(_ drag: Drag, at time: Timestamp) {
    guard drag.transform != .identity else { return }
    change(.moved(selection, by: drag.transform), selecting: selection, at: time)
    // Strokes that are already shown keep their key.
    let showings = page.showings
    guard showings.count == drag.shown.count else { return }
    for (index, _) in drag.moving where page.stroke(showings[index]) == drag.shown[index].stroke {
      keys[Int(showings[index])] = drag.shown[index].key
    }
  }
}

// MARK: - Changing

extension PenPage {
  mutating func change(
    _ action: Recording.Action, selecting ids: [Identifier], at time: Timestamp
  ) {
    add(action, at: time)
    selection = ids
  }

  /// Cancels the current gesture, and removes the selected strokes. The event is that of an eraser
  /// of whole strokes that touched them, without a path.
  package mutating func deleteSelection(at time: Timestamp) {
    cancel()
    var ids = selection
    while !ids.isEmpty {
      let count = page.showings.count
      add(
        .erased(
          PKEraserTool(.vector), along: PKStrokePath(controlPoints: [], creationDate: time),
          changes: ids.map { StrokeChange(strokeID: $0, replacements: []) }), at: time)
      let strokes = shown.map { $0.stroke.id }
      guard strokes.count < count else { break }
      // A change removes one stroke. Of several with one identifier the others go with the next
      // event.
      let left = Set(strokes)
      ids = ids.filter { left.contains($0) }
    }
  }

  /// Cancels the current gesture, and gives the selected strokes another ink, colour or width, in
  /// points on the page; nil keeps those that they have, and a factor of 1 their widths.
  package mutating func restyleSelection(
    ink: PKInk.InkType? = nil, color: Color? = nil, width: Double? = nil, widthFactor: Double = 1,
    at time: Timestamp
  ) {
    cancel()
    let changes = uniquelySelected.compactMap { stroke -> StrokeChange<PKStroke>? in
      var changed = stroke
      if ink != nil || color != nil {
        changed.ink = PKInk(ink ?? stroke.ink.inkType, color: color ?? stroke.ink.color)
      }
      let factor = width.map { $0 / stroke.meanWidth } ?? widthFactor
      if factor != 1, factor.isFinite { changed.path = stroke.path.scalingWidths(by: factor) }
      return changed == stroke ? nil : StrokeChange(strokeID: stroke.id, replacements: [changed])
    }
    guard !changes.isEmpty else { return }
    change(.edited(changes, above: [], below: []), selecting: selection, at: time)
  }

  /// Cancels the current gesture, and brings the selected strokes to the front, or to the back.
  package mutating func reorderSelection(toFront: Bool, at time: Timestamp) {
    cancel()
    let strokes = uniquelySelected
    let ids = strokes.map { $0.id }
    let inOrder = shown.map { $0.stroke.id }
    guard !ids.isEmpty,
      (toFront ? inOrder.suffix(ids.count) : inOrder.prefix(ids.count)) != ids[...]
    else { return }
    let changes = ids.map { StrokeChange<PKStroke>(strokeID: $0, replacements: []) }
    change(
      .edited(changes, above: toFront ? strokes : [], below: toFront ? [] : strokes),
      selecting: selection, at: time)
  }

  /// The ink of the front selected stroke; nil without one.
  package var selectedInk: PKInk? { selectedStrokes.last?.ink }

  /// The selected strokes that changes refer to: of several with one identifier the last.
  private var uniquelySelected: [PKStroke] {
    var seen: Set<Identifier> = []
    return selectedStrokes.reversed().filter { seen.insert($0.id).inserted }.reversed()
  }

  /// Cancels the current gesture, and adds strokes above all others, with new identifiers, and
  /// moved by a finite transform. They become the selection.
  package mutating func insert(
    _ strokes: [PKStroke], by transform: AffineTransform, at time: Timestamp
  ) {
    cancel()
    guard !strokes.isEmpty else { return }
    let ids = newIDs(strokes.count)
    // The pieces of one stroke stay its pieces, and wet strokes together.
    var others: [Identifier: Identifier] = [:]
    func other(_ id: Identifier) -> Identifier {
      if let known = others[id] { return known }
      let new = ids[0].derived("inserted", others.count)
      others[id] = new
      return new
    }
    for (stroke, id) in zip(strokes, ids) where others[stroke.id] == nil { others[stroke.id] = id }
    let inserted = zip(strokes, ids).map { stroke, id in
      var new = stroke.renamed(id)
      new.parentID = stroke.parentID.map(other)
      new.renderGroupID = stroke.renderGroupID.map(other)
      new.transform = stroke.transform.finitelyConcatenating(transform)
      return new
    }
    change(.edited([], above: inserted, below: []), selecting: ids, at: time)
  }

  /// Adds a copy of the selected strokes, moved by a finite transform.
  package mutating func duplicateSelection(by transform: AffineTransform, at time: Timestamp) {
    insert(selectedStrokes, by: transform, at: time)
  }
}

extension PKStroke {
  /// The mean width of the nib on the page, in points.
  fileprivate var meanWidth: Double {
    path.reduce(0) { $0 + $1.size.width } / Double(path.count) * transform.meanScale
  }
}

extension PKStrokePath {
  /// The same path of a pen that is wider by a factor.
  fileprivate func scalingWidths(by factor: Double) -> PKStrokePath {
    PKStrokePath(
      controlPoints: map { point in
        var point = point
        point.size = Size(width: factor * point.size.width, height: factor * point.size.height)
        return point
      }, creationDate: creationDate)
  }
}
