import InkFiles

/// Computes the start of strokes, in seconds since the file's clock began.
struct UNIPENClock {
  /// Samples in a second; nil if the file does not state it.
  var rate: Double?
  /// The end of the last stroke; nil before the first one.
  private var end: Double?
  /// The offset from the tablet's clock to ours.
  private var shift = 0.0
  /// The pause since the last stroke, as far as the file states it.
  private var pause: Double?

  /// The pause between strokes where the file states none, as elsewhere for ink without times.
  private static let usualPause = 0.15
  /// Clocks run for less than this: 30 years.
  private static let limit = 1e9

  /// Adds a pause that the file states.
  mutating func wait(_ seconds: Double) {
    pause = min((pause ?? 0) + seconds, Self.limit)
  }

  /// Adds the time of samples that were measured above the paper.
  mutating func wait(samples: Int) {
    if let rate, samples > 0 { wait(Double(samples) / rate) }
  }

  /// Makes a stroke of samples, which must not be empty.
  mutating func stroke(
    of samples: [UNIPENSample], haveTimes: Bool, _ notes: inout ImportNotes
  ) -> UNIPENStroke {
    guard haveTimes || rate != nil else {
      return UNIPENStroke(samples: samples, start: nil, hasTimes: false)
    }
    var samples = samples
    let start: Double
    if haveTimes {
      start = begin(at: samples[0].time, &notes)
      let first = samples[0].time
      for index in samples.indices { samples[index].time -= first }
    } else {
      start = end.map { $0 + statedPause(&notes) } ?? 0
      for index in samples.indices { samples[index].time = Double(index) / (rate ?? 1) }
    }
    let length = min(max(samples[samples.count - 1].time, 0), Self.limit)
    end = min(start + length, Self.limit)
    pause = nil
    return UNIPENStroke(samples: samples, start: start, hasTimes: true)
  }

  /// The start of a stroke whose first sample has a time of the tablet's clock.
  private mutating func begin(at time: Double, _ notes: inout ImportNotes) -> Double {
    let time = min(max(time, -Self.limit), Self.limit)
    if let end, time + shift < end {
      notes.add("times that start again are put behind the stroke before")
      shift = end + statedPause(&notes) - time
    }
    return time + shift
  }

  private func statedPause(_ notes: inout ImportNotes) -> Double {
    if pause == nil { notes.add("the file does not state pauses: 0.15 seconds are taken") }
    return pause ?? Self.usualPause
  }
}
