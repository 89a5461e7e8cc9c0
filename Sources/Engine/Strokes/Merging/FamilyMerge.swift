import Graphics

/// Merges two sides' versions of one originally drawn stroke. The sides are ordered by their
/// content into the earlier and the later one.
struct FamilyMerge {
  /// The family before both sides changed it; nil if they did not have it in common.
  let base: [PKStroke]?
  let earlier: [PKStroke]
  let later: [PKStroke]

  /// The merged family. An erasure wins over every other change: ink that returns unexpectedly is
  /// worse than ink that must be drawn again.
  func merged(within allowance: inout CombiningAllowance) -> [PKStroke] {
    if earlier == later { return later }
    if let base {
      if earlier == base { return later }
      if later == base { return earlier }
      if earlier.isEmpty || later.isEmpty { return [] }
    } else {
      // A family that only one side has was added there.
      if earlier.isEmpty { return later }
      if later.isEmpty { return earlier }
    }
    switch (isCut(earlier), isCut(later)) {
    case (true, false): return earlier
    case (false, true): return later
    case (false, false): return altered
    case (true, true):
      return FamilyIntersection(base: base ?? [], earlier: earlier, later: later)
        .pieces(within: &allowance) ?? later
    }
  }

  /// Whether a side erased: it has other pieces than the base. Without a base, the whole stroke
  /// came first.
  private func isCut(_ side: [PKStroke]) -> Bool {
    guard let base else {
      return side.contains { $0.parentID != nil || $0.mask != nil || $0.isPartial }
    }
    return side.count != base.count
      || zip(side, base).contains { $0.id != $1.id || !$0.isCut(like: $1) }
  }

  /// The family if both sides moved, coloured or continued it.
  private var altered: [PKStroke] {
    guard let base else {
      // The longer one: it was still being drawn when the other side was saved.
      func pointCount(_ side: [PKStroke]) -> Int { side.reduce(0) { $0 + $1.path.count } }
      return pointCount(earlier) > pointCount(later) ? earlier : later
    }
    return later.indices.map { later[$0].taking(changesOf: earlier[$0], since: [base[$0]]) }
  }
}

extension PKStroke {
  /// The drawn part of the path; a whole path stays whole when it is continued.
  var cutRange: ClosedRange<Double> { isPartial ? visiblePathRange : .wholePath }

  /// Whether erasers left the same part of both strokes.
  func isCut(like other: PKStroke) -> Bool { mask == other.mask && cutRange == other.cutRange }

  /// The later side's stroke with changes that only the earlier side made. Of two changes of one
  /// value the later side's is taken, and of two paths the longer one.
  func taking(changesOf earlier: PKStroke, since base: [PKStroke]) -> PKStroke {
    var result = self
    // Values are set only if they differ, since setting one discards archived values of the stroke.
    if ink != earlier.ink, base.contains(where: { $0.ink == ink }) { result.ink = earlier.ink }
    if transform != earlier.transform, base.contains(where: { $0.transform == transform }) {
      result.transform = earlier.transform
    }
    if randomSeed != earlier.randomSeed, base.contains(where: { $0.randomSeed == randomSeed }) {
      result.randomSeed = earlier.randomSeed
    }
    if renderGroupID != earlier.renderGroupID,
      base.contains(where: { $0.renderGroupID == renderGroupID })
    {
      result.renderGroupID = earlier.renderGroupID
    }
    if path != earlier.path {
      let isUnchanged = base.contains { $0.path == path }
      let isOtherUnchanged = base.contains { $0.path == earlier.path }
      let isShorter = path.count < earlier.path.count
      if isUnchanged || (!isOtherUnchanged && isShorter) { result.path = earlier.path }
    }
    return result
  }
}
