import Compression
public import Strokes

/// Reads the drawings that PencilKit and the Notes app have written since 2018.
///
/// The first bytes identify the form: the `wrd` archives of `PKDrawing.dataRepresentation()`, the
/// same behind the byte 1 that databases put before it, and the compressed drawings of Notes before
/// iOS 13.
public struct PencilKitReader: Sendable {
  /// The drawing. Its residue contains the archive's content beyond the model.
  public let drawing: PKDrawing
  /// The form, version and counts of the archive.
  public let summary: PencilKitSummary

  /// Whether bytes start like an archive; looks at the first five at most.
  public static func recognizes(_ bytes: some Collection<UInt8>) -> Bool {
    form(of: Array(bytes.prefix(5))) != nil
  }

  /// Reads an archive. An error states the problem and its byte offset.
  public init(_ data: some Collection<UInt8>) throws(PencilKitError) {
    try self.init(data, identifyingPaths: false)
  }

  /// Reads an archive. With `identifyingPaths`, paths get the identifiers that the archive stores
  /// for them, which no other format has. Otherwise the residue keeps the identifiers, and they are
  /// written again for paths in their old positions.
  package init(
    _ data: some Collection<UInt8>, identifyingPaths: Bool
  ) throws(PencilKitError) {
    let bytes = Array(data)
    guard let form = Self.form(of: bytes) else { throw PencilKitError(.notADrawing, at: 0) }
    let archive: DecodedArchive
    switch form {
    case .wrd, .databaseBlob:
      archive = try WrdDecoder.decode(
        bytes, from: form == .databaseBlob ? 1 : 0, identifyingPaths: identifyingPaths)
    case .notes2018:
      let message = try Self.inflated(bytes)
      archive = try Notes2018Decoder.decode(message)
    }
    var drawing = PKDrawing(strokes: archive.strokes)
    drawing.residue = ArchiveResidue(
      form: form == .notes2018 ? .notes2018 : .pencilKit, bytes: archive.outline)
    self.drawing = drawing
    summary = PencilKitSummary(form: form, outline: archive.outline)
  }

  /// The form by the first bytes; nil for other data.
  private static func form(of bytes: [UInt8]) -> PencilKitSummary.Form? {
    if bytes.starts(with: WrdDecoder.magic) { return .wrd }
    if bytes.starts(with: [1] + WrdDecoder.magic) { return .databaseBlob }
    if bytes.starts(with: [0x1F, 0x8B]) { return .notes2018 }
    // zlib: deflate with a window of up to 32 kB, and a check that makes both bytes divisible by
    // 31.
    if bytes.count >= 2, bytes[0] & 0x0F == 8, bytes[0] >> 4 <= 7,
      (Int(bytes[0]) << 8 | Int(bytes[1])).isMultiple(of: 31), bytes[1] & 0x20 == 0
    {
      return .notes2018
    }
    return nil
  }

  /// Ink compresses to about half its size, so this limit admits any drawing and stops a
  /// decompression bomb.
  private static func inflatedLimit(compressedSize: Int) -> Int { (4 << 20) + 16 * compressedSize }

  static func inflated(_ bytes: [UInt8]) throws(PencilKitError) -> [UInt8] {
    do {
      return try Inflate.inflate(bytes, limit: inflatedLimit(compressedSize: bytes.count))
    } catch {
      if case .tooLarge(let limit) = error.reason {
        throw PencilKitError(.tooLarge(limit: limit), at: error.offset)
      }
      throw PencilKitError(.compression("\(error.reason)"), at: error.offset)
    }
  }
}

/// The form, version and counts of an archive, apart from its drawing.
public struct PencilKitSummary: Hashable, Sendable {
  /// The forms that archives have had since 2018.
  public enum Form: String, Hashable, Sendable {
    /// `PKDrawing.dataRepresentation()` since iOS 13.
    case wrd
    /// The same behind one byte, as databases keep it.
    case databaseBlob
    /// A compressed drawing of Notes before iOS 13.
    case notes2018
  }

  /// The form of the archive.
  public let form: Form
  /// The container's version: 1 or 2 for `wrd`, 10 for the drawings of 2018.
  public let version: Int
  /// The number of deleted strokes, of which the archive keeps names and versions only.
  public let deletedStrokeCount: Int
  /// The number of pieces that erasers left of the strokes they cut.
  public let pieceCount: Int
  /// The number of devices that edited the drawing.
  public let replicaCount: Int
}

extension PKDrawing {
  /// Reads a PencilKit archive of any form since 2018.
  public init(data: some Collection<UInt8>) throws(PencilKitError) {
    let bytes = Array(data)
    self = try PencilKitReader(bytes).drawing.keepingBytes(of: bytes)
  }

  /// The drawing as a `wrd` archive, like PencilKit's method of this name. A drawing that was read
  /// from such an archive and not changed gives the same bytes.
  public func dataRepresentation() -> [UInt8] { PencilKitWriter.archive(self) }
}
