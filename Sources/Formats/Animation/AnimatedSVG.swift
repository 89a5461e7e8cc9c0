import Graphics
public import Rasterization
public import Replay
public import Strokes
import Threads
import VectorExport

/// A replay as an SVG that animates itself in browsers, without a script.
///
/// Each stroke is the shape that still SVGs have. While it is drawn, a mask shows only the part
/// that the pen has passed: a line along the stroke's centre, wider than the nib, whose dash offset
/// follows the stroke's own clock. A stroke that is a line itself needs no mask. Strokes appear and
/// disappear at the moments of erasing, moving, undoing and clearing. A viewer without animation
/// shows the last state.
///
/// Ink with grain has one colour, of an opacity that is measured.
public struct AnimatedSVG: Sendable {
  /// The file.
  public let bytes: [UInt8]
  /// The number of showings in the file: strokes, and the forms they took when they were changed.
  public let showingCount: Int

  /// A replay that plays `loopCount` times, or forever for 0.
  ///
  /// The options' visible part, scale, background, paper and style apply; the others have no
  /// effect.
  public init(
    of source: some RecordingSource, _ playback: Playback, options: RenderOptions,
    loopCount: Int = 0
  ) throws(RenderError) {
    var options = options
    options.colorSpace = .sRGB
    let frame = try FrameRenderer(of: source, playback.timeline, options: options)
    var writer = ReplayWriter(frame, playback, options)
    try writer.begin(frame, source.canvas, options, loopCount: loopCount)
    try writer.add(SVGScene.all(playback), of: source, threads: options.threads)
    (bytes, showingCount) = (writer.finish(), writer.showingCount)
  }
}

/// The times at which one showing of a stroke is visible.
private struct SVGScene {
  let showing: Int32
  /// The intervals of playing time, in seconds, in which it is on the page; no end means to the
  /// end.
  var intervals: [(start: Double, end: Double?)] = []
  /// The step that draws it, if the drawing is animated.
  var drawing: Int?
  /// How many seconds of the drawing are played, if the playback ends before the stroke is
  /// complete.
  var lastSeconds: Double?

  /// All showings that are visible at any time, from back to front.
  static func all(_ playback: Playback) -> [SVGScene] {
    let history = playback.timeline.history
    var scenes: [Int32: SVGScene] = [:]
    for step in history.steps.indices {
      guard let moment = playback.moment(ofStep: step) else { break }
      for showing in history.removed(in: step) {
        guard var scene = scenes[showing], let interval = scene.intervals.popLast() else {
          continue
        }
        if moment > interval.start { scene.intervals.append((interval.start, moment)) }
        scenes[showing] = scene
      }
      for showing in history.added(in: step) {
        var scene = scenes[showing] ?? SVGScene(showing: showing)
        scene.intervals.append((moment, nil))
        if history.steps[step].kind == .drawing, playback.options.stepping == .none {
          scene.drawing = step
        }
        scenes[showing] = scene
      }
    }
    let last = playback.state(at: .infinity)
    if let seconds = last.growing, last.doneSteps < history.steps.count {
      for showing in history.added(in: last.doneSteps) { scenes[showing]?.lastSeconds = seconds }
    }
    return scenes.values.filter { !$0.intervals.isEmpty }.sorted {
      history.showings[Int($0.showing)].rank < history.showings[Int($1.showing)].rank
    }
  }
}

/// The animation of a stroke that is being drawn.
private struct SVGGrowth {
  /// The path of the pen on the canvas.
  var line: [Point] = []
  /// The line width that covers all ink of the stroke.
  var width = 0.0
  /// Keyframes: x is the playing time in seconds, y the visible share of the line from 0 to 1.
  var keyframes: [Point] = []
}

/// Collects the elements of all showings, and writes them with shared shapes at the end.
private struct ReplayWriter {
  private let playback: Playback
  private let tolerance: Double
  private let duration: Double
  private var text: SVGWriter
  private var marks: FlatMarks
  private var elements: [Element] = []
  /// The number of elements with each path, and the number of its definition if they share one.
  private var shapes: [String: (count: Int, number: Int)] = [:]

  /// An element whose path may be shared with others.
  private struct Element {
    let mask: String
    let attributes: String
    let data: String
    let content: String
  }

  var showingCount: Int { elements.count }

