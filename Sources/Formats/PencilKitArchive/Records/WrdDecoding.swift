import Graphics
import Strokes

/// The result of decoding an archive: the strokes, and the outline that becomes the residue.
struct DecodedArchive {
  var strokes: [PKStroke] = []
  var outline: [UInt8] = []
}

/// Reads the `wrd` form: four bytes of magic, two of version, one message.
struct WrdDecoder {
  static let magic: [UInt8] = Array("wrd".utf8) + [0xF0]
  static let headerSize = 6

  private let bytes: [UInt8]
  private let identifiesPaths: Bool
  private var inks: [PKInk] = []
  private var strokes: [PKStroke] = []
  private var outline = WireWriter()
  private var layouts = RecordLayouts()
  private var allowance: ReadingAllowance

  /// Decodes the archive from an offset to the end of the bytes. On request, paths get the
  /// identifiers that the archive stores for them.
  static func decode(
    _ bytes: [UInt8], from start: Int, identifyingPaths: Bool = false
  ) throws(PencilKitError) -> DecodedArchive {
    guard bytes.count >= start + headerSize else {
      throw PencilKitError(.truncated, at: bytes.count)
    }
    var decoder = WrdDecoder(bytes: bytes, identifiesPaths: identifyingPaths)
    try decoder.readDrawing(from: start)
    return DecodedArchive(strokes: decoder.strokes, outline: decoder.outline.bytes)
  }

  private init(bytes: [UInt8], identifiesPaths: Bool) {
    self.bytes = bytes
    self.identifiesPaths = identifiesPaths
    allowance = ReadingAllowance(byteCount: bytes.count)
  }

  private mutating func readDrawing(from start: Int) throws(PencilKitError) {
    let message = WireReader(bytes, in: start + Self.headerSize..<bytes.count)
    strokes.reserveCapacity(min(try readInks(message), allowance.strokeLimit))
    outline.append(bytes[start..<start + Self.headerSize])
    var reader = message
    var index = 0
    while let field = try reader.nextField() {
      guard field.number == DrawingField.strokes else {
        outline.append(field, of: reader)
        continue
      }
      let mark = outline.begin(field.number)
      let record = try readStroke(try reader.message(field, "stroke"), isPiece: false)
      try addStrokes(of: record, index: index, at: field.range.lowerBound)
      outline.end(mark)
      index += 1
    }
  }

  /// Reads the ink table, which the outline keeps unchanged, and returns the number of strokes.
  private mutating func readInks(_ message: WireReader) throws(PencilKitError) -> Int {
    var reader = message
    var strokeCount = 0
    while let field = try reader.nextField() {
      if field.number == DrawingField.strokes { strokeCount += 1 }
      if field.number == DrawingField.inks {
        inks.append(try PKInk(decoding: try reader.message(field, "ink")))
      }
    }
    return strokeCount
  }

  /// The contents of one stroke message. A piece is a message of the same type inside its stroke.
  private struct Record {
    var identifier: Identifier?
    /// The index of the ink; a piece without one has its stroke's.
    var inkIndex: UInt64?
    var path: PKStrokePath?
    var bounds: Rect?
    /// The transform; a piece without one has its stroke's.
    var transform: AffineTransform?
    var flags = StrokeFlags(rawValue: 0)
    /// The contours of the mask, each in a field of its own.
    var contours: [[Point]]?
    var ranges: [Double] = []
    /// Whether each bound of the ranges is a field of its own, as this package writes them.
    var hasUnpackedRanges = true
    var group: Identifier?
    var renderState = StrokeRenderState.absent
    var part: ArchivePart?
    /// The pieces that are shown.
    var pieces: [Record] = []
    /// Whether the stroke was cut, also if all of its pieces were deleted later.
    var isCut = false

    var mask: Path? { contours.map { Path(polygons: $0) } }

    /// Whether the record shows a stroke or a piece of one.
    var isShown: Bool { path != nil && (!isCut || !pieces.isEmpty) }

