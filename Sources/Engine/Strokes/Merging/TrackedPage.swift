import Graphics

/// A page to which events are added, with the edits that undo would revert next.
struct TrackedPage {
  private(set) var page = LivePage()
  /// The events whose edits can be undone, the last of them next.
  private(set) var done: [Int] = []
  /// The events whose edits can be redone, the last of them next.
  private(set) var undone: [Int] = []

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

  /// Adds an event; returns its effect on the page, nil if it has none.
  @discardableResult mutating func append(_ event: Recording.Event) -> Effect? {
    let number = page.eventCount
    guard let edit = page.append(event) else { return nil }
    let source: Int
    switch event.action {
    case .undone:
      source = done.popLast() ?? number
      undone.append(source)
    case .redone:
      source = undone.popLast() ?? number
      done.append(source)
    default:
      source = number
      done.append(number)
      undone = []
    }
    return Effect(edit: source, removed: edit.removed, added: edit.added)
  }

  /// The stroke that an event with an identifier refers to; nil if there is none.
  func shown(_ id: Identifier) -> PKStroke? { page.shown(id) }
}
