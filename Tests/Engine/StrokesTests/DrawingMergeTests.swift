import Graphics
import TestSupport
import Testing

@testable import Strokes

/// Two versions of one drawing, changed concurrently.
private struct Versions {
  let base, one, two: PKDrawing

  init(seed: UInt64) {
    var random = RandomInk(seed: seed)
    base = random.plainDrawing(strokeCount: 0...6)
    one = random.changed(base, from: 100 + random.number(0...3))
    two = random.changed(base, from: 100 + random.number(0...3))
  }

  var merged: PKDrawing { PKDrawing.merging(base: base, ours: one, theirs: two) }
  static let seeds = 0..<UInt64(RunLength.count(60, long: 3000))
}

/// All values of a drawing that files store.
private func words(_ drawing: PKDrawing) -> [UInt64] {
  ContentWords { words in for stroke in drawing.strokes { words.add(stroke) } }.words
}

extension PKDrawing {
  fileprivate var roots: Set<Identifier> { Set(strokes.map { $0.rootID }) }
  fileprivate var ids: Set<Identifier> { Set(strokes.map { $0.id }) }
}

struct DrawingMergeTests {
  @Test func `a merged drawing does not depend on which side is ours`() {
    for seed in Versions.seeds {
      let versions = Versions(seed: seed)
      for base in [versions.base, nil] {
        let a = PKDrawing.merging(base: base, ours: versions.one, theirs: versions.two)
        let b = PKDrawing.merging(base: base, ours: versions.two, theirs: versions.one)
        #expect(words(a) == words(b), "seed \(seed)")
      }
    }
  }

  @Test func `merging an unchanged side gives the other side`() {
    for seed in Versions.seeds {
      let (base, x) = (Versions(seed: seed).base, Versions(seed: seed).one)
      #expect(PKDrawing.merging(base: base, ours: x, theirs: x) == x)
      #expect(PKDrawing.merging(base: base, ours: base, theirs: x) == x)
      #expect(PKDrawing.merging(base: base, ours: x, theirs: base) == x)
      #expect(PKDrawing.merging(base: nil, ours: x, theirs: x) == x)
      let part = PKDrawing(strokes: x.strokes.dropLast())
      #expect(
        part.roots != x.roots
          || PKDrawing.merging(base: nil, ours: part, theirs: x).roots == x.roots)
    }
  }

  @Test func `added strokes are kept, erased ones stay erased, and no identifier comes twice`() {
    for seed in Versions.seeds {
      let versions = Versions(seed: seed)
      let merged = versions.merged
      let (base, one, two) = (versions.base.roots, versions.one.roots, versions.two.roots)
      #expect(merged.ids.count == merged.strokes.count, "seed \(seed)")
      #expect(merged.roots.isSuperset(of: one.union(two).subtracting(base)), "seed \(seed)")
      let erased = base.subtracting(one).union(base.subtracting(two))
      #expect(merged.roots.isDisjoint(with: erased), "seed \(seed)")
      #expect(merged.roots.isSubset(of: one.union(two)), "seed \(seed)")
    }
  }

  @Test func `a merge without a base loses nothing of either side`() {
    for seed in Versions.seeds {
      let (one, two) = (Versions(seed: seed).one, Versions(seed: seed + 1 << 32).two)
      let merged = PKDrawing.merging(base: nil, ours: one, theirs: two)
      #expect(merged.roots == one.roots.union(two.roots))
      #expect(merged.strokes.count == one.strokes.count + two.strokes.count)
    }
  }

  @Test func `each side's added strokes keep their order`() {
    for seed in Versions.seeds {
      let versions = Versions(seed: seed)
      let added = { (drawing: PKDrawing) in
        drawing.strokes.filter { !versions.base.roots.contains($0.rootID) }.map { $0.id }
      }
      let merged = added(versions.merged)
      for side in [versions.one, versions.two] {
        let own = Set(added(side))
        #expect(merged.filter { own.contains($0) } == added(side), "seed \(seed)")
      }
    }
  }

  @Test func `three versions become the same strokes in any order of merging`() {
    for seed in Versions.seeds {
      var random = RandomInk(seed: seed)
      let base = random.plainDrawing(strokeCount: 1...5)
      let versions = (0..<3).map { _ in random.changed(base, from: 100, count: 1...3) }
      func merge(_ a: PKDrawing, _ b: PKDrawing) -> PKDrawing {
        PKDrawing.merging(base: base, ours: a, theirs: b)
      }
      let results = [
        merge(merge(versions[0], versions[1]), versions[2]),
        merge(merge(versions[1], versions[2]), versions[0]),
        merge(merge(versions[0], versions[2]), versions[1]),
      ]
      #expect(Set(results.map { $0.roots }).count == 1, "seed \(seed)")
      // A device that merged receives another device's merge; the base is the version that this
      // device began with.
      #expect(
        PKDrawing.merging(base: versions[0], ours: versions[0], theirs: results[0]) == results[0])
    }
  }

  @Test func `merging again with what was merged finds nothing new`() {
    for seed in Versions.seeds {
      let versions = Versions(seed: seed)
      let merged = versions.merged
      let again = PKDrawing.merging(base: versions.one, ours: merged, theirs: versions.one)
      #expect(again == merged, "seed \(seed)")
      let third = PKDrawing.merging(base: versions.base, ours: merged, theirs: versions.two)
      #expect(third.roots == merged.roots, "seed \(seed)")
    }
  }
}
