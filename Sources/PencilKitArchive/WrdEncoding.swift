import Graphics
import Strokes

/// Writes the `wrd` form: the drawing's outline with the model's fields put back, and new strokes
/// in the form in which Apple's framework writes drawings made through its interface.
struct WrdEncoder {
  /// What every entry of an ink table says of its version.
  private static let inkVersion: UInt64 = 3

  private let outline: [UInt8]
  private var records: [OutlineRecord] = []
  private var inks: [PKInk] = []
  private var newInks: [PKInk] = []
  private var replicas: [Identifier] = []
  private var clocks: [[UInt64]] = []

  static func encode(_ drawing: PKDrawing) -> [UInt8] {
    var outline = emptyOutline(for: drawing)
    if let residue = drawing.residue, residue.form == .pencilKit { outline = residue.bytes }
    var encoder = WrdEncoder(outline: outline)
    return encoder.encode(drawing.strokes)
  }

  /// The outline of a new archive: version 1, one replica beside the empty one.
  private static func emptyOutline(for drawing: PKDrawing) -> [UInt8] {
    var hash = StableHash()
    for stroke in drawing.strokes {
      hash.combine(stroke.id)
      hash.combine(UInt64(stroke.path.count))
    }
    let identifier = hash.identifier
    var writer = WireWriter()
    writer.append(WrdDecoder.magic + [1, 0])
    writer.field(1, number: 0)
    if !drawing.strokes.isEmpty {
      writer.field(DrawingField.replicas, identifier: .zero)
      writer.field(DrawingField.clocks, numbers: [0, 0, 0])
    }
    writer.field(DrawingField.boundsVersion, numbers: [0, 0, 0])
    writer.field(DrawingField.identifier, identifier: identifier)
    return writer.bytes
  }

  /// Reads what an outline says of strokes, inks and replicas. Our own outlines can always be read.
  private init(outline: [UInt8]) {
    self.outline = outline
    var index = 0
    var reader = message
    while let field = try? reader.nextField() {
      switch field.number {
      case DrawingField.replicas:
        replicas.append(Identifier(bytes: outline[field.payload]) ?? .zero)
      case DrawingField.clocks:
        clocks.append(Self.numbers(WireReader(outline, in: field.payload)))
      case DrawingField.inks:
        let message = WireReader(outline, in: field.payload)
        inks.append((try? PKInk(decoding: message)) ?? PKInk(.other(identifier: "")))
      case DrawingField.strokes:
        records.append(OutlineRecord(outline: field.message(in: reader), index: index))
        index += 1
      default: break
      }
    }
  }

  private static func numbers(_ message: WireReader) -> [UInt64] {
    var message = message
    var values: [UInt64] = []
    while let field = try? message.nextField() { values.append(field.value) }
    return values
  }

  // MARK: - The drawing

  private mutating func encode(_ strokes: [PKStroke]) -> [UInt8] {
    let plan = RecordPlan(strokes: strokes, records: records)
    let replica = addReplica(for: plan)
    var body = WireWriter()
    var clock = replica.clock
    for entry in plan.entries {
      switch entry {
      case .kept(let record, let strokes):
        body.field(DrawingField.strokes) { write(strokes, over: record, into: &$0) }
      case .deleted(let record):
        body.field(DrawingField.strokes) { writeDeleted(record, into: &$0) }
      case .new(let strokes):
        let version = [clock, UInt64(replica.index), clock &- replica.clock &+ 1]
        body.field(DrawingField.strokes) { writeNew(strokes, version: version, into: &$0) }
        clock &+= 1  // clocks come from the archive and may be anything
      }
    }

    var fields = [ModelField(DrawingField.strokes) { $0.append(body.bytes) }]
    if replica.isNew {
      fields.append(
        table(DrawingField.replicas) {
          $0.field(DrawingField.replicas, identifier: replica.identifier)
        })
      fields.append(
        table(DrawingField.clocks) {
          $0.field(
            DrawingField.clocks, numbers: [clock, UInt64(replica.index), clock &- replica.clock])
        })
    }
    if !newInks.isEmpty {
      fields.append(
        table(DrawingField.inks) { for ink in newInks { Self.write(ink, into: &$0) } })
    }
    var writer = WireWriter()
    writer.append(outline[..<WrdDecoder.headerSize])
    writer.merge(fields, over: message)
    return writer.bytes
  }

  /// The outline's message.
  private var message: WireReader {
    WireReader(outline, in: WrdDecoder.headerSize..<outline.count)
  }

