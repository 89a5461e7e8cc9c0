import Rasterization

/// Layers from other moments of a replay, within a ceiling of memory.
struct LayerCache {
  struct Entry {
    let layer: Layer
    let settled: Pile
    /// Whole strokes that lie on top of the layer.
    let open: [Int32]
    let doneSteps: Int
    let isIsolated: Bool
  }

  private let limit: Int
  /// So many steps lie between two entries at least.
  private let spacing: Int
  /// In the order of their steps.
  private var entries: [Entry] = []
  private(set) var byteCount = 0

  /// So many steps are drawn in the time that a leap takes.
  static let leapCost = 16
  private static let mostEntries = 32

  init(limit: Int, stepCount: Int) {
    self.limit = limit
    spacing = max(stepCount / Self.mostEntries, 16)
  }

  /// Keeps a layer, unless there is one of about that moment.
  mutating func note(_ entry: Entry) {
    let doneSteps = entry.doneSteps
    let place = entries.firstIndex { $0.doneSteps >= doneSteps } ?? entries.count
    if place > 0, doneSteps - entries[place - 1].doneSteps < spacing { return }
    if place < entries.count, entries[place].doneSteps - doneSteps < spacing { return }
    guard doneSteps > 0 else { return }
    entries.insert(entry, at: place)
    while true {
      byteCount =
        Layer.byteCount(of: entries.lazy.map(\.layer))
        + entries.reduce(0) { $0 + 4 * $1.settled.count }
      guard byteCount > limit, !entries.isEmpty else { break }
      dropOne()
    }
  }

  /// Drops the entry that leaves the shortest way between its neighbours.
  private mutating func dropOne() {
    func gap(_ place: Int) -> Int {
      let before = place > 0 ? entries[place - 1].doneSteps : 0
      let after =
        place + 1 < entries.count
        ? entries[place + 1].doneSteps : entries[place].doneSteps + spacing
      return after - before
    }
    if let place = entries.indices.min(by: { gap($0) < gap($1) }) { entries.remove(at: place) }
  }

  /// The layer from which the fewest steps lead to a moment; nil where there is none before it.
  func nearest(to doneSteps: Int, isIsolated: Bool) -> Entry? {
    entries.filter { $0.isIsolated == isIsolated && $0.doneSteps <= doneSteps }
      .max { $0.doneSteps < $1.doneSteps }
  }
}
