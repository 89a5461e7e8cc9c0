extension Playback {
  /// The seconds of watching until a time of the timeline is shown: 0 if the time is before the
  /// shown part, and at most `playingTime`.
  public func moment(of time: Double) -> Double {
    let length = part.upperBound - part.lowerBound
    guard length > 0, time > part.lowerBound else { return 0 }
    return options.ease.time(ofShare: min((time - part.lowerBound) / length, 1)) * playingTime
  }

  /// The seconds of watching until a step begins: 0 if it is there from the start, nil if it is not
  /// shown.
  public func moment(ofStep step: Int) -> Double? {
    switch options.stepping {
    case .none:
      let start = timeline.starts[step]
      return start <= part.upperBound ? moment(of: start) : nil
    case .steps:
      guard step < shownSteps.upperBound else { return nil }
      guard step > shownSteps.lowerBound else { return 0 }
      let share = Double(step - shownSteps.lowerBound) / Double(shownSteps.count)
      return options.ease.time(ofShare: share) * playingTime
    }
  }
}

extension Playback.Ease {
  /// The share of the time that has passed when this share of the content has been shown: the
  /// inverse of `share(_:)`.
  fileprivate func time(ofShare share: Double) -> Double {
    guard self != .even else { return share }
    var (low, high) = (0.0, 1.0)
    for _ in 0..<50 {
      let middle = (low + high) / 2
      if self.share(middle) < share { low = middle } else { high = middle }
    }
    return high
  }
}