    /// Whether writing the ranges gives the same fields.
    var areRangesWritable: Bool {
      hasUnpackedRanges
        && [ClosedRange](archived: ranges).flatMap { [$0.lowerBound, $0.upperBound] } == ranges
    }
  }

  /// Reads a stroke and writes its outline, which keeps the fields in `kept` unchanged.
  private mutating func readStroke(
    _ message: WireReader, isPiece: Bool, keeping kept: FieldNumbers = []
  ) throws(PencilKitError) -> Record {
    var record = Record()
    let outlineStart = outline.bytes.count
    var reader = message
    while let field = try reader.nextField() {
      let isKept = kept.contains(field.number)
      switch field.number {
      case StrokeField.identifier:
        record.identifier = try reader.identifier(field, "stroke's identifier")
        outline.append(field, of: reader)
      case StrokeField.ink:
        record.inkIndex = try reader.number(field, "stroke's ink")
        outline.append(field, of: reader)
      case StrokeField.path where !isPiece:
        let mark = outline.begin(field.number)
        record.path = try readPath(try reader.message(field, "path"))
        outline.end(mark)
      case StrokeField.bounds:
        record.bounds = try outline.outlineBounds(field, of: reader, isKept: isKept)
      case StrokeField.transform:
        record.transform = try outline.outlineTransform(field, of: reader, isKept: isKept)
      case StrokeField.flags:
        let flags = StrokeFlags(rawValue: try reader.number(field, "stroke's flags"))
        record.flags = flags
        if flags.isSeedWritable, !isPiece, !isKept {
          outline.field(field.number, number: flags.withoutSeed)
        } else {
          outline.append(field, of: reader)
        }
      case StrokeField.mask:
        let contour = try PointRecords.contour(field, of: reader)
        if isKept {
          outline.append(field, of: reader)
        } else if record.contours == nil {
          outline.appendPlaceholder(field.number)
        }
        if record.contours == nil { record.contours = [] }
        record.contours?.append(contour)
      case StrokeField.ranges:
        if isKept {
          outline.append(field, of: reader)
        } else if record.ranges.isEmpty {
          outline.appendPlaceholder(field.number)
        }
        record.ranges += try reader.rangeBounds(field)
        record.hasUnpackedRanges = record.hasUnpackedRanges && field.kind == .fixed32
      case StrokeField.pieces where !isPiece:
        guard kept.contains(Self.replacedFields) else {
          // The pieces replace the stroke's own look, so the model holds none of these fields.
          outline.removeAll(after: outlineStart)
          return try readStroke(message, isPiece: false, keeping: Self.replacedFields)
        }
        guard record.pieces.count < allowance.strokeLimit else {
          throw PencilKitError(.tooMuch, at: field.range.lowerBound)
        }
        record.isCut = true
        let start = outline.bytes.count
        let mark = outline.begin(field.number)
        let piece = try readStroke(try reader.message(field, "piece"), isPiece: true)
        outline.end(mark)
        if piece.flags.isDeleted {
          // The model holds none of it.
          outline.removeAll(after: start)
          outline.append(field, of: reader)
        } else {
          record.pieces.append(piece)
        }
      case StrokeField.group where !isPiece:
        record.group = try reader.identifier(field, "stroke's group")
        outline.appendPlaceholder(field.number)
      case StrokeField.renderState where !isPiece:
        record.renderState = try StrokeRenderState(
          decoding: try reader.message(field, "state for rendering"))
        // The field stays in the outline for sources that do not store it, such as `.pkd` files.
        outline.append(field, of: reader)
      case StrokeField.part where isPiece:
        guard kept.contains(Self.partFields) else {
          // Computing the mask of a part takes long, so the archived one is kept while it is valid.
          outline.removeAll(after: outlineStart)
          return try readStroke(message, isPiece: true, keeping: Self.partFields)
        }
        record.part = try ArchivePart(decoding: try reader.message(field, "part"))
        outline.append(field, of: reader)
      default:
        outline.append(field, of: reader)
      }
    }
    if !isPiece, !record.isShown {
      // The model holds no stroke for this record, so the outline keeps all of it.
      outline.removeAll(after: outlineStart)
      outline.append(bytes[message.offset..<message.end])
    } else if !record.areRangesWritable, !kept.contains(StrokeField.ranges) {
      outline.removeAll(after: outlineStart)
      return try readStroke(message, isPiece: isPiece, keeping: [StrokeField.ranges])
    }
    return record
  }

