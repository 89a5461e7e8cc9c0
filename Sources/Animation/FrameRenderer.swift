public import Graphics
public import Rasterization
public import Replay
public import Strokes

/// Draws the pages that a replay shows, moment by moment.
///
/// From one moment to the next only the changes are drawn, in any order of moments. Each frame
/// equals the still picture of the page at that moment.
///
/// Complete strokes lie in a layer. On top of it lie the last stroke and those that are being
/// drawn. Copies of the layer from other moments, which share equal tiles, make seeking fast.
public final class FrameRenderer {
  /// The recording's steps with their times.
  public let timeline: Timeline
  private let source: any RecordingSource
  private let page: PaintedPage
  private var cache: LayerCache
  private let mixing: MixingInks

  /// The marks in the layer, and the showings on top of it.
  private var settled = MarkStack()
  private var top: [Int32] = []
  /// How much of the strokes on top is drawn; nil if they are complete.
  private var growing: Growth?
  /// The number of complete steps that are shown.
  private var doneSteps = 0
  /// The strokes of the showings on top, as they were read.
  private var topStrokes: [Int32: PKStroke] = [:]
  private var clocks: [Int32: StrokeClock] = [:]
  /// The pixels that each showing can cover; only for showings that were drawn.
  private var boxes: [Int32: PixelRect] = [:]
  private var changed: [PixelRect] = []

  /// The progress of the strokes that are being drawn.
  private struct Growth: Equatable {
    let step: Int
    let seconds: Double
  }

  /// Frames of a timeline. Copies of layers take at most `cacheLimit` bytes.
  public init(
    of source: some RecordingSource, _ timeline: Timeline,
    options: RenderOptions = RenderOptions(), cacheLimit: Int = 48 << 20
  ) throws(RenderError) {
    let history = timeline.history
    self.timeline = timeline
    self.source = source
    mixing = MixingInks(history, source)
    var failure: RenderError?
    page = try PaintedPage(
      canvas: source.canvas, options: options, isIsolated: mixing.areOnPage(afterSteps: 0)
    ) {
      do throws(RenderError) {
        return try history.frame(in: source)
      } catch {
        failure = error
        return .null
      }
    }
    if let failure { throw failure }
    page.expectsManyColors = history.hasSeveralColors(in: source)
    cache = LayerCache(limit: cacheLimit, stepCount: history.steps.count)
  }

  /// The width of the frames in pixels.
  public var width: Int { page.width }
  /// The height of the frames in pixels.
  public var height: Int { page.height }
  /// The number of pixels per point.
  public var scale: Double { page.scale }
  /// The part of the canvas that is shown, in points.
  public var visible: Rect { page.visible }
  /// The colour of the picture where nothing is drawn.
  public var background: Color { page.background }
  /// The identifiers of unknown inks drawn so far; such ink is drawn as pen.
  public var unknownInks: Set<String> { page.unknownInks }
  /// The current picture, in memory that the next moment overwrites; `copy` keeps it.
  public var picture: Pixmap { page.picture }
  /// The picture as bands, with what the encoders need to know of their content.
  package var bands: PaintedPage { page }
  /// The size in bytes of all copies of layers.
  public var cacheByteCount: Int { cache.byteCount }

  /// Shows the page in a state. Returns rectangles that contain all pixels that differ from the
  /// picture before.
  public func show(_ state: PageState) throws(RenderError) -> [PixelRect] {
    changed = []
    let done = min(state.doneSteps, timeline.history.steps.count)
    let growth =
      done < timeline.history.steps.count
      ? state.growing.map { Growth(step: done, seconds: $0) } : nil
    let isIsolated = mixing.areOnPage(afterSteps: growth == nil ? done : done + 1)
    let nearest = cache.nearest(to: done, isIsolated: isIsolated)
    if isIsolated != page.isIsolated, page.background.alpha > 0 {
      try restore(nearest, isIsolated)
    } else if let nearest, isRestoringCheaper(nearest, for: done) {
      try restore(nearest, isIsolated)
    }
    if canContinue(to: done, growth) {
      try continueDrawing(to: done, growth)
    } else {
      try redraw(to: done, growth)
    }
    doneSteps = done
    growing = growth
    let rects = changed.filter { !$0.isEmpty }
    page.show(rects)
    return rects
  }
}

// MARK: - Continuing

