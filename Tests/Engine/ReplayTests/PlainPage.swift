import Graphics
@testable import Strokes

/// A page that applies events in the simplest way: every undo step is a copy of the whole page. It
/// is the reference for `PageEditor`.
struct PlainPage {
  private struct Entry {
    /// The number of the stroke that an event began. A moved stroke is another entry with the same
    /// number.
    let number: Int
    /// The order of arrival on the page. An event refers to the last stroke with its identifier.
    let arrival: Int
    var stroke: PKStroke
  }

  private var page: [Entry] = []
  private var undoable: [[Entry]] = []
  private var redoable: [[Entry]] = []
  private var arrivalCount = 0

  init(_ events: [Recording.Event]) {
    for event in events { apply(event.action) }
  }

  var strokes: [PKStroke] { page.map(\.stroke) }

  private mutating func apply(_ action: Recording.Action) {
    switch action {
    case .strokeBegun(let stroke): change(to: page + [entry(stroke)])
    case .strokeExtended(let id, let points):
      guard let number = last(of: id).map({ page[$0].number }) else { return }
      // Undoing a move keeps points that were drawn after it.
      Self.extend(number, by: points, in: &page)
      for index in undoable.indices { Self.extend(number, by: points, in: &undoable[index]) }
      for index in redoable.indices { Self.extend(number, by: points, in: &redoable[index]) }
    case .erased(_, _, let changes): change(to: changed(changes))
    case .edited(let changes, let above, let below):
      let changed = changed(changes)
      let front = above.map { entry($0) }
      // The front stroke of those at the back arrives first.
      let back = below.reversed().map { entry($0) }
      change(to: back.reversed() + changed + front)
    case .moved(let ids, let transform):
      var next = page
      for id in ids.enumerated().filter({ !ids[..<$0.offset].contains($0.element) }).map(\.element)
      {
        let all = page.indices.filter { page[$0].stroke.id == id }
        for index in all.sorted(by: { page[$0].arrival < page[$1].arrival }) {
          next[index] = entry(page[index].stroke, number: page[index].number)
          next[index].stroke.transform = page[index].stroke.transform
            .finitelyConcatenating(transform)
        }
      }
      change(to: next)
    case .cleared: change(to: [])
    case .undone:
      guard let before = undoable.popLast() else { return }
      redoable.append(page)
      page = before
    case .redone:
      guard let after = redoable.popLast() else { return }
      undoable.append(page)
      page = after
    case .strokeEnded, .toolChanged: break
    }
  }

  /// The page after changes of strokes.
  private mutating func changed(_ changes: [StrokeChange<PKStroke>]) -> [Entry] {
    var result = page.map { [$0] }
    var names: Set<Identifier> = []
    for change in changes where names.insert(change.strokeID).inserted {
      let final = changes.last { $0.strokeID == change.strokeID } ?? change
      guard let index = last(of: change.strokeID) else { continue }
      result[index] = final.replacements.map { entry($0) }
    }
    return result.flatMap { $0 }
  }

  private func last(of id: Identifier) -> Int? {
    page.indices.filter { page[$0].stroke.id == id }
      .max { page[$0].arrival < page[$1].arrival }
  }

  private mutating func entry(_ stroke: PKStroke, number: Int? = nil) -> Entry {
    arrivalCount += 1
    return Entry(number: number ?? arrivalCount, arrival: arrivalCount, stroke: stroke)
  }

  /// Changes the page, unless it stays the same.
  private mutating func change(to next: [Entry]) {
    guard next.map(\.arrival) != page.map(\.arrival) else { return }
    undoable.append(page)
    redoable = []
    page = next
  }

  private static func extend(_ number: Int, by points: PKStrokePath, in page: inout [Entry]) {
    for index in page.indices where page[index].number == number {
      let path = page[index].stroke.path
      page[index].stroke.path = PKStrokePath(
        storedPoints: path.columns.converted(to: .current).points
          + points.columns.converted(to: .current).points,
        creationDate: path.creationDate)
    }
  }
}
