import Graphics
import Rasterization
import Strokes

// Finding the pixels of a frame that change, and drawing them.

extension FrameRenderer {
  /// Whether only drawing happened since the current moment.
  func canContinue(to done: Int, _ growth: Growth?) -> Bool {
    // A stroke that is partly drawn must not disappear again.
    (growing.map { done > $0.step || growth?.step == $0.step } ?? true)
      && done >= doneSteps
      && (doneSteps..<done).allSatisfy { timeline.history.steps[$0].kind == .drawing }
  }

  /// Draws the new strokes on top of the old ones.
  func continueDrawing(to done: Int, _ growth: Growth?) throws(RenderError) {
    let history = timeline.history
    var tail = top
    let known = Set(top)
    for step in doneSteps..<done {
      tail += history.added(in: step).filter { !known.contains($0) }
    }
    let firstGrowing = growth.map { growth in
      let added = history.added(in: growth.step)
      tail += added.filter { !known.contains($0) }
      return tail.firstIndex { added.contains($0) } ?? tail.count
    }
    let topStart = startOfTop(of: tail, firstGrowing: firstGrowing)
    guard topStart > 0 else { return try setTop(tail, growth, .growth) }

    // The strokes on top are complete now. Once they are drawn whole, moving them into the layer
    // changes no pixel.
    if growing != nil { try setTop(top, nil, .growth) }
    let marks = self.marks(Array(tail[..<topStart]))
    let rects = try settled.add(marks, to: page, readMark)
    for (mark, rect) in zip(marks, rects) where !mark.allSatisfy(known.contains) {
      changed.append(rect)
    }
    cacheLayer(top: tail[topStart..<(firstGrowing ?? tail.count)], doneSteps: done)
    try setTop(Array(tail[topStart...]), growth, .others)
  }

  /// The index in a list from which showings stay on top: that of the last mark, since strokes may
  /// still be added to it, or of the first one that is being drawn.
  private func startOfTop(of list: [Int32], firstGrowing: Int?) -> Int {
    var start = firstGrowing ?? max(list.count - 1, 0)
    while start > 0, start < list.count {
      guard isWet(list[start], with: list[start - 1]) else { break }
      start -= 1
    }
    return start
  }

  /// The effect on the pixels of the strokes on top.
  private enum Replacement {
    /// The same strokes remain, unchanged, longer or with more strokes added.
    case growth
    /// Others are on top, while the old ones stay visible.
    case others
    /// Others are on top, and the old ones have disappeared.
    case everything
  }

  /// Puts showings on top of the layer and adds the pixels that differ to `changed`.
  private func setTop(
    _ list: [Int32], _ growth: Growth?, _ replacement: Replacement
  ) throws(RenderError) {
    let kept = Set(list)
    topStrokes = topStrokes.filter { kept.contains($0.key) }
    clocks = clocks.filter { kept.contains($0.key) }
    let marks = self.marks(list)
    let drawn = growth.map { Set(timeline.history.added(in: $0.step)) } ?? []
    var cut: [[PKStroke]] = []
    for mark in marks {
      var strokes: [PKStroke] = []
      for showing in mark {
        let stroke = try stroke(showing)
        if let growth, drawn.contains(showing) {
          if let part = part(of: stroke, showing, after: growth.seconds) { strokes.append(part) }
        } else {
          strokes.append(stroke)
        }
      }
      cut.append(strokes)
    }
    let (now, before) = try page.setTop(cut)
    switch replacement {
    case .growth: changed.append(page.topGrowth)
    case .others: changed.append(now)
    case .everything: changed += [now, before]
    }
    top = list
  }

  /// The part of a stroke that is drawn after some seconds; nil if nothing is drawn yet.
  private func part(of stroke: PKStroke, _ showing: Int32, after seconds: Double) -> PKStroke? {
    let clock = clocks[showing] ?? StrokeClock(stroke.path)
    clocks[showing] = clock
    let range = stroke.visiblePathRange
    let end = clock.parameter(after: seconds)
    guard range.lowerBound == 0 || end > range.lowerBound else { return nil }
    guard end < range.upperBound else { return stroke }
    var part = stroke
    part.pathRange = range.lowerBound...max(end, range.lowerBound)
    return part
  }
}

extension FrameRenderer {
  /// Whether a moment is reached faster from a cached layer than from the picture shown. Each step
  /// back counts four times: removing a stroke means drawing everything around it again.
  func isRestoringCheaper(_ entry: LayerCache.Entry, for done: Int) -> Bool {
    let cost = done >= doneSteps ? done - doneSteps : 4 * (doneSteps - done)
    return done - entry.doneSteps + LayerCache.restoreCost < cost
  }

  /// Shows a cached layer, or for nil the empty page.
  func restore(_ entry: LayerCache.Entry?, _ isIsolated: Bool) throws(RenderError) {
    changed += page.tilesDiffering(from: entry?.layer)
    page.restore(entry?.layer, isIsolated: isIsolated)
    settled.stack = entry?.settled ?? MarkStack()
    doneSteps = entry?.doneSteps ?? 0
    growing = nil
    changed += try showEarlier(afterSteps: doneSteps)
    try setTop(entry?.top ?? [], nil, .everything)
  }

  /// Keeps a copy of the layer for other moments.
  private func cacheLayer(top: ArraySlice<Int32>, doneSteps: Int) {
    cache.insert(
      LayerCache.Entry(
        layer: page.layer, settled: settled.stack, top: Array(top), doneSteps: doneSteps,
        isIsolated: page.isIsolated))
  }

  /// Finds the marks that differ between the layer and the moment, and draws their surroundings
  /// again.
  func redraw(to done: Int, _ growth: Growth?) throws(RenderError) {
    let history = timeline.history
    var list = history.page(afterSteps: done)
    var firstGrowing: Int?
    if let growth {
      firstGrowing = list.count
      list += history.added(in: growth.step)
    }
    let topStart = startOfTop(of: list, firstGrowing: firstGrowing)
    let target = MarkStack(marks(Array(list[..<topStart])))
    let difference = settled.stack.difference(to: target) { history.showings[Int($0)].rank }
    let traces = try showEarlier(afterSteps: done)
    changed += try settled.change(
      to: target, by: difference, redrawing: traces, on: page, readMark)
    cacheLayer(top: list[topStart..<(firstGrowing ?? list.count)], doneSteps: done)
    try setTop(Array(list[topStart...]), growth, .everything)
  }
}
