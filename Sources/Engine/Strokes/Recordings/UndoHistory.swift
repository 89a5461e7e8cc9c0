/// The edits of a person that can be undone and redone.
struct UndoHistory {
  private var undoable: [PageEditor.Edit] = []
  private var redoable: [PageEditor.Edit] = []

  var canUndo: Bool { !undoable.isEmpty }
  var canRedo: Bool { !redoable.isEmpty }

  /// Records an edit that was made. Edits undone before it can no longer be redone.
  mutating func record(_ edit: PageEditor.Edit) {
    redoable = []
    undoable.append(edit)
  }

  /// Takes the last edit, to undo it; nil if there is none.
  mutating func takeUndoable() -> PageEditor.Edit? { undoable.popLast() }
  /// Takes the last edit that undid another, to undo it in turn; nil if there is none.
  mutating func takeRedoable() -> PageEditor.Edit? { redoable.popLast() }

  /// Notes the edit that has undone another.
  mutating func noteUndone(_ inverse: PageEditor.Edit) { redoable.append(inverse) }
  /// Notes the edit that has redone another.
  mutating func noteRedone(_ edit: PageEditor.Edit) { undoable.append(edit) }
}
