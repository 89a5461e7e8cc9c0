import Animation
import Replay

/// The replay options of a command line, shared by all commands that replay.
struct ReplayOptions {
  let playback: Playback.Options
  let maximumPause: Double
  let rate: FrameRate
  /// The number of repetitions; 0 for endless.
  let loopCount: Int
  /// Whether the option was given.
  let isLoopGiven: Bool
  /// Whether programs without animation show the last frame, not the first.
  let hasPoster: Bool

  static let table = [
    Option(
      "fps", value: "N",
      form: ValueForm("frames per second, such as 30, 29.97 or 30000/1001") {
        FrameRate($0) != nil
      },
      help: "Frames per second, such as 30, 29.97 or 30000/1001; 30 unless given."),
    Option(
      "speed", value: "F", form: .positive(), help: "Speed factor; 2 is twice the original speed."),
    Option(
      "max-pause", value: "S",
      form: ValueForm("a time in seconds, such as 12.5 or 1:30, or 'none'") {
        $0 == "none" || seconds($0) != nil
      },
      help: "Maximum length of a pause in seconds, or 'none'; 0.5 unless given."),
    Option(
      "duration", value: "S", form: time, help: "Total duration in seconds, instead of a speed."),
    Option("start", value: "T", form: time, help: "Begin at this time, such as 12.5 or 1:30."),
    Option("end", value: "T", form: time, help: "End at this time."),
    Option("every-stroke", help: "One frame for each whole stroke and each change."),
    Option(
      "ease", choices: Playback.Ease.allCases.map(\.rawValue),
      help: "Constant speed, or slower at the start and the end."),
    Option(
      "hold", value: "S",
      form: ValueForm("a time of at most ten minutes, such as 12.5 or 1:30") {
        seconds($0).map { $0 <= 600 } ?? false
      },
      help: "Seconds to show the last frame; 1 unless given."),
    Option(
      "loop", value: "N", form: .whole(0...1_000_000),
      help: "Number of repetitions; 0, which is endless, unless given."),
    Option("poster", help: "Programs without animation show the last frame; .apng only."),
  ]

  private static let time = ValueForm("a time in seconds, such as 12.5 or 1:30") {
    seconds($0) != nil
  }

  init(_ arguments: Arguments, of command: String) throws(UsageError) {
    func error(_ message: String) -> UsageError { UsageError(message: message, command: command) }
    func time(_ name: String) -> Double? { arguments.options[name].flatMap(Self.seconds) }
    rate = arguments.options["fps"].flatMap { FrameRate($0) } ?? .usual
    maximumPause = arguments.options["max-pause"] == "none" ? .infinity : time("max-pause") ?? 0.5
    guard !arguments.has("speed") || !arguments.has("duration") else {
      throw error("--speed and --duration exclude each other")
    }
    let (start, end) = (time("start") ?? 0, time("end") ?? .infinity)
    guard start <= end else { throw error("--start is after --end") }
    loopCount = arguments.whole("loop") ?? 0
    isLoopGiven = arguments.has("loop")
    hasPoster = arguments.has("poster")
    playback = Playback.Options(
      speed: arguments.number("speed") ?? 1, duration: time("duration"), part: start...end,
      ease: arguments.options["ease"].flatMap(Playback.Ease.init(rawValue:)) ?? .even,
      hold: time("hold") ?? 1,
      stepping: arguments.has("every-stroke") ? .steps(each: rate.interval) : .none)
  }

  /// Seconds from `12.5`, `1:30` or `1:02:03.5`; nil for other texts.
  static func seconds(_ text: String) -> Double? {
    var sum = 0.0
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard 1...3 ~= parts.count else { return nil }
    for part in parts {
      guard part.first?.isNumber ?? false || part.first == ".", let value = Double(part),
        value.isFinite, parts.count == 1 || value < 60 || part.startIndex == text.startIndex
      else { return nil }
      sum = sum * 60 + value
    }
    return sum
  }
}
