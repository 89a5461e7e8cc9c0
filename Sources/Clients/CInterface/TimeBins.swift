/// Divides the lines of a drawing by equal parts of its time.
struct TimeBins {
  /// The lines of each part.
  private(set) var lines: [Lines]
  /// The elapsed fraction of the drawing's time at each point, from 0 to 1.
  private var progress: [Double] = []

  /// Lines in pixels, and the index after the last point of each.
  struct Lines {
    private(set) var xs: [Float] = []
    private(set) var ys: [Float] = []
    private(set) var ends: [Int] = []

    mutating func removeAll() {
      xs.removeAll(keepingCapacity: true)
      ys.removeAll(keepingCapacity: true)
      ends.removeAll(keepingCapacity: true)
    }

    mutating func append(_ x: Float, _ y: Float) {
      xs.append(x)
      ys.append(y)
    }

    mutating func end() { if xs.count > ends.last ?? 0 { ends.append(xs.count) } }
  }

  init(count: Int) { lines = .init(repeating: Lines(), count: count) }

  /// Divides lines. Times may be in any unit. Without times, or if one is missing or all are equal,
  /// the pen has a constant speed.
  mutating func divide(
    _ xs: [Float], _ ys: [Float], _ ends: [Int], times: UnsafePointer<Float>?
  ) {
    for index in lines.indices { lines[index].removeAll() }
    if !(times.map { setProgress($0, xs.count) } ?? false) { setProgress(xs, ys, ends) }
    var start = 0
    for end in ends {
      if end > start { divide(xs, ys, start..<end) }
      start = end
    }
  }

  /// Adds a line to the parts, with new points where one part ends and the next begins.
  private mutating func divide(_ xs: [Float], _ ys: [Float], _ points: Range<Int>) {
    let count = Double(lines.count)
    var bin = min(Int(progress[points.lowerBound] * count), lines.count - 1)
    lines[bin].append(xs[points.lowerBound], ys[points.lowerBound])
    for point in points.dropFirst() {
      let (from, to) = (progress[point - 1], progress[point])
      while bin < lines.count - 1, to > Double(bin + 1) / count {
        // `to` is greater than `from` here, because the bin ends after the previous point.
        let part = Float((Double(bin + 1) / count - from) / (to - from))
        let x = xs[point - 1] + (xs[point] - xs[point - 1]) * part
        let y = ys[point - 1] + (ys[point] - ys[point - 1]) * part
        lines[bin].append(x, y)
        lines[bin].end()
        bin += 1
        lines[bin].append(x, y)
      }
      lines[bin].append(xs[point], ys[point])
    }
    lines[bin].end()
  }

  /// Sets the progress by times, adjusted so that they never decrease. False if a time is not
  /// finite, or all are equal.
  private mutating func setProgress(_ times: UnsafePointer<Float>, _ count: Int) -> Bool {
    progress.removeAll(keepingCapacity: true)
    let first = Double(times[0])
    var last = first
    for index in 0..<count {
      let time = Double(times[index])
      guard time.isFinite else { return false }
      last = max(last, time)
      progress.append(last - first)
    }
    let length = last - first
    guard length > 0 else { return false }
    for index in progress.indices { progress[index] = min(progress[index] / length, 1) }
    return true
  }

  /// Sets the progress by the length of all lines.
  private mutating func setProgress(_ xs: [Float], _ ys: [Float], _ ends: [Int]) {
    progress.removeAll(keepingCapacity: true)
    var length = 0.0
    var start = 0
    for end in ends {
      for point in start..<end {
        if point > start {
          let (x, y) = (Double(xs[point] - xs[point - 1]), Double(ys[point] - ys[point - 1]))
          length += (x * x + y * y).squareRoot()
        }
        progress.append(length)
      }
      start = end
    }
    for index in progress.indices { progress[index] = length > 0 ? progress[index] / length : 0 }
  }
}
