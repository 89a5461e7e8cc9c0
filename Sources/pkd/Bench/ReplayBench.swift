import Animation
import Graphics
import Interchange
import Measurement
import PNGFormat
import Rasterization
import Replay
import Strokes

/// Recordings to frames, on one thread.
enum ReplayBench {
  /// Ten seconds, or one, at 30 frames per second, whatever the length of the recording.
  private static let frameCount = (full: 300, quick: 30)
  private static let leapCount = 16

  static func figures(_ input: BenchInput, _ plan: BenchPlan) throws -> [Figure] {
    let source = input.file.recordingSource().value
    let count = plan.isQuick ? frameCount.quick : frameCount.full
    let timeline = try Timeline(of: source, maximumPause: 0.5)
    guard let rate = FrameRate(30) else { return [] }
    let schedule = try FrameSchedule(
      Playback(timeline, Playback.Options(duration: Double(count - 1) * rate.interval)), rate: rate)
    let renderer = try FrameRenderer(of: source, timeline)
    let properties = PNGProperties(
      width: renderer.width, height: renderer.height, isOpaque: renderer.background.alpha == 1,
      scale: renderer.scale)
    func animation() throws -> [UInt8] {
      try FrameRenderer(of: source, timeline).apng(schedule, properties)
    }
    // Its errors are those of the samples.
    let size = try animation().count
    var moments = Moments(timeline)
    let samples = times(
      plan.effort,
      [
        { try? renderer.draw(schedule) { frame in consume(frame) } },
        { consume(try? animation()) },
        { for _ in 0..<leapCount { consume(try? renderer.show(moments.next())) } },
        {
          guard let timeline = try? Timeline(of: input.file.recordingSource().value),
            let renderer = try? FrameRenderer(of: source, timeline)
          else { return }
          consume(try? renderer.show(timeline.state(at: 0.618 * timeline.duration)))
        },
      ])
    func frames(_ seconds: Double) -> Figure.Detail {
      Figure.Detail(Double(schedule.count) / seconds, "frames/s")
    }
    return [
      .milliseconds("draw \(schedule.count) frames", samples[0]) { [frames($0)] },
      .milliseconds("draw them as APNG", samples[1]) { [frames($0)] },
      .milliseconds("seek to a moment", samples[2].map { $0 / Double(leapCount) }) {
        [Figure.Detail(1 / $0, "seeks/s")]
      },
      .milliseconds("open and seek", samples[3]),
      Figure("size, APNG", "bytes", [Double(size)]),
    ]
  }

  /// Moments all over a recording, each another one: multiples of the golden ratio.
  private struct Moments {
    let timeline: Timeline
    private var part = 0.0

    init(_ timeline: Timeline) { self.timeline = timeline }

    mutating func next() -> PageState {
      part = (part + 0.618_034).truncatingRemainder(dividingBy: 1)
      return timeline.state(at: part * timeline.duration)
    }
  }
}
