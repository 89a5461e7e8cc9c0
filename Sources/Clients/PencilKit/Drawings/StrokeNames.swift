import Foundation
import Strokes

/// Keeps the identifiers of a drawing's strokes unique.
///
/// An array does not report its changes in place. So this stores the previous strokes: an unchanged
/// stroke is still the same object, and comparing the addresses of ten thousand of them takes
/// microseconds. Only the strokes between the first and the last change are examined.
struct StrokeNames: Sendable {
  /// The strokes when their identifiers were last made unique.
  private var known: [PKStroke] = []
  /// Their identifiers; nil until they are needed.
  private var taken: Set<Identifier>?

  /// Gives a new identifier to each stroke whose identifier an earlier stroke has.
  mutating func makeUnique(in list: inout [PKStroke]) {
    let start = list.sharedCount(with: known, upTo: min(list.count, known.count), fromEnd: false)
    let end = list.sharedCount(
      with: known, upTo: min(list.count, known.count) - start, fromEnd: true)
    let old = start..<known.count - end
    let added = list[start..<list.count - end]
    if added.elementsEqual(known[old], by: { $0.name == $1.name }) {
      known.replaceSubrange(old, with: added)
    } else if added.count > known.count - old.count || !replace(old, by: added) {
      list.renameRepeated()
      (known, taken) = (list, nil)
    }
  }

  /// Stores other strokes in a range. Returns false, and stores nothing, if some of their
  /// identifiers are already used.
  private mutating func replace(_ old: Range<Int>, by added: ArraySlice<PKStroke>) -> Bool {
    var names = taken ?? Set(known.lazy.map(\.name))
    // Releases the shared reference, so that the set is changed in place.
    taken = nil
    for stroke in known[old] { names.remove(stroke.name) }
    for stroke in added where !names.insert(stroke.name).inserted { return false }
    known.replaceSubrange(old, with: added)
    taken = names
    return true
  }
}

extension [PKStroke] {
  /// The number of strokes at the start or the end that are the same objects in both lists.
  fileprivate func sharedCount(with other: [PKStroke], upTo limit: Int, fromEnd: Bool) -> Int {
    var shared = 0
    /// Whether the strokes after the shared ones, up to a number, are the same as well.
    func areShared(_ number: Int) -> Bool {
      let count = number - shared
      return areSame(
        fromEnd ? self.count - number : shared, count, in: other,
        at: fromEnd ? other.count - number : shared)
    }
    // Nearly always all of them are.
    if areShared(limit) { return limit }
    var different = limit
    while different - shared > 1 {
      let middle = shared + (different - shared) / 2
      if areShared(middle) { shared = middle } else { different = middle }
    }
    return shared
  }

  /// Whether some strokes are the same objects as those at another index of another list.
  private func areSame(
    _ start: Int, _ count: Int, in other: [PKStroke], at otherStart: Int
  ) -> Bool {
    let size = MemoryLayout<PKStroke>.stride
    return withUnsafeBytes { bytes in
      other.withUnsafeBytes { otherBytes in
        let part = bytes[start * size..<(start + count) * size]
        let otherPart = otherBytes[otherStart * size..<(otherStart + count) * size]
        guard let a = UnsafeRawBufferPointer(rebasing: part).baseAddress,
          let b = UnsafeRawBufferPointer(rebasing: otherPart).baseAddress
        else { return count == 0 }
        return memcmp(a, b, count * size) == 0
      }
    }
  }

  /// If several strokes have the same identifier, the first keeps it.
  fileprivate mutating func renameRepeated() {
    // The used identifiers, each with the number of its copies: a thousand copies are renamed in a
    // thousand steps.
    var copies = [Identifier: Int](minimumCapacity: count)
    for index in indices {
      let own = self[index].name
      var name = own
      while copies[name] != nil {
        let count = copies[own, default: 0] + 1
        copies[own] = count
        name = own.derived("copy", count)
      }
      copies[name] = 0
      if name != own { self[index].id = UUID(name) }
    }
  }
}
