package import Graphics
import Strokes

/// Writes the `wrd` form: the drawing's outline with the model's fields in place of its
/// placeholders, and new strokes in the form in which Apple's framework writes drawings made
/// through its interface.
struct WrdEncoder {
  /// The version field of new entries in the ink table.
  private static let inkVersion: UInt64 = 3
  /// The version of data that no device has touched.
  private static let untouchedVersion = ArchiveVersion(clock: 0, replica: 0, subClock: 0)
  /// The version of data that the first device made and never changed.
  private static let initialVersion = ArchiveVersion(clock: 0, replica: 1, subClock: 0)

  private let outline: [UInt8]
  private let strokes: [PKStroke]
  private var records: [OutlineRecord] = []
  private var inks: [PKInk] = []
  private var newInks: [PKInk] = []
  /// The index of each ink in the table; empty until the first lookup.
  private var inkIndices: [PKInk: Int] = [:]
  /// The index of the last ink looked up, which is most often the next one's too.
  private var lastInkIndex = 0
  private var replicas: [Identifier] = []
  private var highestClock: UInt64 = 0
  private var layouts = RecordLayouts()

  /// The drawing as an archive: over its residue if it is readable and of this form, otherwise new.
  static func encode(_ drawing: PKDrawing) -> [UInt8] {
    guard let residue = drawing.residue, residue.form == .pencilKit, residue.isReadable else {
      return encode(drawing.strokes, over: emptyOutline(for: drawing))
    }
    guard let original = residue.original else {
      return encode(drawing.strokes, over: residue.bytes)
    }
    // The archive is returned unchanged if it still shows the same strokes.
    return drawing.strokes.isArchived(as: original.strokes)
      ? residue.bytes : encode(drawing.strokes, over: original.outline)
  }

  private static func encode(_ strokes: [PKStroke], over outline: [UInt8]) -> [UInt8] {
    var encoder = WrdEncoder(outline: outline, strokes: strokes)
    return encoder.encode()
  }

  /// The outline of a new archive, which no device has edited yet.
  private static func emptyOutline(for drawing: PKDrawing) -> [UInt8] {
    var hash = StableHash()
    for stroke in drawing.strokes {
      hash.combine(stroke.id)
      hash.combine(UInt64(stroke.path.count))
    }
    var writer = WireWriter()
    // The only real archive with inks of iOS 17 is of version 2.
    writer.append(WrdDecoder.magic + [drawing.requiredContentVersion >= .version2 ? 2 : 1, 0])
    writer.field(1, number: 0)
    writer.field(DrawingField.boundsVersion, version: untouchedVersion)
    writer.field(DrawingField.identifier, identifier: hash.identifier)
    return writer.bytes
  }

  /// Reads the strokes, inks, replicas and clocks of an outline.
  private init(outline: [UInt8], strokes: [PKStroke]) {
    self.outline = outline
    self.strokes = strokes
    var index = 0
    var reader = message
    while let field = try? reader.nextField() {
      switch field.number {
      case DrawingField.replicas:
        replicas.append((try? reader.identifier(field, "")) ?? .zero)
      case DrawingField.clocks:
        let clock = field.message(in: reader).first(1)?.value ?? 0
        highestClock = max(highestClock, clock)
      case DrawingField.inks:
        inks.append(
          (try? PKInk(decoding: field.message(in: reader))) ?? PKInk(.other(identifier: "")))
      case DrawingField.strokes:
        records.append(OutlineRecord(outline: field.message(in: reader), index: index))
        index += 1
      default: break
      }
    }
  }

  /// The outline's message.
  private var message: WireReader {
    WireReader(outline, in: WrdDecoder.headerSize..<outline.count)
  }

  /// The index in the replica table of the device that this encoder adds.
  private var newReplica: UInt64 { UInt64(max(replicas.count, 1)) }

  // MARK: - The drawing

