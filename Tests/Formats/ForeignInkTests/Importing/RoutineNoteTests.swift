import InkFiles
import ForeignSamples
import Foundation
import TestSupport
import Testing

@testable import ForeignInk

/// Notes that stand on nearly every file.
struct RoutineNoteTests {
  @Test func `each routine note is one that an importer makes`() throws {
    let folder = Corpus.project.appendingPathComponent("Sources/Formats/ForeignInk/Importing")
    let files = try #require(
      FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    var sources = ""
    for case let file as URL in files
    where file.pathExtension == "swift" && file.lastPathComponent != "ImportedInk.swift" {
      sources += try String(contentsOf: file, encoding: .utf8)
    }
    for note in ImportNotes.routine { #expect(sources.contains("\"\(note)"), "\(note)") }
  }

  @Test func `what tells about one file stays, and what holds for a whole format is routine`()
    throws
  {
    var notes = ImportNotes()
    notes.add("strokes without times are drawn at the pace of a hand", count: 9)
    notes.add("typed text is left out")
    notes.add("the drawing has no pen: a black one of 4 pixels is taken")
    #expect(notes.telling.map(\.text) == ["typed text is left out"])
    // Whole formats that lose nothing else are quiet.
    for sample in try ForeignSample.all()
    where [.will, .quickDrawBinary, .omniglot].contains(sample.format) {
      let file = try DrawingFile(sample.bytes)
      let all = (file.imported?.notes.counts ?? []) + (file.page?.notes.counts ?? [])
      #expect(!all.isEmpty && all.allSatisfy { ImportNotes.isRoutine($0.text) }, "\(all)")
    }
  }
}
