import Graphics

/// A page to which events are added, with the edits that undo would revert next.
struct TrackedPage {
  private(set) var page = LivePage()
  /// The events whose edits each person can undo and redo, the last of them next.
  private var edits: [UInt16: (done: [Int], undone: [Int])] = [:]

  /// The effect of an event.
  struct Effect {
    /// The number of the event whose edit was made, undone or redone.
    let edit: Int
    let removed: [Int32]
    let added: [Int32]
  }

  /// The strokes on the page, from back to front.
  var strokes: [PKStroke] { page.drawing.strokes }
  var eventCount: Int { page.eventCount }
  /// The events whose edits are not undone.
  var done: Set<Int> { Set(edits.values.flatMap { $0.done }) }

  /// Adds an event; returns its effect on the page, nil if it has none.
  @discardableResult mutating func append(_ event: Recording.Event) -> Effect? {
    let number = page.eventCount
    var own = edits[event.person] ?? ([], [])
    defer { edits[event.person] = own }
    let edit = page.append(event)
    var source = number
    switch event.action {
    // An undo takes its turn even if others have left it nothing to do.
    case .undone:
      if let last = own.done.popLast() {
        source = last
        own.undone.append(last)
      }
    case .redone:
      if let last = own.undone.popLast() {
        source = last
        own.done.append(last)
      }
    default: if edit != nil { own = (own.done + [number], []) }
    }
    return edit.map { Effect(edit: source, removed: $0.removed, added: $0.added) }
  }

  /// The stroke that an event with an identifier refers to; nil if there is none.
  func shown(_ id: Identifier) -> PKStroke? { page.shown(id) }
}
