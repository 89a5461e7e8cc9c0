import InkFiles
import Graphics

extension InkMLTraces {
  /// Adds the traces that are drawn as strokes, in units of the first trace. Returns whether a
  /// point has a time.
  func append(to columns: inout InkColumns, start: Int) -> Bool {
    guard let first = document.traces.first else { return false }
    let unit = self[first].lengths.x ?? 1
    var clock = TraceClock()
    for index in document.traces.indices
    where prior[index] == nil && visibility(of: index) == .shown {
      var part: Int? = index
      while let index = part {
        append(document.traces[index], unit: unit, start: start, &clock, to: &columns)
        part = next[index]
      }
      columns.endStroke()
    }
    return clock.hasTimes
  }

  private func append(
    _ trace: InkMLTrace, unit: Double, start: Int, _ clock: inout TraceClock,
    to columns: inout InkColumns
  ) {
    let setup = self[trace]
    guard let x = setup.x, let y = setup.y else { return }
    var text = InkMLTraceText(setup.format)
    let characters = document.text
    if let reason = text.read(characters.span.extracting(trace.text)) {
      columns.addDamage("\(ImportError(reason, at: start + trace.offset))")
    }
    let transform = setup.transform(to: unit)
    let isPlain = transform.isIdentity
    let values = text.values
    let times = clock.times(of: trace, setup, values, width: text.width)
    for row in stride(from: 0, to: values.count, by: text.width) {
      var point = Point(x: values[row + x], y: values[row + y])
      if !isPlain { point = point.applying(transform) }
      columns.addPoint(x: point.x, y: point.y, time: times.time(atRow: row))
    }
  }
}

/// The seconds of points since the first point of a drawing. Traces whose times begin again at 0
/// follow each other.
private struct TraceClock {
  /// Whether a point has a time.
  private(set) var hasTimes = false
  private var origin: Double?
  private var end = 0.0
  /// The seconds between two traces if the file does not state them.
  private static let pause = 0.15

  /// The times of a trace.
  struct Times {
    /// The channel of times, its values, their unit in seconds and an offset in seconds. Without a
    /// channel, the unit is the seconds per index of a value.
    fileprivate var channel: Int?
    fileprivate var values: [Double] = []
    fileprivate var unit = 0.0
    fileprivate var shift = Double.nan

    /// The time of the point whose first value has an index.
    func time(atRow row: Int) -> Double {
      channel.map { values[row + $0] * unit + shift } ?? Double(row) * unit + shift
    }
  }

  mutating func times(
    of trace: InkMLTrace, _ setup: InkMLSetup, _ values: [Double], width: Int
  ) -> Times {
    var times = Times()
    let rows = stride(from: 0, to: values.count, by: width)
    guard let last = rows.reversed().first else { return times }
    if let channel = setup.time {
      (times.channel, times.values, times.unit) = (channel, values, setup.timeUnit)
    } else if let step = setup.step(of: trace, count: values.count / width) {
      times.unit = step / Double(width)
    } else {
      return times
    }
    times.shift = 0
    let (first, length) = (times.time(atRow: 0), times.time(atRow: last) - times.time(atRow: 0))
    guard first.isFinite, length.isFinite else { return Times() }
    let begin = first + (trace.timeOffset ?? 0) / 1000
    let start = origin ?? begin
    origin = start
    // A trace without a channel of times is positioned by its offset alone.
    let isPlaced = trace.timeOffset != nil || (times.channel != nil && begin - start >= end)
    let place = hasTimes ? (isPlaced ? begin - start : end + Self.pause) : 0
    times.shift = place - first
    end = place + max(length, 0)
    hasTimes = true
    return times
  }
}