  init(_ frame: FrameRenderer, _ playback: Playback, _ options: RenderOptions) {
    self.playback = playback
    duration = max(playback.duration, 0.001)
    // A twenty-thousandth of the picture, too little to be visible on any screen.
    let tolerance = max(frame.visible.width, frame.visible.height) / 20_000
    self.tolerance = tolerance
    let decimals = (0...6).first { step in
      tolerance * (0..<step).reduce(1) { unit, _ in unit * 10 } >= 1
    }
    text = SVGWriter(decimals: decimals ?? 6)
    marks = FlatMarks(in: frame.visible, options, tolerance: tolerance)
  }

  mutating func begin(
    _ frame: FrameRenderer, _ canvas: Recording.Canvas, _ options: RenderOptions, loopCount: Int
  ) throws(RenderError) {
    let box = frame.visible
    let area = [box.minX, box.minY, box.width, box.height].map(text.numbers.text)
    text.add(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(frame.width)\" height=\"\(frame.height)\" "
        + "viewBox=\"\(area.joined(separator: " "))\">\n")
    var options = options
    (options.region, options.margin, options.extent) = (box, .points(0), .scale(1))
    options.background = .color(frame.background)
    text.addGround(try PictureGround(options, on: canvas) { .null })
    let seconds = Self.seconds(duration)
    let starts =
      1...1000 ~= loopCount
      ? (0..<loopCount).map { Self.seconds(Double($0) * duration) }.joined(separator: ";")
      : "0s;m.end"
    // All other animations start relative to this one, so that they start again with it.
    text.add(
      "<animate id=\"m\" attributeName=\"visibility\" values=\"visible;visible\" "
        + "begin=\"\(starts)\" dur=\"\(seconds)\"/>\n")
  }

  /// A stroke of a showing with its texts, as far as they do not depend on other showings.
  private struct Drawn {
    let scene: SVGScene
    var draft: FlatMarks.Draft?
    var data = ""
    var growth = SVGGrowth()
    var line = ""
    /// The error of reading the stroke.
    var failure: RenderError?
  }

  /// Adds the elements of showings, without those that have no ink.
  mutating func add(
    _ scenes: [SVGScene], of source: some RecordingSource, threads: Int
  ) throws(RenderError) {
    let (maker, history) = (self, playback.timeline.history)
    var (index, failure) = (0, RenderError?.none)
    Lanes.inOrder(
      threads,
      next: { () -> (drawn: Drawn, stroke: PKStroke?)? in
        guard index < scenes.count else { return nil }
        var drawn = Drawn(scene: scenes[index])
        index += 1
        do throws(ReplayError) {
          return (drawn, try history.stroke(ofShowing: Int(drawn.scene.showing), in: source))
        } catch {
          let number = history.showings[Int(drawn.scene.showing)].stroke
          drawn.failure = RenderError(.unreadable(stroke: number, reason: "\(error)"))
          return (drawn, nil)
        }
      },
      work: { (job: (drawn: Drawn, stroke: PKStroke?)) -> Drawn in
        job.stroke.map { maker.drawn(job.drawn.scene, $0) } ?? job.drawn
      },
      take: { (drawn: Drawn) -> Bool in
        do throws(RenderError) {
          if let failure = drawn.failure { throw failure }
          try add(drawn)
        } catch {
          failure = error
        }
        return failure == nil
      })
    if let failure { throw failure }
  }

  private func drawn(_ scene: SVGScene, _ whole: PKStroke) -> Drawn {
    var (drawn, stroke) = (Drawn(scene: scene), whole)
    let clock = scene.drawing == nil ? nil : StrokeClock(stroke.path)
    if let clock, let seconds = scene.lastSeconds {
      let (start, end) = (stroke.visiblePathRange.lowerBound, clock.parameter(after: seconds))
      guard start == 0 || end > start else { return drawn }
      stroke = stroke.substroke(range: start...max(end, start))
    }
    drawn.draft = marks.draft(of: [stroke])
    guard drawn.draft != nil else { return drawn }
    drawn.data = drawn.draft?.mark?.path.map(text.data) ?? ""
    if let clock, let step = scene.drawing {
      drawn.growth = growth(of: stroke, clock, from: playback.timeline.starts[step])
      drawn.line = text.data(of: Path(through: drawn.growth.line))
    }
    return drawn
  }

