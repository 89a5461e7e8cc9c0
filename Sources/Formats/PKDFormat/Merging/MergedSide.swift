package import Strokes

/// A version of a file to be merged: a `.pkd` file, or an archive of PencilKit.
package struct MergedSide {
  package let bytes: [UInt8]
  package let isArchive: Bool
  package let drawing: PKDrawing
  package let recording: Recording

  package init(_ bytes: [UInt8], isArchive: Bool, drawing: PKDrawing, recording: Recording) {
    (self.bytes, self.isArchive) = (bytes, isArchive)
    (self.drawing, self.recording) = (drawing, recording)
  }

  /// Merges two versions, at most one of which is an archive, as the bytes of a `.pkd` file. A side
  /// that is the result already is returned byte for byte. The result does not depend on which of
  /// them is called ours.
  ///
  /// - Parameter isReadable: whether an archive can be made again of a drawing and its residue;
  ///   else the residue is left out. Archives are known to another module.
  package static func merging(
    base: MergedSide?, ours: MergedSide, theirs: MergedSide,
    keepingResidueIf isReadable: (PKDrawing) -> Bool
  ) throws(PKDContentError) -> [UInt8] {
    let sides = [ours, theirs]
    // An archive does not store the page, so the page of another version is used.
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
    if !isReadable(drawing) { drawing.residue = nil }
    return try PKDWriter.encode(recording, residue: drawing.residue, options: PKDWriter.Options())
  }

  /// The original bytes of a side that equals the result. They also keep the file's other content.
  package static func unchanged(
    _ sides: [MergedSide], where isResult: (MergedSide) -> Bool
  ) -> [UInt8]? {
    sides.filter(isResult).map { $0.bytes }.min { $0.lexicographicallyPrecedes($1) }
  }

  /// Whether this is the later version. Compares the recordings first, then the drawings with the
  /// residues of their archives.
  private func isLater(than other: MergedSide) -> Bool {
    if recording.isLater(than: other.recording) { return true }
    return !other.recording.isLater(than: recording) && drawing.isLater(than: other.drawing)
  }

  package func hasResidue(of drawing: PKDrawing) -> Bool {
    self.drawing.residue?.bytes == drawing.residue?.bytes
  }

  /// Whether the bytes are an archive in the form that is written now.
  package var isWrittenAsToday: Bool {
    isArchive && bytes.starts(with: ArchiveHeader.magic)
  }
}

/// The first bytes of such archives: four of magic, two of version.
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
  /// The drawing with the newest version that one of some files has. Its outline is that of one
  /// file, but the other may have brought inks that only newer readers know.
  package func raisingVersion(of sides: [MergedSide]) -> PKDrawing {
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
