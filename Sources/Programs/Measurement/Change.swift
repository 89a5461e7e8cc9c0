/// The difference between a figure and the baseline's.
package struct Change: Hashable, Sendable {
  package let baseline: Figure
  /// The figure divided by the baseline's; infinite if the latter is 0.
  package let ratio: Double
  package let kind: Kind

  /// Whether the difference exceeds chance, and its direction.
  package enum Kind: String, Sendable { case same, faster, slower, smaller, larger }

  /// The fraction by which a time differs between two runs of one program on a quiet machine,
  /// although the spread within each run is smaller.
  package static let usualVariation = 0.05

  init(from baseline: Figure, to figure: Figure) {
    self.baseline = baseline
    let (old, new) = (baseline.value, figure.value)
    ratio = old == new ? 1 : new / old
    if Figure.isTime(figure.unit) || Figure.isRate(figure.unit) {
      let ratios = Self.ratios(from: baseline, to: figure)
      let limit = 1 + Self.usualVariation + abs(baseline.spread) + abs(figure.spread)
      if ratios.allSatisfy({ $0 > limit }) {
        kind = Figure.isRate(figure.unit) ? .faster : .slower
      } else if ratios.allSatisfy({ $0 * limit < 1 }) {
        kind = Figure.isRate(figure.unit) ? .slower : .faster
      } else {
        kind = .same
      }
    } else {
      let isSame = abs(new - old) <= (figure.spread + baseline.spread) * max(abs(new), abs(old))
      kind = isSame ? .same : new > old ? .larger : .smaller
    }
  }

  /// The ratios that must agree on a difference: of the medians and of the best samples, each as
  /// measured and relative to the reference load, because the machine may have disturbed the work
  /// less than that load, or equally. If other programs were running, the processor time must
  /// confirm it, too, by more than their disturbance.
  private static func ratios(from old: Figure, to new: Figure) -> [Double] {
    func ratio(_ old: Double?, _ new: Double?) -> Double? {
      guard let old, let new else { return nil }
      return old == new ? 1 : new / old
    }
    let (median, best) = (ratio(old.value, new.value), ratio(old.best, new.best))
    var ratios = [median, best]
    if let before = old.reference, let after = new.reference, Figure.isTime(new.unit) {
      ratios.append(median.map { $0 * before.median / after.median })
      ratios.append(best.map { $0 * before.best / after.best })
      let disturbance = max(before.disturbance, after.disturbance)
      if disturbance > usualDisturbance, let processor = ratio(old.processor, new.processor) {
        // A thread that shares a core with another program takes up to twice its time. In 15
        // comparisons of a program with itself, half of the reference load's disturbance explained
        // nearly all differences.
        let allowance = 1 + min(disturbance, 1) / 2
        ratios += [processor / allowance, processor * allowance]
      }
    }
    return ratios.compactMap(\.self)
  }

  /// The disturbance of a machine on which nothing else runs.
  private static let usualDisturbance = 0.1

}
