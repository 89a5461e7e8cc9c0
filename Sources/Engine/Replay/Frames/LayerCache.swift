import Rasterization

/// Layers from other moments of a replay, within a limit of memory.
struct LayerCache {
  struct Entry {
    let layer: Layer
    let settled: MarkStack
    /// Complete showings that lie on top of the layer.
    let top: [Int32]
    let doneSteps: Int
    let isIsolated: Bool
  }

  /// The bytes that the layers may have.
  var limit: Int { didSet { trim() } }
  /// The minimum number of steps between two entries.
  private let spacing: Int
  /// The layers, in the order of their steps.
  private var entries: [Entry] = []
  private(set) var byteCount = 0

  /// The time of restoring a layer, measured in drawn steps.
  static let restoreCost = 16
  private static let maximumEntryCount = 32

  init(limit: Int, stepCount: Int) {
    self.limit = limit
    spacing = max(stepCount / Self.maximumEntryCount, 16)
  }

  /// Adds a layer, unless there is one from about the same moment; removes others if the limit is
  /// exceeded.
  mutating func insert(_ entry: Entry) {
    let doneSteps = entry.doneSteps
    guard limit > 0, doneSteps > 0 else { return }
    let index = entries.firstIndex { $0.doneSteps >= doneSteps } ?? entries.count
    if index > 0, doneSteps - entries[index - 1].doneSteps < spacing { return }
    if index < entries.count, entries[index].doneSteps - doneSteps < spacing { return }
    entries.insert(entry, at: index)
    trim()
  }

  /// Removes layers until the rest is within the limit.
  private mutating func trim() {
    while true {
      byteCount =
        Layer.byteCount(of: entries.lazy.map { $0.layer })
        + entries.reduce(0) { $0 + 4 * $1.settled.count }
      guard byteCount > limit, !entries.isEmpty else { break }
      removeOne()
    }
  }

  /// Removes the entry whose neighbours have the fewest steps between them.
  private mutating func removeOne() {
    func gap(_ index: Int) -> Int {
      let before = index > 0 ? entries[index - 1].doneSteps : 0
      let after =
        index + 1 < entries.count
        ? entries[index + 1].doneSteps : entries[index].doneSteps + spacing
      return after - before
    }
    if let index = entries.indices.min(by: { gap($0) < gap($1) }) { entries.remove(at: index) }
  }

  /// The last layer before a moment; nil if there is none.
  func nearest(to doneSteps: Int, isIsolated: Bool) -> Entry? {
    entries.filter { $0.isIsolated == isIsolated && $0.doneSteps <= doneSteps }
      .max { $0.doneSteps < $1.doneSteps }
  }
}
