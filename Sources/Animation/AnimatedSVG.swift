import Graphics
public import Rasterization
public import Replay
public import Strokes

/// A replay as an SVG that draws itself, in browsers and without a script.
///
/// Each stroke is its outline, filled. While it is drawn a mask lets so much of it be seen as the pen
/// has passed: a line along its middle, wider than the nib, whose dashes move by the stroke's own
/// clock. Masks are there only for that time. What is erased, moved, undone and cleared appears and
/// goes at its moment. Without animation the last state is seen.
///
/// Ink with grain is one colour of fitting opacity here, and papers have no lines.
public struct AnimatedSVG: Sendable {
  /// The file.
  public let bytes: [UInt8]
  /// How many strokes and looks of strokes it shows at any time.
  public let showingCount: Int

  /// A replay that is shown `loopCount` times, or without end for 0.
  ///
  /// Of the options those count that say what is shown and how large, the background and the style.
  public init(
    of source: some RecordingSource, _ playback: Playback, options: RenderOptions,
    loopCount: Int = 0
  ) throws(RenderError) {
    let frame = try FrameRenderer(of: source, playback.timeline, options: options)
    var writer = SVGWriter(frame, playback, style: options.style, loopCount: loopCount)
    for scene in SVGScene.all(playback) {
      try writer.add(scene, of: source)
    }
    (bytes, showingCount) = (writer.finish(), writer.showingCount)
  }
}

/// When one look of a stroke is seen.
private struct SVGScene {
  let showing: Int32
  /// Seconds of watching from which and to which it is there, as steps have it.
  var lives: [(start: Double, end: Double?)] = []
  /// The step that draws it, where that is seen to happen.
  var drawing: Int?
  /// How many seconds of drawing are seen, where the end comes before the stroke is whole.
  var lastSeconds: Double?

  /// All that is seen at any time, from back to front.
  static func all(_ playback: Playback) -> [SVGScene] {
    let history = playback.timeline.history
    var scenes: [Int32: SVGScene] = [:]
    for step in history.steps.indices {
      guard let moment = playback.moment(ofStep: step) else { break }
      for showing in history.removed(in: step) {
        guard var scene = scenes[showing], let life = scene.lives.popLast() else { continue }
        if moment > life.start { scene.lives.append((life.start, moment)) }
        scenes[showing] = scene
      }
      for showing in history.added(in: step) {
        var scene = scenes[showing] ?? SVGScene(showing: showing)
        scene.lives.append((moment, nil))
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
    return scenes.values.filter { !$0.lives.isEmpty }.sorted {
      history.showings[Int($0.showing)].rank < history.showings[Int($1.showing)].rank
    }
  }
}

/// How a stroke comes into view.
private struct SVGGrowth {
  /// The way of the pen on the canvas.
  var line: [Point] = []
  /// How broad a line hides no ink of the stroke.
  var width = 0.0
  /// How much of the way is seen, from 0 to 1, after seconds of watching.
  var keys: [Point] = []
}

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
    _ frame: FrameRenderer, _ playback: Playback, style: RenderOptions.Style, loopCount: Int
  ) {
    (self.playback, self.style) = (playback, style)
    duration = max(playback.duration, 0.001)
    let side = max(frame.visible.width, frame.visible.height)
    // A twenty-thousandth of the picture, which no screen shows.
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
    let place = [box.minX, box.minY, box.width, box.height].map(head.number)
    head.add(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(frame.width)\" height=\"\(frame.height)\" "
        + "viewBox=\"\(place.joined(separator: " "))\">\n"
        + "<style>.d{mix-blend-mode:darken}.l{mix-blend-mode:lighten}.m{mix-blend-mode:multiply}"
        + ".s{mix-blend-mode:screen}.i{isolation:isolate}</style>\n")
    let paper = frame.background.converted(to: .sRGB)
    if paper.alpha > 0 {
      head.add(
        "<rect x=\"\(place[0])\" y=\"\(place[1])\" width=\"\(place[2])\" height=\"\(place[3])\" "
          + "\(Self.fill(paper))/>\n")
    }
    let seconds = Self.seconds(duration)
    let starts =
      1...1000 ~= loopCount
      ? (0..<loopCount).map { Self.seconds(Double($0) * duration) }.joined(separator: ";")
      : "0s;m.end"
    // The clock that all others begin with, so that they begin again with it.
    head.add(
      "<animate id=\"m\" attributeName=\"visibility\" values=\"visible;visible\" "
        + "begin=\"\(starts)\" dur=\"\(seconds)\"/>\n")
  }

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
    let data = outline(of: chains, stroke)
    guard !data.isEmpty else { return }
    var growth = SVGGrowth()
    if let clock, let step = scene.drawing {
      growth = self.growth(of: stroke, chains, clock, from: playback.timeline.starts[step])
      // A piece of a stroke comes when the pen gets there.
      if let first = growth.keys.first, let end = growth.keys.last, first.y <= 0,
        let life = scene.lives.indices.first
      {
        scene.lives[life].start = max(scene.lives[life].start, min(first.x, end.x))
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
          + (isSeenLast(scene) ? "" : " display=\"none\""),
        content: times(of: scene) + maskTime))
  }

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
      let place = shape > 0 ? "href=\"#p\(shape)\"" : "d=\"\(element.data)\""
      head.add("\(element.before)<\(name) \(element.attributes) \(place)")
      head.add(element.content.isEmpty ? "/>\n" : ">\(element.content)</\(name)>\n")
    }
    head.add("</g>\n</svg>\n")
    return head.bytes
  }
}

// MARK: - Shapes