  private mutating func encode() -> [UInt8] {
    // Strokes come first, since they decide which inks the table must have.
    var body = WireWriter()
    body.reserve(outline.count + strokes.reduce(0) { $0 + 24 * $1.path.count + 64 })
    let additions = writeStrokes(into: &body)

    var tables: FieldNumbers = [DrawingField.strokes]
    if additions.strokeCount > 0 {
      tables.insert(DrawingField.replicas)
      tables.insert(DrawingField.clocks)
    }
    if !newInks.isEmpty { tables.insert(DrawingField.inks) }
    var writer = WireWriter()
    writer.reserve(body.bytes.count + outline.count)
    writer.append(outline[..<WrdDecoder.headerSize])
    writer.merge(tables, over: message) { number, _, writer in
      if number == DrawingField.strokes { return writer.append(body.bytes) }
      writer.append(all: number, of: message)
      switch number {
      case DrawingField.replicas:
        // The first entry of both tables means no device.
        if replicas.isEmpty { writer.field(number, identifier: .zero) }
        writer.field(number, identifier: additions.replica)
      case DrawingField.clocks:
        if replicas.isEmpty { writer.field(number, version: Self.untouchedVersion) }
        let count = additions.strokeCount
        writer.field(
          number,
          version: ArchiveVersion(
            clock: highestClock &+ count, replica: newReplica, subClock: count))
      default: for ink in newInks { Self.write(ink, into: &writer) }
      }
    }
    return writer.bytes
  }

  /// Writes all strokes; returns the number of new ones and the identifier of the device that
  /// added them.
  private mutating func writeStrokes(
    into writer: inout WireWriter
  ) -> (strokeCount: UInt64, replica: Identifier) {
    var newStrokeCount: UInt64 = 0
    let plan = RecordPlan(strokes: strokes, records: records)
    for (index, entry) in plan.entries.enumerated() {
      let mark = writer.begin(DrawingField.strokes, about: sizeEstimate(of: entry))
      switch entry {
      case .kept(let record, let group):
        let old = WireReader(outline, in: record.range)
        if record.hasDerivedIdentifier, record.identifier != WrdDecoder.derivedIdentifier(index) {
          // The index changed, and a reader would derive another identifier from it.
          writer.field(StrokeField.identifier, identifier: record.identifier)
        }
        writeStroke(group, over: old, inkIndex: record.inkIndex, into: &writer)
      case .deleted(let record): writeDeleted(record, into: &writer)
      case .new(let group):
        // Clocks come from the archive and can have any value, so sums wrap around.
        let version = ArchiveVersion(
          clock: highestClock &+ newStrokeCount, replica: newReplica,
          subClock: newStrokeCount + 1)
        newStrokeCount += 1
        let stroke = strokes[group.lowerBound]
        writer.field(StrokeField.identifier, identifier: stroke.rootID)
        writer.field(StrokeField.version, version: version)
        writer.field(
          StrokeField.dataVersion,
          version: ArchiveVersion(clock: 0, replica: newReplica, subClock: 0))
        writeStroke(group, over: nil, inkIndex: nil, into: &writer)
      }
      writer.end(mark)
    }
    var hash = StableHash()
    for replica in replicas { hash.combine(replica) }
    hash.combine(highestClock)
    return (newStrokeCount, hash.identifier)
  }

  /// An estimate of the length of a stroke's message, in bytes.
  private func sizeEstimate(of entry: RecordPlan.Entry) -> Int {
    switch entry {
    case .kept(_, let group), .new(let group):
      // Identifiers, versions, bounds and flags.
      Self.sizeEstimate(of: strokes[group.lowerBound].path) + 80
    case .deleted: 0
    }
  }

  private static func sizeEstimate(of path: PKStrokePath) -> Int {
    let columns = path.columns
    // An identifier, a date and the counts; then the points.
    return 60 + 4 * columns.floats.count + 2 * columns.words.count
  }

  private static func write(_ ink: PKInk, into writer: inout WireWriter) {
    let c = ink.color
    writer.field(DrawingField.inks) { entry in
      entry.field(
        InkField.color, floats: SIMD8(c.red, c.green, c.blue, c.alpha, 0, 0, 0, 0), count: 4)
      entry.field(InkField.identifier, bytes: ink.inkType.rawValue.utf8)
      entry.field(InkField.version, number: Self.inkVersion)
      entry.field(InkField.weight, double: 0)
    }
  }

