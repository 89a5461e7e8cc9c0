public import Strokes

/// Reads drawings as PencilKit and the Notes app wrote them since 2018, told apart by their first
/// bytes: the `wrd` archives of `PKDrawing.dataRepresentation()`, the same behind the byte 1 that
/// databases put before it, and the packed drawings of Notes before iOS 13.
public struct PencilKitReader: Sendable {
  /// The drawing, with all that the archive says beyond the model.
  public let drawing: PKDrawing
  /// What the archive is.
  public let summary: PencilKitSummary

  /// Whether bytes begin as an archive does.
  public static func recognizes(_ bytes: some Collection<UInt8>) -> Bool {
    form(of: Array(bytes.prefix(5))) != nil
  }

  /// Reads an archive; every error says what is wrong at which byte.
  public init(_ data: some Collection<UInt8>) throws(PencilKitError) {
    let bytes = (data as? [UInt8]) ?? Array(data)
    guard let form = Self.form(of: bytes) else { throw PencilKitError(.notADrawing, at: 0) }
    let archive: DecodedArchive
    switch form {
    case .wrd, .databaseBlob:
      archive = try WrdDecoder.decode(bytes, from: form == .databaseBlob ? 1 : 0)
    case .notes2018:
      let message = try Inflate.unpack(bytes, limit: Self.unpackedLimit(packedSize: bytes.count))
      archive = try Notes2018Decoder.decode(message)
    }
    var drawing = PKDrawing(strokes: archive.strokes)
    drawing.residue = ArchiveResidue(
      form: form == .notes2018 ? .notes2018 : .pencilKit, bytes: archive.outline)
    self.drawing = drawing
    summary = PencilKitSummary(form: form, outline: archive.outline)
  }

  private static func form(of bytes: [UInt8]) -> PencilKitSummary.Form? {
    if bytes.starts(with: WrdDecoder.magic) { return .wrd }
    if bytes.starts(with: [1] + WrdDecoder.magic) { return .databaseBlob }
    if bytes.starts(with: [0x1F, 0x8B]) { return .notes2018 }
    // zlib: deflate with a window of up to 32 kB, and a check that makes both bytes divisible by 31.
    if bytes.count >= 2, bytes[0] & 0x0F == 8, bytes[0] >> 4 <= 7,
      (Int(bytes[0]) << 8 | Int(bytes[1])).isMultiple(of: 31), bytes[1] & 0x20 == 0
    {
      return .notes2018
    }
    return nil
  }

  /// Ink packs to about half, so this leaves room for any drawing and none for a bomb.
  private static func unpackedLimit(packedSize: Int) -> Int { (4 << 20) + 16 * packedSize }
}

/// What an archive of PencilKit's is, beside its drawing.
public struct PencilKitSummary: Hashable, Sendable {
  /// The forms that archives have had.
  public enum Form: String, Hashable, Sendable {
    /// `PKDrawing.dataRepresentation()` since iOS 13.
    case wrd
    /// The same behind one byte, as databases keep it.
    case databaseBlob
    /// A packed drawing of Notes before iOS 13.
    case notes2018
  }

  /// The form of the archive.
  public let form: Form
  /// The container's version: 1 or 2 for `wrd`, 10 for the drawings of 2018.
  public let version: Int
  /// How many strokes were deleted and are only remembered.
  public let deletedStrokeCount: Int
  /// How many pieces erasers left of the strokes that they cut.
  public let pieceCount: Int
  /// How many devices edited the drawing.
  public let replicaCount: Int
}

extension PKDrawing {
  /// Reads an archive of PencilKit's, of any form since 2018.
  public init(data: some Collection<UInt8>) throws(PencilKitError) {
    self = try PencilKitReader(data).drawing
  }

  /// The drawing as a `wrd` archive, as PencilKit's method of this name gives. A drawing that was
  /// read from such an archive and not changed gives the same bytes.
  public func dataRepresentation() -> [UInt8] { PencilKitWriter.archive(self) }
}
