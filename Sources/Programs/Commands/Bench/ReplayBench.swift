import InkFiles
import Animation
import Graphics
import ForeignInk
import Measurement
import PNGFormat
import Rasterization
import Replay
import Strokes

/// Recordings to frames, on one thread.
enum ReplayBench {
  /// Ten seconds, or one, at 30 frames per second, for recordings of any length.
  private static let frameCount = (full: 300, quick: 30)
  /// The duration until the last frame.
  private static func seconds(_ plan: BenchPlan) -> Double {
    Double((plan.isQuick ? frameCount.quick : frameCount.full) - 1) / 30
  }

  static func figures(_ input: BenchInput, _ plan: BenchPlan) throws -> [Figure] {
    let source = input.file.replay().source
    let timeline = try Timeline(of: source, maximumPause: 0.5)
    guard let rate = FrameRate(30) else { return [] }
    let schedule = try FrameSchedule(
      Playback(timeline, Playback.Options(duration: seconds(plan))), rate: rate)
    let renderer = try FrameRenderer(of: source, timeline)
    let properties = PNGProperties(
      width: renderer.width, height: renderer.height, isOpaque: renderer.background.alpha == 1,
      scale: renderer.scale)
    func animation() throws -> [UInt8] {
      try FrameRenderer(of: source, timeline).apng(schedule, properties)
    }
    let leapCount = plan.isQuick ? 4 : 16
    // Reports errors before the samples are taken.
    let size = try animation().count
    let worst = try slowestMoment(input, leapCount)
    var moments = Moments()
    let samples = try samples(
      plan.effort,
      [
        Work { try? renderer.draw(schedule) { frame in consume(frame) } },
        Work { consume(try? animation()) },
        Work {
          for _ in 0..<leapCount {
            consume(try? renderer.show(timeline.state(at: moments.next() * timeline.duration)))
          }
        },
        Work { try? openAndSeek(input, to: usualMoment) },
        Work { try? openAndSeek(input, to: worst) },
      ])
    func frames(_ seconds: Double) -> Figure.Detail {
      Figure.Detail(Double(schedule.count) / seconds, "frames/s")
    }
    return [
      .milliseconds("draw \(schedule.count) frames", samples[0]) { [frames($0)] },
      .milliseconds("draw them as APNG", samples[1]) { [frames($0)] },
      .milliseconds("seek to a moment", samples[2].divided(by: leapCount)) {
        [Figure.Detail(1 / $0, "seeks/s")]
      },
      .milliseconds("open and seek", samples[3]),
      .milliseconds("open and seek, worst", samples[4]),
      Figure("size, APNG", "bytes", [Double(size)]),
    ]
  }

  /// The command for the same replay, as a process.
  static func process(_ input: BenchInput, _ plan: BenchPlan) throws -> [Figure] {
    try BenchFolder.with { folder in
      let path = try input.path ?? folder.write(input.bytes, to: "page.ink")
      let command = MeasuredCommand(
        "replay, process",
        ["replay", "--quiet", "--threads", "1", "--duration", "\(seconds(plan))", "--hold", "0"],
        output: folder.file("replay.apng"), files: [path],
        acceptsDamage: !input.file.damage.isEmpty)
      return [try command.figure(try samples(plan.effort, [command.work])[0])]
    }
  }

  // MARK: - Seeking

  /// The moment to seek, as a fraction of the duration.
  private static let usualMoment = 0.618

  /// Shows a moment of a recording, starting from its bytes.
  private static func openAndSeek(_ input: BenchInput, to part: Double) throws {
    let source = try DrawingFile(input.bytes).replay().source
    let timeline = try Timeline(of: source)
    let renderer = try FrameRenderer(of: source, timeline)
    consume(try renderer.show(timeline.state(at: part * timeline.duration)))
  }

  /// The slowest of several moments to open and seek, as a fraction of the duration.
  private static func slowestMoment(_ input: BenchInput, _ count: Int) throws -> Double {
    let parts = [usualMoment] + (1...count).map { Double($0) / Double(count) }
    let taken = try parts.map { part in try Taken { try openAndSeek(input, to: part) } }
    return zip(parts, taken).max { $0.1.seconds < $1.1.seconds }?.0 ?? 1
  }

  /// Distinct moments all over a recording, as fractions of its duration: multiples of the golden
  /// ratio.
  private struct Moments {
    private var part = 0.0

    mutating func next() -> Double {
      part = (part + 0.618_034).truncatingRemainder(dividingBy: 1)
      return part
    }
  }
}
