import InkFiles
import Foundation
import Graphics
import ForeignInk
import PKDFormat
import Rasterization
import Replay
import Strokes
import TestSupport
import Testing

@testable import Replay

/// Each frame equals the still picture of its moment, by any way of reaching it.
@Suite struct FrameRendererTests {
  @Test(arguments: Sample.all)
  func `the last frame of every sample equals the still picture`(sample: Sample) throws {
    for options in Sample.options {
      let renderer = try sample.renderer(options)
      let playback = Playback(renderer.timeline)
      for share in [0.2, 0.5, 0.9] {
        _ = try renderer.show(playback.state(at: share * playback.duration))
      }
      _ = try renderer.show(playback.state(at: .infinity))
      let still = try Renderer(options).picture(of: sample.drawing, on: sample.canvas)
      #expect(renderer.picture == still, "\(sample.name), \(options)")
    }
  }

  /// Marks that are added together are painted in several portions if they take much memory. The
  /// many marks are prepared by several threads.
  @Test(arguments: [(count: 24, pointCount: 1500), (400, 180), (400, 9)])
  func `a drawing that is painted in portions equals the still picture`(
    count: Int, pointCount: Int
  ) throws {
    var random = SplitMix64(seed: 4)
    let strokes = (0..<count).map { number in
      let points = (0..<pointCount).map { index in
        PKStrokePoint(
          location: Point(
            x: .random(in: 0..<500, using: &random), y: .random(in: 0..<300, using: &random)),
          timeOffset: Double(index) / 100, size: Size(width: 2, height: 2), opacity: 1, force: 1,
          azimuth: 0, altitude: 1)
      }
      // The last stroke depends on those below it, which are in other portions.
      let ink = PKInk(
        number == count - 1 ? .marker : .monoline,
        color: Color(red: 1, green: Double(number) / Double(count), blue: 0))
      return PKStroke(ink: ink, path: PKStrokePath(controlPoints: points))
    }
    let sample = Sample(name: "large", recording: Recording(PKDrawing(strokes: strokes)))
    let renderer = try sample.renderer(RenderOptions(threads: 3))
    _ = try renderer.show(renderer.timeline.state(at: .infinity))
    #expect(
      try renderer.picture
        == Renderer(RenderOptions()).picture(of: sample.drawing, on: sample.canvas))
  }

  @Test func `all frames have the automatic background of the last page`() throws {
    func stroke(_ y: Double, _ color: Color) -> PKStroke {
      let points = [10.0, 60].map { x in
        PKStrokePoint(
          location: Point(x: x, y: y), timeOffset: x / 100, size: Size(width: 6, height: 6),
          opacity: 1, force: 1, azimuth: 0, altitude: 1)
      }
      return PKStroke(
        ink: PKInk(.pen, color: color), path: PKStrokePath(controlPoints: points))
    }
    // Most strokes during the recording are black, but they are erased in the end.
    let (white, black) = (stroke(10, .white), [stroke(30, .black), stroke(50, .black)])
    var recording = Recording(PKDrawing(strokes: [white] + black))
    recording.canvas.size = Size(width: 70, height: 60)
    let end = try #require(recording.events.last).time
    recording.events.append(
      Recording.Event(
        time: end,
        action: .erased(
          PKEraserTool(.vector), along: PKStrokePath(),
          changes: black.map { StrokeChange(strokeID: $0.id, replacements: []) })))
    for style in RenderOptions.Style.allCases {
      let sample = Sample(name: "automatic", recording: recording)
      let options = RenderOptions(background: .automatic, style: style)
      let renderer = try sample.renderer(options)
      let ground = renderer.background
      #expect(ground.hex == (style == .dark ? "#FFFFFF" : "#1C1C1E"))
      for share in [0, 0.5, 0.9, 2] {
        _ = try renderer.show(
          renderer.timeline.state(at: share * renderer.timeline.duration))
        #expect(renderer.picture[65, 55].red == renderer.picture[0, 0].red)
      }
      let still = try Renderer(options).picture(of: sample.drawing, on: sample.canvas)
      #expect(still == renderer.picture)
    }
  }

  @Test(arguments: Sample.all)
  func `seeking to a moment gives the same frame as playing to it`(sample: Sample) throws {
    try checkSeeking(
      sample, RenderOptions(extent: .longerSide(500)), seekCount: RunLength.count(16, long: 40))
  }

  @Test(arguments: PKInk.InkType.known)
  func `frames with growing strokes of every ink equal the still pictures`(
    type: PKInk.InkType
  ) throws {
    var random = RandomInk(seed: 7)
    for (number, background) in [RenderOptions.Background.page, .transparent].enumerated() {
      var strokes: [PKStroke] = []
      for _ in 0..<6 {
        let color = random.color().withAlpha(random.chance() ? 1 : 0.6)
        let path = random.path(pointCount: 2...40)
        strokes.append(
          PKStroke(ink: PKInk(type, color: color), path: path, randomSeed: 5))
      }
      let sample = Sample(
        name: "\(type)", recording: Recording(PKDrawing(strokes: strokes)))
      // Stills are framed by a region, whose scale is exact for powers of two.
      var options = RenderOptions(extent: .scale(number == 0 ? 1 : 0.5), background: background)
      options.depth = number == 0 ? .eight : .sixteen
      try checkSeeking(sample, options, seekCount: RunLength.count(10, long: 25))
    }
  }

  @Test func `frames of random recordings equal the still pictures`() throws {
    var random = RandomInk(seed: 8)
    for number in 0..<RunLength.count(16, long: 40) {
      var recording = random.recording(eventCount: 5...30)
      recording.canvas = Recording.Canvas(size: Size(width: 700, height: 900))
      let sample = Sample(name: "random \(number)", recording: recording)
      try checkSeeking(sample, RenderOptions(extent: .longerSide(320)), seekCount: 12)
    }
  }

  @Test func `frames of random recordings with earlier strokes equal the still pictures`() throws {
    var random = RandomInk(seed: 18)
    for number in 0..<RunLength.count(12, long: 24) {
      var recording = random.recording(eventCount: 5...30)
      recording.canvas = Recording.Canvas(size: Size(width: 700, height: 900))
      let sample = Sample(name: "random \(number)", recording: recording)
      var options = RenderOptions(extent: .longerSide(320), earlier: .sienna)
      if number % 4 == 3 { options.depth = .sixteen }
      if number % 4 == 2 { options.background = .transparent }
      try checkSeeking(sample, options, seekCount: 12)
    }
    let minute = try #require(Sample.all.first { $0.name == "minute" })
    try checkSeeking(
      minute, RenderOptions(extent: .longerSide(300), earlier: .sienna),
      seekCount: RunLength.count(16, long: 40))
  }

  @Test func `frames with groups of wet strokes equal the still pictures`() throws {
    var random = RandomInk(seed: 9)
    for type in [PKInk.InkType.pen, .watercolor, .marker] {
      let groups = [Identifier(), Identifier()]
      let strokes = (0..<14).map { number in
        PKStroke(
          ink: PKInk(type, color: Color(red: 0.1, green: 0.3, blue: 0.8, alpha: 0.5)),
          path: random.path(pointCount: 4...20),
          renderGroupID: number % 5 == 4 ? nil : groups[number / 5 % 2])
      }
      let sample = Sample(name: "wet", recording: Recording(PKDrawing(strokes: strokes)))
      try checkSeeking(sample, RenderOptions(extent: .scale(0.6)), seekCount: 25)
    }
  }

  @Test func `a stroke outside of the frame separates wet strokes as in still pictures`()
    throws
  {
    func stroke(_ x: Double, _ color: Color) -> PKStroke {
      let points = [10.0, 30, 50, 90].map { y in
        PKStrokePoint(
          location: Point(x: x, y: y), timeOffset: y / 100, size: Size(width: 12, height: 12),
          opacity: 1, force: 1, azimuth: 0, altitude: 1)
      }
      return PKStroke(
        ink: PKInk(.pen, color: color), path: PKStrokePath(controlPoints: points),
        renderGroupID: .zero)
    }
    let blue = Color(red: 0, green: 0, blue: 1, alpha: 0.5)
    let options = RenderOptions(region: Rect(x: 0, y: 0, width: 100, height: 100))
    func picture(_ strokes: [PKStroke]) throws -> Pixmap {
      let sample = Sample(name: "wet", recording: Recording(PKDrawing(strokes: strokes)))
      let renderer = try sample.renderer(options)
      _ = try renderer.show(Playback(renderer.timeline).state(at: .infinity))
      #expect(
        try Renderer(options).picture(of: sample.drawing, on: sample.canvas) == renderer.picture)
      return renderer.picture.copy
    }
    let (first, last) = (stroke(40, blue), stroke(45, blue))
    let wet = try picture([first, last])
    #expect(try picture([first, stroke(400, blue), last]) == wet)
    #expect(try picture([first, stroke(400, .black), last]) != wet)
  }

  @Test func `a file that is decoded lazily gives the same frames as its recording`() throws {
    for sample in Sample.all {
      let reader = try PKDReader(try PKDWriter.encode(sample.recording))
      let options = RenderOptions(extent: .longerSide(300))
      let fromFile = try FrameRenderer(of: reader, try Timeline(of: reader), options: options)
      let fromMemory = try sample.renderer(options)
      for share in [0.7, 0.1, 0.45, 1] {
        _ = try fromFile.show(
          fromFile.timeline.state(at: share * fromFile.timeline.duration + share.rounded(.down)))
        _ = try fromMemory.show(
          fromMemory.timeline.state(
            at: share * fromMemory.timeline.duration + share.rounded(.down)))
        if share == 1 { #expect(fromFile.picture == fromMemory.picture) }
      }
    }
  }

  @Test func `a renderer without cache memory gives the same frames`() throws {
    let sample = try #require(Sample.all.first { $0.name == "handwriting" })
    let source = RecordedStrokes(sample.recording)
    let timeline = try Timeline(of: source)
    let small = try FrameRenderer(of: source, timeline, cacheLimit: 0)
    let large = try FrameRenderer(of: source, timeline)
    var random = RandomInk(seed: 10)
    for _ in 0..<20 {
      let state = timeline.state(at: random.number(0...timeline.duration))
      _ = try small.show(state)
      _ = try large.show(state)
      #expect(small.picture == large.picture)
    }
    #expect(small.cacheByteCount == 0)
    #expect(large.cacheByteCount <= 48 << 20)
  }

  /// Nothing in `handwriting` depends on the ink below it; in `inks`, something does until the end.
  @Test(arguments: ["handwriting", "inks"])
  func `a renderer of ascending moments gives the same frames and keeps no layers`(
    name: String
  ) throws {
    let sample = try #require(Sample.all.first { $0.name == name })
    let source = RecordedStrokes(sample.recording)
    let timeline = try Timeline(of: source)
    let options = RenderOptions(extent: .longerSide(400))
    let ascending = try FrameRenderer(of: source, timeline, options: options, isAscending: true)
    let free = try FrameRenderer(of: source, timeline, options: options)
    for number in 0...20 {
      let state = timeline.state(at: timeline.duration * Double(number) / 20)
      _ = try ascending.show(state)
      _ = try free.show(state)
      #expect(ascending.picture == free.picture)
    }
    #expect(ascending.cacheByteCount == 0 && free.cacheByteCount > 0)
  }

  @Test(arguments: Sample.all)
  func `no pixel changes outside of the reported rectangles`(sample: Sample) throws {
    let renderer = try sample.renderer(RenderOptions(extent: .longerSide(400)))
    let playback = Playback(renderer.timeline, Playback.Options(duration: 3))
    var before = renderer.picture.copy
    for number in 0...60 {
      let rects = try renderer.show(playback.state(at: Double(number) / 20))
      let now = renderer.picture.copy
      let wrong = now.firstDifference(from: before) { x, y in
        rects.contains { $0.columns.contains(x) && $0.rows.contains(y) }
      }
      #expect(wrong == nil, "\(sample.name), frame \(number)")
      before = now
    }
  }

  /// Plays a recording, and compares its frames with still pictures and with frames reached by
  /// seeking.
  private func checkSeeking(
    _ sample: Sample, _ options: RenderOptions, seekCount: Int
  ) throws {
    let player = try sample.renderer(options)
    let seeker = try sample.renderer(options)
    let duration = player.timeline.duration
    var random = RandomInk(seed: 3)
    var times = (0..<seekCount).map { _ in random.number(0...max(duration, 1e-3)) }.sorted()
    times.append(.infinity)
    var frames: [Pixmap] = []
    for time in times {
      let state = player.timeline.state(at: time)
      _ = try player.show(state)
      let frame = player.picture.copy
      frames.append(frame)
      let (still, isComparable) = try sample.still(player, state, options)
      if isComparable { #expect(still == frame, "\(sample.name), still at \(time)") }
    }
    for index in times.indices.shuffled(using: &random.generator) {
      _ = try seeker.show(seeker.timeline.state(at: times[index]))
      #expect(seeker.picture == frames[index], "\(sample.name), sought to \(times[index])")
    }
  }
}

/// A recording with a name.
struct Sample: CustomTestStringConvertible, Sendable {
  let name: String
  var recording: Recording
  var testDescription: String { name }
  var canvas: Recording.Canvas { recording.canvas }
  var drawing: PKDrawing { recording.drawing }

  init(name: String, recording: Recording) {
    self.name = name
    self.recording = recording
  }

  /// The recordings in `Samples`.
  static let all: [Sample] = {
    let folder = Corpus.project.appendingPathComponent("Samples")
    let names = ["erased", "handwriting", "inks", "landscape", "minute", "mood"]
    return names.compactMap { name in
      guard
        let data = try? Data(contentsOf: folder.appendingPathComponent("\(name).pkd")),
        let file = try? DrawingFile(data)
      else { return nil }
      return Sample(name: name, recording: file.contents().recording)
    }
  }()

  /// Options that cover every depth, blending, style and overlap.
  static let options = [
    RenderOptions(extent: .longerSide(500)),
    RenderOptions(extent: .longerSide(333), background: .transparent),
    RenderOptions(extent: .scale(0.4), paper: .grid, style: .dark, threads: 2),
    RenderOptions(extent: .longerSide(260), depth: .sixteen, blending: .linear),
    RenderOptions(extent: .longerSide(200), background: .automatic, style: .dark),
    RenderOptions(
      extent: .longerSide(300), region: Rect(x: 40, y: 60, width: 300, height: 400),
      overlap: .accumulate),
  ]

  func renderer(_ options: RenderOptions) throws -> FrameRenderer {
    let source = RecordedStrokes(recording)
    return try FrameRenderer(of: source, try Timeline(of: source), options: options)
  }

  /// The still picture of a state, and whether the frame must equal it. It may differ if only one
  /// of the page and the last page has ink that mixes with the ink below, or fine ink, as such ink
  /// changes how a page is composited, or how small pictures are drawn.
  func still(
    _ renderer: FrameRenderer, _ state: PageState, _ options: RenderOptions
  ) throws -> (Pixmap, Bool) {
    let history = renderer.timeline.history
    let source = RecordedStrokes(recording)
    var strokes = try history.page(afterSteps: state.doneSteps).map {
      try history.stroke(ofShowing: Int($0), in: source)
    }
    if let seconds = state.growing {
      for showing in history.added(in: state.doneSteps) {
        let stroke = try history.stroke(ofShowing: Int(showing), in: source)
        let range = stroke.visiblePathRange
        let end = StrokeClock(stroke.path).parameter(after: seconds)
        guard range.lowerBound == 0 || end > range.lowerBound else { continue }
        var part = stroke
        part.pathRange = range.lowerBound...min(max(end, range.lowerBound), range.upperBound)
        strokes.append(part)
      }
    }
    func mixes(_ drawing: PKDrawing) -> Bool {
      drawing.strokes.contains { PaintedPage.mixes($0.ink) }
    }
    var options = options
    // A frame always shows the same part of the canvas, for any content of the page.
    if options.region == nil, canvas.size == nil {
      options.region = renderer.visible
      // Small pictures at a scale are drawn larger than those of a size. A pixel more than a whole
      // number is a rounding error.
      if case .scale = options.extent {
        options.extent = .scale(renderer.scale)
        options.region?.size = renderer.visible.size * (1 - 1e-12)
      } else {
        options.extent = .pixels(width: renderer.width, height: renderer.height)
      }
    }
    let chosen = options
    func isFine(_ drawing: PKDrawing) -> Bool {
      chosen.adapted(to: drawing.strokes.map(\.ink), on: canvas).hasFineInk
    }
    let page = PKDrawing(strokes: strokes)
    return (
      try Renderer(options).picture(
        of: page, on: canvas,
        earlier: try history.earlierStrokes(afterSteps: state.doneSteps, in: source)),
      (mixes(page) == mixes(drawing) || renderer.background.alpha == 0)
        && isFine(page) == isFine(drawing)
    )
  }
}

extension Pixmap {
  /// The first pixel that differs outside of the allowed ones; nil if there is none.
  func firstDifference(from other: Pixmap, except isFree: (Int, Int) -> Bool) -> [Int]? {
    for y in 0..<height {
      let rowsDiffer = withRow(y) { a in other.withRow(y) { !a.elementsEqual($0) } }
      guard rowsDiffer else { continue }
      for x in 0..<width where self[x, y] != other[x, y] && !isFree(x, y) { return [x, y] }
    }
    return nil
  }
}