  /// A table of the outline with more entries at its end.
  private func table(_ number: Int, adding: (inout WireWriter) -> Void) -> ModelField {
    ModelField(number) { writer in
      var reader = message
      while let field = try? reader.nextField() {
        if field.number == number { writer.append(outline[field.range]) }
      }
      adding(&writer)
    }
  }

  /// Who adds the new strokes: a replica of ours, when there are any.
  private struct Replica {
    var identifier = Identifier.zero
    var index = 0
    var clock: UInt64 = 0
    var isNew = false
  }

  private func addReplica(for plan: RecordPlan) -> Replica {
    let isAdding = plan.entries.contains { if case .new = $0 { true } else { false } }
    guard isAdding else { return Replica() }
    var hash = StableHash()
    for replica in replicas { hash.combine(replica) }
    for clock in clocks.joined() { hash.combine(clock) }
    let highest = clocks.compactMap(\.first).max() ?? 0
    return Replica(
      identifier: hash.identifier, index: replicas.count, clock: highest,
      isNew: true)
  }

  private static func write(_ ink: PKInk, into writer: inout WireWriter) {
    let c = ink.color.converted(to: .sRGB)
    writer.field(DrawingField.inks) { entry in
      entry.field(InkField.color, floats: [c.red, c.green, c.blue, c.alpha])
      entry.field(InkField.identifier, bytes: ink.inkType.rawValue.utf8)
      entry.field(InkField.version, number: Self.inkVersion)
      entry.field(InkField.weight, double: 0)
    }
  }

  /// The place of an ink in the table, which grows by inks that it does not have yet.
  private mutating func index(of ink: PKInk, preferring index: UInt64?) -> UInt64 {
    let ink = PKInk(ink.inkType, color: ink.color.inArchive)
    if let index, index < UInt64(inks.count), inks[Int(index)] == ink { return index }
    if let index = inks.firstIndex(of: ink) { return UInt64(index) }
    inks.append(ink)
    newInks.append(ink)
    return UInt64(inks.count - 1)
  }

  // MARK: - One stroke

  /// Writes a stroke, or the pieces of one, over the outline of its record.
  private mutating func write(
    _ strokes: [PKStroke], over record: OutlineRecord, into writer: inout WireWriter
  ) {
    let old = WireReader(outline, in: record.range)
    writer.merge(fields(of: strokes, over: old, preferring: record.inkIndex), over: old)
  }

  /// Writes a stroke, or the pieces of one, that no archive has held before.
  private mutating func writeNew(
    _ strokes: [PKStroke], version: [UInt64], into writer: inout WireWriter
  ) {
    guard let stroke = strokes.first else { return }
    let names = [
      ModelField(StrokeField.identifier) { [id = stroke.parentID ?? stroke.id] in
        $0.field(StrokeField.identifier, identifier: id)
      },
      ModelField(StrokeField.version) { $0.field(StrokeField.version, numbers: version) },
      ModelField(StrokeField.dataVersion) {
        $0.field(StrokeField.dataVersion, numbers: [0, 1, 0])
      },
    ]
    writer.merge(names + fields(of: strokes, over: nil, preferring: nil), over: nil)
  }

  /// Writes what stays of a stroke that has been taken out: its names and versions.
  private func writeDeleted(_ record: OutlineRecord, into writer: inout WireWriter) {
    guard record.hasPath else { return writer.append(outline[record.range]) }
    let old = WireReader(outline, in: record.range)
    let gone = [
      StrokeField.path, StrokeField.bounds, StrokeField.transform, StrokeField.piecesVersion,
      StrokeField.mask, StrokeField.pieces, StrokeField.ranges, StrokeField.group,
    ]
    let flags = (old.first(StrokeField.flags)?.value ?? 0) | StrokeFlags.deleted
    let mark = ModelField(StrokeField.flags) { $0.field(StrokeField.flags, number: flags) }
    writer.merge(gone.map { ModelField(dropping: $0) } + [mark], over: old)
  }

