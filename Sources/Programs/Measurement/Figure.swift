/// A measured number, with its name, unit and goal.
package struct Figure: Hashable, Sendable {
  package let name: String
  package let unit: String
  /// The median of the samples.
  package let value: Double
  /// Half of the distance between the quartiles, as a fraction of the median.
  package let spread: Double
  /// The sample that the machine disturbed least: the shortest time, or the highest rate. Nil in
  /// reports of earlier versions.
  package let best: Double?
  package let sampleCount: Int
  /// The reference load during the samples; nil for figures that are not times, and in reports of
  /// earlier versions.
  package var reference: Reference.Times?
  /// The least processor time of a sample, in milliseconds; nil whenever `reference` is nil.
  package var processor: Double?
  /// The goal, a minimum or a maximum; nil for figures without one.
  package let goal: Goal?
  /// Further numbers about the same work: rates, sizes, memory.
  package var details: [Detail] = []

  package enum Goal: Hashable, Sendable {
    case atLeast(Double)
    case atMost(Double)

    package func isMet(by value: Double) -> Bool {
      switch self {
      case .atLeast(let limit): value >= limit
      case .atMost(let limit): value <= limit
      }
    }
  }

  /// Another number about the work of a figure.
  package struct Detail: Hashable, Sendable {
    package let value: Double
    package let unit: String
    /// The name of the number, in one word; empty if the unit is enough.
    package let name: String

    package init(_ value: Double, _ unit: String, of name: String = "") {
      (self.value, self.unit, self.name) = (value, unit, name)
    }
  }

  /// A figure from a report.
  package init(
    name: String, unit: String, value: Double, spread: Double, best: Double? = nil,
    sampleCount: Int, reference: Reference.Times? = nil, processor: Double? = nil, goal: Goal? = nil
  ) {
    (self.name, self.unit, self.value, self.spread) = (name, unit, value, spread)
    (self.best, self.sampleCount, self.reference) = (best, sampleCount, reference)
    (self.processor, self.goal) = (processor, goal)
  }

  /// Whether a unit is a rate, for which higher is better.
  static func isRate(_ unit: String) -> Bool { unit.hasSuffix("/s") }

  /// Whether a unit is a time.
  static func isTime(_ unit: String) -> Bool { ["s", "ms", "µs", "ns"].contains(unit) }
}

extension Figure {
  /// The median and spread of samples; a figure without samples is reported as not measured.
  package init(_ name: String, _ unit: String, _ samples: [Double], goal: Goal? = nil) {
    let statistics = Statistics(samples)
    self.init(
      name: name, unit: unit, value: statistics?.median ?? .nan, spread: statistics?.spread ?? 0,
      best: Self.isRate(unit) ? statistics?.maximum : statistics?.minimum,
      sampleCount: samples.count, goal: goal)
  }

  /// The milliseconds of samples, with details computed from the median in seconds.
  package static func milliseconds(
    _ name: String, _ samples: Samples, details: (_ seconds: Double) -> [Detail] = { _ in [] }
  ) -> Figure {
    var figure = Figure(name, "ms", samples.seconds.map { $0 * 1e3 })
    figure.reference = Reference.Times(samples.reference)
    figure.processor = samples.processorSeconds.min().map { $0 * 1e3 }
    if figure.sampleCount > 0 { figure.details = details(figure.value / 1e3) }
    return figure
  }

  /// The work per second, in millions, and its ratio to a peer's, from samples that alternate with
  /// the peer's.
  package static func rates(
    _ name: String, of work: Double, _ unit: String, _ samples: [Double], peer: String,
    _ peerSamples: [Double], goal: Goal? = nil
  ) -> [Figure] {
    [
      Figure(name, "million \(unit)/s", samples.map { work / $0 / 1e6 }, goal: goal),
      Figure("\(name), ratio to \(peer)", "×", zip(peerSamples, samples).map { $0 / $1 }),
    ]
  }
}
