public import Graphics
public import Rasterization
public import Replay
public import Strokes

/// Draws what a replay shows, moment by moment. From one moment to the next only what changed is
/// drawn, in any order of moments, and each looks as the still picture of the page at that moment.
///
/// Strokes that are whole lie in a layer, with the last one and those that grow on top of it. Copies
/// of the layer from other moments, which share the tiles that are the same, make leaps short.
public final class FrameRenderer {
  /// What happens.
  public let timeline: Timeline
  private let source: any RecordingSource
  private let page: PaintedPage
  private var cache: LayerCache
  private let mixing: MixingInks

  /// What is shown: strokes that stay, and those on top of them.
  private var settled = Pile()
  private var open: [Int32] = []
  /// What is being drawn of the strokes on top; nil where they are whole.
  private var growing: Growth?
  private var doneSteps = 0
  /// The strokes on top as they were read.
  private var openStrokes: [Int32: PKStroke] = [:]
  private var clocks: [Int32: StrokeClock] = [:]
  /// The pixels that showings can reach, as far as they were drawn.
  private var boxes: [Int32: PixelRect] = [:]
  private var changed: [PixelRect] = []

  /// How far the strokes have come that are being drawn.
  private struct Growth: Equatable {
    let step: Int
    let seconds: Double
  }

  /// Frames of a timeline. Copies of layers take no more than `cacheLimit` bytes.
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

  /// Columns of pixels.
  public var width: Int { page.width }
  /// Rows of pixels.
  public var height: Int { page.height }
  /// Pixels a point.
  public var scale: Double { page.scale }
  /// The part of the canvas that is shown, in points.
  public var visible: Rect { page.visible }
  /// What the picture shows where nothing is drawn.
  public var background: Color { page.background }
  /// The kinds of ink that were not known and are drawn as pen, as far as they were met.
  public var unknownInks: Set<String> { page.unknownInks }
  /// What is shown, in memory that the next moment changes; `copy` keeps it.
  public var picture: Pixmap { page.picture }
  /// The same with what is known of it.
  package var bands: PaintedPage { page }
  /// How many bytes the copies of layers take.
  public var cacheByteCount: Int { cache.byteCount }

  /// Shows the page in a state. Gives the pixels that may be different from what was shown before.
  public func show(_ state: PageState) throws(RenderError) -> [PixelRect] {
    changed = []
    let done = min(state.doneSteps, timeline.history.steps.count)
    let growth =
      done < timeline.history.steps.count
      ? state.growing.map { Growth(step: done, seconds: $0) } : nil
    let isIsolated = mixing.areOnPage(afterSteps: growth == nil ? done : done + 1)
    let nearest = cache.nearest(to: done, isIsolated: isIsolated)
    if isIsolated != page.isIsolated, page.background.alpha > 0 {
      try leap(to: nearest, isIsolated)
    } else if let nearest, isWorthLeaping(to: nearest, for: done) {
      try leap(to: nearest, isIsolated)
    }
    if canGoOn(to: done, growth) {
      try goOn(to: done, growth)
    } else {
      try change(to: done, growth)
    }
    doneSteps = done
    growing = growth
    let places = changed.filter { !$0.isEmpty }
    page.show(places)
    return places
  }
}

// MARK: - Going on

extension FrameRenderer {
  /// Whether nothing but drawing happened since.
  private func canGoOn(to done: Int, _ growth: Growth?) -> Bool {
    // What has begun to grow must not go away again.
    (growing.map { done > $0.step || growth?.step == $0.step } ?? true)
      && done >= doneSteps
      && (doneSteps..<done).allSatisfy { timeline.history.steps[$0].kind == .drawing }
  }

  /// Draws on: what is new comes on top.
  private func goOn(to done: Int, _ growth: Growth?) throws(RenderError) {
    let history = timeline.history
    var tail = open
    let known = Set(open)
    for step in doneSteps..<done {
      tail += history.added(in: step).filter { !known.contains($0) }
    }
    let firstGrowing = growth.map { growth in
      let added = history.added(in: growth.step)
      tail += added.filter { !known.contains($0) }
      return tail.firstIndex { added.contains($0) } ?? tail.count
    }
    let openStart = startOfTop(of: tail, firstGrowing: firstGrowing)
    guard openStart > 0 else { return try setTop(tail, growth, .growth) }

    // What was on top is whole now, and may become part of the layer without being seen to.
    if growing != nil { try setTop(open, nil, .growth) }
    let marks = self.marks(Array(tail[..<openStart]))
    let places = page.add(try marks.map { mark throws(RenderError) in try strokes(mark) })
    for (mark, place) in zip(marks, places) {
      for showing in mark { boxes[showing] = place }
      if !mark.allSatisfy(known.contains) { changed.append(place) }
      settled.append(mark)
    }
    note(tail[openStart..<(firstGrowing ?? tail.count)], doneSteps: done)
    try setTop(Array(tail[openStart...]), growth, .others)
  }