  private mutating func add(_ drawn: Drawn) throws(RenderError) {
    guard let draft = drawn.draft else { return }
    let (made, isSame) = try marks.mark(of: draft)
    guard let mark = made, let path = mark.path else { return }
    var scene = drawn.scene
    // A piece of a stroke appears when the pen gets to it.
    if let first = drawn.growth.keyframes.first, let end = drawn.growth.keyframes.last,
      first.y <= 0, let interval = scene.intervals.indices.first
    {
      scene.intervals[interval].start = max(scene.intervals[interval].start, min(first.x, end.x))
    }
    let (mask, drawing) = uncovering(mark, drawn.growth, drawn.line)
    let data = isSame ? drawn.data : text.data(of: path)
    shapes[data, default: (0, 0)].count += 1
    elements.append(
      Element(
        mask: mask,
        attributes: text.attributes(of: mark) + " " + mark.mix.style
          + (mark.isLine ? "pathLength=\"1\" " : "")
          + (isVisibleAtEnd(scene) ? "" : "display=\"none\" "),
        data: data, content: times(of: scene) + drawing))
  }

  /// Writes all elements and returns the file. Equal outlines become one definition.
  mutating func finish() -> [UInt8] {
    var definitions: [String] = []
    for element in elements {
      guard let shape = shapes[element.data], shape.count > 1, shape.number == 0 else { continue }
      let number = definitions.count + 1
      shapes[element.data]?.number = number
      definitions.append("<path id=\"p\(number)\" pathLength=\"1\" d=\"\(element.data)\"/>\n")
    }
    if !definitions.isEmpty { text.add("<defs>\n\(definitions.joined())</defs>\n") }
    text.add("<g style=\"isolation:isolate\">\n")
    for element in elements {
      let shape = shapes[element.data]?.number ?? 0
      let name = shape > 0 ? "use" : "path"
      let path = shape > 0 ? "href=\"#p\(shape)\"" : "d=\"\(element.data)\""
      text.add("\(element.mask)<\(name) \(element.attributes)\(path)")
      text.add(element.content.isEmpty ? "/>\n" : ">\(element.content)</\(name)>\n")
    }
    text.add("</g>\n</svg>\n")
    return text.bytes
  }
}

// MARK: - Times

extension ReplayWriter {
  private static func seconds(_ time: Double) -> String {
    DecimalText(decimals: 3, limit: 1e12).text(max(time, 0)) + "s"
  }

  /// The attributes for the interval between two playing times.
  private static func span(_ start: Double, _ end: Double) -> String {
    let begin = start > 0.0005 ? "m.begin+\(seconds(start))" : "m.begin"
    return "begin=\"\(begin)\" dur=\"\(seconds(max(end - start, 0.001)))\""
  }

  /// Whether a showing is visible at the end of the playback.
  private func isVisibleAtEnd(_ scene: SVGScene) -> Bool {
    scene.intervals.last.map { $0.end == nil } ?? false
  }

  /// The animations of a showing's visibility. One that is visible at the end is hidden in the gaps
  /// between its intervals; any other is hidden by default and shown in its intervals.
  private func times(of scene: SVGScene) -> String {
    var text = ""
    if isVisibleAtEnd(scene) {
      var gap = 0.0
      for interval in scene.intervals {
        if interval.start > gap + 0.0005 {
          text += "<set attributeName=\"display\" to=\"none\" \(Self.span(gap, interval.start))/>"
        }
        gap = interval.end ?? duration
      }
    } else {
      for interval in scene.intervals {
        guard let end = interval.end, end > interval.start + 0.0005 else { continue }
        text += "<set attributeName=\"display\" to=\"inline\" \(Self.span(interval.start, end))/>"
      }
    }
    return text
  }

  /// The animation that uncovers a mark while it is drawn, and the mask that it needs.
  private func uncovering(
    _ mark: VectorMark, _ growth: SVGGrowth, _ line: String
  ) -> (mask: String, animation: String) {
    guard let first = growth.keyframes.first, let last = growth.keyframes.last,
      last.x > first.x + 0.001
    else { return ("", "") }
    let (moment, share) = (DecimalText(decimals: 4), DecimalText(decimals: 3))
    let times = growth.keyframes.map { moment.text(($0.x - first.x) / (last.x - first.x)) }
    let offsets = growth.keyframes.map { share.text(1 - $0.y) }
    let span = Self.span(first.x, last.x)
    let animation =
      "<animate attributeName=\"stroke-dashoffset\" values=\"\(offsets.joined(separator: ";"))\" "
      + "keyTimes=\"\(times.joined(separator: ";"))\" \(span)/>"
    if mark.isLine {
      return ("", "<set attributeName=\"stroke-dasharray\" to=\"1 2\" \(span)/>" + animation)
    }
    let name = "k\(showingCount + 1)"
    return (
      "<mask id=\"\(name)\"><path d=\"\(line)\" fill=\"none\" stroke=\"#fff\" "
        + "stroke-width=\"\(text.numbers.text(growth.width))\" stroke-linecap=\"round\" "
        + "stroke-linejoin=\"round\" pathLength=\"1\" stroke-dasharray=\"1 2\">"
        + "\(animation)</path></mask>",
      "<set attributeName=\"mask\" to=\"url(#\(name))\" \(span)/>"
    )
  }

