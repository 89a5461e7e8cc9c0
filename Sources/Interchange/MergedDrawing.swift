import PKDFormat
import PencilKitArchive
import Strokes

extension DrawingFile {
  /// Merges two versions of a file that were changed separately. The result does not depend on which of them is called
  /// ours, byte for byte.
  ///
  /// Two archives of PencilKit become an archive, which Apple's apps can open. Everything else becomes a `.pkd` file
  /// with the events of both; a file without events counts as one stroke drawn after the other. Foreign files are not
  /// merged. If the bytes of a side equal the other's or the base's, the other side is returned as it is, without being
  /// read.
  ///
  /// - Parameters:
  ///   - base: the version that both sides began with; nil if it is unknown. One that cannot be read counts as
  ///     unknown.
  ///   - ours: one side.
  ///   - theirs: the other side.
  /// - Throws: `DrawingFileError` if a side is damaged, even in part, as a merge of what is left would erase the
  ///   rest on all devices; `PKDContentError` if both together exceed the limits of `.pkd` files.
  package static func merging(
    base: [UInt8]?, ours: [UInt8], theirs: [UInt8]
  ) throws -> [UInt8] {
    if ours == theirs || theirs == base { return ours }
    if ours == base { return theirs }
    let (ours, theirs) = (try MergedSide(ours), try MergedSide(theirs))
    return try MergedSide.merging(base: base.flatMap { try? MergedSide($0) }, ours, theirs)
  }
}

/// A version of a file to be merged.
private struct MergedSide {
  let bytes: [UInt8]
  let isArchive: Bool
  var drawing: PKDrawing
  var recording: Recording

  init(_ bytes: [UInt8]) throws(DrawingFileError) {
    let file = try DrawingFile(bytes)
    // Foreign files may have several pages.
    guard file.format.importer == nil else {
      throw .unknownFormat(firstBytes: Array(bytes.prefix(8)))
    }
    let everything = file.everything()
    if let damage = everything.damage.first { throw damage }
    self.bytes = bytes
    isArchive = file.format == .pencilKit
    (drawing, recording) = (everything.drawing, everything.recording)
  }

  static func merging(
    base: MergedSide?, _ ours: MergedSide, _ theirs: MergedSide
  ) throws(PKDContentError) -> [UInt8] {
    let sides = [ours, theirs]
    guard !ours.isArchive || !theirs.isArchive else {
      let drawing = PKDrawing.merging(
        base: base?.drawing, ours: ours.drawing, theirs: theirs.drawing
      ).raisingVersion(of: sides)
      let isUnchanged = { (side: MergedSide) in
        side.isWrittenAsToday && side.drawing == drawing && side.hasResidue(of: drawing)
      }
      return unchanged(sides, where: isUnchanged)
        ?? PencilKitWriter.archive(drawing)
    }
    // An archive says nothing of the page, so it keeps what is known of it.
    func onPage(_ side: MergedSide, _ known: MergedSide?) -> Recording {
      guard side.isArchive, let known else { return side.recording }
      return Recording(canvas: known.recording.canvas, events: side.recording.events)
    }
    let page = base.flatMap { $0.isArchive ? nil : $0 }
    let recording = Recording.merging(
      base: base.map { onPage($0, sides.first { !$0.isArchive }) },
      ours: onPage(ours, page ?? theirs), theirs: onPage(theirs, page ?? ours))
    let (later, earlier) = ours.isLater(than: theirs) ? (ours, theirs) : (theirs, ours)
    var drawing = recording.drawing
    drawing.residue = later.drawing.residue ?? earlier.drawing.residue
    let isUnchanged = { (side: MergedSide) in
      !side.isArchive && side.recording == recording && side.hasResidue(of: drawing)
    }
    if let bytes = unchanged(sides, where: isUnchanged) { return bytes }
    drawing = drawing.raisingVersion(of: sides)
    // Strokes may be too many for an archive's reader.
    if !drawing.hasIntactResidue { drawing.residue = nil }
    return try PKDWriter.encode(recording, residue: drawing.residue, options: PKDWriter.Options())
  }

  /// The bytes of a side that is the result already. It keeps what a file has beside its drawing.
  private static func unchanged(
    _ sides: [MergedSide], where isResult: (MergedSide) -> Bool
  ) -> [UInt8]? {
    sides.filter(isResult).map { $0.bytes }.min { $0.lexicographicallyPrecedes($1) }
  }

  /// Whether this is the later version, by its recording or else by what an archive says beyond it.
  private func isLater(than other: MergedSide) -> Bool {
    if recording.isLater(than: other.recording) { return true }
    return !other.recording.isLater(than: recording) && drawing.isLater(than: other.drawing)
  }

  private func hasResidue(of drawing: PKDrawing) -> Bool {
    self.drawing.residue?.bytes == drawing.residue?.bytes
  }

  /// Whether the bytes are an archive of the form that is written today.
  private var isWrittenAsToday: Bool {
    isArchive && bytes.starts(with: ArchiveHeader.magic)
  }
}

/// The first bytes of today's archives: four of magic, two of version.
private enum ArchiveHeader {
  static let magic: [UInt8] = Array("wrd".utf8) + [0xF0]
  static let versionOffset = 4

  static func version(_ residue: ArchiveResidue?) -> UInt8 {
    guard let residue, residue.form == .pencilKit, residue.bytes.count > versionOffset else {
      return 0
    }
    return residue.bytes[versionOffset]
  }
}

extension PKDrawing {
  /// The drawing with the newest version that one of some files has. Its outline is that of one file, but the other may
  /// have brought inks that only newer readers know.
  fileprivate func raisingVersion(of sides: [MergedSide]) -> PKDrawing {
    let old = ArchiveHeader.version(residue)
    let needed: UInt8 = requiredContentVersion >= .version2 ? 2 : 1
    let new = sides.reduce(max(old, needed)) { max($0, ArchiveHeader.version($1.drawing.residue)) }
    guard let residue, old > 0, new > old else { return self }
    var bytes = residue.bytes
    bytes[ArchiveHeader.versionOffset] = new
    var result = self
    result.residue = ArchiveResidue(form: residue.form, bytes: bytes)
    return result
  }
}
