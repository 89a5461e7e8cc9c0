import DrawingServices

/// How the recording of another place and the one here come from each other.
///
/// A recording is known by its hash, and a drawing may return to former bytes: a stroke is drawn and erased again. So of
/// what the other place has replaced, only what followed the recording that both had last tells anything.
struct InkDescent {
  /// Theirs is what this device has sent, or what both had before: nothing is new there.
  let isOlder: Bool
  /// Theirs comes from mine, or mine has not changed since both had the same.
  let isNewer: Bool
  /// The last recording that both come from; nil if it is not known.
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
    // What it replaced before the one that is known tells nothing. If it has that one, and not once more, that is all.
    let start =
      known.sha256.flatMap { former.lastIndex(of: $0) }.map { $0 + 1 }
      ?? (there == known.sha256 ? former.count : 0)
    let replaced = Set(former[start...])
    // What was sent last is last.
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
