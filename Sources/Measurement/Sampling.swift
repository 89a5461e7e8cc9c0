import Processes

/// The number and the length of samples.
package struct Effort: Hashable, Sendable {
  package var samples: Int
  /// Every sample repeats its work for about this time.
  package var secondsPerSample: Double
  /// The time after which no more samples of the same group are taken, if there are a few; slow work, such as
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

/// Work that is measured.
package struct Work {
  /// The number of threads that it keeps busy.
  let threads: Int
  /// Does the work some times, and returns the seconds that count.
  let run: (_ repetitions: Int) throws -> Double

  package init(threads: Int = 1, _ body: @escaping () -> Void) {
    self.threads = threads
    run = { count in
      let start = MonotonicTime.now
      for _ in 0..<count { body() }
      return MonotonicTime.now - start
    }
  }

  private init(threads: Int, run: @escaping (_ repetitions: Int) throws -> Double) {
    (self.threads, self.run) = (threads, run)
  }

  /// Work that takes its own time, in seconds.
  package static func timed(threads: Int = 1, _ seconds: @escaping () throws -> Double) -> Work {
    Work(
      threads: threads,
      run: { count in try (0..<count).reduce(0) { sum, _ in try sum + seconds() } })
  }
}

/// What was measured of some work.
package struct Samples {
  package var seconds: [Double] = []
  /// The seconds of the reference load before each sample of this work, and of other work on as many threads that
  /// alternated with it.
  package var reference: [Double] = []

  package func map(_ transform: (Double) -> Double) -> Samples {
    Samples(seconds: seconds.map(transform), reference: reference)
  }
}

/// Samples of each work. They alternate, so that changes of the machine's speed affect all alike.
package func samples(_ effort: Effort, _ works: [Work]) throws -> [Samples] {
  let reference = Reference()
  let begin = MonotonicTime.now
  let repetitions = try works.map { work in
    // The first run warms caches; the second one determines the repetitions, unless they are clear already.
    if try work.run(1) > 4 * effort.secondsPerSample { return 1 }
    return max(1, Int(effort.secondsPerSample / max(try work.run(1), 1e-9)))
  }
  for threads in Set(works.map(\.threads)) { _ = reference.seconds(threads: threads) }
  var seconds = works.map { _ in [Double]() }
  var references: [Int: [Double]] = [:]
  for round in 0..<effort.samples {
    if round >= Effort.minimumSamples, MonotonicTime.now - begin > effort.maximumSeconds { break }
    for (index, work) in works.enumerated() {
      references[work.threads, default: []].append(reference.seconds(threads: work.threads))
      let count = repetitions[index]
      seconds[index].append(try work.run(count) / Double(count))
    }
  }
  return zip(works, seconds).map { work, seconds in
    Samples(seconds: seconds, reference: references[work.threads] ?? [])
  }
}

/// The seconds that one call of each body takes, sample by sample.
package func times(_ effort: Effort, _ bodies: [() -> Void]) -> [[Double]] {
  // No body throws.
  ((try? samples(effort, bodies.map { Work($0) })) ?? []).map(\.seconds)
}

/// Keeps the optimizer from removing work whose result is not used.
@inline(never)
package func consume<T>(_ value: T) { withExtendedLifetime(value) {} }