  /// The animation of a stroke whose drawing starts at a moment of the timeline.
  private func growth(
    of stroke: PKStroke, _ clock: StrokeClock, from start: Double
  ) -> SVGGrowth {
    var growth = SVGGrowth()
    let chains = stroke.nibChains()
    let samples = chains.joined().map { ($0.parameter, $0.nib.center.applying(stroke.transform)) }
    let points = samples.map(\.1)
    guard clock.length > 0, points.count > 1, points.allSatisfy(\.isFinite) else { return growth }
    let kept = points.simplified(tolerance: 4 * tolerance)
    growth.line = kept.map { points[$0] }
    var distances = [0.0]
    for (a, b) in zip(growth.line, growth.line.dropFirst()) {
      let step = b - a
      distances.append((distances.last ?? 0) + step.dot(step).squareRoot())
    }
    guard let length = distances.last, length > 0, length.isFinite else { return SVGGrowth() }
    let radius = chains.joined().map(\.nib.outerRadius).max() ?? 0
    growth.width = 2.2 * radius * stroke.transform.maximumScale + 2 * tolerance
    let parameters = kept.map { samples[$0].0 }
    func share(_ parameter: Double) -> Double {
      let next = parameters.firstIndex { $0 > parameter } ?? parameters.count
      guard next > 0 else { return 0 }
      guard next < parameters.count else { return 1 }
      let part = (parameter - parameters[next - 1]) / (parameters[next] - parameters[next - 1])
      let step = distances[next] - distances[next - 1]
      return (distances[next - 1] + step * part) / length
    }
    let count = 48
    var keyframes = (0...count).map { number in
      let seconds = clock.length * Double(number) / Double(count)
      return Point(
        x: playback.moment(of: start + seconds), y: share(clock.parameter(after: seconds)))
    }
    // Nothing moves before the pen gets to this piece, and after it has left it.
    if let first = keyframes.lastIndex(where: { $0.y <= 0 }) { keyframes.removeFirst(first) }
    if let last = keyframes.firstIndex(where: { $0.y >= 1 }) {
      keyframes.removeLast(keyframes.count - 1 - last)
    }
    // The same holds before the playback starts.
    if let first = keyframes.lastIndex(where: { $0.x <= 0 }) { keyframes.removeFirst(first) }
    guard let first = keyframes.first, let last = keyframes.last, last.x > first.x else {
      return growth
    }
    // The tolerance is a fraction of either axis.
    let scaled = keyframes.map { Point(x: ($0.x - first.x) / (last.x - first.x), y: $0.y) }
    growth.keyframes = scaled.simplified(tolerance: 0.008).map { keyframes[$0] }
    return growth
  }
}

extension Path {
  /// A line through points.
  fileprivate init(through points: [Point]) {
    self.init()
    if let first = points.first { move(to: first) }
    for point in points.dropFirst() { addLine(to: point) }
  }
}

extension [Point] {
  /// The indices of the points that remain when points within a tolerance of the line between their
  /// neighbours are left out, by the method of Ramer, Douglas and Peucker. The first and last stay.
  fileprivate func simplified(tolerance: Double) -> [Int] {
    guard count > 2 else { return Array<Int>(indices) }
    var isKept = [Bool](repeating: false, count: count)
    isKept[0] = true
    isKept[count - 1] = true
    var spans = [(0, count - 1)]
    while let (from, to) = spans.popLast() {
      guard to - from > 1 else { continue }
      let (a, b) = (self[from], self[to])
      let line = b - a
      let squaredLength = line.dot(line)
      var farthest = (index: from + 1, distance: -1.0)
      for index in from + 1..<to {
        let offset = self[index] - a
        let share =
          squaredLength > 0 ? Swift.min(Swift.max(offset.dot(line) / squaredLength, 0), 1) : 0
        let normal = offset - line * share
        let distance = normal.dot(normal)
        if distance > farthest.distance { farthest = (index, distance) }
      }
      guard farthest.distance > tolerance * tolerance else { continue }
      isKept[farthest.index] = true
      spans += [(from, farthest.index), (farthest.index, to)]
    }
    return indices.filter { isKept[$0] }
  }
}
