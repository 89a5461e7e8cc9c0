import Measurement
import TestSupport
import Testing

struct StatisticsTests {
  @Test func `an empty list of samples has no statistics`() { #expect(Statistics([]) == nil) }

  @Test func `one sample is its own median, quartiles and limits`() throws {
    let one = try #require(Statistics([7]))
    #expect([one.median, one.lowerQuartile, one.upperQuartile] == [7, 7, 7])
    #expect(one.minimum == 7 && one.maximum == 7 && one.spread == 0 && one.count == 1)
  }

  @Test func `quartiles between two samples are interpolated`() throws {
    let four = try #require(Statistics([4, 1, 3, 2]))
    #expect(four.lowerQuartile == 1.75 && four.median == 2.5 && four.upperQuartile == 3.25)
    #expect(four.spread == 0.3)
  }

  @Test func `a few wild samples change neither the median nor the spread much`() throws {
    let calm = try #require(Statistics((0..<100).map { 100 + Double($0 % 10) }))
    let wild = try #require(Statistics((0..<97).map { 100 + Double($0 % 10) } + [9e9, 9e9, 9e9]))
    #expect(abs(calm.median - wild.median) <= 1 && abs(calm.spread - wild.spread) < 0.02)
    #expect(wild.maximum == 9e9)
  }

  @Test func `the order of samples does not matter`() throws {
    var random = SplitMix64(seed: 4)
    for _ in 0..<50 {
      let samples = (0..<Int.random(in: 1...40, using: &random)).map { _ in
        Double.random(in: -5...5, using: &random)
      }
      let statistics = try #require(Statistics(samples))
      #expect(Statistics(samples.shuffled(using: &random)) == statistics)
      #expect(statistics.minimum <= statistics.lowerQuartile)
      #expect(statistics.lowerQuartile <= statistics.median)
      #expect(statistics.median <= statistics.upperQuartile)
      #expect(statistics.upperQuartile <= statistics.maximum)
    }
  }

  @Test func `the best time is the shortest, the best rate the highest`() {
    #expect(Figure("a", "ms", [3, 1, 2]).best == 1)
    #expect(Figure("a", "frames/s", [3, 1, 2]).best == 3)
    #expect(Figure("a", "ms", []).sampleCount == 0)
  }

  @Test func `measured bodies alternate for the requested number of samples`() {
    var calls: [Int] = []
    let samples = times(
      Effort(samples: 4, secondsPerSample: 0), [{ calls.append(0) }, { calls.append(1) }])
    #expect(samples.map(\.count) == [4, 4])
    // One or two calls of each come first, to warm up.
    #expect(calls.suffix(8) == [0, 1, 0, 1, 0, 1, 0, 1])
  }

  @Test func `sampling beyond the maximum time takes only a few samples`() {
    var count = 0
    let effort = Effort(samples: 1_000_000, secondsPerSample: 0, maximumSeconds: 0)
    let samples = times(effort, [{ count += 1 }])
    #expect(samples[0].count == 3 && count < 6)
  }

  @Test func `the reference load is timed before each sample, on as many threads`() throws {
    let samples = try samples(
      Effort(samples: 4, secondsPerSample: 0),
      [
        .timed { Taken(seconds: 0.25, processorSeconds: 0.5) },
        .timed(threads: 2) { Taken(seconds: 0.5) }, .timed { Taken(seconds: 0.75) },
      ])
    #expect(samples.map(\.seconds) == [0.25, 0.5, 0.75].map { [Double](repeating: $0, count: 4) })
    // Reference samples of bodies on one thread belong to both of them.
    #expect(samples.map(\.reference.count) == [8, 4, 8])
    #expect(samples.allSatisfy { $0.reference.allSatisfy { $0 > 0 } })
    let figure = Figure.milliseconds("a", samples[0].divided(by: 2))
    #expect(figure.value == 125 && figure.processor == 250 && figure.reference != nil)
  }

  @Test func `a failure of measured work ends the sampling`() {
    #expect(throws: ProcessFailure.stopped) {
      try samples(.smoke, [.timed { throw ProcessFailure.stopped }])
    }
  }

  @Test(
    arguments: [
      (0.0, "0"), (0.0123, "0.012"), (0.5, "0.5"), (1.234, "1.23"), (12.34, "12.3"),
      (123.4, "123"), (-1.5, "-1.5"), (1e6, "1000000"),
    ])
  func `figures are printed with about three digits`(_ value: Double, _ text: String) {
    #expect(shortNumber(value) == text)
  }

  @Test(
    arguments: [
      (0.25, "ms", "250 µs"), (2500.0, "ms", "2.5 s"), (0.0000001, "ms", "0.1 ns"),
      (1_500_000.0, "bytes", "1.5 MB"), (12.0, "bytes", "12 bytes"), (3.5, "×", "3.5 ×"),
      (.infinity, "ms", "inf s"), (.nan, "ms", "nan ns"),
    ])
  func `figures are printed in fitting units`(_ value: Double, _ unit: String, _ text: String) {
    #expect(readable(value, unit) == text)
  }
}