extension FrameRenderer {
  /// Whether only drawing happened since the moment that is shown.
  private func canContinue(to done: Int, _ growth: Growth?) -> Bool {
    // A stroke that is partly drawn must not disappear again.
    (growing.map { done > $0.step || growth?.step == $0.step } ?? true)
      && done >= doneSteps
      && (doneSteps..<done).allSatisfy { timeline.history.steps[$0].kind == .drawing }
  }

  /// Draws the new strokes on top of the old ones.
  private func continueDrawing(to done: Int, _ growth: Growth?) throws(RenderError) {
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
    let rects = page.add(try marks.map { mark throws(RenderError) in try strokes(mark) })
    for (mark, rect) in zip(marks, rects) {
      for showing in mark { boxes[showing] = rect }
      if !mark.allSatisfy(known.contains) { changed.append(rect) }
      settled.append(mark)
    }
    cacheLayer(top: tail[topStart..<(firstGrowing ?? tail.count)], doneSteps: done)
    try setTop(Array(tail[topStart...]), growth, .others)
  }

  /// The index in a list from which showings should stay on top: that of the last mark, to which
  /// strokes may still be added, or of the first one that is being drawn.
  private func startOfTop(of list: [Int32], firstGrowing: Int?) -> Int {
    var start = firstGrowing ?? max(list.count - 1, 0)
    while start > 0, start < list.count {
      guard isWet(list[start], with: list[start - 1]) else { break }
      start -= 1
    }
    return start
  }

  /// What happens to the pixels of the strokes on top.
  private enum Replacement {
    /// The same strokes are there, or longer or more ones.
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
    let (now, before) = page.setTop(cut)
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

// MARK: - Redrawing

extension FrameRenderer {
  /// Whether a moment is reached faster from a cached layer than from the picture shown. Each step
  /// back counts four times: removing a stroke means drawing everything around it again.
  private func isRestoringCheaper(_ entry: LayerCache.Entry, for done: Int) -> Bool {
    let cost = done >= doneSteps ? done - doneSteps : 4 * (doneSteps - done)
    return done - entry.doneSteps + LayerCache.restoreCost < cost
  }

  /// Shows a cached layer, or for nil the empty page.
  private func restore(_ entry: LayerCache.Entry?, _ isIsolated: Bool) throws(RenderError) {
    changed += page.tilesDiffering(from: entry?.layer)
    page.restore(entry?.layer, isIsolated: isIsolated)
    settled = entry?.settled ?? MarkStack()
    doneSteps = entry?.doneSteps ?? 0
    growing = nil
    try setTop(entry?.top ?? [], nil, .everything)
  }

  /// Keeps a copy of the layer for other moments.
  private func cacheLayer(top: ArraySlice<Int32>, doneSteps: Int) {
    cache.insert(
      LayerCache.Entry(
        layer: page.layer, settled: settled, top: Array(top), doneSteps: doneSteps,
        isIsolated: page.isIsolated))
  }

  /// Finds the marks that differ between the layer and the moment, and draws their surroundings
  /// again.
  private func redraw(to done: Int, _ growth: Growth?) throws(RenderError) {
    let history = timeline.history
    var list = history.page(afterSteps: done)
    var firstGrowing: Int?
    if let growth {
      firstGrowing = list.count
      list += history.added(in: growth.step)
    }
    let topStart = startOfTop(of: list, firstGrowing: firstGrowing)
    let target = MarkStack(marks(Array(list[..<topStart])))
    let difference = settled.difference(to: target) { history.showings[Int($0)].rank }
    let removed = difference.removed.map { boxes[$0[0]] ?? PixelRect(width: 0, height: 0) }
    if difference.isOnTop {
      let rects = page.add(
        try difference.added.map { mark throws(RenderError) in try strokes(mark) })
      setBoxes(of: difference.added, rects)
      changed += rects
    } else {
      let rects = page.reach(
        of: try difference.added.map { mark throws(RenderError) in try strokes(mark) })
      setBoxes(of: difference.added, rects)
      let dirty = page.tilesMeeting(removed + rects)
      let near = target.marks.filter { mark in
        let box = boxes[mark[0]] ?? PixelRect(width: 0, height: 0)
        return dirty.contains { !$0.intersection(box).isEmpty }
      }
      page.redraw(dirty, with: try near.map { mark throws(RenderError) in try strokes(mark) })
      changed += removed + rects
    }
    settled = target
    cacheLayer(top: list[topStart..<(firstGrowing ?? list.count)], doneSteps: done)
    try setTop(Array(list[topStart...]), growth, .everything)
  }

