import Animation
import Glibc
import Graphics
import Measurement
import PKDFormat
import PNGFormat
import Rasterization
import Replay
import Strokes
import System

/// Recordings as moving pictures, and seeking in them.
enum ReplayBenchmarks {
  /// The word on the command line of a process that replays and prints its peak memory.
  static let childWord = "memory-of-replay"
  private static let page = Recording.Canvas(size: Size(width: 1024, height: 1366))

  static func figures(_ effort: Effort) -> [Figure] {
    animation(effort) + frameCost(effort) + seeking(effort) + video(effort)
  }

  /// The frames of a recording in ten seconds at 30 frames per second.
  private static func schedule(_ timeline: Timeline) -> FrameSchedule? {
    guard let rate = FrameRate(30) else { return nil }
    return try? FrameSchedule(
      Playback(timeline, Playback.Options(duration: 299.0 / 30)), rate: rate)
  }

  /// A recording as an animated PNG; nil if the bytes are not a recording.
  static func animation(_ bytes: [UInt8]) -> [UInt8]? {
    guard let reader = try? PKDReader(bytes), let timeline = try? Timeline(of: reader),
      let renderer = try? FrameRenderer(of: reader, timeline), let schedule = schedule(timeline)
    else { return nil }
    return try? renderer.apng(
      schedule,
      PNGProperties(width: renderer.width, height: renderer.height, isOpaque: true, scale: 1))
  }

  private static func animation(_ effort: Effort) -> [Figure] {
    let bytes =
      (try? PKDWriter.encode(Recording(Workload.wanderings(), canvas: page))) ?? []
    let size = animation(bytes)?.count ?? 0
    let warm = times(effort, [{ consume(animation(bytes)) }])
    var figures = [
      Figure(
        "replay, 300 frames of 60 strokes to APNG", "ms", warm[0].map { $0 * 1e3 }),
      Figure("replay, its size", "kB", [Double(size) / 1e3], goal: .atMost(430)),
    ]
    figures += withTemporaryFile(bytes) { path in
      processes(effort, path)
        + [
          Double(output(of: "'\(CommandLine.arguments[0])' \(childWord) '\(path)'")).map {
            Figure("replay, memory of that", "MB", [$0], goal: .atMost(3 * 5.6 + 64))
          }
        ].compactMap { $0 }
    }
    return figures
  }

  /// The path of `pkd` beside this program; nil if it was not built.
  private static var program: String? {
    let path = CommandLine.arguments[0]
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    return access(folder + "pkd", X_OK) == 0 ? folder + "pkd" : nil
  }

  private static func processes(_ effort: Effort, _ path: String) -> [Figure] {
    guard let program else { return [] }
    func milliseconds(_ words: String) -> [Double] {
      (0..<effort.samples).map { _ in
        let start = MonotonicTime.now
        _ = output(of: "'\(program)' replay --threads 1 '\(path)' --duration 9.967 \(words)")
        return (MonotonicTime.now - start) * 1e3
      }
    }
    let animation = milliseconds("-o '\(path).apng'")
    unlink(path + ".apng")
    let video = milliseconds("--hold 0 --to y4m -o - | cat >/dev/null")
    return [
      Figure(
        "replay, the whole process of that with a shell", "ms", animation, goal: .atMost(70)),
      Figure(
        "replay, 1024×1366 as Y4M through a pipe, whole process", "frames/s",
        video.map { 300 / $0 * 1e3 }, goal: .atLeast(300)),
    ]
  }

  /// Replays a recording and prints the peak memory in MB.
  static func printPeak(replaying path: String) {
    consume(animation(contents(of: path)))
    print(Double(PeakMemory.ofThisProcess()) / 1e6)
  }

  /// Drawing frames, on a page and on one ten times as large with the same ink.
  private static func frameCost(_ effort: Effort) -> [Figure] {
    let source = RecordedStrokes(Workload.wanderings(), canvas: page)
    let large = RecordedStrokes(
      Workload.wanderings(),
      canvas: Recording.Canvas(size: Size(width: 1024 * 3.1623, height: 1366 * 3.1623)))
    guard let timeline = try? Timeline(of: source), let schedule = schedule(timeline),
      let small = try? FrameRenderer(of: source, timeline),
      let wide = try? FrameRenderer(of: large, timeline)
    else { return [] }
    let samples = times(
      effort,
      [small, wide].map { renderer in
        { try? renderer.draw(schedule) { frame in consume(frame) } }
      })
    let ratios = zip(samples[0], samples[1]).map { $1 / $0 }
    return [
      Figure("replay, drawing a frame", "µs", samples[0].map { $0 / 300 * 1e6 }),
      Figure("replay, a frame on ten times the page", "×", ratios, goal: .atMost(1.2)),
    ]
  }

  /// Seeking in a long recording.
  private static func seeking(_ effort: Effort) -> [Figure] {
    let count = effort.samples < Effort.full.samples ? 100 : 3000
    let bytes =
      (try? PKDWriter.encode(
        Recording(Workload.wanderings(count, pointCount: 100), canvas: page))) ?? []
    guard let reader = try? PKDReader(bytes), let timeline = try? Timeline(of: reader),
      let renderer = try? FrameRenderer(of: reader, timeline)
    else { return [] }
    var fraction = 0.0
    func next() -> PageState {
      // Multiples of the golden ratio give distinct moments all over the recording.
      fraction = (fraction + 0.618_034).truncatingRemainder(dividingBy: 1)
      return timeline.state(at: fraction * timeline.duration)
    }
    for step in 0...100 {
      _ = try? renderer.show(timeline.state(at: Double(step) / 100 * timeline.duration))
    }
    let samples = effort.samples * 2
    let warm = (0..<samples).map { _ in
      let start = MonotonicTime.now
      _ = try? renderer.show(next())
      return (MonotonicTime.now - start) * 1e3
    }
    let cold = (0..<samples).map { _ in
      let start = MonotonicTime.now
      if let reader = try? PKDReader(bytes), let timeline = try? Timeline(of: reader),
        let renderer = try? FrameRenderer(of: reader, timeline)
      {
        _ = try? renderer.show(next())
      }
      return (MonotonicTime.now - start) * 1e3
    }
    func slowest(_ samples: [Double]) -> [Double] { [samples.max() ?? 0] }
    let name = "replay, leap among \(count) strokes of 100 points"
    return [
      Figure("\(name), warm", "ms", warm, goal: .atMost(20)),
      Figure("\(name), warm, slowest", "ms", slowest(warm)),
      Figure("\(name), from the file's bytes", "ms", cold, goal: .atMost(60)),
      Figure("\(name), from the file's bytes, slowest", "ms", slowest(cold)),
      Figure(
        "replay, copies of layers", "MB", [Double(renderer.cacheByteCount) / 1e6], goal: .atMost(64)
      ),
    ]
  }

  /// Frames as plain numbers, without a pipe.
  private static func video(_ effort: Effort) -> [Figure] {
    let source = RecordedStrokes(Workload.wanderings(), canvas: page)
    guard let timeline = try? Timeline(of: source), let schedule = schedule(timeline),
      let renderer = try? FrameRenderer(of: source, timeline)
    else { return [] }
    let samples = times(
      effort,
      [
        {
          var video = PlainVideo<Never>(
            .y4m(schedule.rate), width: renderer.width, height: renderer.height
          ) { consume($0) }
          try? renderer.draw(schedule) { frame in video.add(frame) }
        }
      ])
    return [
      Figure("replay, 1024×1366 as Y4M, discarded", "frames/s", samples[0].map { 300 / $0 })
    ]
  }
}
