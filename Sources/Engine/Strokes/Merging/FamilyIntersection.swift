import Graphics

/// The remains of one stroke that both sides erased: the ink that is in a piece of each side.
struct FamilyIntersection {
  let base: [PKStroke]
  let earlier: [PKStroke]
  let later: [PKStroke]

  /// The pieces, in the order of the later side's; nil if they are too complex to compare.
  func pieces(within allowance: inout CombiningAllowance) -> [PKStroke]? {
    // Erasers name pieces by their number, so pieces with one name may differ.
    var same: [Identifier: PKStroke] = [:]
    for piece in earlier { same[piece.id] = piece }
    func twin(_ piece: PKStroke) -> PKStroke? {
      same[piece.id].flatMap { $0.isCut(like: piece) ? $0 : nil }
    }
    let twins = Set(later.filter { twin($0) != nil }.map { $0.id })
    let others = earlier.filter { !twins.contains($0.id) }
    let boxes = others.map { $0.cutBox }
    var result: [PKStroke] = []
    var taken: Set<Identifier> = []
    for piece in later {
      if let twin = twin(piece) {
        add([piece.taking(changesOf: twin, since: base)], of: piece, twin, to: &result, &taken)
        continue
      }
      guard allowance.takes(others.count) else { return nil }
      let box = piece.cutBox
      for (index, other) in others.enumerated() where boxes[index].intersects(box) {
        let common = common(piece, other, within: &allowance)
        guard let common else { return nil }
        add(common, of: piece, other, to: &result, &taken)
      }
    }
    return result
  }

  /// Adds pieces, and names those whose names are taken.
  private func add(
    _ pieces: [PKStroke], of a: PKStroke, _ b: PKStroke, to result: inout [PKStroke],
    _ taken: inout Set<Identifier>
  ) {
    for piece in pieces {
      var (id, copy) = (piece.id, 0)
      while !taken.insert(id).inserted {
        id = a.id.joined(with: b.id, of: piece.rootID).derived("merged", copy)
        copy += 1
      }
      result.append(id == piece.id ? piece : piece.renamed(id))
    }
  }

  /// The pieces with the ink that a piece of each side has; nil if they are too complex to compare.
  ///
  /// Masks and ranges apply to the path before the transform, so it does not matter whether a side
  /// moved the stroke before it erased.
  private func common(
    _ piece: PKStroke, _ other: PKStroke, within allowance: inout CombiningAllowance
  ) -> [PKStroke]? {
    let (range, otherRange) = (piece.cutRange, other.cutRange)
    let (low, high) = (
      max(range.lowerBound, otherRange.lowerBound), min(range.upperBound, otherRange.upperBound)
    )
    // Parts that end where others begin have no ink in common.
    guard low < high || (low == high && range == otherRange) else { return [] }
    var whole = piece.taking(changesOf: other, since: base)
    if whole.cutRange != low...high { whole.pathRange = low...high }

    guard let masks = commonMasks(of: piece, other, within: &allowance) else { return nil }
    func named(_ mask: Path?, _ index: Int) -> PKStroke? {
      if mask == piece.mask, range == low...high { return whole }
      var result = whole
      if result.mask != mask { result.mask = mask }
      if mask == other.mask, otherRange == low...high {
        result = result.renamed(other.id)
        result.parentID = other.parentID
        return result
      }
      let id = piece.id.joined(with: other.id, of: piece.rootID)
      result = result.renamed(index == 0 ? id : id.derived("piece", index))
      result.parentID = piece.rootID
      return result
    }
    return masks.enumerated().compactMap { named($1, $0) }
  }

  /// The area inside both masks, one for each connected piece; nil elements mean no mask. The
  /// result is nil if the masks are too complex to compare.
  private func commonMasks(
    of piece: PKStroke, _ other: PKStroke, within allowance: inout CombiningAllowance
  ) -> [Path?]? {
    guard let mask = piece.mask, let otherMask = other.mask else {
      return [piece.mask ?? other.mask]
    }
    if mask == otherMask { return [mask] }
    guard allowance.takes(mask, otherMask) else { return nil }
    let common = mask.intersection(otherMask)
    // A mask inside the other one stays as it is, so that merging again finds nothing new.
    let area = abs(common.signedArea)
    func isWhole(_ mask: Path) -> Bool {
      abs(abs(mask.signedArea) - area) < PKStroke.minimumPieceArea
    }
    switch (isWhole(mask), isWhole(otherMask)) {
    case (true, true): return [piece.contentOrder(to: other) < 0 ? mask : otherMask]
    case (true, false): return [mask]
    case (false, true): return [otherMask]
    case (false, false): break
    }
    let outline = piece.outline()
    guard allowance.takes(common, outline) else { return nil }
    return common.components().compactMap { piece.isVisible($0, outline) ? Path?.some($0) : nil }
  }
}

extension Identifier {
  /// A name for the common ink of two pieces of one stroke. It does not depend on their order, nor
  /// on the order in which several pieces are joined.
  fileprivate func joined(with other: Identifier, of root: Identifier) -> Identifier {
    Identifier(
      high: (high ^ other.high ^ root.high) & ~0xF000 | 0x4000,
      low: (low ^ other.low ^ root.low) & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
  }
}

extension PKStroke {
  /// The box of the mask, before the transform.
  fileprivate var cutBox: Rect {
    mask?.controlBounds
      ?? Rect(x: -1e300, y: -1e300, width: 2e300, height: 2e300)
  }

  fileprivate func contentOrder(to other: PKStroke) -> Int {
    ContentWords { $0.add(self) }.order(to: ContentWords { $0.add(other) })
  }
}