  private func setBoxes(of marks: [[Int32]], _ rects: [PixelRect]) {
    for (mark, rect) in zip(marks, rects) {
      for showing in mark { boxes[showing] = rect }
    }
  }
}

// MARK: - Strokes

extension FrameRenderer {
  private func stroke(_ showing: Int32) throws(RenderError) -> PKStroke {
    if let stroke = topStrokes[showing] { return stroke }
    let stroke = try timeline.history.read(showing, in: source)
    topStrokes[showing] = stroke
    return stroke
  }

  private func strokes(_ mark: [Int32]) throws(RenderError) -> [PKStroke] {
    var strokes: [PKStroke] = []
    for showing in mark {
      if let known = topStrokes[showing] {
        strokes.append(known)
      } else {
        strokes.append(try timeline.history.read(showing, in: source))
      }
    }
    return strokes
  }

  /// Groups the showings of a list into marks: neighbours whose ink is wet together are drawn as
  /// one stroke. Most marks have one showing.
  private func marks(_ list: [Int32]) -> [[Int32]] {
    var marks: [[Int32]] = []
    marks.reserveCapacity(list.count)
    for showing in list {
      if let last = marks.last?.last, isWet(showing, with: last) {
        marks[marks.count - 1].append(showing)
      } else {
        marks.append([showing])
      }
    }
    return marks
  }

  /// Whether a showing is drawn as one with the one right below it.
  private func isWet(_ showing: Int32, with last: Int32) -> Bool {
    let showings = timeline.history.showings
    return source.isWet(showings[Int(showing)].stroke, on: showings[Int(last)].stroke)
  }
}

extension PageHistory {
  /// The stroke of a showing, read from the source.
  fileprivate func read(
    _ showing: Int32, in source: any RecordingSource
  ) throws(RenderError) -> PKStroke {
    do throws(ReplayError) {
      return try stroke(ofShowing: Int(showing), in: source)
    } catch {
      throw RenderError(
        .unreadable(stroke: showings[Int(showing)].stroke, reason: "\(error)"))
    }
  }

  /// The bounds of the strokes on the last page; if it is empty, of all strokes that were ever
  /// shown.
  fileprivate func frame(in source: any RecordingSource) throws(RenderError) -> Rect {
    let last = page(afterSteps: steps.count)
    let all = last.isEmpty ? showings.indices.map { Int32($0) } : last
    var box = Rect.null
    for number in all {
      let showing = showings[Int(number)]
      if !showing.isMoved, !isExtended(stroke: showing.stroke) {
        box = box.union(source.bounds(ofStroke: showing.stroke))
      } else {
        box = box.union(try read(number, in: source).renderBounds)
      }
    }
    return box
  }

  /// Whether strokes have several colours; their soft edges then have many shades.
  fileprivate func hasSeveralColors(in source: any RecordingSource) -> Bool {
    var first: Color?
    for showing in showings {
      let color = source.ink(ofStroke: showing.stroke).color
      guard let known = first else {
        first = color
        continue
      }
      if known.withAlpha(1) != color.withAlpha(1) { return true }
    }
    return false
  }
}

/// Knows at which steps the page has ink whose colour depends on the ink below it.
private struct MixingInks {
  /// The number of showings of such ink after each step. Empty if there never are any, or if there
  /// are some at the end, which then decide for all steps.
  private var counts: [Int32] = []
  private let isMixedInTheEnd: Bool

  init(_ history: PageHistory, _ source: some RecordingSource) {
    var mixes: [Int: Bool] = [:]
    func isMixing(_ showing: Int32) -> Bool {
      let stroke = history.showings[Int(showing)].stroke
      if let known = mixes[stroke] { return known }
      let answer = PaintedPage.mixes(source.ink(ofStroke: stroke))
      mixes[stroke] = answer
      return answer
    }
    var count: Int32 = 0
    counts.reserveCapacity(history.steps.count + 1)
    counts.append(0)
    for step in history.steps.indices {
      for showing in history.added(in: step) where isMixing(showing) { count += 1 }
      for showing in history.removed(in: step) where isMixing(showing) { count -= 1 }
      counts.append(count)
    }
    isMixedInTheEnd = count > 0
    if isMixedInTheEnd || !mixes.values.contains(true) { counts = [] }
  }

  /// Whether the page is composited as one isolated group after some steps. If the last page has
  /// such ink, all pages are, so that nothing changes on the way.
  func areOnPage(afterSteps count: Int) -> Bool {
    isMixedInTheEnd || (count < counts.count && counts[count] > 0)
  }
}
