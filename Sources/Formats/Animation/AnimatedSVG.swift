import Graphics
public import Rasterization
public import Replay
public import Strokes

/// A replay as an SVG that animates itself in browsers, without a script.
///
/// Each stroke is its filled outline. While it is drawn, a mask shows only the part that the pen
/// has passed: a line along the stroke's centre, wider than the nib, whose dash offset follows the
/// stroke's own clock. The mask is used during that time only. Strokes appear and disappear at the
/// moments of erasing, moving, undoing and clearing. A viewer without animation shows the last
/// state.
///
/// Ink with grain has one colour of similar opacity here, and papers have no lines.
public struct AnimatedSVG: Sendable {
  /// The file.
  public let bytes: [UInt8]
  /// The number of showings in the file: strokes, and the forms they took when they were changed.
  public let showingCount: Int
  /// The number of corners that the outlines had before they were simplified.
  let cornerCount: Int

  /// A replay that plays `loopCount` times, or forever for 0.
  ///
  /// The options' visible part, scale, background and style apply; the others have no effect.
  public init(
    of source: some RecordingSource, _ playback: Playback, options: RenderOptions,
    loopCount: Int = 0
  ) throws(RenderError) {
    try self.init(
      of: source, playback, options: options, loopCount: loopCount, maximumCorners: 1 << 22)
  }

