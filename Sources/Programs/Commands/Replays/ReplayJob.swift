import Animation
import Glibc
import Graphics
import PKDFormat
import PNGFormat
import Pictures
import Rasterization
import Replay
import Strokes
import System

/// The replay of one recording to one moving picture.
struct ReplayJob {
  let input: SystemString
  let output: ReplayOutput
  let mayReplace: Bool
  let pictures: PictureOptions
  let options: ReplayOptions

  func carryOut(_ recording: ReplayInput, _ console: inout Console) throws {
    let source = recording.source
    let schedule: FrameSchedule
    let renderer: FrameRenderer
    let start = MonotonicTime.now
    do {
      let timeline = try Timeline(of: source, maximumPause: options.maximumPause)
      // A page draws its own frames, at any rate.
      let rate = output.form == .html ? FrameRate(1, in: 1000) : nil
      schedule = try FrameSchedule(Playback(timeline, options.playback), rate: rate ?? options.rate)
      renderer = try makeRenderer(of: source, timeline)
    } catch {
      return console.fail("\(input): \(advice(on: error))", exitCode(for: error))
    }
    guard mayWriteOutput(frameCount: schedule.count, &console) else { return }
    let history = renderer.timeline.history
    if history.gapCount > 0 {
      console.note(
        "\(input): \(history.gapCount) events refer to missing strokes and are skipped; "
          + "the first is event \(history.gaps[0].event)")
    }
    do {
      try write(renderer, schedule, recording, &console)
    } catch {
      console.endProgress()
      try report(error, &console)
      return
    }
    console.endProgress()
    for ink in renderer.unknownInks.sorted() {
      console.note("\(input): the ink '\(ink)' is unknown and drawn as pen")
    }
    if console.isVerbose {
      console.note(
        "\(input) → \(output.path), \(renderer.width)×\(renderer.height) pixels, "
          + "\(schedule.count) frames of \(schedule.playback.duration.short) s, "
          + "\(history.steps.count) steps, \(((MonotonicTime.now - start) * 1000).short) ms")
    }
  }

  private func makeRenderer(
    of source: any RecordingSource, _ timeline: Timeline
  ) throws(RenderError) -> FrameRenderer {
    var rendering = pictures.rendering
    while true {
      do throws(RenderError) {
        return try FrameRenderer(
          of: source, timeline, options: rendering, cacheLimit: 16 << 20, isAscending: true)
      } catch {
        // For a page that draws itself, only the size of the visible region matters, and a smaller
        // picture has the same.
        guard output.form == .html, case .tooLarge = error.problem,
          case .scale(let scale) = rendering.extent, scale > 1e-6
        else { throw error }
        rendering.extent = .scale(scale / 4)
      }
    }
  }

  /// Whether all output paths may be written. Reports the first one that may not.
  private func mayWriteOutput(frameCount: Int, _ console: inout Console) -> Bool {
    for number in 1...max(output.form == .frames ? frameCount : 1, 1) {
      let name = output.name(number)
      if name == .standardStream { continue }
      if input != .standardStream, isSameFile(input, name) {
        console.fail("\(name): this is the recording itself", .usage)
        return false
      }
      guard console.mayWrite(name, mayReplace: mayReplace) else { return false }
    }
    return true
  }

  private func write(
    _ renderer: FrameRenderer, _ schedule: FrameSchedule, _ recording: ReplayInput,
    _ console: inout Console
  ) throws {
    switch output.form {
    case .apng:
      try writeWhole(
        try renderer.apng(
          schedule, properties(of: renderer), loopCount: options.loopCount,
          hasPoster: options.hasPoster
        ) { console.showProgress($0, of: schedule.count, "frames") })
    case .frames: try writeFrames(renderer, schedule, &console)
    case .html: try writeWhole(try page(renderer, schedule, recording))
    case .svg:
      let picture = try AnimatedSVG(
        of: recording.source, schedule.playback, options: pictures.rendering,
        loopCount: options.loopCount)
      try writeWhole(picture.bytes)
    case .gif:
      let palette = try renderer.palette(schedule)
      try stream(renderer, schedule, &console) { file in
        try GIFVideo<SystemError>(
          width: renderer.width, height: renderer.height, palette: palette,
          loopCount: options.loopCount
        ) { bytes throws(SystemError) in try file.write(bytes) }
      }
    case .webp:
      try stream(renderer, schedule, &console) { file in
        try WebPVideo<SystemError>(
          width: renderer.width, height: renderer.height, loopCount: options.loopCount
        ) { bytes throws(SystemError) in try file.write(bytes) }
      }
    case .y4m, .rgba:
      try stream(renderer, schedule, &console) { file in
        try PlainVideo<SystemError>(
          output.form == .y4m ? .y4m(schedule.rate) : .rgba, width: renderer.width,
          height: renderer.height, lastRepetitions: schedule.lastRepetitions
        ) { bytes throws(SystemError) in try file.write(bytes) }
      }
    case .mp4, .webm: try encodeVideo(renderer, schedule, &console)
    }
  }

