import Replay
import Graphics
import Rasterization
import Strokes
import TestSupport
import Testing

@testable import Animation

@Suite struct `The work of a replay` {
  /// A file of a few kilobytes: each of its frames may be drawn, and all of them would take a minute.
  @Test func `has one limit for all frames`() throws {
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
  }

  @Test(arguments: Sample.all)
  func `of ordinary drawings is far below the limit, again and again`(sample: Sample) throws {
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

  private func schedule(_ renderer: FrameRenderer, seconds: Double) throws -> FrameSchedule {
    try FrameSchedule(
      Playback(renderer.timeline, Playback.Options(duration: seconds)),
      rate: try #require(FrameRate(15)))
  }
}