  /// The index of an ink in the table; an ink that the table does not have is added.
  private mutating func index(of ink: PKInk, preferring index: UInt64?) -> UInt64 {
    if let index, index < UInt64(inks.count), inks[Int(index)] == ink { return index }
    let ink = PKInk(ink.inkType, color: ink.color.inArchive)
    if lastInkIndex < inks.count, inks[lastInkIndex] == ink { return UInt64(lastInkIndex) }
    if inkIndices.isEmpty {
      inkIndices = inks.indices.reversed().reduce(into: [:]) { $0[inks[$1]] = $1 }
    }
    lastInkIndex = inkIndices[ink] ?? inks.count
    if lastInkIndex == inks.count {
      inkIndices[ink] = inks.count
      inks.append(ink)
      newInks.append(ink)
    }
    return UInt64(lastInkIndex)
  }

  // MARK: - One stroke

  /// The fields of a stroke that are written from the model; the others stay unchanged.
  private static let strokeFields: FieldNumbers = [
    StrokeField.ink, StrokeField.path, StrokeField.bounds, StrokeField.transform,
    StrokeField.flags, StrokeField.piecesVersion, StrokeField.mask, StrokeField.pieces,
    StrokeField.ranges, StrokeField.group, StrokeField.renderState,
  ]

  /// Writes a stroke, or the pieces of one, into the outline of its record.
  private mutating func writeStroke(
    _ group: RecordPlan.Group, over old: WireReader?, inkIndex: UInt64?,
    into writer: inout WireWriter
  ) {
    let stroke = strokes[group.lowerBound]
    let wasCut = old?.first(StrokeField.pieces) != nil
    // PencilKit cuts strokes into pieces. An archive that has the mask or ranges on the stroke
    // itself keeps them there.
    let isCutInPlace =
      !wasCut && group.count == 1 && stroke.parentID == nil
      && (old?.first(StrokeField.mask) ?? old?.first(StrokeField.ranges)) != nil
    let isCut = !isCutInPlace && (group.count > 1 || stroke.isPiece)
    let staysCut = isCut && wasCut
    // A record of pieces keeps the ink that pieces without one of their own have.
    let ink =
      staysCut ? inkIndex ?? 0 : index(of: stroke.ink, preferring: inkIndex)
    let common = PieceDefaults(
      of: stroke, ink: ink, in: staysCut ? old : nil)
    writer.merge(Self.strokeFields, over: old) { number, field, writer in
      let isNew = old == nil
      switch number {
      case StrokeField.ink:
        if isNew || field != nil || ink != 0 { writer.field(number, number: ink) }
      case StrokeField.path:
        let mark = writer.begin(number, about: Self.sizeEstimate(of: stroke.path))
        let oldPath = old.flatMap { reader in field.map { $0.message(in: reader) } }
        writePath(of: stroke, over: oldPath, into: &writer)
        writer.end(mark)
      case StrokeField.bounds where staysCut, StrokeField.mask where staysCut,
        StrokeField.ranges where staysCut:
        // Each piece has its own field, and the stroke keeps the one it had.
        if let old { writer.append(all: number, of: old) }
      case StrokeField.transform where isCut:
        // Archives of moved pieces have the transform in each piece, and none in the stroke.
        if let old, let field, wasCut, !field.payload.isEmpty {
          writer.append(field, of: old)
        } else if wasCut, field != nil {
          writer.transform(number, of: stroke, over: field, of: old)
        }
      case StrokeField.bounds:
        if !isCut, isNew || field != nil || wasCut {
          writer.bounds(number, of: stroke, over: field, of: old)
        }
      case StrokeField.transform:
        writer.transform(number, of: stroke, over: field, of: old)
      case StrokeField.flags:
        if staysCut {
          if let old, let field { writer.append(field, of: old) }
        } else {
          Self.writeFlags(of: stroke, over: field, isNew: isNew, into: &writer)
        }
      case StrokeField.piecesVersion:
        if let old, let field, isCut || !wasCut {
          writer.append(field, of: old)
        } else if isCut, !wasCut {
          writer.field(number, version: Self.initialVersion)
        }
      case StrokeField.pieces:
        if isCut { writePieces(strokes[group], common, over: old, into: &writer) }
      case StrokeField.group:
        if let id = stroke.renderGroupID { writer.field(number, identifier: id) }
      case StrokeField.mask:
        if isCutInPlace { Self.writeMask(stroke.archiveCut, into: &writer) }
      case StrokeField.renderState:
        Self.writeRenderState(of: stroke, over: field, of: old, into: &writer)
      default:
        if isCutInPlace { Self.writeRanges(stroke.archiveCut, over: old, into: &writer) }
      }
    }
  }

