import CMath
package import Strokes

/// Collects the statistics that `PriorTables` ships. Only the benchmark program, which generates
/// them, uses this.
package struct PriorTraining {
  private var weights = [Double](
    repeating: 0, count: PriorTables.tableCount * Token.count)

  package init() {}

  /// Adds the numbers of a drawing. Their total weight is `weight`, independent of the drawing's
  /// size.
  package mutating func add(_ drawing: PKDrawing, weight: Double) {
    let segments = Self.segments(of: drawing)
    let total = segments.reduce(0) { $0 + $1.segment.values.count }
    guard total > 0 else { return }
    for (segment, lanes) in segments {
      _ = segment.forEachSymbol(lanes: lanes) { kind, context, _, _, value in
        weights[PriorTables.index(kind, context) * Token.count + Token.of(value)] +=
          weight / Double(total)
      }
    }
  }

  static func segments(
    of drawing: PKDrawing, profile: PKDProfile = .exact
  ) -> [(segment: Segment, lanes: Int)] {
    let list = RecordList(drawing.strokes)
    let base = list.records.first?.stroke.path.creationDate ?? .referenceDate
    let header = Header(profile: profile, base: base, canvas: Recording.Canvas())
    let plan = BlockPlan(list.records[...], header: header)
    var result: [(segment: Segment, lanes: Int)] = []
    for block in plan.blocks {
      var segment = Segment()
      StrokeBlock.gather(block.heads, table: plan.table, base: base, into: &segment)
      result.append((segment, 1))
      let paths = plan.paths[block.paths]
      PointBlock.gather(paths, into: &segment)
      let count = paths.reduce(0) { $0 + $1.count }
      if count > 0 { result.append((segment, PointBlock.lanes(pointCount: count))) }
    }
    return result
  }

  /// The bytes of each segment of a drawing, heads and points, coded with the given counts.
  package static func byteCount(of drawing: PKDrawing, with counts: [UInt16]) -> [Int] {
    var encoder = SegmentEncoder(PriorTables(counts: counts))
    var writer = ByteWriter()
    var sizes: [Int] = []
    for (segment, lanes) in segments(of: drawing) {
      let before = writer.bytes.count
      encoder.encode(segment, lanes: lanes, into: &writer)
      sizes.append(writer.bytes.count - before)
    }
    return sizes
  }

  /// The statistics as counts that sum up to 1024.
  package var counts: [UInt16] {
    var counts: [UInt16] = []
    for kind in SymbolKind.allCases where !kind.isWide {
      for context in 0..<History.classCount { counts += self.counts(kind, context) }
    }
    return counts + Self.wideCounts
  }

  /// The counts of wide kinds. They are not trained, since no corpus has numbers of all sizes:
  /// numbers are as likely as (1 + n / scale)⁻⁷, where the scale follows from the context. Their
  /// tail is longer than an exponential's, because the context knows the mean only roughly.
  package static var wideCounts: [UInt16] {
    (0..<WideHistory.classCount).flatMap { context in
      let sizes = History.sizes(of: context)
      let middle = Double(sizes.lowerBound + max(sizes.upperBound - 1, sizes.lowerBound)) / 2
      let mean = (middle + 0.2) / 4
      // The mean of the numbers, rounded down, falls below 0.2 times the scale for small scales.
      var (low, high) = (1e-3, 1e9)
      for _ in 0..<100 {
        let scale = (low * high).squareRoot()
        if meanNumber(scale) < mean { low = scale } else { high = scale }
      }
      var shares = (0..<Token.count).map { token -> Double in
        guard token < Token.escape else { return 0 }
        let (base, bitCount) = Token.range(of: token)
        return share(above: Double(base), low)
          - share(above: Double(base) + Double(1 << UInt64(bitCount)), low)
      }
      shares[Token.escape] = 0.0005
      return normalized(shares)
    }
  }

  /// The share of numbers at or above a number.
  private static func share(above number: Double, _ scale: Double) -> Double {
    mathPower(1 + number / scale, -6)
  }

  private static func meanNumber(_ scale: Double) -> Double {
    guard scale < 200 else { return scale / 5 - 0.5 }
    return (1...20_000).reduce(0) { $0 + share(above: Double($1), scale) }
  }

  private func weight(_ kind: SymbolKind, _ context: Int, _ token: Int) -> Double {
    guard 0..<History.classCount ~= context, 0..<Token.escape ~= token else { return 0 }
    return weights[PriorTables.index(kind, context) * Token.count + token]
  }

  /// The counts of one context. Neighbouring contexts lend it a little of their weight, since a
  /// rare context has few samples; tokens that were never seen are left to the escape.
  private func counts(_ kind: SymbolKind, _ context: Int) -> [UInt16] {
    let own = (0..<Token.count).reduce(0) { $0 + weight(kind, context, $1) }
    var shares = [Double](repeating: 0, count: Token.count)
    for token in 0..<Token.escape {
      var lent = 0.0
      for step in -2...2 {
        for side in -1...1 { lent += weight(kind, context + side, token + step) }
      }
      for distance in 2..<History.classCount where own < 1e-4 {
        // A context that was hardly ever seen takes the weights of the nearest ones.
        lent +=
          (weight(kind, context - distance, token) + weight(kind, context + distance, token))
          / Double(distance * distance)
      }
      shares[token] = weight(kind, context, token) + 0.01 * lent + 1e-12
    }
    let sum = shares.reduce(0, +)
    shares[Token.escape] = 0.002 * sum
    return Self.normalized(shares)
  }

  private static func normalized(_ shares: [Double]) -> [UInt16] {
    let sum = shares.reduce(0, +)
    var counts = shares.map { share -> Int in
      let exact = share / sum * Double(PriorTables.total)
      return exact >= 0.6 ? Int(exact.rounded()) : exact >= 0.08 ? 1 : 0
    }
    counts[Token.escape] = max(counts[Token.escape], 1)
    var difference = PriorTables.total - counts.reduce(0, +)
    while difference != 0 {
      let largest = counts.indices.max { counts[$0] < counts[$1] } ?? 0
      let change = difference > 0 ? difference : max(difference, -counts[largest] / 2)
      counts[largest] += change
      difference -= change
    }
    return counts.map(UInt16.init)
  }
}
