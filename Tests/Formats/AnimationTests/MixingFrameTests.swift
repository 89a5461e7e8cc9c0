import Graphics
import Rasterization
import Replay
import Strokes
import TestSupport
import Testing

@testable import Replay

/// Frames at every step, and the colours that encoders may expect of them.
struct MixingFrameTests {
  private static func line(
    _ type: PKInk.InkType, _ color: Color, from start: Point, to end: Point
  ) -> PKStroke {
    let points = (0..<6).map { index in
      PKStrokePoint(
        location: start + (end - start) * (Double(index) / 5), timeOffset: Double(index) / 10,
        size: Size(width: 14, height: 14), opacity: 1, force: 1, azimuth: 0, altitude: 1)
    }
    return PKStroke(ink: PKInk(type, color: color), path: PKStrokePath(controlPoints: points))
  }

  private static let blue = Color(red: 0.1, green: 0.2, blue: 0.8)
  private static let yellow = Color(red: 1, green: 0.8, blue: 0, alpha: 0.8)

  private static func sample(_ strokes: [PKStroke]) -> Sample {
    var recording = Recording(PKDrawing(strokes: strokes))
    // Mixing ink gets another colour if it is drawn on this paper without a group of its own.
    recording.canvas = Recording.Canvas(
      size: Size(width: 120, height: 120), background: Color(red: 0.5, green: 0.7, blue: 0.9))
    return Sample(name: "mixing", recording: recording)
  }

  /// Compares the frame after each step, in several orders, with the still picture.
  private static func check(_ sample: Sample) throws {
    let options = RenderOptions()
    let renderer = try sample.renderer(options)
    let count = renderer.timeline.history.steps.count
    for step in Array(0...count) + (0...count).reversed() + [count, 0] {
      let state = PageState(doneSteps: step, growing: nil)
      _ = try renderer.show(state)
      let (still, _) = try sample.still(renderer, state, options)
      #expect(renderer.picture == still, "after \(step) steps")
    }
  }

  @Test func `frames equal the still pictures where ink that mixes comes and is erased`() throws {
    let (start, end) = (Point(x: 10, y: 60), Point(x: 110, y: 60))
    let pen = Self.line(.pen, Self.blue, from: start, to: end)
    let marker = Self.line(
      .marker, Self.yellow, from: Point(x: 60, y: 10), to: Point(x: 60, y: 110))
    let other = Self.line(.monoline, .black, from: Point(x: 10, y: 10), to: Point(x: 110, y: 110))
    var sample = Self.sample([pen, marker])
    let now = try #require(sample.recording.events.last).time + 1
    sample.recording.events.append(
      Recording.Event(
        time: now,
        action: .erased(
          PKEraserTool(.vector), along: PKStrokePath(),
          changes: [StrokeChange(strokeID: marker.id, replacements: [])])))
    let last = Recording(PKDrawing(strokes: [other])).events.map {
      Recording.Event(time: now + 1, action: $0.action)
    }
    sample.recording.events += last
    #expect(sample.drawing.strokes.map(\.id) == [pen.id, other.id])
    try Self.check(sample)
  }

  @Test func `a part of a stroke grows to its own end`() throws {
    let whole = Self.line(
      .monoline, Self.blue, from: Point(x: 10, y: 60), to: Point(x: 110, y: 60))
    let sample = Self.sample([whole.substroke(range: 1...2.5)])
    let renderer = try sample.renderer(RenderOptions())
    for share in [0.1, 0.3, 0.5, 0.7, 0.9, 0.99] {
      let state = renderer.timeline.state(at: share * renderer.timeline.duration)
      _ = try renderer.show(state)
      let (still, _) = try sample.still(renderer, state, RenderOptions())
      #expect(renderer.picture == still, "at \(share)")
    }
  }

  @Test func `frames announce many colours only if strokes have several colours`() throws {
    func expectsMany(_ strokes: [PKStroke], _ options: RenderOptions = RenderOptions()) throws
      -> Bool
    {
      try Self.sample(strokes).renderer(options).bands.expectsManyColors
    }
    let line = Self.line(.pen, Self.blue, from: .zero, to: Point(x: 90, y: 90))
    let paler = Self.line(
      .pen, Self.blue.withAlpha(0.5), from: .zero, to: Point(x: 9, y: 90))
    let black = Self.line(.pen, .black, from: .zero, to: Point(x: 90, y: 9))
    #expect(try !expectsMany([]) && !expectsMany([line]) && !expectsMany([line, paler]))
    #expect(try expectsMany([line, black]))
    #expect(try expectsMany([line], RenderOptions(earlier: .sienna)))
  }

  @Test func `the layer cache of a renderer stays within its limit`() throws {
    let sample = try #require(Sample.all.first { $0.name == "handwriting" })
    let source = RecordedStrokes(sample.recording)
    let timeline = try Timeline(of: source)
    let limit = 400_000
    let renderer = try FrameRenderer(of: source, timeline, cacheLimit: limit)
    let free = try FrameRenderer(of: source, timeline)
    var most = 0
    for number in 0...40 {
      let state = timeline.state(at: timeline.duration * Double(number) / 40)
      _ = try renderer.show(state)
      _ = try free.show(state)
      #expect((0...limit).contains(renderer.cacheByteCount))
      most = max(most, renderer.cacheByteCount)
    }
    #expect(most > 0 && free.cacheByteCount > limit)
    free.cacheLimit = limit
    #expect((0...limit).contains(free.cacheByteCount))
  }
}
