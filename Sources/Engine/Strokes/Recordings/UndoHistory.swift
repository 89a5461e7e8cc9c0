/// The edits of a page that can be undone and redone.
struct UndoHistory {
  private var undoable: [PageEditor.Edit] = []
  private var redoable: [PageEditor.Edit] = []

  var canUndo: Bool { !undoable.isEmpty }
  var canRedo: Bool { !redoable.isEmpty }

  /// Forgets all edits: what they made stays.
  mutating func clear() { (undoable, redoable) = ([], []) }

  /// Records an edit that was made. Edits undone before it can no longer be redone.
  mutating func record(_ edit: PageEditor.Edit) {
    redoable = []
    undoable.append(edit)
  }

  /// The edit that takes back the last one; nil if there is none.
  mutating func undo() -> PageEditor.Edit? {
    guard let edit = undoable.popLast() else { return nil }
    redoable.append(edit)
    return edit.inverse
  }

  /// The last edit that was taken back; nil if there is none.
  mutating func redo() -> PageEditor.Edit? {
    guard let edit = redoable.popLast() else { return nil }
    undoable.append(edit)
    return edit
  }
}
