import Graphics
import Strokes
import TestSupport
import Testing

@testable import Replay

@Suite struct TimelineTests {
  /// A stroke that begins at a time, with a point at each offset from it, in seconds.
  private static func stroke(at start: Double, _ offsets: [Double]) -> PKStroke {
    let points = offsets.enumerated().map { index, offset in
      PKStrokePoint(
        location: Point(x: Double(index) * 30, y: 0), timeOffset: offset,
        size: Size(width: 3, height: 3), opacity: 1, force: 1, azimuth: 0, altitude: 1)
    }
    return PKStroke(
      ink: PKInk(.pen),
      path: PKStrokePath(
        controlPoints: points, creationDate: Timestamp(secondsSinceReferenceDate: start)))
  }

  private static func timeline(
    _ strokes: [PKStroke], maximumPause: Double = .infinity
  ) throws -> Timeline {
    try Timeline(
      of: RecordedStrokes(PKDrawing(strokes: strokes)), maximumPause: maximumPause)
  }

  @Test func `strokes and the pauses between them keep their lengths`() throws {
    let timeline = try Self.timeline([
      Self.stroke(at: 10, [0, 0.5, 1]), Self.stroke(at: 14, [0, 2]),
    ])
    #expect(timeline.starts == [0, 4])
    #expect(timeline.lengths == [1, 2])
    #expect(timeline.duration == 6)
  }

  @Test func `pauses are capped, even if they last ten years`() throws {
    let tenYears = 10 * 365.25 * 86_400
    let strokes = [
      Self.stroke(at: 10, [0, 1]), Self.stroke(at: 11.25, [0, 1]),
      Self.stroke(at: tenYears, [0, 1]),
    ]
    #expect(try Self.timeline(strokes, maximumPause: 0.5).starts == [0, 1.25, 2.75])
    #expect(try Self.timeline(strokes).duration == tenYears - 10 + 1)
  }

  @Test func `the timeline has no gap where the recording's clock runs back`() throws {
    var recording = Recording()
    for (start, stroke) in [
      (100.0, Self.stroke(at: 100, [0, 1])), (50, Self.stroke(at: 50, [0, 1])),
      (52, Self.stroke(at: 52, [0, 1])),
    ] {
      recording.events.append(
        .init(
          time: Timestamp(secondsSinceReferenceDate: start), action: .strokeBegun(stroke)))
    }
    let timeline = try Timeline(of: RecordedStrokes(recording))
    #expect(timeline.starts == [0, 1, 3])
  }

  @Test func `points whose times run back are all drawn by the time of the last one`() throws {
    let path = Self.stroke(at: 0, [0, 2, 1, 1, 3]).path
    let clock = StrokeClock(path)
    #expect(clock.length == 3)
    #expect(clock.parameter(after: 0) == 0)
    #expect(clock.parameter(after: 1) == 0.5)
    // The pen rests until its times reach their former maximum.
    #expect(clock.parameter(after: 2) == 3)
    #expect(clock.parameter(after: 2.5) == 3.5)
    #expect(clock.parameter(after: 3) == 4)
  }

  @Test func `strokes without times are drawn at the pen's speed`() throws {
    let strokes = [Self.stroke(at: 5, [0, 0, 0]), Self.stroke(at: 5, [0])]
    let timeline = try Self.timeline(strokes)
    #expect(timeline.lengths == [60 / Timeline.penSpeed, 0])
    #expect(timeline.state(at: 0.05) == PageState(doneSteps: 0, growing: 0.05))
    let clock = StrokeClock(strokes[0].path)
    #expect(abs(clock.parameter(after: 0.05) - 1) < 1e-12)
  }

  @Test func `a hundred thousand dots at one moment take no time`() throws {
    let dot = Self.stroke(at: 1, [0])
    let timeline = try Self.timeline([PKStroke](repeating: dot, count: 100_000))
    #expect(timeline.duration == 0)
    #expect(timeline.state(at: 0) == PageState(doneSteps: 100_000, growing: nil))
    let playback = Playback(timeline, Playback.Options(hold: 2))
    #expect(playback.duration == 2)
    #expect(playback.state(at: 0) == PageState(doneSteps: 100_000, growing: nil))
  }

  @Test func `an empty recording takes no time`() throws {
    let timeline = try Timeline(of: RecordedStrokes(Recording()))
    #expect(timeline.duration == 0)
    #expect(timeline.state(at: 5) == PageState(doneSteps: 0, growing: nil))
  }

  @Test func `random recordings with broken clocks give a timeline that only moves forwards`()
    throws
  {
    var random = RandomInk(seed: 12)
    for _ in 0..<600 {
      let source = RecordedStrokes(random.recording(eventCount: 0...30))
      try Self.checkLaws(source, maximumPause: [0, 0.5, .infinity][random.whole(0...2)])
    }
  }

