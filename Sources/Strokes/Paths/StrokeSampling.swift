import CMath
import Graphics

/// A nib on a stroke's path. In a chain of samples they are so close that the hulls of neighbours
/// make up the stroke.
package struct NibSample: Hashable, Sendable {
  /// The parameter value of the path at the sample.
  package var parameter: Double
  package var nib: Nib
}

extension PKStroke {
  /// The nibs along the visible part of the path, before the transform. Between two of them, the
  /// curve deviates from the straight line by at most the tolerance, in points. Chains are
  /// interrupted where the ink draws nothing; every chain has at least one nib.
  package func nibChains(
    in range: ClosedRange<Double>? = nil, tolerance: Double = 0.05
  ) -> [[NibSample]] {
    guard !path.isEmpty else { return [] }
    let range = range?.clamped(to: visiblePathRange) ?? visiblePathRange
    // Huge coordinates must not lead to millions of samples: beyond a page of 5,000 points, the
    // tolerance grows with the path.
    let tolerance = max(tolerance, path.controlExtent * 1e-5)
    var sampler = NibSampler(ink: ink, walker: SplineWalker(path))
    sampler.add(range.lowerBound)
    let (first, last) = (
      path.spanPosition(of: range.lowerBound), path.spanPosition(of: range.upperBound)
    )
    for index in first.span...last.span {
      let from = index == first.span ? first.u : 0
      let to = index == last.span ? last.u : 1
      guard to > from else { continue }
      let start = Double(index) + from
      let pieces = max(
        path.span(index).pieceCount(from: from, to: to, tolerance: tolerance),
        sampler.pieceCount(from: start, to: Double(index) + to))
      for piece in 1...pieces { sampler.add(start + (to - from) * Double(piece) / Double(pieces)) }
    }
    sampler.finish()
    return sampler.chains
  }
}

/// Collects the nibs along a path in chains.
private struct NibSampler {
  /// The maximum angle by which a nib turns between two samples, in radians.
  private static let maximumTurn = 0.2

  let ink: PKInk
  var walker: SplineWalker
  private(set) var chains: [[NibSample]] = []
  private var chain: [NibSample] = []
  /// The parameter value of the last sample, whether the ink drew there or not.
  private var last: Double?

  init(ink: PKInk, walker: SplineWalker) {
    self.ink = ink
    self.walker = walker
  }

  /// The number of pieces of a part of a span in which the nib turns by at most `maximumTurn` each.
  mutating func pieceCount(from start: Double, to end: Double) -> Int {
    guard ink.inkType.nibShape.isTurnedByAzimuth else { return 1 }
    let turn = mathRemainder(
      walker.point(at: end).azimuth - walker.point(at: start).azimuth, 2 * .pi)
    return Int(clamping: (abs(turn) / Self.maximumTurn).rounded(.up))
  }

  mutating func add(_ parameter: Double) {
    let nib = nib(at: parameter)
    if let last, (nib == nil) == !chain.isEmpty {
      // The ink begins or ends between the two samples, so the last position with ink is added.
      let border = border(from: last, to: parameter, isDrawing: nib == nil)
      if let edge = self.nib(at: border) { chain.append(NibSample(parameter: border, nib: edge)) }
    }
    if let nib { chain.append(NibSample(parameter: parameter, nib: nib)) } else { finish() }
    last = parameter
  }

  mutating func finish() {
    if !chain.isEmpty { chains.append(chain) }
    chain = []
  }

  private mutating func nib(at parameter: Double) -> Nib? {
    Nib(ink, at: walker.point(at: parameter))
  }

  /// The position with ink that is nearest to the end of the ink, found by bisection between a
  /// position with ink and one without.
  private mutating func border(from start: Double, to end: Double, isDrawing: Bool) -> Double {
    var (drawing, blank) = isDrawing ? (start, end) : (end, start)
    for _ in 0..<40 {
      let middle = (drawing + blank) / 2
      if nib(at: middle) == nil { blank = middle } else { drawing = middle }
    }
    return drawing
  }
}

extension SplineSpan {
  /// The number of straight pieces of a part of the span that keep the tolerance: the distance of a
  /// chord from the curve is at most an eighth of the second derivative times the step squared.
  func pieceCount(from start: Double, to end: Double, tolerance: Double) -> Int {
    func bend(_ u: Double) -> Double {
      let second = 2 * c2 + 6 * c3 * u
      return (second * second).sum().squareRoot()
    }
    let pieces = ((end - start) * (max(bend(start), bend(end)) / (8 * tolerance)).squareRoot())
      .rounded(.up)
    return pieces.isFinite ? Int(clamping: min(max(pieces, 1), 4096)) : 4096
  }
}
