import Animation
import Glibc
import Graphics
import Interchange
import PNGFormat
import Rasterization
import Replay
import Strokes

/// `pkd replay`: recordings as moving pictures.
let replayCommand = CommandDefinition(
  name: "replay",
  summary: "Show ink being drawn, as moving pictures.",
  operands: "IN",
  operandCount: 1...1,
  options: [
    Option(
      "output", letter: "o", value: "OUT",
      help: "NAME.apng, NAME.y4m, FOLDER/%05d.png, or '-' with --to; NAME.apng unless given."),
    Option("to", choices: ReplayOutput.Form.allCases.map(\.rawValue), help: "What to write."),
    Option("force", help: "Replace what is there already."),
    Option(
      "from", choices: DrawingFile.Format.allCases.map(\.rawValue),
      help: "Take the file for this format instead of looking at its content."),
  ] + ReplayOptions.table + PictureOptions.table,
  examples: [
    ("pkd replay page.pkd", "Write page.apng, as it was drawn, with short pauses."),
    ("pkd replay page.pkd --duration 10 -o short.apng", "All of it in ten seconds."),
    ("pkd replay page.pkd --every-stroke -o 'frames/%05d.png'", "A picture for each stroke."),
    (
      "pkd replay page.pkd --to y4m -o - | ffmpeg -i - page.mkv",
      "Numbers of pixels for other programs."
    ),
  ]
) { arguments, console in
  let pictures = try PictureOptions(arguments, of: "replay", extent: .scale(1))
  let options = try ReplayOptions(arguments, of: "replay")
  let output = try ReplayOutput(arguments, of: "replay")
  if output.path == .standardStream, isatty(STDOUT_FILENO) == 1 {
    throw UsageError(
      message: "a terminal shows no pictures; give -o NAME.apng, or pipe it on", command: "replay")
  }
  guard output.isGiven || arguments.has("force") || !isThere(output.path) else {
    return console.fail("\(output.path): it is there already; --force replaces it", .failed)
  }
  Interruption.endProgram()
  let format = arguments.options["from"].flatMap(DrawingFile.Format.init(rawValue:))
  let input = arguments.operands[0]
  guard let source = console.openRecording(input, as: format) else { return }
  let job = ReplayJob(input: input, output: output, pictures: pictures, options: options)
  try job.carryOut(source, &console)
}

/// How one recording becomes one moving picture.
private struct ReplayJob {
  let input: SystemString
  let output: ReplayOutput
  let pictures: PictureOptions
  let options: ReplayOptions

  func carryOut(_ source: some RecordingSource, _ console: inout Console) throws {
    let schedule: FrameSchedule
    let renderer: FrameRenderer
    let clock = ContinuousClock()
    let start = clock.now
    do {
      let timeline = try Timeline(of: source, maximumPause: options.maximumPause)
      schedule = try FrameSchedule(Playback(timeline, options.playback), rate: options.rate)
      renderer = try FrameRenderer(of: source, timeline, options: pictures.rendering)
    } catch {
      return console.fail("\(input): \(error)", exitCode(for: error))
    }
    let history = renderer.timeline.history
    if history.gapCount > 0 {
      console.note(
        "\(input): \(history.gapCount) events tell of strokes that are not there, and are skipped; "
          + "the first is event \(history.gaps[0].event)")
    }
    do {
      try write(renderer, schedule, &console)
    } catch {
      console.endProgress()
      try report(error, &console)
      return
    }
    console.endProgress()
    for ink in renderer.unknownInks.sorted() {
      console.note("\(input): the ink '\(ink.printable)' is not known; it is drawn as pen")
    }
    if console.isVerbose {
      let parts = (clock.now - start).components
      let seconds = Double(parts.seconds) + Double(parts.attoseconds) / 1e18
      console.note(
        "\(input) → \(output.path), \(renderer.width)×\(renderer.height) pixels, "
          + "\(schedule.count) frames of \(schedule.playback.duration.short) s, "
          + "\(history.steps.count) steps, \((seconds * 1000).short) ms")
    }
  }

