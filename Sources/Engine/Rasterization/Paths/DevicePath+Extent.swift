import Graphics

extension DevicePaths {
  /// The pixels that the chains from one on can reach. The box is not cut to the picture.
  func box(ofChainsFrom first: Int) -> PixelRect {
    chains[first...].reduce(.none) { $0.union(pixels(in: $1.box, of: $1)) }
  }

  /// The pixels that may differ from those of the paths that these have grown from: the pixels
  /// around all points that the two do not share.
  func difference(from old: DevicePaths) -> PixelRect {
    var box = PixelRect.none
    for index in 0..<max(chains.count, old.chains.count) {
      let ours = index < chains.count ? chains[index] : nil
      let theirs = index < old.chains.count ? old.chains[index] : nil
      var shared = 0
      if let ours, let theirs {
        shared = sharedPrefixCount(ours, theirs, of: old)
        if shared == ours.count, shared == theirs.count { continue }
      }
      // The joint between two nibs depends on the next nib.
      let from = max(shared - 3, 0)
      if let ours { box = box.union(self.box(of: ours, from: from)) }
      if let theirs { box = box.union(old.box(of: theirs, from: from)) }
    }
    return box
  }

  private func box(of chain: Chain, from first: Int) -> PixelRect {
    guard first < chain.count else { return .none }
    let (x, y) = locations(of: chain)
    return pixels(in: Box(x, y, first...chain.count - 1), of: chain)
  }

  /// The pixels that a chain's ink can reach from points in a box.
  private func pixels(in box: Box, of chain: Chain) -> PixelRect {
    // The same reach as in `TileBins.add`.
    let reach = Int(clamping: min(chain.reach + 2, 262_144).rounded(.up))
    func pixels(_ first: Int32, _ last: Int32) -> Range<Int> {
      let shift = Int(chain.coarseness)
      return (Int(first) >> 10 - reach) << shift..<(Int(last) >> 10 + reach + 1) << shift
    }
    return PixelRect(columns: pixels(box.left, box.right), rows: pixels(box.top, box.bottom))
  }

  /// The number of equal points with which a chain and a chain of other paths begin.
  private func sharedPrefixCount(_ ours: Chain, _ theirs: Chain, of old: DevicePaths) -> Int {
    guard ours.nib == theirs.nib, ours.opacity == theirs.opacity,
      ours.coarseness == theirs.coarseness
    else { return 0 }
    let count = min(ours.count, theirs.count)
    func shared<Value: Equatable>(
      _ a: UnsafeMutablePointer<Value>, _ b: UnsafeMutablePointer<Value>, _ limit: Int
    ) -> Int {
      (0..<limit).first { a[ours.start + $0] != b[theirs.start + $0] } ?? limit
    }
    func shared<Value: Equatable>(_ a: Column<Value>, _ b: Column<Value>, _ limit: Int) -> Int {
      shared(a.base, b.base, limit)
    }
    switch ours.nib {
    case .round:
      let points = shared(round.y, old.round.y, shared(round.x, old.round.x, count))
      return shared(round.radius, old.round.radius, points)
    case .elliptic:
      let (a, b) = (elliptic, old.elliptic)
      let points = shared(a.y, b.y, shared(a.x, b.x, count))
      return shared(a.yy, b.yy, shared(a.xy, b.xy, shared(a.xx, b.xx, points)))
    case .textured:
      let (a, b) = (textured, old.textured)
      let points = shared(a.y, b.y, shared(a.x, b.x, count))
      let sizes = shared(a.thickness, b.thickness, shared(a.radius, b.radius, points))
      let directions = shared(a.sine, b.sine, shared(a.cosine, b.cosine, sizes))
      return shared(a.lean, b.lean, shared(a.arc, b.arc, shared(a.flow, b.flow, directions)))
    }
  }
}

extension PixelRect {
  /// No pixels.
  static let none = PixelRect(columns: 0..<0, rows: 0..<0)
}