  /// The fields of a piece that show a part of a stroke.
  private static let partFields: FieldNumbers = [
    StrokeField.mask, StrokeField.ranges, StrokeField.part,
  ]

  /// The fields of a stroke that the same fields of its pieces replace.
  private static let replacedFields: FieldNumbers = [
    StrokeField.bounds, StrokeField.transform, StrokeField.flags, StrokeField.mask,
    StrokeField.ranges,
  ]

  /// Reads a path and writes its outline. The points are decoded after the last field is read.
  private mutating func readPath(_ message: WireReader) throws(PencilKitError) -> PKStrokePath {
    var date = 0.0
    var declared: UInt64 = 0
    var pointMask: UInt64 = 0
    var constantMask: UInt64 = 0
    var constants = message.offset..<message.offset
    var points = message.offset..<message.offset
    var identifier: Identifier?
    var jitter: Range<Int>?
    var reader = message
    while let field = try reader.nextField() {
      switch field.number {
      case PathField.creationDate: date = try reader.double(field, "path's date")
      case PathField.count: declared = try reader.number(field, "number of points")
      case PathField.pointChannels: pointMask = try reader.number(field, "channels of points")
      case PathField.constantChannels:
        constantMask = try reader.number(field, "constant channels")
      case PathField.constants:
        constants = try reader.range(field, "constant values")
        if declared == 0 {
          // The model holds no constant values for a path without points.
          outline.append(field, of: reader)
          continue
        }
      case PathField.points: points = try reader.range(field, "points")
      case PathField.lateralJitter: jitter = try reader.range(field, "lateral jitter")
      case PathField.identifier where identifiesPaths:
        // A field of another size is not an identifier, and stays in the outline like an unknown
        // field.
        identifier = try? reader.identifier(field, "path's identifier")
        outline.append(field, of: reader)
        continue
      default:
        outline.append(field, of: reader)
        continue
      }
      outline.appendPlaceholder(field.number)
    }
    let unknown = (pointMask | constantMask) & ~RecordLayout.knownMask
    guard unknown == 0 else {
      throw PencilKitError(.unknownChannels(mask: unknown), at: message.offset)
    }
    guard pointMask & constantMask == 0 else {
      throw PencilKitError(.repeatedChannels(mask: pointMask & constantMask), at: message.offset)
    }
    guard pointMask & 1 == 1 else { throw PencilKitError(.noLocations, at: message.offset) }
    let (layout, constantLayout) = layouts.layouts(points: pointMask, constants: constantMask)
    var columns = try PointRecords.checkedColumns(
      bytes, records: points, declaredCount: declared, layout: layout, constants: constants,
      constantLayout: constantLayout, scale: .current)
    if let jitter, columns.count > 0 {
      columns = try columns.adding(jitter: jitter, of: message)
    }
    return PKStrokePath(
      columns: columns, creationDate: Timestamp(secondsSinceReferenceDate: date),
      identifier: identifier)
  }

