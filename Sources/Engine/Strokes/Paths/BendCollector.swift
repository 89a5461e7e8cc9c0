import CMath
import Graphics

/// Collects nibs in chains, but of those on a straight line only the ends.
///
/// From the last nib that was kept, each further one narrows the directions in which a line passes
/// all nibs since then within the tolerance, and the rates at which their extents may grow on it.
/// The first nib that no such line reaches ends the line at the nib before it. That takes constant
/// time and memory for each nib.
struct BendCollector: NibSink {
  private(set) var chains: [[NibSample]] = []
  private var chain: [NibSample] = []
  private let tolerance: Double
  /// The newest nib, which is kept if the line ends there.
  private var newest: NibSample?
  /// The distance of the farthest nib from the line's start.
  private var reach = 0.0
  /// The vector to the first nib that is farther from the start than the tolerance. Slopes are
  /// relative to it.
  private var heading: Point?
  private var slopes = -Double.infinity...Double.infinity
  private var widthRates = -Double.infinity...Double.infinity
  private var heightRates = -Double.infinity...Double.infinity
  /// Whether the nibs turn, swell or shrink on the spot, so that no line goes on.
  private var isBlocked = false

  init(tolerance: Double) { self.tolerance = tolerance }

  mutating func add(_ sample: NibSample) {
    guard var start = chain.last else { return chain.append(sample) }
    if let newest, !isReached(sample, from: start) {
      keep(newest)
      start = newest
    }
    narrow(to: sample, from: start)
    newest = sample
  }

  mutating func interrupt() {
    if let newest { keep(newest) }
    if !chain.isEmpty { chains.append(chain) }
    chain = []
  }

  private mutating func keep(_ sample: NibSample) {
    chain.append(sample)
    newest = nil
    reach = 0
    heading = nil
    let all = -Double.infinity...Double.infinity
    (slopes, widthRates, heightRates) = (all, all, all)
    isBlocked = false
  }

  /// Whether a line from the start to a nib passes all nibs between.
  private func isReached(_ sample: NibSample, from start: NibSample) -> Bool {
    guard !isBlocked, hasAngle(of: start, sample) else { return false }
    let way = sample.nib.center - start.nib.center
    let distance = way.length
    // A pen that runs back leaves a tip, which is a bend.
    guard distance >= reach || reach <= tolerance else { return false }
    guard distance > tolerance else {
      // The line is a spot, on which nibs may not differ.
      return hasExtent(of: start, sample)
    }
    if let heading {
      guard let slope = Self.slope(of: way, along: heading), slopes.contains(slope) else {
        return false
      }
    }
    let growth = growth(from: start, to: sample)
    return widthRates.contains(growth.width / distance)
      && heightRates.contains(growth.height / distance)
  }

  /// Limits lines from the start to those that pass a nib.
  private mutating func narrow(to sample: NibSample, from start: NibSample) {
    let way = sample.nib.center - start.nib.center
    let distance = way.length
    reach = max(reach, distance)
    guard distance > tolerance, hasAngle(of: start, sample) else {
      if !hasExtent(of: start, sample) || !hasAngle(of: start, sample) { isBlocked = true }
      return
    }
    let first = heading ?? way
    heading = first
    // The angle at which the tolerance appears is at least this, and slopes change faster than
    // angles.
    let (growth, step) = (growth(from: start, to: sample), tolerance / distance)
    guard let slope = Self.slope(of: way, along: first),
      let narrowSlopes = Self.part(of: slopes, around: slope, step),
      let narrowWidths = Self.part(of: widthRates, around: growth.width / distance, step),
      let narrowHeights = Self.part(of: heightRates, around: growth.height / distance, step)
    else {
      isBlocked = true
      return
    }
    (slopes, widthRates, heightRates) = (narrowSlopes, narrowWidths, narrowHeights)
  }

  /// The tangent of the angle between two vectors; nil from a right angle on.
  private static func slope(of way: Point, along heading: Point) -> Double? {
    let along = heading.dot(way)
    return along > 0 ? heading.cross(way) / along : nil
  }

  /// The values of a range that are not farther from another one than a reach; nil if there are
  /// none.
  private static func part(
    of range: ClosedRange<Double>, around value: Double, _ reach: Double
  ) -> ClosedRange<Double>? {
    let low = max(range.lowerBound, value - reach)
    let high = min(range.upperBound, value + reach)
    // Also nil for NaN.
    return low <= high ? low...high : nil
  }

  private func growth(from start: NibSample, to sample: NibSample) -> Size {
    Size(
      width: 2 * (sample.nib.halfExtent.width - start.nib.halfExtent.width),
      height: 2 * (sample.nib.halfExtent.height - start.nib.halfExtent.height))
  }

  private func hasExtent(of start: NibSample, _ sample: NibSample) -> Bool {
    let growth = growth(from: start, to: sample)
    return abs(growth.width) <= tolerance && abs(growth.height) <= tolerance
  }

  private func hasAngle(of start: NibSample, _ sample: NibSample) -> Bool {
    let turn = sample.nib.angle - start.nib.angle
    guard turn != 0 else { return true }
    let extent = sample.nib.halfExtent
    return abs(mathRemainder(turn, 2 * .pi)) * max(extent.width, extent.height) <= tolerance
  }
}
