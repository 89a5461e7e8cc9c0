import Glibc

/// The number and the length of samples.
package struct Effort: Hashable, Sendable {
  package var samples: Int
  /// Every sample repeats its work for about this time.
  package var secondsPerSample: Double
  /// The time after which no more samples of the same bodies are taken, if there are a few; slow work, such as
  /// drawing a large file, would otherwise take minutes.
  package var maximumSeconds: Double

  package init(samples: Int, secondsPerSample: Double, maximumSeconds: Double = .infinity) {
    self.samples = samples
    self.secondsPerSample = secondsPerSample
    self.maximumSeconds = maximumSeconds
  }

  package static let full = Effort(samples: 21, secondsPerSample: 0.05)
  /// Checks that everything runs; its figures are too noisy to compare.
  package static let smoke = Effort(samples: 3, secondsPerSample: 0.002)

  /// The samples that are taken even when `maximumSeconds` have passed: quartiles need some.
  static let minimumSamples = 5
}

/// Seconds of the monotonic clock.
package func now() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

/// The seconds that one call of each body takes, sample by sample. The bodies alternate, so that changes of
/// the machine's speed affect all of them alike.
package func times(_ effort: Effort, _ bodies: [() -> Void]) -> [[Double]] {
  let begin = now()
  let repetitions = bodies.map { body in
    // The first call warms caches; the second one determines the repetitions, unless they are clear already.
    var start = now()
    body()
    if now() - start > 4 * effort.secondsPerSample { return 1 }
    start = now()
    body()
    return max(1, Int(effort.secondsPerSample / max(now() - start, 1e-9)))
  }
  var samples = bodies.map { _ in [Double]() }
  for round in 0..<effort.samples {
    if round >= Effort.minimumSamples, now() - begin > effort.maximumSeconds { break }
    for (index, body) in bodies.enumerated() {
      let start = now()
      for _ in 0..<repetitions[index] { body() }
      samples[index].append((now() - start) / Double(repetitions[index]))
    }
  }
  return samples
}

/// Keeps the optimizer from removing work whose result is not used.
@inline(never)
package func consume<T>(_ value: T) { withExtendedLifetime(value) {} }
