import Graphics

extension PKDrawing {
  /// Merges two versions of a drawing that were changed separately. The result does not depend on
  /// which of them is called ours.
  ///
  /// Strokes that either side added are kept. A stroke that both sides changed keeps the ink that
  /// both left of it, and an erasure wins over any other change. Without a base, strokes of only
  /// one side count as added. Decision 41 has all rules.
  ///
  /// - Parameters:
  ///   - base: the version that both sides began with; nil if it is unknown.
  ///   - ours: one side.
  ///   - theirs: the other side.
  package static func merging(base: PKDrawing?, ours: PKDrawing, theirs: PKDrawing) -> PKDrawing {
    let isOursLater = ours.isLater(than: theirs)
    return DrawingMerge(
      base: base, earlier: isOursLater ? theirs : ours, later: isOursLater ? ours : theirs
    ).merged()
  }
}

/// Merges two versions of a drawing, ordered by their content into the earlier and the later one.
/// So the result does not depend on the order of arguments.
struct DrawingMerge {
  let base: PKDrawing?
  let earlier: PKDrawing
  let later: PKDrawing

  /// The merged drawing. The residue is the later side's, if it has one.
  func merged() -> PKDrawing {
    if earlier == later { return later }
    if let base {
      if earlier == base { return later }
      if later == base { return earlier }
    }
    let base = StrokeFamilies(base?.strokes ?? [])
    var (earlier, later) = (StrokeFamilies(earlier.strokes), StrokeFamilies(later.strokes))
    StrokeFamilies.separateNamesakes(&earlier, &later, besides: base)

    var allowance = CombiningAllowance()
    var result = PKDrawing()
    for root in FamilyOrder(base: base, earlier: earlier, later: later).roots {
      let family = FamilyMerge(
        base: base[root], earlier: earlier[root] ?? [], later: later[root] ?? [])
      result.strokes += family.merged(within: &allowance)
    }
    result.residue = self.later.residue ?? self.earlier.residue
    return result
  }
}
