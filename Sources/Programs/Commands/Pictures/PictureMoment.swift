import Replay

/// The moment of a recording that a still picture shows.
enum PictureMoment {
  case end
  case seconds(Double)
  /// A fraction of the recording's length, from 0 to 1.
  case share(Double)

  static let option = Option(
    "at", value: "T",
    form: ValueForm("a time such as 12.5, 1:30 or 50%") { PictureMoment($0) != nil },
    help: "Show the page as it was at this time of the recording, such as 12.5, 1:30 or 50%; "
      + "pauses count in full.")

  init(_ arguments: Arguments) {
    self = arguments.options[Self.option.name].flatMap { PictureMoment($0) } ?? .end
  }

  /// A moment from its text; nil if it is invalid.
  private init?(_ text: String) {
    if text.hasSuffix("%"), let percent = Double(text.dropLast()), (0...100).contains(percent) {
      self = .share(percent / 100)
    } else if let seconds = ReplayOptions.seconds(text) {
      self = .seconds(seconds)
    } else {
      return nil
    }
  }

  /// The state of the page at this moment.
  func state(on timeline: Timeline) -> PageState {
    switch self {
    case .end: timeline.end
    case .seconds(let seconds): timeline.state(at: seconds)
    case .share(let share): timeline.state(at: share * timeline.duration)
    }
  }
}