  /// Writes the render state. If the stroke does not state it or it did not change, the original
  /// bytes are written.
  private static func writeRenderState(
    of stroke: PKStroke, over field: WireField?, of old: WireReader?, into writer: inout WireWriter
  ) {
    if let old, let field {
      let kept = try? StrokeRenderState(decoding: field.message(in: old))
      if stroke.renderState == .unstated || stroke.renderState == kept {
        return writer.append(field, of: old)
      }
    }
    stroke.renderState.write(into: &writer)
  }

  /// Writes the flags of a stroke, or of a piece of a stroke with a given seed.
  private static func writeFlags(
    of stroke: PKStroke, over field: WireField?, isNew: Bool, pieceOf seed: UInt32? = nil,
    into writer: inout WireWriter
  ) {
    let fresh = StrokeFlags.seedBit | (seed == nil ? 0 : StrokeFlags.piece)
    var flags = StrokeFlags(rawValue: field?.value ?? (isNew ? fresh : 0))
    // A piece without a seed of its own has its stroke's.
    if isNew || seed == nil || flags.hasSeed || stroke.randomSeed != seed {
      flags.seed = stroke.randomSeed
      if seed != nil, stroke.randomSeed != seed { flags.rawValue |= StrokeFlags.seedBit }
    }
    guard isNew || field != nil || flags.rawValue != 0 else { return }
    writer.field(StrokeField.flags, number: flags.rawValue)
  }

  /// Writes the remaining fields of a removed stroke: identifiers, versions, ink and flags.
  private func writeDeleted(_ record: OutlineRecord, into writer: inout WireWriter) {
    guard record.isShown else { return writer.append(outline[record.range]) }
    let removed: FieldNumbers = [
      StrokeField.path, StrokeField.bounds, StrokeField.transform, StrokeField.flags,
      StrokeField.piecesVersion, StrokeField.mask, StrokeField.pieces, StrokeField.ranges,
      StrokeField.group, StrokeField.renderState,
    ]
    writer.merge(removed, over: WireReader(outline, in: record.range)) { number, field, writer in
      guard number == StrokeField.flags else { return }
      writer.field(number, number: (field?.value ?? 0) | StrokeFlags.deleted)
    }
  }

  // MARK: - Pieces

  /// The defaults of pieces without a field of their own: the values of their record.
  private struct PieceDefaults {
    /// The index of the ink in the table.
    let ink: UInt64
    let transform: AffineTransform
    let seed: UInt32

    /// The values of the record of a cut stroke, or of a new record, which gets its first piece's
    /// seed.
    init(of first: PKStroke, ink: UInt64, in record: WireReader?) {
      self.ink = ink
      seed =
        record.map { StrokeFlags(rawValue: $0.first(StrokeField.flags)?.value ?? 0).seed }
        ?? first.randomSeed
      if let record, let field = record.last(StrokeField.transform) {
        // Older outlines have no transforms in pieces: they were read as if all pieces had their
        // record's.
        transform =
          field.payload.isEmpty
          ? first.transform : (try? record.transform(field)) ?? .identity
      } else {
        transform = .identity
      }
    }
  }

  /// A piece in the outline.
  private struct OldPiece {
    let message: WireReader
    let hasDerivedIdentifier: Bool
    /// The index among the pieces that are shown.
    let index: Int
  }

  /// The pieces in the outline of a record.
  private struct OldPieces {
    private var pieces: [Identifier: [OldPiece]] = [:]
    /// Deleted pieces, each with the number of shown ones in front of it. The first comes last.
    private var deleted: [(index: Int, field: WireField)] = []
    private let record: WireReader?

