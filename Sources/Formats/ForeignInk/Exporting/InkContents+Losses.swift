import InkFiles
import Graphics
import Strokes

/// The parts of a page besides its visible ink.
struct PageParts: OptionSet {
  let rawValue: Int

  static let extent = PageParts(rawValue: 1)
  /// The colour of the page.
  static let background = PageParts(rawValue: 2)
  static let paper = PageParts(rawValue: 4)
  static let title = PageParts(rawValue: 8)
  static let erasedStrokes = PageParts(rawValue: 16)
  static let words = PageParts(rawValue: 32)
}

extension InkContents {
  /// Notes the parts of the page that a format does not keep. `texts` are the names of the other
  /// texts that it keeps.
  func noteLosses(
    keeping kept: PageParts, texts: [String] = [], _ notes: inout ImportNotes
  ) {
    if !kept.contains(.extent), canvas.size != nil {
      notes.add("the extent of the page is left out")
    }
    if !kept.contains(.background), let color = canvas.background, color != .white {
      notes.add("the color of the page is left out")
    }
    let metadata = canvas.metadata
    if !kept.contains(.paper), let paper = metadata["paper"], paper != "blank" {
      notes.add("the lines of the paper are left out")
    }
    if !kept.contains(.title), !title.isEmpty { notes.add("the title of the page is left out") }
    let others = metadata.keys.count { !(["title", "paper"] + texts).contains($0) }
    if others > 0 { notes.add("texts about the page are left out", count: others) }
    if !kept.contains(.words), words != nil {
      notes.add("the words that were recognized are left out")
    }
    guard !kept.contains(.erasedStrokes), let events else { return }
    let shown = Set(drawing.strokes.flatMap { [$0.id, $0.parentID ?? $0.id] })
    let gone = events.count { event in
      if case .strokeBegun(let stroke) = event.action { !shown.contains(stroke.id) } else { false }
    }
    if gone > 0 { notes.add("strokes that were erased or undone are left out", count: gone) }
  }

  /// The title of the page.
  var title: String { canvas.metadata["title"] ?? name }
}