  /// A replay whose outlines have at most `maximumCorners` corners, and `cornersPerPoint` more for
  /// each of their points.
  init(
    of source: some RecordingSource, _ playback: Playback, options: RenderOptions, loopCount: Int,
    maximumCorners: Int
  ) throws(RenderError) {
    let frame = try FrameRenderer(of: source, playback.timeline, options: options)
    var writer = SVGWriter(
      frame, playback, style: options.style, loopCount: loopCount, maximumCorners: maximumCorners)
    for scene in SVGScene.all(playback) {
      try writer.add(scene, of: source)
    }
    (bytes, showingCount) = (writer.finish(), writer.showingCount)
    cornerCount = writer.cornerCount
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
private struct SVGWriter {
  private let playback: Playback
  private let style: RenderOptions.Style
  private let tolerance: Double
  private let duration: Double
  private var body: SVGText
  private var head: SVGText
  private var shapes: [String: Shape] = [:]
  private var shapeOrder: [String] = []
  private(set) var showingCount = 0
  private var markCount = 0
  private var elements: [Element] = []
  /// The visible part of the canvas, with some space around it.
  private let visible: Rect
  /// The corners of all outlines so far, including invisible ones that are left out later.
  private(set) var cornerCount = 0
  /// The maximum number of corners: enough for a wide nib that turns at each point, and some
  /// millions in all.
  private var maximumCorners: Int
  private static let cornersPerPoint = 512
  /// The maximum number of nibs whose outline is found at once.
  private static let nibsPerPiece = 4_096

  private struct Shape {
    var count = 0
    var number = 0
  }

  /// An element whose path may be shared with others.
  private struct Element {
    let before: String
    let data: String
    let attributes: String
    let content: String
  }

  init(
    _ frame: FrameRenderer, _ playback: Playback, style: RenderOptions.Style, loopCount: Int,
    maximumCorners: Int
  ) {
    (self.playback, self.style, self.maximumCorners) = (playback, style, maximumCorners)
    duration = max(playback.duration, 0.001)
    let side = max(frame.visible.width, frame.visible.height)
    visible = frame.visible.grown(by: side / 100)
    // A twenty-thousandth of the picture, too little to be visible on any screen.
    let tolerance = side / 20_000
    self.tolerance = tolerance
    let decimals = (0...6).first { step in
      tolerance * (0..<step).reduce(1) { unit, _ in unit * 10 } >= 1
    }
    let text = SVGText(decimals: decimals ?? 6)
    (body, head) = (text, text)
    begin(frame, loopCount: loopCount)
  }

  private mutating func begin(_ frame: FrameRenderer, loopCount: Int) {
    let box = frame.visible
    let area = [box.minX, box.minY, box.width, box.height].map(head.number)
    head.add(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(frame.width)\" height=\"\(frame.height)\" "
        + "viewBox=\"\(area.joined(separator: " "))\">\n"
        + "<style>.d{mix-blend-mode:darken}.l{mix-blend-mode:lighten}.m{mix-blend-mode:multiply}"
        + ".s{mix-blend-mode:screen}.i{isolation:isolate}</style>\n")
    let paper = frame.background.converted(to: .sRGB)
    if paper.alpha > 0 {
      head.add(
        "<rect x=\"\(area[0])\" y=\"\(area[1])\" width=\"\(area[2])\" height=\"\(area[3])\" "
          + "\(Self.fill(paper))/>\n")
    }
    let seconds = Self.seconds(duration)
    let starts =
      1...1000 ~= loopCount
      ? (0..<loopCount).map { Self.seconds(Double($0) * duration) }.joined(separator: ";")
      : "0s;m.end"
    // All other animations start relative to this one, so that they start again with it.
    head.add(
      "<animate id=\"m\" attributeName=\"visibility\" values=\"visible;visible\" "
        + "begin=\"\(starts)\" dur=\"\(seconds)\"/>\n")
  }

  /// Adds the element of a showing; nothing if it has no ink.
  mutating func add(_ scene: SVGScene, of source: some RecordingSource) throws(RenderError) {
    let history = playback.timeline.history
    let stroke: PKStroke
    do throws(ReplayError) {
      stroke = try history.stroke(ofShowing: Int(scene.showing), in: source)
    } catch {
      let number = history.showings[Int(scene.showing)].stroke
      throw RenderError(.unreadable(stroke: number, reason: "\(error)"))
    }
    var scene = scene
    let clock = scene.drawing == nil ? nil : StrokeClock(stroke.path)
    var range = stroke.visiblePathRange
    if let clock, let seconds = scene.lastSeconds {
      let end = clock.parameter(after: seconds)
      guard range.lowerBound == 0 || end > range.lowerBound else { return }
      range = range.lowerBound...min(max(end, range.lowerBound), range.upperBound)
    }
    let chains = stroke.nibChains(in: range)
    let data = try outline(of: chains, stroke)
    guard !data.isEmpty else { return }
    var growth = SVGGrowth()
    if let clock, let step = scene.drawing {
      growth = self.growth(of: stroke, chains, clock, from: playback.timeline.starts[step])
      // A piece of a stroke appears when the pen gets to it.
      if let first = growth.keyframes.first, let end = growth.keyframes.last, first.y <= 0,
        let interval = scene.intervals.indices.first
      {
        scene.intervals[interval].start = max(scene.intervals[interval].start, min(first.x, end.x))
      }
    }
    showingCount += 1
    markCount += 1
    shapes[data, default: Shape()].count += 1
    if shapes[data]?.count == 1 { shapeOrder.append(data) }
    let clip = clip(stroke)
    let (mask, maskTime) = mask(growth)
    elements.append(
      Element(
        before: clip.definition + mask, data: data,
        attributes: attributes(of: stroke) + clip.attribute
          + (isVisibleAtEnd(scene) ? "" : " display=\"none\""),
        content: times(of: scene) + maskTime))
  }

  /// Writes all elements and returns the file. Equal outlines become one definition.
  mutating func finish() -> [UInt8] {
    var number = 0
    var definitions = ""
    for data in shapeOrder where (shapes[data]?.count ?? 0) > 1 {
      number += 1
      shapes[data]?.number = number
      definitions += "<path id=\"p\(number)\" d=\"\(data)\"/>\n"
    }
    if !definitions.isEmpty { head.add("<defs>\n\(definitions)</defs>\n") }
    head.add("<g class=\"i\">\n")
    for element in elements {
      let shape = shapes[element.data]?.number ?? 0
      let name = shape > 0 ? "use" : "path"
      let path = shape > 0 ? "href=\"#p\(shape)\"" : "d=\"\(element.data)\""
      head.add("\(element.before)<\(name) \(element.attributes) \(path)")
      head.add(element.content.isEmpty ? "/>\n" : ">\(element.content)</\(name)>\n")
    }
    head.add("</g>\n</svg>\n")
    return head.bytes
  }
}

// MARK: - Shapes

extension SVGWriter {
  private mutating func outline(
    of chains: [[NibSample]], _ stroke: PKStroke
  ) throws(RenderError) -> String {
    maximumCorners += Self.cornersPerPoint * stroke.path.count
    var contours: [[Point]] = []
    for chain in chains {
      // Neighbours share a nib.
      for start in stride(from: 0, to: max(chain.count - 1, 1), by: Self.nibsPerPiece) {
        let piece = Array(chain[start..<min(start + Self.nibsPerPiece + 1, chain.count)])
        let path = StrokeOutline([piece]).path
        cornerCount += path.elements.count
        guard cornerCount <= maximumCorners else {
          throw RenderError(.tooMuchWork(maximumVisits: Double(maximumCorners)))
        }
        // Ink far outside of the picture would take corners without being visible.
        let placed = path.applying(stroke.transform).simplified(outside: visible)
        contours += placed.flattened(tolerance: tolerance)
      }
    }
    return data(of: contours)
  }

  private func data(of contours: [[Point]]) -> String {
    body.data(
      of: contours.map { contour in
        contour.simplified(tolerance: tolerance).map { contour[$0] }
      }, isClosed: true)
  }

  /// A clip path of the stroke's mask, and the attribute that uses it; empty without a mask.
  private func clip(_ stroke: PKStroke) -> (definition: String, attribute: String) {
    guard let mask = stroke.mask else { return ("", "") }
    let area = mask.applying(stroke.transform)
    let rule = mask.fillRule == .evenOdd ? " clip-rule=\"evenodd\"" : ""
    let data = data(of: area.flattened(tolerance: tolerance))
    return (
      "<clipPath id=\"c\(markCount)\"><path\(rule) d=\"\(data)\"/></clipPath>",
      " clip-path=\"url(#c\(markCount))\""
    )
  }

  private func attributes(of stroke: PKStroke) -> String {
    let ink = stroke.ink
    var color = ink.color
    if style == .dark { color = PKInkingTool.convertColor(color, from: .light, to: .dark) }
    let look = SVGLook.of(ink.inkType)
    color = color.converted(to: .sRGB)
    // A marker's opacity counts twice in rendered pictures too.
    if ink.inkType == .marker { color.alpha *= color.alpha }
    color.alpha *= look.opacity * (look.followsPoints ? stroke.path.meanOpacity : 1)
    let blend = style == .dark ? look.darkBlend : look.lightBlend
    return (blend.map { "class=\"\($0)\" " } ?? "") + Self.fill(color)
  }

  private static func fill(_ color: Color) -> String {
    let color = color.clamped
    let solid = "fill=\"\(color.withAlpha(1).hex.lowercased())\""
    guard color.alpha < 0.998 else { return solid }
    return solid + " fill-opacity=\"\(SVGText.number(color.alpha, decimals: 2))\""
  }
}

/// The look of an ink without its texture.
private struct SVGLook {
  var opacity = 1.0
  /// Whether the points' opacity is used; inks whose grain changes the opacity ignore it.
  var followsPoints = true
  var lightBlend: String?
  var darkBlend: String?

  static func of(_ type: PKInk.InkType) -> SVGLook {
    switch type {
    case .pen, .monoline, .fountainPen, .other: SVGLook()
    case .pencil: SVGLook(opacity: 0.6)
    case .crayon: SVGLook(opacity: 0.8, followsPoints: false)
    case .marker: SVGLook(opacity: 0.9, lightBlend: "d", darkBlend: "l")
    case .reed: SVGLook(opacity: 0.95, followsPoints: false)
    case .watercolor: SVGLook(opacity: 0.42, lightBlend: "m", darkBlend: "s")
    }
  }
}

extension PKStrokePath {
  /// The mean opacity of the points, from about 32 samples.
  fileprivate var meanOpacity: Double {
    guard count > 0 else { return 1 }
    let indices = Swift.stride(from: 0, to: count, by: Swift.max(count / 32, 1))
    let values = indices.map { Swift.min(Swift.max(0, self[$0].opacity), 1) }
    let mean = values.reduce(0, +) / Double(values.count)
    return mean.isFinite ? mean : 1
  }
}

// MARK: - Times

extension SVGWriter {
  private static func seconds(_ time: Double) -> String {
    SVGText.number(max(time, 0), decimals: 3) + "s"
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

  /// The mask of a stroke that is being drawn, and the animation that uses it during that time.
  private func mask(_ growth: SVGGrowth) -> (definition: String, time: String) {
    guard let first = growth.keyframes.first, let last = growth.keyframes.last,
      last.x > first.x + 0.001
    else { return ("", "") }
    let length = last.x - first.x
    let times = growth.keyframes.map { SVGText.number(($0.x - first.x) / length, decimals: 4) }
    let offsets = growth.keyframes.map { SVGText.number(1 - $0.y, decimals: 3) }
    let span = Self.span(first.x, last.x)
    let line = body.data(of: [growth.line], isClosed: false)
    guard !line.isEmpty else { return ("", "") }
    return (
      "<mask id=\"k\(markCount)\"><path d=\"\(line)\" fill=\"none\" stroke=\"#fff\" "
        + "stroke-width=\"\(body.number(growth.width))\" stroke-linecap=\"round\" "
        + "stroke-linejoin=\"round\" pathLength=\"1\" stroke-dasharray=\"1 2\">"
        + "<animate attributeName=\"stroke-dashoffset\" values=\"\(offsets.joined(separator: ";"))\" "
        + "keyTimes=\"\(times.joined(separator: ";"))\" \(span)/></path></mask>",
      "<set attributeName=\"mask\" to=\"url(#k\(markCount))\" \(span)/>"
    )
  }

  /// The animation of a stroke whose drawing starts at a moment of the timeline.
  private func growth(
    of stroke: PKStroke, _ chains: [[NibSample]], _ clock: StrokeClock, from start: Double
  ) -> SVGGrowth {
    var growth = SVGGrowth()
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