    init(of record: WireReader?, parent: Identifier) {
      self.record = record
      guard var reader = record else { return }
      var index = 0
      while let field = try? reader.nextField() {
        guard field.number == StrokeField.pieces else { continue }
        let message = field.message(in: reader)
        guard !StrokeFlags(ofPiece: message).isDeleted else {
          deleted.append((index, field))
          continue
        }
        let name = message.lastIdentifier(StrokeField.identifier)
        pieces[name ?? parent.derived("piece", index), default: []].append(
          OldPiece(message: message, hasDerivedIdentifier: name == nil, index: index))
        index += 1
      }
      // They are removed from the ends, so the first must come last.
      for name in pieces.keys { pieces[name]?.reverse() }
      deleted.reverse()
    }

    mutating func next(_ name: Identifier) -> OldPiece? { pieces[name]?.popLast() }

    /// Writes the deleted pieces in front of the shown one with an index.
    mutating func writeDeleted(upTo index: Int, into writer: inout WireWriter) {
      guard let record else { return }
      while let next = deleted.last, next.index <= index {
        writer.append(next.field, of: record)
        deleted.removeLast()
      }
    }
  }

  /// Writes the pieces of a stroke, each over the outline of the piece with its identifier.
  private mutating func writePieces(
    _ strokes: ArraySlice<PKStroke>, _ common: PieceDefaults, over old: WireReader?,
    into writer: inout WireWriter
  ) {
    guard let first = strokes.first else { return }
    var oldPieces = OldPieces(of: old, parent: first.rootID)
    for (index, stroke) in strokes.enumerated() {
      let oldPiece = oldPieces.next(stroke.id)
      oldPieces.writeDeleted(upTo: oldPiece?.index ?? -1, into: &writer)
      let mark = writer.begin(StrokeField.pieces)
      // An identifier that was derived from one index must be written at any other.
      if oldPiece.map({ $0.hasDerivedIdentifier && $0.index != index }) ?? true {
        writer.field(StrokeField.identifier, identifier: stroke.id)
      }
      if oldPiece == nil {
        if let old, let version = old.first(StrokeField.version) {
          writer.append(version, of: old)
        } else {
          writer.field(
            StrokeField.version, version: ArchiveVersion(clock: 0, replica: 1, subClock: 1))
        }
        writer.field(StrokeField.dataVersion, version: Self.initialVersion)
      }
      writePiece(stroke, common, over: oldPiece?.message, into: &writer)
      writer.end(mark)
    }
    oldPieces.writeDeleted(upTo: .max, into: &writer)
  }

  private mutating func writePiece(
    _ stroke: PKStroke, _ common: PieceDefaults, over old: WireReader?,
    into writer: inout WireWriter
  ) {
    let isSamePart = stroke.isPart(in: old)
    let cut = isSamePart ? PKStroke.ArchiveCut(mask: nil, ranges: []) : stroke.archiveCut
    let fields: FieldNumbers = [
      StrokeField.ink, StrokeField.bounds, StrokeField.transform, StrokeField.flags,
      StrokeField.mask, StrokeField.ranges, StrokeField.part,
    ]
    writer.merge(fields, over: old) { number, field, writer in
      switch number {
      case StrokeField.ink:
        let ink = index(of: stroke.ink, preferring: field?.value ?? common.ink)
        if old == nil || field != nil || ink != common.ink { writer.field(number, number: ink) }
      case StrokeField.transform:
        if let old, let field, !field.payload.isEmpty, stroke.transform == common.transform,
          let own = try? old.transform(field), old.holds(field, own)
        {
          // The drawing was read by an earlier version, which assumed no transforms in pieces.
          writer.append(field, of: old)
        } else {
          writer.transform(number, of: stroke, over: field, of: old, unless: common.transform)
        }
      case StrokeField.bounds:
        if old == nil || field != nil {
          writer.bounds(number, of: stroke, over: field, of: old)
        }
      case StrokeField.flags:
        Self.writeFlags(
          of: stroke, over: field, isNew: old == nil, pieceOf: common.seed, into: &writer)
      case _ where isSamePart:
        if let old { writer.append(all: number, of: old) }
      case StrokeField.mask: Self.writeMask(cut, into: &writer)
      case StrokeField.part: cut.part?.write(into: &writer)
      default: Self.writeRanges(cut, over: old, into: &writer)
      }
    }
  }

  private static func writeMask(_ cut: PKStroke.ArchiveCut, into writer: inout WireWriter) {
    guard let mask = cut.mask else { return }
    writer.field(StrokeField.mask, contoursOf: mask)
  }