  @Test(.enabled(if: Corpus.isPresent, "skipped: there is no ../shared/corpus on this machine"))
  func `recordings of the corpus give a timeline that only moves forwards`() throws {
    var count = 0
    for name in Corpus.names(in: "quickdraw-raw", suffix: ".ndjson") {
      for drawing in try TimedInk.quickDraw(name).prefix(12) {
        try Self.checkLaws(RecordedStrokes(drawing), maximumPause: 0.5)
        count += 1
      }
    }
    for name in Corpus.names(in: "omniglot", suffix: ".txt").prefix(400) {
      try Self.checkLaws(RecordedStrokes(try TimedInk.omniglot(name)), maximumPause: 1)
      count += 1
    }
    let session = RecordedStrokes(try TimedInk.myPaint())
    try Self.checkLaws(session, maximumPause: .infinity)
    // The session lasts half a minute, including hovering at both ends.
    let duration = try Timeline(of: session).duration
    #expect((20...31).contains(duration))
    #expect(count > 500)
  }

  private static func checkLaws(_ source: RecordedStrokes, maximumPause: Double) throws {
    let timeline = try Timeline(of: source, maximumPause: maximumPause)
    let (starts, lengths) = (timeline.starts, timeline.lengths)
    #expect(starts.first ?? 0 == 0)
    var sum = 0.0
    for step in starts.indices {
      #expect(lengths[step] >= 0 && lengths[step].isFinite && starts[step].isFinite)
      let pause = step > 0 ? starts[step] - (starts[step - 1] + lengths[step - 1]) : 0
      // Sums of large numbers are rounded.
      let rounding = 1e-9 * max(1, starts[step].magnitude)
      #expect(pause >= -rounding && pause <= maximumPause + rounding)
      sum += pause + lengths[step]
    }
    #expect(abs(sum - timeline.duration) <= 1e-6 * max(1, sum))
    // States only move forwards, too.
    var last = PageState(doneSteps: 0, growing: nil)
    for number in 0...40 {
      let state = timeline.state(at: timeline.duration * Double(number) / 40)
      let isLater =
        state.doneSteps > last.doneSteps
        || state.doneSteps == last.doneSteps && state.growing ?? 0 >= last.growing ?? 0
      #expect(isLater)
      last = state
    }
    #expect(timeline.state(at: .infinity).doneSteps == timeline.history.steps.count)
    for showing in timeline.history.showings.indices {
      let stroke = try timeline.history.stroke(ofShowing: showing, in: source)
      let clock = StrokeClock(stroke.path)
      var parameter = 0.0
      for number in 0...10 {
        let share = number < 10 ? Double(number) / 10 : 1
        let next = clock.parameter(after: clock.length * share)
        #expect(next >= parameter && next <= stroke.path.parameterRange.upperBound)
        parameter = next
      }
      if clock.length > 0 { #expect(parameter == stroke.path.parameterRange.upperBound) }
    }
  }
}

@Suite struct PlaybackTests {
  private static let timeline: Timeline? = try? Timeline(
    of: RecordedStrokes(
      PKDrawing(
        strokes: (0..<4).map { number in
          PKStroke(
            ink: PKInk(.pen),
            path: PKStrokePath(
              controlPoints: [0.0, 1].map { time in
                PKStrokePoint(
                  location: Point(x: 100 * time, y: 0), timeOffset: time,
                  size: Size(width: 3, height: 3), opacity: 1, force: 1, azimuth: 0, altitude: 1)
              }, creationDate: Timestamp(secondsSinceReferenceDate: 2 * Double(number))))
        })))

  @Test func `speed, duration and hold set how long watching takes`() throws {
    let timeline = try #require(Self.timeline)
    #expect(timeline.duration == 7)
    #expect(Playback(timeline).duration == 7)
    #expect(Playback(timeline, .init(speed: 2)).duration == 3.5)
    #expect(Playback(timeline, .init(speed: 2, duration: 3, hold: 1)).duration == 4)
    let fast = Playback(timeline, .init(speed: 2))
    #expect(fast.state(at: 1.25) == timeline.state(at: 2.5))
    #expect(fast.state(at: 99) == timeline.state(at: 7))
  }

  @Test func `a part begins and ends at its bounds`() throws {
    let timeline = try #require(Self.timeline)
    let playback = Playback(timeline, .init(part: 2.5...4.5))
    #expect(playback.duration == 2)
    #expect(playback.state(at: 0) == timeline.state(at: 2.5))
    #expect(playback.state(at: 5) == timeline.state(at: 4.5))
    #expect(Playback(timeline, .init(part: 90...99)).duration == 0)
  }

  @Test func `steps show whole strokes, one by one`() throws {
    let timeline = try #require(Self.timeline)
    let playback = Playback(timeline, .init(stepping: .steps(each: 0.5)))
    #expect(playback.duration == 2)
    for step in 0..<4 {
      #expect(
        playback.state(at: Double(step) * 0.5) == PageState(doneSteps: step + 1, growing: nil))
    }
  }

  @Test func `a smooth playback starts and ends slowly and reaches the end`() throws {
    let timeline = try #require(Self.timeline)
    let playback = Playback(timeline, .init(ease: .smooth))
    #expect(playback.state(at: 3.5) == timeline.state(at: 3.5))
    #expect(playback.state(at: 0.7).growing ?? 1 < 0.7)
    #expect(playback.state(at: 7) == timeline.state(at: 7))
  }
}
