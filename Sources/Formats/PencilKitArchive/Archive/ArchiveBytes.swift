import Compression
package import Strokes

// An outline restores the bytes of every archive that Apple's framework is known to write. Other
// archives may use an order of fields or a form of numbers that protobuf allows and the outline
// does not record. Their residue is the whole archive.

extension PKDrawing {
  /// The drawing that was read from an archive, with a residue that restores each of its bytes: the
  /// outline if that suffices, otherwise the archive itself. Archives of 2018 keep their outline.
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
  /// Whether a drawing that came from an archive is written as that archive again, byte for byte.
  /// The byte that databases put before an archive is not compared. For archives of 2018, the
  /// inflated messages are compared.
  package static func gives(_ archive: [UInt8], from drawing: PKDrawing) -> Bool {
    guard drawing.residue?.form == .notes2018 else {
      return hasSameBytes(withoutDatabaseByte(archive), self.archive(drawing))
    }
    let message = try? PencilKitReader.inflated(archive)
    return message != nil && message == notes2018Message(drawing)
  }

  /// Whether two archives are equal, compared eight bytes at a time.
  private static func hasSameBytes(_ a: ArraySlice<UInt8>, _ b: [UInt8]) -> Bool {
    guard a.count == b.count else { return false }
    return a.withUnsafeBytes { a in
      b.withUnsafeBytes { b in
        var (offset, differences) = (0, UInt64(0))
        while offset + 8 <= a.count {
          differences |=
            a.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            ^ b.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
          offset += 8
        }
        return differences == 0 && a[offset...].elementsEqual(b[offset...])
      }
    }
  }

  /// Whether `drawing`, as it was read from an archive by `keepingBytes`, is known to be written as
  /// that archive.
  package static func isKnown(toGive archive: [UInt8], _ drawing: PKDrawing) -> Bool {
    // An outline was checked; a residue that is the whole archive was not.
    guard let residue = drawing.residue else { return false }
    return residue.form == .pencilKit && residue.bytes.count != withoutDatabaseByte(archive).count
  }

  fileprivate static func withoutDatabaseByte(_ archive: [UInt8]) -> ArraySlice<UInt8> {
    archive.first == 1 ? archive.dropFirst() : archive[...]
  }
}

extension ArchiveResidue {
  /// The archive in the residue, if the residue is a whole archive. An outline with strokes cannot
  /// be read as an archive, because it has placeholders in place of numbers.
  var original: DecodedArchive? { try? WrdDecoder.decode(bytes, from: 0, identifyingPaths: true) }
}