extension SVGWriter {
  private func outline(of chains: [[NibSample]], _ stroke: PKStroke) -> String {
    let path = StrokeOutline(chains).path.applying(stroke.transform)
    return data(of: path.flattened(tolerance: tolerance))
  }

  private func data(of contours: [[Point]]) -> String {
    body.data(
      of: contours.map { contour in
        contour.simplified(tolerance: tolerance).map { contour[$0] }
      }, isClosed: true)
  }

  /// What an eraser left of a stroke.
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
    // As a marker's opacity counts twice in pictures too.
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

/// How an ink looks without its texture.
private struct SVGLook {
  var opacity = 1.0
  /// Whether what points say of opacity is all there is; otherwise grain makes more of it.
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
  /// The opacity that points have on average.
  fileprivate var meanOpacity: Double {
    guard count > 0 else { return 1 }
    let places = Swift.stride(from: 0, to: count, by: Swift.max(count / 32, 1))
    let values = places.map { Swift.min(Swift.max(0, self[$0].opacity), 1) }
    let mean = values.reduce(0, +) / Double(values.count)
    return mean.isFinite ? mean : 1
  }
}

// MARK: - Times

extension SVGWriter {
  private static func seconds(_ time: Double) -> String {
    SVGText.number(max(time, 0), decimals: 3) + "s"
  }

  /// From one time of watching to another.
  private static func span(_ start: Double, _ end: Double) -> String {
    let begin = start > 0.0005 ? "m.begin+\(seconds(start))" : "m.begin"
    return "begin=\"\(begin)\" dur=\"\(seconds(max(end - start, 0.001)))\""
  }

  private func isSeenLast(_ scene: SVGScene) -> Bool {
    scene.lives.last.map { $0.end == nil } ?? false
  }

  /// Hides what is seen in the end while it is not there, and shows what is not seen while it is.
  private func times(of scene: SVGScene) -> String {
    var text = ""
    if isSeenLast(scene) {
      var gap = 0.0
      for life in scene.lives {
        if life.start > gap + 0.0005 {
          text += "<set attributeName=\"display\" to=\"none\" \(Self.span(gap, life.start))/>"
        }
        gap = life.end ?? duration
      }
    } else {
      for life in scene.lives {
        guard let end = life.end, end > life.start + 0.0005 else { continue }
        text += "<set attributeName=\"display\" to=\"inline\" \(Self.span(life.start, end))/>"
      }
    }
    return text
  }

  /// The mask of a stroke while it is drawn, and when it is used.
  private func mask(_ growth: SVGGrowth) -> (definition: String, time: String) {
    guard let first = growth.keys.first, let last = growth.keys.last,
      last.x > first.x + 0.001
    else { return ("", "") }
    let length = last.x - first.x
    let times = growth.keys.map { SVGText.number(($0.x - first.x) / length, decimals: 4) }
    let offsets = growth.keys.map { SVGText.number(1 - $0.y, decimals: 3) }
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

  /// How a stroke grows that is drawn from a moment of the timeline on.
  private func growth(
    of stroke: PKStroke, _ chains: [[NibSample]], _ clock: StrokeClock, from start: Double
  ) -> SVGGrowth {
    var growth = SVGGrowth()
    let samples = chains.joined().map { ($0.parameter, $0.nib.center.applying(stroke.transform)) }
    let places = samples.map(\.1)
    guard clock.length > 0, places.count > 1, places.allSatisfy(\.isFinite) else { return growth }
    let kept = places.simplified(tolerance: 4 * tolerance)
    growth.line = kept.map { places[$0] }
    var ways = [0.0]
    for (a, b) in zip(growth.line, growth.line.dropFirst()) {
      let way = b - a
      ways.append((ways.last ?? 0) + way.dot(way).squareRoot())
    }
    guard let length = ways.last, length > 0, length.isFinite else { return SVGGrowth() }
    let radius = chains.joined().map(\.nib.outerRadius).max() ?? 0
    growth.width = 2.2 * radius * stroke.transform.greatestScale + 2 * tolerance
    let parameters = kept.map { samples[$0].0 }
    func share(_ parameter: Double) -> Double {
      let next = parameters.firstIndex { $0 > parameter } ?? parameters.count
      guard next > 0 else { return 0 }
      guard next < parameters.count else { return 1 }
      let part = (parameter - parameters[next - 1]) / (parameters[next] - parameters[next - 1])
      return (ways[next - 1] + (ways[next] - ways[next - 1]) * part) / length
    }
    let count = 48
    var keys = (0...count).map { number in
      let seconds = clock.length * Double(number) / Double(count)
      return Point(
        x: playback.moment(of: start + seconds), y: share(clock.parameter(after: seconds)))
    }
    // Before the pen gets to this piece and after it has left nothing moves.
    if let first = keys.lastIndex(where: { $0.y <= 0 }) { keys.removeFirst(first) }
    if let last = keys.firstIndex(where: { $0.y >= 1 }) { keys.removeLast(keys.count - 1 - last) }
    // Nor before and after what is watched.
    if let first = keys.lastIndex(where: { $0.x <= 0 }) { keys.removeFirst(first) }
    guard let first = keys.first, let last = keys.last, last.x > first.x else { return growth }
    // Both axes as parts of a whole.
    let scaled = keys.map { Point(x: ($0.x - first.x) / (last.x - first.x), y: $0.y) }
    growth.keys = scaled.simplified(tolerance: 0.008).map { keys[$0] }
    return growth
  }
}

extension AffineTransform {
  /// How much longer the transform makes what it makes longest.
  fileprivate var greatestScale: Double {
    let (sum, area) = (a * a + b * b + c * c + d * d, a * d - b * c)
    return ((sum + max(sum * sum - 4 * area * area, 0).squareRoot()) / 2).squareRoot()
  }
}
