import Graphics

/// The strokes of a drawing by their lineage. A family is the remains of one originally drawn
/// stroke: the stroke itself, or the pieces that erasers cut from it.
struct StrokeFamilies {
  /// The identifiers of the originally drawn strokes, from back to front. A family has the position
  /// of its first piece.
  private(set) var roots: [Identifier] = []
  private var pieces: [Identifier: [PKStroke]] = [:]

  init(_ strokes: [PKStroke]) {
    pieces.reserveCapacity(strokes.count)
    for stroke in strokes {
      let root = stroke.rootID
      if pieces[root] == nil { roots.append(root) }
      pieces[root, default: []].append(stroke)
    }
  }

  /// The pieces of a family, from back to front; nil if there are none.
  subscript(root: Identifier) -> [PKStroke]? { pieces[root] }

  /// When the stroke of a family was begun.
  func date(_ root: Identifier) -> Timestamp? { pieces[root]?.first?.path.creationDate }

  /// Gives a family another name.
  mutating func rename(_ root: Identifier, at index: Int, to new: Identifier) {
    guard let family = pieces.removeValue(forKey: root) else { return }
    roots[index] = new
    pieces[new] = family.enumerated().map { number, piece in
      guard piece.parentID != nil else { return piece.renamed(new) }
      var renamed = piece.renamed(new.derived("piece", number))
      renamed.parentID = new
      return renamed
    }
  }
}

extension StrokeFamilies {
  /// Renames strokes that share an identifier with a different stroke. Old archives name strokes by
  /// their index, so two devices may have used the same name for strokes that were begun at
  /// different times. The later one gets a name derived from its old name and its date, so that
  /// every merge finds the same one.
  static func separateNamesakes(
    _ a: inout StrokeFamilies, _ b: inout StrokeFamilies, besides base: StrokeFamilies
  ) {
    func separate(_ families: inout StrokeFamilies, from other: StrokeFamilies) {
      for (index, root) in families.roots.enumerated() where base[root] == nil {
        guard let date = families.date(root), let otherDate = other.date(root),
          date.orderedBits > otherDate.orderedBits
        else { continue }
        // Not by `derived`, whose index has 32 bits on web pages.
        var hash = StableHash()
        hash.combine(root)
        hash.combine(date.orderedBits)
        let new = hash.identifier
        if families[new] == nil { families.rename(root, at: index, to: new) }
      }
    }
    let (oldA, oldB) = (a, b)
    separate(&a, from: oldB)
    separate(&b, from: oldA)
  }
}
