import Graphics

extension DevicePaths {
  /// The pixels that chains can reach, from one of them on; more where pictures end.
  func box(ofChainsFrom first: Int) -> PixelRect {
    chains[first...].reduce(.none) { $0.union(box(of: $1, from: 0)) }
  }

  /// The pixels that may look different from those of other paths which are the same but for having
  /// grown: those around what is not common to both.
  func difference(from old: DevicePaths) -> PixelRect {
    var box = PixelRect.none
    for place in 0..<max(chains.count, old.chains.count) {
      let ours = place < chains.count ? chains[place] : nil
      let theirs = place < old.chains.count ? old.chains[place] : nil
      var common = 0
      if let ours, let theirs {
        common = commonCount(ours, theirs, of: old)
        if common == ours.count, common == theirs.count { continue }
      }
      // How a nib is joined to the last one depends on the next.
      let from = max(common - 3, 0)
      if let ours { box = box.union(self.box(of: ours, from: from)) }
      if let theirs { box = box.union(old.box(of: theirs, from: from)) }
    }
    return box
  }

  private func box(of chain: Chain, from first: Int) -> PixelRect {
    let (x, y) = locations(of: chain)
    guard first < chain.count else { return .none }
    var (left, top, right, bottom) = (x[first], y[first], x[first], y[first])
    for place in first..<chain.count {
      (left, right) = (min(left, x[place]), max(right, x[place]))
      (top, bottom) = (min(top, y[place]), max(bottom, y[place]))
    }
    // As far as tiles are told of it.
    let reach = Int(clamping: min(chain.reach + 2, 262_144).rounded(.up))
    func pixel(_ value: Int32) -> Int { Int(value) >> 10 }
    return PixelRect(
      columns: pixel(left) - reach..<pixel(right) + reach + 1,
      rows: pixel(top) - reach..<pixel(bottom) + reach + 1)
  }

  /// How many points a chain begins with that one of other paths begins with too.
  private func commonCount(_ ours: Chain, _ theirs: Chain, of old: DevicePaths) -> Int {
    guard ours.nib == theirs.nib, ours.opacity == theirs.opacity else { return 0 }
    let count = min(ours.count, theirs.count)
    func common<Value: Equatable>(_ a: Column<Value>, _ b: Column<Value>, _ limit: Int) -> Int {
      let (a, b) = (a.base + ours.start, b.base + theirs.start)
      return (0..<limit).first { a[$0] != b[$0] } ?? limit
    }
    switch ours.nib {
    case .round:
      let places = common(round.y, old.round.y, common(round.x, old.round.x, count))
      return common(round.radius, old.round.radius, places)
    case .elliptic:
      let (a, b) = (elliptic, old.elliptic)
      let places = common(a.y, b.y, common(a.x, b.x, count))
      return common(a.yy, b.yy, common(a.xy, b.xy, common(a.xx, b.xx, places)))
    case .textured:
      let (a, b) = (textured, old.textured)
      let places = common(a.y, b.y, common(a.x, b.x, count))
      let nibs = common(a.thickness, b.thickness, common(a.radius, b.radius, places))
      let turns = common(a.sine, b.sine, common(a.cosine, b.cosine, nibs))
      return common(a.lean, b.lean, common(a.arc, b.arc, common(a.flow, b.flow, turns)))
    }
  }
}

extension PixelRect {
  /// No pixels.
  static let none = PixelRect(columns: 0..<0, rows: 0..<0)
}
