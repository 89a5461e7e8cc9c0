public import Strokes

extension PencilKitSummary {
  /// Reads the version and the counts from an outline that is known to be readable.
  init(form: Form, outline: [UInt8]) {
    var version = 0
    var drawing = WireReader(outline, in: 0..<outline.count)
    switch form {
    case .wrd, .databaseBlob:
      version = Int(outline[4]) | Int(outline[5]) << 8
      drawing = WireReader(outline, in: WrdDecoder.headerSize..<outline.count)
    case .notes2018:
      if let field = drawing.first(Document2018Field.content) {
        let content = field.message(in: drawing)
        version = Int(truncatingIfNeeded: content.first(1)?.value ?? 0)
        drawing = content.first(Document2018Field.drawing)?.message(in: content) ?? drawing
      }
    }
    var replicas = 0
    var deleted = 0
    var pieces = 0
    while let field = try? drawing.nextField() {
      switch field.number {
      case DrawingField.replicas: replicas += 1
      case DrawingField.strokes:
        var stroke = field.message(in: drawing)
        let points = form == .notes2018 ? Stroke2018Field.points : StrokeField.path
        if stroke.first(points) == nil { deleted += 1 }
        while form != .notes2018, let part = try? stroke.nextField() {
          if part.number == StrokeField.pieces { pieces += 1 }
        }
      default: break
      }
    }
    // The first entry of the table means no device.
    self.init(
      form: form, version: version, deletedStrokeCount: deleted, pieceCount: pieces,
      replicaCount: max(0, replicas - 1))
  }

  /// The summary of the archive that a drawing was read from; nil for a drawing from elsewhere.
  public init?(of drawing: PKDrawing) {
    guard let residue = drawing.residue else { return nil }
    self.init(of: residue)
  }

  /// The summary of the archive that left a residue; nil if the residue is unreadable.
  package init?(of residue: ArchiveResidue) {
    guard residue.isReadable else { return nil }
    self.init(form: residue.form == .notes2018 ? .notes2018 : .wrd, outline: residue.bytes)
  }
}