  /// The fields of a stroke that the model holds, in ascending order.
  private mutating func fields(
    of strokes: [PKStroke], over old: WireReader?, preferring inkIndex: UInt64?
  ) -> [ModelField] {
    guard let stroke = strokes.first else { return [] }
    let ink = index(of: stroke.ink, preferring: inkIndex)
    let isCut = strokes.count > 1 || stroke.isPiece
    let wasCut = old?.first(StrokeField.pieces) != nil
    let flags = Self.flags(of: stroke, over: old, isPiece: false)
    return [
      ModelField(StrokeField.ink, isNeeded: ink != 0 || old == nil) {
        $0.field(StrokeField.ink, number: ink)
      },
      ModelField(StrokeField.path) { writer in
        let oldPath = old.flatMap { $0.first(StrokeField.path)?.message(in: $0) }
        writer.field(StrokeField.path) { Self.writePath(of: stroke, over: oldPath, into: &$0) }
      },
      isCut
        ? ModelField(dropping: StrokeField.bounds)
        : Self.boundsField(of: stroke, isNeeded: old == nil || wasCut),
      ModelField(StrokeField.transform, isNeeded: !stroke.transform.isIdentity) {
        let t = stroke.transform
        $0.field(StrokeField.transform, floats: [t.a, t.b, t.c, t.d, t.tx, t.ty])
      },
      ModelField(StrokeField.flags, isNeeded: old == nil || stroke.randomSeed != 0) {
        $0.field(StrokeField.flags, number: flags)
      },
      isCut
        ? ModelField(StrokeField.piecesVersion, isReplacing: false) {
          $0.field(StrokeField.piecesVersion, numbers: [0, 1, 0])
        } : ModelField(dropping: StrokeField.piecesVersion, unless: !wasCut),
      ModelField(dropping: StrokeField.mask),
      isCut
        ? ModelField(StrokeField.pieces) {
          Self.writePieces(strokes, over: old, into: &$0)
        } : ModelField(dropping: StrokeField.pieces),
      ModelField(dropping: StrokeField.ranges),
      Self.groupField(of: stroke),
    ]
  }

  private static func boundsField(of stroke: PKStroke, isNeeded: Bool) -> ModelField {
    ModelField(StrokeField.bounds, isNeeded: isNeeded) {
      let bounds = stroke.renderBounds
      let box = bounds.isNull ? .zero : bounds
      $0.field(StrokeField.bounds, floats: [box.minX, box.minY, box.width, box.height])
    }
  }

  private static func groupField(of stroke: PKStroke) -> ModelField {
    guard let group = stroke.renderGroupID else { return ModelField(dropping: StrokeField.group) }
    return ModelField(StrokeField.group) { $0.field(StrokeField.group, identifier: group) }
  }

  private static func flags(of stroke: PKStroke, over old: WireReader?, isPiece: Bool) -> UInt64 {
    let fresh = StrokeFlags.hasSeed | (isPiece ? StrokeFlags.piece : 0)
    var flags = StrokeFlags(rawValue: old.map { $0.first(StrokeField.flags)?.value ?? 0 } ?? fresh)
    flags.seed = stroke.randomSeed
    return flags.rawValue
  }

  // MARK: - Pieces

  private static func writePieces(
    _ strokes: [PKStroke], over old: WireReader?, into writer: inout WireWriter
  ) {
    var oldPieces: [(identifier: Identifier?, message: WireReader)] = []
    if let old {
      var reader = old
      while let field = try? reader.nextField() {
        guard field.number == StrokeField.pieces else { continue }
        let message = field.message(in: reader)
        oldPieces.append((message.firstIdentifier(StrokeField.identifier), message))
      }
    }
    let version = old?.first(StrokeField.version)
    for stroke in strokes {
      let match = oldPieces.firstIndex { $0.identifier == stroke.id || $0.identifier == nil }
      let oldPiece = match.map { oldPieces.remove(at: $0).message }
      writer.field(StrokeField.pieces) { piece in
        var fields = pieceFields(of: stroke, over: oldPiece)
        if oldPiece == nil {
          fields += [
            ModelField(StrokeField.identifier) {
              $0.field(StrokeField.identifier, identifier: stroke.id)
            },
            ModelField(StrokeField.version) { writer in
              if let old, let version {
                writer.append(old.bytes[version.range])
              } else {
                writer.field(StrokeField.version, numbers: [0, 1, 1])
              }
            },
            ModelField(StrokeField.dataVersion) {
              $0.field(StrokeField.dataVersion, numbers: [0, 1, 0])
            },
          ]
        }
        piece.merge(fields, over: oldPiece)
      }
    }
  }