  /// Adds the strokes that a record shows: none if it was deleted, one, or the pieces that an
  /// eraser left.
  private mutating func addStrokes(
    of record: Record, index: Int, at offset: Int
  ) throws(PencilKitError) {
    guard let path = record.path else { return }
    let identifier = record.identifier ?? Self.derivedIdentifier(index)
    var stroke = PKStroke(
      ink: try ink(record.inkIndex ?? 0, at: offset), path: path,
      transform: record.transform ?? .identity,
      randomSeed: record.flags.seed, id: identifier, renderGroupID: record.group)
    stroke.renderState = record.renderState
    if !record.isCut { try add(Self.cut(stroke, as: record), at: offset) }
    for (number, piece) in record.pieces.enumerated() {
      let name = piece.identifier ?? identifier.derived("piece", number)
      var part = Self.cut(stroke.renamed(name), as: piece)
      part.parentID = identifier
      if piece.flags.hasSeed { part.randomSeed = piece.flags.seed }
      // Bounds are those after the piece's own transform, so they stay right.
      let bounds = part.archivedBounds
      if let transform = piece.transform { part.transform = transform }
      if let index = piece.inkIndex { part.ink = try ink(index, at: offset) }
      part.archivedBounds = bounds
      try add(part, at: offset)
    }
  }

  /// The ink at an index of the table.
  private func ink(_ index: UInt64, at offset: Int) throws(PencilKitError) -> PKInk {
    guard index < UInt64(inks.count) else {
      throw PencilKitError(.inkIndex(index, tableSize: inks.count), at: offset)
    }
    return inks[Int(index)]
  }

  /// Adds a stroke, if the size of the file allows one more with this number of points.
  private mutating func add(_ stroke: PKStroke, at offset: Int) throws(PencilKitError) {
    guard allowance.allows(strokeOf: stroke.path.count) else {
      throw PencilKitError(.tooMuch, at: offset)
    }
    strokes.append(stroke)
  }

  /// A stroke with the mask, ranges and bounds of a record.
  private static func cut(_ stroke: PKStroke, as record: Record) -> PKStroke {
    var part = stroke
    if let whole = record.part {
      // The mask and the ranges show the part to other readers.
      part.pathRange = whole.range
      part.mask = whole.ownMask
      part.archivedBounds = record.bounds
      return part
    }
    let ranges = [ClosedRange](archived: record.ranges)
    part.mask = record.mask
    // Without a mask, the ranges say which part of the stroke is left.
    if part.mask == nil, let first = ranges.first {
      part.pathRange = ranges.dropFirst().reduce(first) {
        min($0.lowerBound, $1.lowerBound)...max($0.upperBound, $1.upperBound)
      }
    }
    if part.mask != nil || !record.ranges.isEmpty { part.archivedMaskRanges = ranges }
    part.archivedBounds = record.bounds
    return part
  }

  /// The identifier of a stroke that was written without one, derived from its index.
  static func derivedIdentifier(_ index: Int) -> Identifier {
    Identifier.zero.derived("stroke", index)
  }
}

extension [ClosedRange<Double>] {
  /// Ranges from an archive's list of bounds: pairs of a start and an end, in either order. A last
  /// bound without a partner is dropped.
  init(archived bounds: [Double]) {
    self = stride(from: 0, to: bounds.count - 1, by: 2).map {
      Swift.min(bounds[$0], bounds[$0 + 1])...Swift.max(bounds[$0], bounds[$0 + 1])
    }
  }
}

extension WireReader {
  /// The bounds in a field of ranges: one number, or protobuf's packed form of several.
  func rangeBounds(_ field: WireField) throws(PencilKitError) -> [Double] {
    guard field.kind == .bytes else { return [Double(try float(field, "range"))] }
    var bounds: [Double] = []
    for offset in stride(from: field.payload.lowerBound, to: field.payload.upperBound, by: 4) {
      bounds.append(Double(try float(at: offset, before: field.payload.upperBound, "range")))
    }
    return bounds
  }
}

extension PKInk {
  /// Reads an entry of an ink table. Its other fields stay in the archive's outline.
  init(decoding message: WireReader) throws(PencilKitError) {
    var identifier = ""
    var color = Color.black
    var reader = message
    while let field = try reader.nextField() {
      switch field.number {
      case InkField.color:
        let v = try reader.floats(field, "ink's colour")
        color = Color(red: v[0], green: v[1], blue: v[2], alpha: v[3])
      case InkField.identifier: identifier = try reader.text(field, "ink's identifier")
      default: break
      }
    }
    self.init(InkType(rawValue: identifier), color: color)
  }
}