  /// Writes a complete file. Not durable, because it can be rendered again.
  private func writeWhole(_ bytes: [UInt8]) throws(SystemError) {
    try writeFile(to: output.path, mayReplace: mayReplace, isDurable: false) {
      file throws(SystemError) in try file.write(bytes)
    }
  }

  /// Writes a moving picture while it is drawn.
  private func stream<Sink: FrameSink>(
    _ renderer: FrameRenderer, _ schedule: FrameSchedule, _ console: inout Console,
    _ begin: (OutputFile) throws -> Sink
  ) throws {
    try checkDepth()
    var failure: (any Error)?
    do throws(SystemError) {
      try writeFile(to: output.path, mayReplace: mayReplace, isDurable: false) {
        file throws(SystemError) in
        do {
          var sink = try begin(file)
          try draw(renderer, schedule, to: &sink, &console)
        } catch {
          failure = error
          // Throws, so that the unfinished file is deleted.
          throw SystemError(output.path.description, code: ECANCELED)
        }
      }
    } catch {
      throw failure ?? error
    }
  }

  private func draw<Sink: FrameSink>(
    _ renderer: FrameRenderer, _ schedule: FrameSchedule, to sink: inout Sink,
    _ console: inout Console
  ) throws {
    try renderer.draw(schedule) { frame throws(Sink.Failure) in
      try sink.add(frame)
      console.showProgress(frame.number + 1, of: schedule.count, "frames")
    }
    try sink.finish()
  }

  /// Encodes frames as a video with `ffmpeg`.
  private func encodeVideo(
    _ renderer: FrameRenderer, _ schedule: FrameSchedule, _ console: inout Console
  ) throws {
    try checkDepth()
    guard let kind = VideoPipe.Kind(rawValue: output.form.rawValue) else { return }
    let pipe = try VideoPipe(
      output: output.path, mayReplace: mayReplace, kind: kind,
      threads: pictures.rendering.threads)
    var video = try PlainVideo<VideoPipeError>(
      .y4m(schedule.rate), width: renderer.width, height: renderer.height,
      lastRepetitions: schedule.lastRepetitions
    ) { bytes throws(VideoPipeError) in try pipe.write(bytes) }
    try draw(renderer, schedule, to: &video, &console)
    try pipe.finish(frameCount: schedule.count + schedule.lastRepetitions - 1)
  }

  private func checkDepth() throws(AnimationError) {
    guard pictures.rendering.depth == .eight else {
      throw .unsupported("--depth 16 is for PNG; .\(output.form.rawValue) has 8 bits")
    }
  }

