import DrawingServices

/// The ancestry of another place's recording and the one here.
///
/// A recording is identified by its hash, and a drawing may return to former bytes: a stroke is
/// drawn and erased again. So of the other place's replaced recordings, only those after the last
/// common one count.
struct InkDescent {
  /// Theirs is one that this device has sent, or that both had before: it contains nothing new.
  let isOlder: Bool
  /// Theirs descends from mine, or mine has not changed since both were equal.
  let isNewer: Bool
  /// The last common ancestor; nil if unknown.
  let common: String?

  init(of theirs: SyncChange, and mine: SyncChange?, _ known: InkBases.Known) {
    let there = theirs.sha256(of: DrawingFiles.recording)
    let here = mine?.sha256(of: DrawingFiles.recording)
    let former = theirs.ancestors ?? []
    guard !known.hashes.isEmpty else {
      common = nil
      isOlder = there.map { mine?.ancestors?.contains($0) ?? false } ?? false
      isNewer = here.map { former.contains($0) } ?? false
      return
    }
    // Recordings before the known one do not count. If the place still has the known one and lists
    // it in no ancestor, none of the ancestors count.
    let start =
      known.sha256.flatMap { former.lastIndex(of: $0) }.map { $0 + 1 }
      ?? (there == known.sha256 ? former.count : 0)
    let replaced = Set(former[start...])
    // In the order of sending.
    let sent = (known.sha256.map { [$0] } ?? []) + known.tried
    let arrived = sent.lastIndex { replaced.contains($0) }
    let current = there.flatMap { sent.lastIndex(of: $0) }
    if let current, arrived.map({ $0 < current }) ?? true {
      common = sent[current]
    } else {
      common = arrived.map { sent[$0] } ?? known.sha256
    }
    isOlder = there != nil && common == there
    isNewer = here != nil && (common == here || here.map { replaced.contains($0) } ?? false)
  }
}
