import InkFiles
import ForeignSamples
import Foundation
import TestSupport
import Testing

@testable import ForeignInk

/// Notes that nearly every file of a format would have.
struct RoutineNoteTests {
  @Test func `each routine note occurs in the source of an importer`() throws {
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

  @Test func `notes about a single file are never routine`()
    throws
  {
    var notes = ImportNotes()
    notes.add("strokes without times are drawn at the pace of a hand", count: 9)
    notes.add("typed text is left out")
    notes.add("the drawing has no pen: a black one of 4 pixels is taken")
    #expect(notes.telling.map(\.text) == ["typed text is left out"])
    // Formats that lose nothing else have no other notes.
    for sample in try ForeignSample.all()
    where [.will, .quickDrawBinary, .omniglot].contains(sample.format) {
      let file = try DrawingFile(sample.bytes)
      let all = (file.imported?.notes.counts ?? []) + (file.page?.notes.counts ?? [])
      #expect(!all.isEmpty && all.allSatisfy { ImportNotes.isRoutine($0.text) }, "\(all)")
    }
  }
}