  /// An HTML page with a player for the recording.
  private func page(
    _ renderer: FrameRenderer, _ schedule: FrameSchedule, _ recording: ReplayInput
  ) throws -> [UInt8] {
    let name = String(
      decoding: input.bytes[input.folder.bytes.count...], as: UTF8.self)
    let (timeline, wanted) = (schedule.playback.timeline, options.playback)
    let exact = wanted.duration.map { timeline.duration / $0 } ?? wanted.speed
    guard timeline.duration == 0 || HTMLPlayer.speeds.contains(exact) else {
      throw AnimationError.unsupported(
        "a page plays \(HTMLPlayer.speeds.lowerBound.short) to "
          + "\(HTMLPlayer.speeds.upperBound.short) times as fast as the ink was drawn, "
          + "and not \(exact.short) times")
    }
    // Rounded for display.
    let speed = (exact * 100).rounded() / 100
    let rendering = pictures.rendering
    // Ink and sheet follow the page's theme, unless a style or a background is chosen.
    let background: HTMLPlayer.Settings.Background =
      switch rendering.background {
      case .page:
        pictures.setsStyle || recording.source.canvas.background ?? .white != .white
          ? .page : .sheet
      case .transparent: .transparent
      case .color(let color): .color(color)
      case .automatic, .sheet: .color(renderer.background)
      }
    let bytes = try recording.bytes()
    var settings = HTMLPlayer.Settings(
      title: recording.source.canvas.metadata["title"] ?? name, view: renderer.visible,
      background: background,
      style: pictures.setsStyle || rendering.background != .page ? rendering.style : nil,
      paper: rendering.showsPattern ? rendering.paper : .blank, earlier: rendering.earlier,
      speed: speed, maximumPause: options.maximumPause.isFinite ? options.maximumPause : nil,
      hold: wanted.hold, isLooping: options.isLoopGiven && options.loopCount != 1)
    if bytes.count >= Self.minimumBytesWithPoster {
      settings.poster = try poster(of: recording.source, timeline, on: background)
    }
    return try HTMLPlayer(settings).page(playing: bytes)
  }

  /// The minimum size of recordings with a poster: a page takes a noticeable time to draw them.
  private static let minimumBytesWithPoster = 1 << 18

  /// A small picture of the finished drawing. It is transparent where the page's sheet is visible.
  private func poster(
    of source: any RecordingSource, _ timeline: Timeline,
    on background: HTMLPlayer.Settings.Background
  ) throws -> [UInt8] {
    var rendering = pictures.rendering
    rendering.extent = .longerSide(320)
    if background == .sheet { rendering.background = .transparent }
    return try Picture(of: source, on: timeline, at: timeline.end, rendering).png(effort: .small)
  }

  private func writeFrames(
    _ renderer: FrameRenderer, _ schedule: FrameSchedule, _ console: inout Console
  ) throws {
    try makeFolder(output.path)
    let properties = properties(of: renderer)
    var written = 0
    do {
      try renderer.draw(schedule) { frame throws(SystemError) in
        try writeFile(
          to: output.name(frame.number + 1), mayReplace: mayReplace, isDurable: false
        ) { file throws(SystemError) in
          try pictures.write(frame.bands, properties, to: file)
        }
        written += 1
        console.showProgress(written, of: schedule.count, "frames")
      }
    } catch {
      if written > 0 {
        console.note("\(written) of \(schedule.count) frames were written")
      }
      throw error
    }
  }

  private func properties(of renderer: FrameRenderer) -> PNGProperties {
    PNGProperties(
      of: renderer.bands, background: renderer.background, scale: renderer.scale,
      texts: pictures.texts)
  }

  private func report(_ error: any Error, _ console: inout Console) throws {
    switch error {
    case let error as any WrappedError: try report(error.cause, &console)
    case let error as SystemError:
      // The reader has closed the pipe.
      guard error.code != EPIPE else { throw error }
      console.fail("\(error)", .failed)
    case is VideoPipeError: console.fail("\(error)", .failed)
    default: console.fail("\(input): \(advice(on: error))", exitCode(for: error))
    }
  }

  /// The exit code for an error: wrong options, bad input or a failure of the machine.
  private func exitCode(for error: any Error) -> ExitCode {
    switch error {
    case let error as RenderError:
      switch error.problem {
      case .unreadable, .tooMuchWork: .badData
      case .notANumber, .empty, .tooLarge, .noPage: .usage
      }
    case is ReplayError: .badData
    case let error as AnimationError:
      if case .missing = error { .failed } else { .usage }
    default: .failed
    }
  }
}

/// An error that wraps another one.
private protocol WrappedError: Error {
  var cause: any Error { get }
}

extension FrameFailure: WrappedError {
  fileprivate var cause: any Error {
    switch self {
    case .drawing(let error): error
    case .sink(let error): error
    }
  }
}

extension VideoFailure: WrappedError {
  fileprivate var cause: any Error {
    switch self {
    case .video(let error): error
    case .output(let error): error
    }
  }
}

extension Double {
  /// The number with at most one decimal.
  var short: String {
    let tenths = (self * 10).rounded() / 10
    return tenths == tenths.rounded() && tenths.magnitude < 1e15
      ? "\(Int(clamping: tenths))" : "\(tenths)"
  }
}