  private static func pieceFields(of stroke: PKStroke, over old: WireReader?) -> [ModelField] {
    let flags = Self.flags(of: stroke, over: old, isPiece: true)
    var mask = stroke.mask
    var ranges = stroke.archivedMaskRanges
    if stroke.isPartial, ranges == nil || mask != nil {
      // An archive cuts with masks: the part's outline is one.
      let outline = stroke.outline(margin: 1)
      mask = mask.map { $0.intersection(outline) } ?? outline
      ranges = [stroke.visiblePathRange]
    } else if mask != nil, ranges == nil {
      ranges = stroke.maskedPathRanges
    }
    let polygon = mask?.singleContour
    return [
      boundsField(of: stroke, isNeeded: old == nil),
      ModelField(StrokeField.flags, isNeeded: old == nil || stroke.randomSeed != 0) {
        $0.field(StrokeField.flags, number: flags)
      },
      polygon.map { polygon in
        ModelField(StrokeField.mask) {
          $0.field(StrokeField.mask, bytes: PointRecords.locations(polygon))
        }
      } ?? ModelField(dropping: StrokeField.mask),
      ModelField(StrokeField.ranges, isNeeded: ranges?.isEmpty == false) {
        for range in ranges ?? [] {
          $0.field(StrokeField.ranges, float: Float(range.lowerBound))
          $0.field(StrokeField.ranges, float: Float(range.upperBound))
        }
      },
    ]
  }

  // MARK: - Path

  private static func writePath(
    of stroke: PKStroke, over old: WireReader?, into writer: inout WireWriter
  ) {
    let columns = stroke.archiveColumns
    let date = stroke.path.creationDate.secondsSinceReferenceDate
    let varying = RecordLayout.mask(of: columns.varying)
    // A new path holds every channel that is known, as Apple's framework writes it.
    let present = old == nil ? RecordLayout.knownMask : RecordLayout.mask(of: columns.present)
    let constant = (present | varying) & ~varying
    let (layout, constantLayout) = (RecordLayout(mask: varying), RecordLayout(mask: constant))
    let isNew = old == nil
    var fields = [
      ModelField(PathField.creationDate, isNeeded: isNew || date != 0) {
        $0.field(PathField.creationDate, double: date)
      },
      ModelField(PathField.count, isNeeded: isNew || columns.count != 0) {
        $0.field(PathField.count, number: UInt64(columns.count))
      },
      ModelField(PathField.pointChannels) {
        $0.field(PathField.pointChannels, number: varying)
      },
      ModelField(PathField.constantChannels, isNeeded: isNew || constant != 0) {
        $0.field(PathField.constantChannels, number: constant)
      },
      ModelField(PathField.constants, isNeeded: constant != 0) {
        $0.field(
          PathField.constants,
          bytes: PointRecords.records(columns, layout: constantLayout, count: 1))
      },
      ModelField(PathField.points, isNeeded: isNew || columns.count != 0) {
        $0.field(
          PathField.points,
          bytes: PointRecords.records(columns, layout: layout, count: columns.count))
      },
    ]
    if isNew {
      fields.append(
        ModelField(PathField.identifier) {
          $0.field(PathField.identifier, identifier: stroke.id.derived("path"))
        })
    }
    writer.merge(fields, over: old)
  }
}

extension PKStroke {
  /// Whether an archive must hold this as a piece of a stroke.
  fileprivate var isPiece: Bool {
    mask != nil || parentID != nil || isPartial || archivedMaskRanges != nil
  }

  /// The points as an archive can hold them: in the current steps, and with sizes by PencilKit's
  /// width law, so that ink of the plain law looks the same there.
  fileprivate var archiveColumns: PointColumns {
    guard ink.widthLaw == .plain else { return path.columns.converted(to: .current) }
    let points = path.map { point in
      var point = point
      point.size = ink.pencilKitSize(drawing: point.size)
      return point.stored(in: .current)
    }
    return PointColumns(points, scale: .current)
  }
}

extension Color {
  /// The colour as 32-bit sRGB components hold it.
  fileprivate var inArchive: Color {
    let color = converted(to: .sRGB)
    return Color(
      red: Double(Float(color.red)), green: Double(Float(color.green)),
      blue: Double(Float(color.blue)), alpha: Double(Float(color.alpha)))
  }
}

extension Path {
  /// All contours as one closed polygon: the others are joined to the first by lines that are walked
  /// there and back, which enclose nothing.
  fileprivate var singleContour: [Point] {
    let polygons = polygonElements ?? flattened(tolerance: 0.01)
    guard var joined = polygons.first else { return [] }
    for polygon in polygons.dropFirst() {
      guard let start = polygon.first,
        let anchor = joined.indices.min(by: {
          joined[$0].distance(to: start) < joined[$1].distance(to: start)
        })
      else { continue }
      joined.insert(contentsOf: polygon + [start, joined[anchor]], at: anchor + 1)
    }
    return joined
  }

  /// The corners as they are given, if there are no curves.
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
