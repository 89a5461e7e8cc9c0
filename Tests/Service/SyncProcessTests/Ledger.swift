import DrawingServices
import Storage
import Strokes
import Sync

/// The writes on devices, and the contents that must result from them.
struct Ledger {
  struct Version {
    var order: SyncOrder
    var isDeletion: Bool
  }

  private(set) var written: [SyncName: [Version]] = [:]
  /// The identifiers of the strokes that were drawn on a drawing, and of the erased ones.
  private(set) var drawn: [String: Set<Identifier>] = [:]
  private(set) var erased: [String: Set<Identifier>] = [:]

  mutating func note(_ name: SyncName, _ fields: Fields) {
    written[name, default: []].append(
      Version(order: SyncOrder(of: fields, in: name.kind), isDeletion: false))
  }

  mutating func noteDeletion(_ name: SyncName, at moment: Moment) {
    written[name, default: []].append(
      Version(order: SyncOrder(ofDeletionAt: moment), isDeletion: true))
  }

  mutating func note(_ name: SyncName, drawn stroke: Identifier) {
    drawn[name.id, default: []].insert(stroke)
  }

  mutating func note(_ name: SyncName, erased stroke: Identifier) {
    erased[name.id, default: []].insert(stroke)
  }

  /// The faults of the contents that are stored at the end.
  func violations(in live: [SyncName: Fields], recording: (String) throws -> [UInt8]?) throws
    -> [String]
  {
    var found = live.keys.filter { written[$0] == nil }.map { "\($0) was never written" }
    for (name, versions) in written {
      let wasDeleted = versions.contains(where: \.isDeletion)
      guard let fields = live[name] else {
        let isLast = versions.max { $0.order < $1.order }?.isDeletion ?? false
        // Ink counts, too: a drawing that was drawn on after its deletion stays.
        if !wasDeleted || name.kind != .drawings && !isLast {
          found.append("\(name) is lost")
        }
        continue
      }
      let order = SyncOrder(of: fields, in: name.kind)
      if !versions.contains(where: { $0.order == order }) {
        found.append("\(name) has a version that was never written")
      }
      if name.kind != .drawings || !wasDeleted,
        versions.contains(where: { order < $0.order })
      {
        found.append("the last write of \(name) is lost")
      }
      guard name.kind == .drawings, !wasDeleted else { continue }
      guard let bytes = try recording(name.id) else {
        found.append("\(name) has no recording")
        continue
      }
      found += try violations(inInkOf: name, bytes)
    }
    return found
  }

  private func violations(inInkOf name: SyncName, _ bytes: [UInt8]) throws -> [String] {
    var found: [String] = []
    let ids = try SmallInk.strokes(bytes).map(\.id)
    let (drawn, erased) = (drawn[name.id] ?? [], erased[name.id] ?? [])
    if Set(ids).count != ids.count { found.append("\(name) has a stroke twice") }
    let missing = drawn.subtracting(erased).subtracting(ids)
    if !missing.isEmpty { found.append("\(name) has lost \(missing.count) strokes") }
    if !Set(ids).isSubset(of: drawn) { found.append("\(name) has strokes that nobody drew") }
    if !erased.isDisjoint(with: ids) { found.append("\(name) has erased strokes again") }
    return found
  }
}
