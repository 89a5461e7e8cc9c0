import Compression
package import Strokes

// An outline gives back the bytes of every archive that Apple's framework is known to write. Others may have fields in
// an order, or numbers in a form, that protobuf allows and the outline does not show. Their residue is the whole archive.

extension PKDrawing {
  /// The drawing that was read from an archive, with a residue that gives back each of its bytes: the outline if
  /// that does, otherwise the archive itself. Archives of 2018 keep their outline.
  package func keepingBytes(of archive: [UInt8]) -> PKDrawing {
    guard let residue, residue.form == .pencilKit, !PencilKitWriter.gives(archive, from: self)
    else { return self }
    var copy = self
    copy.residue = ArchiveResidue(
      form: .pencilKit, bytes: Array(PencilKitWriter.withoutDatabaseByte(archive)))
    return copy
  }
}

extension PencilKitWriter {
  /// Whether a drawing that came from an archive is written as that archive again, byte for byte but for the byte
  /// that databases put before it; one of 2018 as the message that was compressed.
  package static func gives(_ archive: [UInt8], from drawing: PKDrawing) -> Bool {
    guard drawing.residue?.form == .notes2018 else {
      return withoutDatabaseByte(archive).elementsEqual(self.archive(drawing))
    }
    let message = try? PencilKitReader.inflated(archive)
    return message != nil && message == notes2018Message(drawing)
  }

  fileprivate static func withoutDatabaseByte(_ archive: [UInt8]) -> ArraySlice<UInt8> {
    archive.first == 1 ? archive.dropFirst() : archive[...]
  }
}

extension ArchiveResidue {
  /// The archive that the residue is, if it is a whole one. The outline of one that shows strokes cannot be read like that,
  /// because it has placeholders where numbers must be.
  var original: DecodedArchive? { try? WrdDecoder.decode(bytes, from: 0, identifyingPaths: true) }
}
