import Graphics

/// A stroke's path as a chain of nibs close enough that the hulls between neighbours are the stroke.
package struct NibSample: Hashable, Sendable {
  package var parameter: Double
  package var nib: Nib
}

extension PKStroke {
  /// The nibs along the visible part of the path, before the transform. Between two of them the
  /// curve leaves the straight line by no more than the tolerance, in points. Where the ink draws
  /// nothing the chain is broken: every chain holds at least one nib.
  package func nibChains(
    in range: ClosedRange<Double>? = nil, tolerance: Double = 0.05
  ) -> [[NibSample]] {
    guard !path.isEmpty else { return [] }
    let visible = pathRange.clamped(to: path.parameterRange)
    guard let range = range.map({ $0.clamped(to: visible) }) ?? visible as Optional else {
      return []
    }
    var chains: [[NibSample]] = []
    var chain: [NibSample] = []
    var walker = SplineWalker(path)
    func finish() {
      if !chain.isEmpty { chains.append(chain) }
      chain = []
    }
    func add(_ parameter: Double) {
      if let nib = Nib(ink, at: walker.point(at: parameter)) {
        chain.append(NibSample(parameter: parameter, nib: nib))
      } else {
        finish()
      }
    }
    add(range.lowerBound)
    let (first, last) = (path.place(of: range.lowerBound), path.place(of: range.upperBound))
    for index in first.span...last.span {
      let from = index == first.span ? first.u : 0
      let to = index == last.span ? last.u : 1
      guard to > from else { continue }
      let pieces = path.span(index).pieceCount(from: from, to: to, tolerance: tolerance)
      for piece in 1...pieces {
        add(Double(index) + from + (to - from) * Double(piece) / Double(pieces))
      }
    }
    finish()
    return chains
  }
}

extension SplineSpan {
  /// Into how many straight pieces a part of the span must be cut to keep the tolerance: a chord
  /// leaves a curve by at most an eighth of its second derivative times the step squared.
  func pieceCount(from start: Double, to end: Double, tolerance: Double) -> Int {
    func bend(_ u: Double) -> Double {
      let second = 2 * c2 + 6 * c3 * u
      return (second * second).sum().squareRoot()
    }
    let pieces = ((end - start) * (max(bend(start), bend(end)) / (8 * tolerance)).squareRoot())
      .rounded(.up)
    return pieces.isFinite ? Int(min(max(pieces, 1), 4096)) : 4096
  }
}