  /// Where those strokes of a list begin that should stay on top: the last mark, which may grow.
  private func startOfTop(of list: [Int32], firstGrowing: Int?) -> Int {
    var start = firstGrowing ?? max(list.count - 1, 0)
    while start > 0, start < list.count {
      guard isWet(list[start], with: list[start - 1]) else { break }
      start -= 1
    }
    return start
  }

  private enum Replacement {
    /// The same strokes, or more.
    case growth
    /// Others, while what was there can still be seen.
    case others
    /// Others, and what was there is gone.
    case everything
  }

  private func setTop(
    _ list: [Int32], _ growth: Growth?, _ replacement: Replacement
  ) throws(RenderError) {
    let kept = Set(list)
    openStrokes = openStrokes.filter { kept.contains($0.key) }
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
    open = list
  }

  /// What is drawn of a stroke after some seconds; nil for nothing yet.
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

// MARK: - Changing

extension FrameRenderer {
  /// Whether a layer leads to a moment sooner than what is shown: what goes away is not only left out,
  /// but all around it drawn anew.
  private func isWorthLeaping(to entry: LayerCache.Entry, for done: Int) -> Bool {
    let way = done >= doneSteps ? done - doneSteps : 4 * (doneSteps - done)
    return done - entry.doneSteps + LayerCache.leapCost < way
  }

  /// Goes back or on to what another layer shows.
  private func leap(to entry: LayerCache.Entry?, _ isIsolated: Bool) throws(RenderError) {
    changed += page.tilesDiffering(from: entry?.layer)
    page.restore(entry?.layer, isIsolated: isIsolated)
    settled = entry?.settled ?? Pile()
    doneSteps = entry?.doneSteps ?? 0
    growing = nil
    try setTop(entry?.open ?? [], nil, .everything)
  }

  /// Keeps the layer for other moments.
  private func note(_ open: ArraySlice<Int32>, doneSteps: Int) {
    cache.note(
      LayerCache.Entry(
        layer: page.layer, settled: settled, open: Array(open), doneSteps: doneSteps,
        isIsolated: page.isIsolated))
  }

  /// Finds out what is not as it should be, and draws that anew.
  private func change(to done: Int, _ growth: Growth?) throws(RenderError) {
    let history = timeline.history
    var list = history.page(afterSteps: done)
    var firstGrowing: Int?
    if let growth {
      firstGrowing = list.count
      list += history.added(in: growth.step)
    }
    let openStart = startOfTop(of: list, firstGrowing: firstGrowing)
    let target = Pile(marks(Array(list[..<openStart])))
    let difference = settled.difference(to: target) { history.showings[Int($0)].rank }
    let gone = difference.removed.map { boxes[$0[0]] ?? PixelRect(width: 0, height: 0) }
    if difference.isOnTop {
      let places = page.add(
        try difference.added.map { mark throws(RenderError) in try strokes(mark) })
      remember(difference.added, places)
      changed += places
    } else {
      let places = page.reach(
        of: try difference.added.map { mark throws(RenderError) in try strokes(mark) })
      remember(difference.added, places)
      let dirty = page.tilesMeeting(gone + places)
      let near = target.marks.filter { mark in
        let box = boxes[mark[0]] ?? PixelRect(width: 0, height: 0)
        return dirty.contains { !$0.intersection(box).isEmpty }
      }
      page.redraw(dirty, with: try near.map { mark throws(RenderError) in try strokes(mark) })
      changed += gone + places
    }
    settled = target
    note(list[openStart..<(firstGrowing ?? list.count)], doneSteps: done)
    try setTop(Array(list[openStart...]), growth, .everything)
  }

  private func remember(_ marks: [[Int32]], _ places: [PixelRect]) {
    for (mark, place) in zip(marks, places) {
      for showing in mark { boxes[showing] = place }
    }
  }
}

// MARK: - Strokes

extension FrameRenderer {
  private func stroke(_ showing: Int32) throws(RenderError) -> PKStroke {
    if let stroke = openStrokes[showing] { return stroke }
    let stroke = try timeline.history.read(showing, in: source)
    openStrokes[showing] = stroke
    return stroke
  }

  private func strokes(_ mark: [Int32]) throws(RenderError) -> [PKStroke] {
    var strokes: [PKStroke] = []
    for showing in mark {
      if let known = openStrokes[showing] {
        strokes.append(known)
      } else {
        strokes.append(try timeline.history.read(showing, in: source))
      }
    }
    return strokes
  }

  /// Strokes of a list that are drawn as one, as if their ink were wet; most are alone.
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
  /// A showing as the stroke that is drawn.
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

  /// The box around what is there in the end; around all there ever was if that is nothing.
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

  /// Whether strokes have several colours, whose soft edges have many shades.
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

/// Tells when there is ink on the page that depends on ink below it.
private struct MixingInks {
  /// How many showings of such ink there are after each step; empty where there never are any, or
  /// where it counts for all steps that there are in the end.
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

  /// Whether the page is put together as one group after some steps: as in the end if there is such
  /// ink then, so that nothing changes on the way.
  func areOnPage(afterSteps count: Int) -> Bool {
    isMixedInTheEnd || (count < counts.count && counts[count] > 0)
  }
}
