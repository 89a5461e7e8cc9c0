import System

/// The number and the length of samples.
package struct Effort: Hashable, Sendable {
  package var samples: Int
  /// The approximate duration for which every sample repeats its work.
  package var secondsPerSample: Double
  /// The time after which no more samples of the same group are taken, if there are a few; slow
  /// work, such as drawing a large file, would otherwise take minutes.
  package var maximumSeconds: Double

  package init(samples: Int, secondsPerSample: Double, maximumSeconds: Double = .infinity) {
    self.samples = samples
    self.secondsPerSample = secondsPerSample
    self.maximumSeconds = maximumSeconds
  }

  package static let full = Effort(samples: 21, secondsPerSample: 0.05)
  /// Checks that everything runs; its figures are too noisy to compare.
  package static let smoke = Effort(samples: 3, secondsPerSample: 0.002)

  /// The samples that are taken even after `maximumSeconds`: quartiles need some, a median fewer.
  static let (minimumSamples, minimumSlowSamples) = (5, 3)
}

/// The time that some work took.
package struct Taken {
  /// The seconds from its start to its end.
  package var seconds = 0.0
  /// The processor seconds of its threads. Other programs on the same processors affect these less.
  package var processorSeconds = 0.0

  package init(seconds: Double = 0, processorSeconds: Double = 0) {
    (self.seconds, self.processorSeconds) = (seconds, processorSeconds)
  }

  /// The time of a body.
  package init(by body: () throws -> Void) rethrows {
    let (start, processorStart) = (MonotonicTime.now, MonotonicTime.ofProcessors)
    try body()
    seconds = MonotonicTime.now - start
    processorSeconds = MonotonicTime.ofProcessors - processorStart
  }
}

/// Work to measure.
package struct Work {
  /// The number of threads that it keeps busy.
  let threads: Int
  /// Does the work the given number of times.
  let run: (_ repetitions: Int) throws -> Taken

  package init(threads: Int = 1, _ body: @escaping () -> Void) {
    self.threads = threads
    run = { count in Taken { for _ in 0..<count { body() } } }
  }

  private init(threads: Int, run: @escaping (_ repetitions: Int) throws -> Taken) {
    (self.threads, self.run) = (threads, run)
  }

  /// Work that measures its own time.
  package static func timed(threads: Int = 1, _ body: @escaping () throws -> Taken) -> Work {
    Work(
      threads: threads,
      run: { count in
        try (0..<count).reduce(into: Taken()) { sum, _ in
          let taken = try body()
          sum.seconds += taken.seconds
          sum.processorSeconds += taken.processorSeconds
        }
      })
  }
}

/// The samples of some work.
package struct Samples {
  package var seconds: [Double] = []
  package var processorSeconds: [Double] = []
  /// The seconds of the reference load before each sample of this work, and of alternating work on
  /// as many threads.
  package var reference: [Double] = []

  /// The samples of one of several equally long parts of the work.
  package func divided(by count: Int) -> Samples {
    Samples(
      seconds: seconds.map { $0 / Double(count) },
      processorSeconds: processorSeconds.map { $0 / Double(count) }, reference: reference)
  }
}

/// Samples of each work. They alternate, so that changes of the machine's speed affect all of them
/// equally.
package func samples(_ effort: Effort, _ works: [Work]) throws -> [Samples] {
  let reference = Reference()
  let begin = MonotonicTime.now
  let repetitions = try works.map { work in
    // The first run warms caches; the second one determines the repetitions, unless the first is
    // long enough.
    if try work.run(1).seconds > 4 * effort.secondsPerSample { return 1 }
    return max(1, Int(effort.secondsPerSample / max(try work.run(1).seconds, 1e-9)))
  }
  for threads in Set(works.map(\.threads)) { _ = reference.seconds(threads: threads) }
  var samples = works.map { _ in Samples() }
  var references: [Int: [Double]] = [:]
  for round in 0..<effort.samples {
    let seconds = MonotonicTime.now - begin
    let isSlow = seconds > 4 * effort.maximumSeconds
    if round >= (isSlow ? Effort.minimumSlowSamples : Effort.minimumSamples),
      seconds > effort.maximumSeconds
    {
      break
    }
    for (index, work) in works.enumerated() {
      references[work.threads, default: []].append(reference.seconds(threads: work.threads))
      let count = repetitions[index]
      let taken = try work.run(count)
      samples[index].seconds.append(taken.seconds / Double(count))
      samples[index].processorSeconds.append(taken.processorSeconds / Double(count))
    }
  }
  for (index, work) in works.enumerated() {
    samples[index].reference = references[work.threads] ?? []
  }
  return samples
}

/// The seconds that one call of each body takes, sample by sample.
package func times(_ effort: Effort, _ bodies: [() -> Void]) -> [[Double]] {
  // No body throws.
  ((try? samples(effort, bodies.map { Work($0) })) ?? []).map(\.seconds)
}

/// Keeps the optimizer from removing work whose result is not used.
@inline(never)
package func consume<T>(_ value: T) { withExtendedLifetime(value) {} }
