public import Graphics
public import Rasterization
public import Strokes

/// Draws the pages that a replay shows, moment by moment.
///
/// From one moment to the next only the changes are drawn, in any order of moments. Each frame
/// equals the still picture of the page at that moment.
///
/// Complete strokes are in a layer. The last stroke, and strokes that are being drawn, are on top
/// of it. Copies of the layer from other moments, which share equal tiles, make seeking fast.
public final class FrameRenderer {
  /// The recording's steps with their times.
  public let timeline: Timeline
  let strokes: ReplayedStrokes
  let page: PaintedPage
  var cache: LayerCache
  private let mixing: MixingInks

  /// The marks in the layer, and the showings on top of it.
  var settled = SettledMarks()
  var top: [Int32] = []
  /// The drawn part of the strokes on top; nil if they are complete.
  var growing: Growth?
  /// The number of complete steps that are shown.
  var doneSteps = 0
  /// The strokes of the showings on top, as they were read.
  var topStrokes: [Int32: PKStroke] = [:]
  var clocks: [Int32: StrokeClock] = [:]
  var changed: [PixelRect] = []
  /// The earlier showings that show through.
  var earlier: [PageHistory.Earlier] = []

  /// The progress of the strokes that are being drawn.
  struct Growth: Equatable {
    let step: Int
    let seconds: Double
  }

  private init(
    _ timeline: Timeline, _ strokes: ReplayedStrokes, _ mixing: MixingInks, _ page: PaintedPage,
    cacheLimit: Int
  ) {
    self.timeline = timeline
    self.strokes = strokes
    self.mixing = mixing
    self.page = page
    cache = LayerCache(limit: cacheLimit, stepCount: timeline.history.steps.count)
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
  public var unknownInks: Set<String> { Set(page.unknownInks.map { $0.rawValue }) }
  /// The current picture, in memory that the next moment overwrites; `copy` keeps it.
  public var picture: Pixmap { page.picture }
  /// The work of all drawing so far, with the limit of a number of frames.
  package func work(ofFrames count: Int) -> DrawingWork { page.work(ofFrames: count) }
  /// The picture as bands, with the properties that encoders need.
  package var bands: PaintedPage { page }
  /// The bytes that copies of layers may have.
  public var cacheLimit: Int {
    get { cache.limit }
    set { cache.limit = newValue }
  }
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

extension FrameRenderer {
  // In an extension, because Embedded Swift has no generic functions in classes.

  /// Frames of a timeline. Copies of layers take at most `cacheLimit` bytes.
  ///
  /// If moments are shown in ascending order only, copies are kept only where inks that mix with
  /// others come and go: other earlier layers would never be shown again.
  public convenience init(
    of source: some RecordingSource, _ timeline: Timeline,
    options: RenderOptions = RenderOptions(), cacheLimit: Int = 48 << 20, isAscending: Bool = false
  ) throws(RenderError) {
    let history = timeline.history
    let mixing = MixingInks(history, source)
    // The last page decides, so that its frame equals the still picture.
    let inks = history.page(afterSteps: history.steps.count).lazy.map {
      source.ink(ofStroke: history.showings[Int($0)].stroke)
    }
    let options = options.adapted(to: inks, on: source.canvas)
    var failure: RenderError?
    let page = try PaintedPage(
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
    page.expectsManyColors = history.hasSeveralColors(in: source) || page.showsEarlier
    self.init(
      timeline, ReplayedStrokes(history, source), mixing, page,
      cacheLimit: isAscending && !mixing.comeAndGo ? 0 : cacheLimit)
  }
}

extension FrameRenderer {
  /// Replaces the earlier strokes that show through by those after some steps. Returns the boxes of
  /// pixels that the differing strokes can reach.
  func showEarlier(afterSteps count: Int) throws(RenderError) -> [PixelRect] {
    guard page.showsEarlier else { return [] }
    let now = timeline.history.earlier(afterSteps: count)
    guard now != earlier else { return [] }
    let different = Set(now).symmetricDifference(earlier)
    earlier = now
    try page.setEarlier(try strokes.earlier(now))
    return try page.reach(
      of: try different.map { item throws(RenderError) in [try strokes.read(item.showing)] })
  }

  /// The colour of the ink as it is drawn, if none of the strokes that are shown can be seen on the
  /// background; nil if one can or there are none.
  public func hiddenInk(in source: some RecordingSource) throws(RenderError) -> Color? {
    let history = timeline.history
    var inks: [PKInk] = []
    for showing in history.page(afterSteps: growing == nil ? doneSteps : doneSteps + 1)
    where try history.bounds(of: showing, in: source).intersects(visible) {
      inks.append(source.ink(ofStroke: history.showings[Int(showing)].stroke))
    }
    return page.hiddenInk(of: inks)
  }

  func stroke(_ showing: Int32) throws(RenderError) -> PKStroke {
    if let stroke = topStrokes[showing] { return stroke }
    let stroke = try strokes.read(showing)
    topStrokes[showing] = stroke
    return stroke
  }

  func readMark(_ mark: [Int32]) throws(RenderError) -> [PKStroke] {
    var list: [PKStroke] = []
    for showing in mark {
      if let known = topStrokes[showing] {
        list.append(known)
      } else {
        list.append(try strokes.read(showing))
      }
    }
    return list
  }

  /// Groups the showings of a list into marks: neighbours whose ink is wet together are drawn as
  /// one stroke. Most marks have one showing.
  func marks(_ list: [Int32]) -> [[Int32]] {
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
  func isWet(_ showing: Int32, with last: Int32) -> Bool {
    strokes.isWet(showing, last)
  }
}

extension PageHistory {
  /// The bounds of the strokes on the last page; if it is empty, of all strokes that were ever
  /// shown.
  fileprivate func frame(in source: some RecordingSource) throws(RenderError) -> Rect {
    let last = page(afterSteps: steps.count)
    let all = last.isEmpty ? showings.indices.map { Int32($0) } : last
    var box = Rect.null
    for number in all {
      box = box.union(try bounds(of: number, in: source))
    }
    return box
  }

  /// The bounds of a showing's stroke, which is read only if the source does not know them.
  fileprivate func bounds(
    of number: Int32, in source: some RecordingSource
  ) throws(RenderError) -> Rect {
    let showing = showings[Int(number)]
    return showing.isMoved || isExtended(stroke: showing.stroke)
      ? try read(number, in: source).renderBounds : source.bounds(ofStroke: showing.stroke)
  }

  /// Whether strokes have several colours; their soft edges then have many shades.
  fileprivate func hasSeveralColors(in source: some RecordingSource) -> Bool {
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
