import Graphics
import PNGFormat
import Rasterization
import Replay
import Strokes
import TestSupport
import Testing

@testable import Animation

@Suite struct `The work of a replay` {
  /// A file of a few kilobytes: each of its frames is within the limit, but all of them would take
  /// a minute.
  @Test func `one limit of work counts for all frames of a replay`() throws {
    var random = SplitMix64(seed: 5)
    let points = (0..<3_000).map { number in
      PKStrokePoint(
        location: Point(
          x: .random(in: 100..<350, using: &random), y: .random(in: 100..<350, using: &random)),
        timeOffset: Double(number) / 1_000,
        size: Size(width: number % 2 == 0 ? 3 : 1_000, height: 3),
        opacity: 1, force: 1, azimuth: 0, altitude: 1)
    }
    let stroke = PKStroke(
      ink: PKInk(.reed, color: .black), path: PKStrokePath(controlPoints: points))
    let sample = Sample(name: "wide", recording: Recording(PKDrawing(strokes: [stroke])))
    let renderer = try sample.renderer(RenderOptions(extent: .longerSide(64)))
    _ = try renderer.show(renderer.timeline.state(at: .infinity))

    let schedule = try schedule(renderer, seconds: 20)
    var count = 0
    let error = #expect(throws: FrameFailure<Never>.self) {
      try renderer.draw(schedule) { _ throws(Never) in count += 1 }
    }
    guard case .drawing(let failure) = error, case .tooMuchWork = failure.problem else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(count < schedule.count / 2)

    // An encoder that misses frames does not hide the reason.
    let properties = PNGProperties(width: renderer.width, height: renderer.height)
    let png = #expect(throws: FrameFailure<PNGError>.self) {
      try renderer.apng(schedule, properties)
    }
    guard case .drawing(let reason) = png, case .tooMuchWork = reason.problem else {
      Issue.record("\(String(describing: png))")
      return
    }
  }

  @Test(arguments: Sample.all)
  func `replaying ordinary drawings stays far below the limit`(sample: Sample) throws {
    for side in [64, 400] {
      let renderer = try sample.renderer(RenderOptions(extent: .longerSide(side)))
      let schedule = try schedule(renderer, seconds: 3)
      for turn in 1...2 {
        try renderer.draw(schedule) { _ throws(Never) in }
        let work = renderer.work(ofFrames: schedule.count)
        #expect(work.visits < Double(turn) * work.limit / 8, "\(side): \(work)")
      }
    }
  }

  @Test func `ink far outside takes little of an animated SVG`() throws {
    let points = (0..<4).map { number in
      PKStrokePoint(
        location: Point(x: number % 2 == 1 ? 3e38 : 10, y: Double(number)),
        timeOffset: Double(number) / 10, size: Size(width: 3, height: 3), opacity: 1, force: 1,
        azimuth: 0, altitude: 1)
    }
    let ink = PKInk(.crayon, color: .black, widthLaw: .plain)
    let stroke = PKStroke(ink: ink, path: PKStrokePath(controlPoints: points))
    let source = RecordedStrokes(Recording(PKDrawing(strokes: [stroke])))
    let options = RenderOptions(region: Rect(x: 0, y: 0, width: 100, height: 100))
    let picture = try AnimatedSVG(
      of: source, Playback(try Timeline(of: source)), options: options)
    #expect(picture.bytes.count < 100_000, "\(picture.bytes.count)")
  }

  private func schedule(_ renderer: FrameRenderer, seconds: Double) throws -> FrameSchedule {
    try FrameSchedule(
      Playback(renderer.timeline, Playback.Options(duration: seconds)),
      rate: try #require(FrameRate(15)))
  }
}
