import PencilKitArchive
import Strokes

// PencilKit's archives as files. Playback-only engines do not contain these functions.

/// Writes the finished drawing as a PencilKit archive. Strokes of an opened archive that were not
/// changed keep their bytes. Returns the number of the archive's bytes, which `documentBytes`
/// returns.
@_cdecl("documentWriteArchive")
public func documentWriteArchive(_ handle: Int32) -> Int32 {
  result { () throws(EngineError) in
    let document = try document(handle)
    var drawing = document.drawing
    drawing.residue = document.residue
    document.bytes = Block(PencilKitWriter.archive(drawing))
    return Int32(document.bytes.count)
  }
}