  /// Writes ranges; if they did not change, with the bytes that they had.
  private static func writeRanges(
    _ cut: PKStroke.ArchiveCut, over old: WireReader?, into writer: inout WireWriter
  ) {
    if let old, let kept = old.ranges, kept == cut.ranges {
      return writer.append(all: StrokeField.ranges, of: old)
    }
    for range in cut.ranges {
      writer.field(StrokeField.ranges, float: Float(nearestFinite: range.lowerBound))
      writer.field(StrokeField.ranges, float: Float(nearestFinite: range.upperBound))
    }
  }

  // MARK: - Path

  private static let pathFields: FieldNumbers = [
    PathField.creationDate, PathField.count, PathField.pointChannels, PathField.constantChannels,
    PathField.constants, PathField.points, PathField.identifier, PathField.lateralJitter,
  ]

  /// Writes a path over its outline, or a new one with an identifier and all known channels.
  private mutating func writePath(
    of stroke: PKStroke, over old: WireReader?, into writer: inout WireWriter
  ) {
    let columns = old == nil ? stroke.archiveColumns.withSecondaryWidths : stroke.archiveColumns
    let date = stroke.path.creationDate.secondsSinceReferenceDate
    let varying = RecordLayout.mask(of: columns.varying)
    // A new path holds every known channel, as Apple's framework writes it.
    let present = old == nil ? RecordLayout.knownMask : RecordLayout.mask(of: columns.present)
    let constant = (present | varying) & ~varying
    let (layout, constantLayout) = layouts.layouts(points: varying, constants: constant)
    writer.merge(Self.pathFields, over: old) { number, field, writer in
      let isPresent = old == nil || field != nil
      switch number {
      case PathField.identifier:
        let name = stroke.path.identifier ?? (old == nil ? stroke.id.derived("path") : nil)
        if let old, let field, name == nil || (try? old.identifier(field, "")) == name {
          writer.append(all: number, of: old)
        } else if let name {
          writer.field(number, identifier: name)
        }
      case PathField.lateralJitter: columns.writeJitter(over: field, into: &writer)
      case PathField.creationDate:
        if isPresent || date != 0 { writer.field(number, double: date) }
      case PathField.count:
        if isPresent || columns.count != 0 {
          writer.field(number, number: UInt64(columns.count))
        }
      case PathField.pointChannels: writer.field(number, number: varying)
      case PathField.constantChannels:
        if isPresent || constant != 0 { writer.field(number, number: constant) }
      case PathField.constants:
        if columns.count == 0, let old, let last = old.last(number),
          last.payload.count == constantLayout.size
        {
          writer.append(all: number, of: old)
        } else if field != nil || constant != 0 {
          PointRecords.write(number, columns, layout: constantLayout, count: 1, into: &writer)
        }
      default:
        if isPresent || columns.count != 0 {
          PointRecords.write(
            number, columns, layout: layout, count: columns.count, into: &writer)
        }
      }
    }
  }
}

extension WireWriter {
  /// Writes a mask: a field for each contour, and an empty one for a mask that shows nothing.
  mutating func field(_ number: Int, contoursOf mask: Path) {
    let contours = mask.archiveContours
    for contour in contours.isEmpty ? [[]] : contours {
      field(number, bytes: PointRecords.locations(contour))
    }
  }
}

extension [PKStroke] {
  /// Whether strokes of an archive are these, with the same identifiers of paths where these have
  /// any.
  fileprivate func isArchived(as archived: [PKStroke]) -> Bool {
    self == archived
      && zip(self, archived).allSatisfy {
        $0.path.identifier == nil || $0.path.identifier == $1.path.identifier
      }
  }
}

extension WireReader {
  /// The ranges that an outline kept unchanged; nil if it has none or only a placeholder.
  fileprivate var ranges: [ClosedRange<Double>]? {
    var bounds: [Double] = []
    var isKept = false
    var reader = self
    while let field = try? reader.nextField() {
      guard field.number == StrokeField.ranges, !field.payload.isEmpty else { continue }
      isKept = true
      bounds += (try? rangeBounds(field)) ?? []
    }
    return isKept ? [ClosedRange](archived: bounds) : nil
  }
}