  private func write(
    _ renderer: FrameRenderer, _ schedule: FrameSchedule, _ console: inout Console
  ) throws {
    var progress = ReplayProgress(frameCount: schedule.count, console)
    defer { console = progress.console }
    switch output.form {
    case .apng:
      let bytes = try renderer.apng(
        schedule, properties(of: renderer), loopCount: options.loopCount
      ) { progress.show($0) }
      // A picture can be drawn again, so nobody waits for the disk.
      try writeFile(to: output.path, isDurable: false) { file throws(SystemError) in
        try file.write(bytes)
      }
    case .frames: try writeFrames(renderer, schedule, &progress)
    case .y4m, .rgba:
      guard renderer.picture.depth == .eight else {
        throw AnimationError.unfit("--depth 16 is for PNG; videos here have 8 bits")
      }
      var failure: FrameFailure<SystemError>?
      try writeFile(to: output.path, isDurable: false) { file throws(SystemError) in
        var video = try PlainVideo<SystemError>(
          output.form == .y4m ? .y4m(schedule.rate) : .rgba, width: renderer.width,
          height: renderer.height, lastRepetitions: schedule.lastRepetitions
        ) { bytes throws(SystemError) in try file.write(bytes) }
        do throws(FrameFailure<SystemError>) {
          try renderer.draw(schedule) { frame throws(SystemError) in
            try video.add(frame)
            progress.show(frame.number + 1)
          }
        } catch {
          if case .sink(let error) = error { throw error }
          failure = error
        }
        try video.finish()
      }
      if let failure { throw failure }
    }
  }

  private func writeFrames(
    _ renderer: FrameRenderer, _ schedule: FrameSchedule, _ progress: inout ReplayProgress
  ) throws {
    guard let pattern = FramePattern(output.path) else { return }
    try makeFolder(output.path)
    let properties = properties(of: renderer)
    var written = 0
    do {
      try renderer.draw(schedule) { frame throws(SystemError) in
        let effort: PNGEncoder.Effort =
          if case .own(let effort) = pictures.encoder { effort } else { .fast }
        let encoder = PNGEncoder(effort: effort, threads: pictures.rendering.threads)
        try writeFile(to: pattern.name(frame.number + 1), isDurable: false) {
          file throws(SystemError) in
          do throws(PNGEncodingError<SystemError>) {
            _ = try encoder.encode(frame.bands, properties) { bytes throws(SystemError) in
              try file.write(bytes)
            }
          } catch {
            switch error {
            case .sink(let failure): throw failure
            case .picture(let problem): throw SystemError("\(problem)", code: EINVAL)
            }
          }
        }
        written += 1
        progress.show(written)
      }
    } catch {
      if written > 0 {
        progress.console.note("\(written) of \(schedule.count) frames were written")
      }
      throw error
    }
  }

  private func properties(of renderer: FrameRenderer) -> PNGProperties {
    PNGProperties(
      width: renderer.width, height: renderer.height, depth: pictures.rendering.depth,
      colorSpace: pictures.rendering.colorSpace, isOpaque: renderer.background.alpha == 1,
      scale: renderer.scale, texts: pictures.texts)
  }

  private func report(_ error: any Error, _ console: inout Console) throws {
    switch error {
    case let error as FrameFailure<SystemError>:
      if case .sink(let error) = error { return try report(error, &console) }
      if case .drawing(let error) = error { return try report(error, &console) }
    case let error as FrameFailure<PNGError>:
      if case .sink(let error) = error { return try report(error, &console) }
      if case .drawing(let error) = error { return try report(error, &console) }
    case let error as SystemError:
      // Whoever read our pictures has seen enough.
      guard error.code != EPIPE else { throw error }
      console.fail("\(error)", .failed)
    default: console.fail("\(input): \(error)", exitCode(for: error))
    }
  }

  /// Whether the options, the file or the machine are at fault.
  private func exitCode(for error: any Error) -> ExitCode {
    switch error {
    case let error as RenderError:
      if case .unreadable = error.problem { .badData } else { .usage }
    case is ReplayError: .badData
    case let error as AnimationError:
      if case .missing = error { .failed } else { .usage }
    default: .failed
    }
  }
}

/// Tells how far the frames have come, and how long they will still take.
private struct ReplayProgress {
  let frameCount: Int
  var console: Console
  private let start = ContinuousClock.now
  private var shown = 0.0

  init(frameCount: Int, _ console: Console) {
    self.frameCount = frameCount
    self.console = console
  }

  mutating func show(_ done: Int) {
    let parts = (ContinuousClock.now - start).components
    let seconds = Double(parts.seconds) + Double(parts.attoseconds) / 1e18
    // People read no more than a few of them a second.
    guard seconds - shown > 0.1 else { return }
    shown = seconds
    let rest = seconds / Double(done) * Double(frameCount - done)
    console.showProgress(done, of: frameCount, "\(Int(rest.rounded(.up))) s left")
  }
}

extension Double {
  /// A number for people, with no more digits than they need.
  fileprivate var short: String {
    let tenths = (self * 10).rounded() / 10
    return tenths == tenths.rounded() && tenths.magnitude < 1e15 ? "\(Int(tenths))" : "\(tenths)"
  }
}
