import PKDFormat
import PencilKitArchive
import Strokes

extension DrawingFile {
  /// Merges two versions of a file that were changed separately. The result does not depend on
  /// which of them is called ours, byte for byte.
  ///
  /// Two archives of PencilKit become an archive, which Apple's apps can open. Everything else
  /// becomes a `.pkd` file with the events of both; a file without events counts as one stroke
  /// drawn after the other. Foreign files are not merged. If the bytes of a side equal the other's
  /// or the base's, the other side is returned as it is, without being read.
  ///
  /// - Parameters:
  ///   - base: the version that both sides began with; nil if it is unknown. One that cannot be
  ///     read counts as unknown.
  ///   - ours: one side.
  ///   - theirs: the other side.
  /// - Throws: `DrawingFileError` if a side is damaged, even in part, since the merge would erase
  ///   the damaged part on all devices; `PKDContentError` if both sides together exceed the limits
  ///   of `.pkd` files.
  package static func merging(
    base: [UInt8]?, ours: [UInt8], theirs: [UInt8]
  ) throws -> [UInt8] {
    if ours == theirs || theirs == base { return ours }
    if ours == base { return theirs }
    let (ours, theirs) = (try MergedSide(ours), try MergedSide(theirs))
    let base = base.flatMap { try? MergedSide($0) }
    guard ours.isArchive, theirs.isArchive else {
      return try MergedSide.merging(
        base: base, ours: ours, theirs: theirs, keepingResidueIf: \.hasIntactResidue)
    }
    let sides = [ours, theirs]
    let drawing = PKDrawing.merging(
      base: base?.drawing, ours: ours.drawing, theirs: theirs.drawing
    ).raisingVersion(of: sides)
    let isUnchanged = { (side: MergedSide) in
      side.isWrittenAsToday && side.drawing == drawing && side.hasResidue(of: drawing)
    }
    return MergedSide.unchanged(sides, where: isUnchanged) ?? PencilKitWriter.archive(drawing)
  }
}

extension MergedSide {
  fileprivate init(_ bytes: [UInt8]) throws(DrawingFileError) {
    let file = try DrawingFile(own: bytes)
    let contents = file.contents()
    if let damage = contents.damage.first { throw damage }
    self.init(
      bytes, isArchive: file.format == .pencilKit, drawing: contents.drawing,
      recording: contents.recording)
  }
}