extension PKStroke {
  /// Whether an archive must hold this stroke as a piece.
  fileprivate var isPiece: Bool {
    mask != nil || parentID != nil || isPartial || archivedMaskRanges != nil
  }

  /// The mask and ranges by which an archive holds the visible part of a stroke.
  fileprivate struct ArchiveCut {
    var mask: Path?
    var ranges: [ClosedRange<Double>]
    /// The part of a stroke whose outline is the mask; nil for other masks.
    var part: ArchivePart?
  }

  /// Whether a piece shows the same part of the same stroke, so that its mask and ranges are still
  /// right.
  fileprivate func isPart(in piece: WireReader?) -> Bool {
    // Archived bounds are gone as soon as the stroke changes.
    guard archivedBounds != nil, let piece, let field = piece.last(StrokeField.part),
      let part = try? ArchivePart(decoding: field.message(in: piece))
    else { return false }
    return part.range == pathRange && part.ownMask == mask
  }

  fileprivate var archiveCut: ArchiveCut {
    if isPartial, archivedMaskRanges == nil || mask != nil {
      // An archive cuts with masks: the part's outline is one. The outline is that of the stroke
      // which a reader will have, so that it writes the same again.
      let (outline, ownMask) = (inArchive.reachOutline, mask?.inArchive)
      return ArchiveCut(
        mask: ownMask.map { $0.intersection(outline) } ?? outline, ranges: [visiblePathRange],
        part: ArchivePart(range: visiblePathRange, ownMask: ownMask))
    }
    return ArchiveCut(
      mask: mask, ranges: archivedMaskRanges ?? (mask == nil ? [] : maskedPathRanges))
  }

  /// A stroke with the points, the width law and the transform that it has when it is read again.
  /// Its mask is left out.
  private var inArchive: PKStroke {
    var copy = self
    copy.path = PKStrokePath(columns: archiveColumns, creationDate: path.creationDate)
    copy.ink.widthLaw = .pencilKit
    copy.transform = transform.inArchive
    copy.mask = nil
    return copy
  }

  /// The points as an archive can hold them: in the current scale, and with sizes converted to
  /// PencilKit's width law, so that ink of the plain law looks the same there.
  fileprivate var archiveColumns: PointColumns {
    guard ink.widthLaw == .plain else { return path.columns.converted(to: .current) }
    return path.mappingPoints { $0.size = ink.pencilKitSize(drawing: $0.size) }
  }
}

extension AffineTransform {
  /// The transform rounded to 32-bit numbers.
  fileprivate var inArchive: AffineTransform {
    func stored(_ value: Double) -> Double { Double(Float(nearestFinite: value)) }
    return AffineTransform(
      a: stored(a), b: stored(b), c: stored(c), d: stored(d), tx: stored(tx), ty: stored(ty))
  }
}

extension Color {
  /// The colour as an archive can hold it: rounded to 32-bit sRGB components.
  package var inArchive: Color {
    let color = converted(to: .sRGB)
    func stored(_ value: Double) -> Double { Double(Float(nearestFinite: value)) }
    return Color(
      red: stored(color.red), green: stored(color.green), blue: stored(color.blue),
      alpha: stored(color.alpha))
  }
}

extension Path {
  /// The area as an archive can hold it as a mask: polygons with 32-bit coordinates.
  package var inArchive: Path {
    Path(
      polygons: archiveContours.map { contour in
        contour.map {
          Point(x: Double(Float(nearestFinite: $0.x)), y: Double(Float(nearestFinite: $0.y)))
        }
      })
  }

  /// The contours of the area as polygons that the non-zero rule fills, as archives hold masks.
  fileprivate var archiveContours: [[Point]] {
    guard fillRule == .nonZero else { return union(Path()).archiveContours }
    return (polygonElements ?? flattened(tolerance: 0.01)).filter { !$0.isEmpty }
  }

  /// The corners of the contours; nil if there are curves.
  private var polygonElements: [[Point]]? {
    var polygons: [[Point]] = []
    for element in elements {
      switch element {
      case .move(let point): polygons.append([point])
      case .line(let point): polygons[polygons.count - 1].append(point)
      case .close: break
      case .quadratic, .cubic: return nil
      }
    }
    return polygons
  }
}
