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
    sampled(in: range, tolerance: tolerance, by: ChainCollector()).chains
  }

  /// The nibs along the visible part of the path, as `nibChains` finds them, without those on
  /// straight parts of it: a line of any length takes two. All that is between two nibs deviates
  /// from the straight line, and the nibs there from even growth, by at most the tolerance, in
  /// points. Memory grows with the bends, not with the samples.
  package func sparseNibChains(
    in range: ClosedRange<Double>? = nil, tolerance: Double = 0.05
  ) -> [[NibSample]] {
    sampled(in: range, tolerance: 0.7 * tolerance, by: BendCollector(tolerance: 0.3 * tolerance))
      .chains
  }

  private func sampled<Sink: NibSink>(
    in range: ClosedRange<Double>?, tolerance: Double, by sink: Sink
  ) -> Sink {
    guard !path.isEmpty else { return sink }
    let parts = SpanParts(of: path, in: visiblePathRange(within: range))
    var sampler = NibSampler(self, tolerance: tolerance, sink: sink)
    sampler.add(parts.start)
    for index in parts.spans { sampler.add(parts[index]) }
    sampler.sink.interrupt()
    return sampler.sink
  }

  func visiblePathRange(within range: ClosedRange<Double>?) -> ClosedRange<Double> {
    range?.clamped(to: visiblePathRange) ?? visiblePathRange
  }
}

/// The parts of a path's spans that a range of parameter values consists of.
struct SpanParts {
  /// A part of a span, from one value of u to another.
  struct Part {
    let span: Int
    let from: Double
    let to: Double

    /// The parameter values of its ends. The upper one is computed as samples are, which rounds.
    var start: Double { Double(span) + from }
    var end: Double { start + (to - from) }
  }

  /// The parameter value at the start of the range.
  let start: Double
  let spans: ClosedRange<Int>
  private let ends: (from: Double, to: Double)

  init(of path: PKStrokePath, in range: ClosedRange<Double>) {
    start = range.lowerBound
    let (first, last) = (
      path.spanPosition(of: range.lowerBound), path.spanPosition(of: range.upperBound)
    )
    spans = first.span...last.span
    ends = (first.u, last.u)
  }

  subscript(span: Int) -> Part {
    Part(
      span: span, from: span == spans.lowerBound ? ends.from : 0,
      to: span == spans.upperBound ? ends.to : 1)
  }
}

/// Takes the nibs that a sampler finds.
protocol NibSink {
  mutating func add(_ sample: NibSample)
  /// The ink ends after the samples so far.
  mutating func interrupt()
}

/// Collects nibs in chains.
private struct ChainCollector: NibSink {
  private(set) var chains: [[NibSample]] = []
  private var chain: [NibSample] = []

  mutating func add(_ sample: NibSample) { chain.append(sample) }

  mutating func interrupt() {
    if !chain.isEmpty { chains.append(chain) }
    chain = []
  }
}

/// Finds the nibs along a path.
struct NibSampler<Sink: NibSink> {
  /// The maximum angle by which a nib turns between two samples, in radians.
  private static var maximumTurn: Double { 0.2 }

  private let ink: PKInk
  private let path: PKStrokePath
  private let tolerance: Double
  private var walker: NibWalker
  var sink: Sink
  /// The parameter value of the last sample, and whether the ink drew there.
  private var last: (parameter: Double, isDrawing: Bool)?

  /// A sampler of a stroke, whose path must not be empty.
  init(_ stroke: PKStroke, tolerance: Double, sink: Sink) {
    ink = stroke.ink
    path = stroke.path
    // Huge coordinates must not lead to millions of samples: beyond a page of 5,000 points, the
    // tolerance grows with the path.
    self.tolerance = max(tolerance, path.controlExtent * 1e-5)
    walker = NibWalker(path)
    self.sink = sink
  }

  /// Adds the samples of a part behind its start, where the last sample must have been.
  mutating func add(_ part: SpanParts.Part) {
    guard part.to > part.from else { return }
    let pieces = max(
      path.span(part.span).pieceCount(from: part.from, to: part.to, tolerance: tolerance),
      pieceCount(from: part.start, to: Double(part.span) + part.to))
    for piece in 1...pieces {
      add(part.start + (part.to - part.from) * Double(piece) / Double(pieces))
    }
  }

  /// The number of pieces of a part of a span in which the nib turns by at most `maximumTurn` each.
  private mutating func pieceCount(from start: Double, to end: Double) -> Int {
    guard ink.inkType.nibShape.isTurnedByAzimuth else { return 1 }
    let turn = mathRemainder(walker.azimuth(at: end) - walker.azimuth(at: start), 2 * .pi)
    return Int(clamping: (abs(turn) / Self.maximumTurn).rounded(.up))
  }

  /// Adds a sample that does not follow the last one.
  mutating func restart(at parameter: Double) {
    last = nil
    add(parameter)
  }

  mutating func add(_ parameter: Double) {
    let nib = nib(at: parameter)
    if let last, (nib != nil) != last.isDrawing {
      // The ink begins or ends between the two samples, so the last position with ink is added.
      let border = border(from: last.parameter, to: parameter, isDrawing: nib == nil)
      if let edge = self.nib(at: border) { sink.add(NibSample(parameter: border, nib: edge)) }
    }
    if let nib { sink.add(NibSample(parameter: parameter, nib: nib)) } else { sink.interrupt() }
    last = (parameter, nib != nil)
  }

  private mutating func nib(at parameter: Double) -> Nib? {
    let (location, size, azimuth) = walker.values(at: parameter)
    return Nib(ink, location: location, size: size, azimuth: azimuth)
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
