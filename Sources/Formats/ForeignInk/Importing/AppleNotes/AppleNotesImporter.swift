import InkFiles
import Graphics
import PencilKitArchive
import Strokes

/// Reads the database of Apple's Notes, `NoteStore.sqlite`: the drawings of all notes, a page each.
///
/// Drawings made with Notes since 2022 are mostly `com.apple.paper`, a private format. For these,
/// the import returns the picture that Notes keeps, if its folder is next to the database.
enum AppleNotesImporter: InkImporter {
  static func recognizes(_ start: FileStart) -> Bool {
    DatabaseImage.recognizes(start.bytes)
  }

  static func read(_ bytes: [UInt8], _ options: ImportOptions) throws(ImportError) -> ImportedInk {
    var notes = ImportNotes()
    let log = options.companion?(.named(suffix: "-wal")) ?? []
    if !DatabaseImage.isLog(log), DatabaseImage.usesLog(bytes) {
      let kind = log.isEmpty ? "" : "intact "
      notes.add(
        "the newest changes may be missing: there is no \(kind)log (-wal) beside the database")
    }
    let store = try NotesStore(
      ImageReader(DatabaseImage.applying(log, to: bytes)), readsDeleted: options.readsHidden)
    notes.add(store.notes)
    let drawings = store.drawings
    // A database without drawings is valid and gets one page that says so.
    guard !drawings.isEmpty else {
      notes.add("no drawings that can be read")
      let empty = ImportedPage(
        name: "", drawing: PKDrawing(), canvas: Recording.Canvas(), source: SourceCounts(),
        notes: ImportNotes(), damage: [])
      return ImportedInk([empty], notes: notes)
    }
    return ImportedInk(pageCount: drawings.count, notes: notes) { index throws(ImportError) in
      try page(drawings[index], options)
    }
  }

  private static func page(
    _ drawing: NotesDrawing, _ options: ImportOptions
  ) throws(ImportError) -> ImportedPage {
    var notes = ImportNotes()
    var canvas = Recording.Canvas()
    if !drawing.title.isEmpty { canvas.setText(drawing.title, named: "title") }
    guard let archive = drawing.archive else {
      let picture = drawing.picturePaths.lazy.compactMap { options.companion?(.beside($0)) }.first
      notes.add(
        picture == nil
          ? "a newer drawing in a private format, without a picture"
          : "a newer drawing in a private format: the picture that Notes made is given")
      return ImportedPage(
        name: drawing.name, drawing: PKDrawing(), canvas: canvas, source: SourceCounts(),
        notes: notes, damage: [], picture: picture)
    }
    if drawing.isOlderCopy {
      notes.add("the note also has a newer drawing in a private format; this may be an older copy")
    }
    let reader: PencilKitReader
    do throws(PencilKitError) {
      reader = try PencilKitReader(archive)
    } catch {
      throw ImportError(.syntax("\(error.reason)"), at: .part(drawing.name, byte: error.offset))
    }
    var source = SourceCounts()
    for stroke in reader.drawing.strokes { source.add(stroke.path.lazy.map(\.location)) }
    return ImportedPage(
      name: drawing.name, drawing: reader.drawing.keepingBytes(of: archive), canvas: canvas,
      source: source,
      notes: notes, damage: [])
  }
}
