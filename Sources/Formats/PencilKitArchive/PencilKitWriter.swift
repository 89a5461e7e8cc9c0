public import Strokes

/// Writes drawings in the forms of PencilKit's archives.
public enum PencilKitWriter {
  /// The drawing as a `wrd` archive.
  ///
  /// A drawing that was read from an archive keeps the archive's content beyond the model: names of
  /// devices, versions, deleted strokes and every unknown field. New strokes are written the way
  /// Apple's framework writes strokes made through its interface, by one more device. Strokes that
  /// were removed stay as deleted ones. The same drawing always gives the same bytes.
  public static func archive(_ drawing: PKDrawing) -> [UInt8] { WrdEncoder.encode(drawing) }

  /// The message inside a compressed drawing of 2018, for a drawing that was read from one.
  ///
  /// Nil for any other drawing, and if strokes were added, which only today's archives can hold.
  public static func notes2018Message(_ drawing: PKDrawing) -> [UInt8]? {
    guard let residue = drawing.residue, residue.form == .notes2018 else { return nil }
    return Notes2018Encoder.encode(drawing.strokes, over: residue.bytes)
  }
}
