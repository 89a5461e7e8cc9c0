public import Strokes

/// Writes drawings as PencilKit does.
public enum PencilKitWriter {
  /// The drawing as a `wrd` archive.
  ///
  /// What the archive it came from said beyond the model is kept: names of devices, versions,
  /// deleted strokes and every field that nothing is known of. New strokes are written as Apple's
  /// framework writes those made through its interface, by a device of their own; strokes that were
  /// taken out stay as deleted ones. The same drawing always gives the same bytes.
  public static func archive(_ drawing: PKDrawing) -> [UInt8] { WrdEncoder.encode(drawing) }

  /// The message inside a packed drawing of 2018, for a drawing that was read from one; nil for any
  /// other, and where strokes were added, which only today's archives can hold.
  public static func notes2018Message(_ drawing: PKDrawing) -> [UInt8]? {
    guard let residue = drawing.residue, residue.form == .notes2018 else { return nil }
    return Notes2018Encoder.encode(drawing.strokes, over: residue.bytes)
  }
}
