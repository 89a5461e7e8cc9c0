import Glibc

/// A measured number, with its name, unit and goal.
struct Figure {
  let name: String
  let unit: String
  /// The median of the samples.
  let value: Double
  /// Half of the distance between the quartiles, as a fraction of the median.
  let spread: Double
  let sampleCount: Int
  /// The goal, a minimum or a maximum; nil for figures without one.
  let goal: Goal?

  enum Goal {
    case atLeast(Double)
    case atMost(Double)

    func isMet(by value: Double) -> Bool {
      switch self {
      case .atLeast(let limit): value >= limit
      case .atMost(let limit): value <= limit
      }
    }
  }
}

/// The number and the length of samples.
struct Effort {
  let samples: Int
  /// Every sample repeats its work for about this time.
  let secondsPerSample: Double

  static let full = Effort(samples: 21, secondsPerSample: 0.05)
  /// Checks that everything runs; its figures are too noisy to compare.
  static let smoke = Effort(samples: 3, secondsPerSample: 0.002)
}

/// Seconds of the monotonic clock.
func now() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

/// The seconds that one call of each body takes, sample by sample. The bodies alternate, so that changes of
/// the machine's speed affect all of them alike.
func times(_ effort: Effort, _ bodies: [() -> Void]) -> [[Double]] {
  let repetitions = bodies.map { body in
    body()  // The first call warms caches; the second one determines the repetitions.
    let start = now()
    body()
    return max(1, Int(effort.secondsPerSample / max(now() - start, 1e-9)))
  }
  var samples = bodies.map { _ in [Double]() }
  for _ in 0..<effort.samples {
    for (index, body) in bodies.enumerated() {
      let start = now()
      for _ in 0..<repetitions[index] { body() }
      samples[index].append((now() - start) / Double(repetitions[index]))
    }
  }
  return samples
}

extension Figure {
  /// The median and spread of samples; a figure without samples is reported as not measured.
  init(_ name: String, _ unit: String, _ samples: [Double], goal: Goal? = nil) {
    let sorted = samples.sorted()
    func quantile(_ part: Double) -> Double {
      sorted.isEmpty ? .nan : sorted[Int(part * Double(sorted.count - 1))]
    }
    let median = quantile(0.5)
    self.init(
      name: name, unit: unit, value: median,
      spread: median == 0 ? 0 : (quantile(0.75) - quantile(0.25)) / 2 / median,
      sampleCount: samples.count, goal: goal)
  }

  /// The work per second, in millions, and its ratio to a peer's, from samples that alternate with the
  /// peer's.
  static func rates(
    _ name: String, of work: Double, _ unit: String, _ samples: [Double], peer: String,
    _ peerSamples: [Double], goal: Goal? = nil
  ) -> [Figure] {
    [
      Figure(name, "million \(unit)/s", samples.map { work / $0 / 1e6 }, goal: goal),
      Figure("\(name), ratio to \(peer)", "×", zip(peerSamples, samples).map { $0 / $1 }),
    ]
  }
}

/// Keeps the optimizer from removing work whose result is not used.
@inline(never)
func consume<T>(_ value: T) { withExtendedLifetime(value) {} }

/// Calls a body with a temporary folder, which is deleted afterwards; nil if none can be created.
func withTemporaryFolder<Result>(_ body: (String) -> Result) -> Result? {
  var path = Array("/tmp/pentimento-XXXXXX".utf8CString)
  guard mkdtemp(&path) != nil else { return nil }
  let folder = String(
    decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  defer { _ = output(of: "rm -rf '\(folder)'") }
  return body(folder)
}
