import Graphics
import Strokes

/// A drawing as an archive holds it.
struct DecodedArchive {
  var strokes: [PKStroke] = []
  var outline: [UInt8] = []
}

/// Reads the `wrd` form: four bytes of magic, two of version, one message.
struct WrdDecoder {
  static let magic: [UInt8] = Array("wrd".utf8) + [0xF0]
  static let headerSize = 6

  private let bytes: [UInt8]
  private var inks: [PKInk] = []

  static func decode(_ bytes: [UInt8], from start: Int) throws(PencilKitError) -> DecodedArchive {
    guard bytes.count >= start + headerSize else {
      throw PencilKitError(.truncated, at: bytes.count)
    }
    var decoder = WrdDecoder(bytes: bytes)
    return try decoder.decodeDrawing(from: start)
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private mutating func decodeDrawing(from start: Int) throws(PencilKitError) -> DecodedArchive {
    let message = WireReader(bytes, in: start + Self.headerSize..<bytes.count)
    let strokeCount = try readInks(message)

    var archive = DecodedArchive()
    archive.strokes.reserveCapacity(strokeCount)
    var outline = OutlineBuilder()
    outline.writer.append(bytes[start..<start + Self.headerSize])
    var reader = message
    var index = 0
    while let field = try reader.nextField() {
      guard field.number == DrawingField.strokes else {
        outline.keep(field, of: bytes)
        continue
      }
      let record = try readStroke(try reader.message(field, "stroke"), isPiece: false)
      archive.strokes += try strokes(of: record, index: index, at: field.range.lowerBound)
      outline.keep(field.number, outline: record.outline)
      index += 1
    }
    archive.outline = outline.writer.bytes
    return archive
  }

  /// Reads the ink table, which is kept in the outline as it is, and counts the strokes.
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

  /// What one stroke message says. A piece is a message of the same type inside its stroke.
  private struct Record {
    var identifier: Identifier?
    var inkIndex: UInt64 = 0
    var path: PKStrokePath?
    var bounds: Rect?
    var transform = AffineTransform.identity
    var flags = StrokeFlags(rawValue: 0)
    var mask: Path?
    var ranges: [Double] = []
    var group: Identifier?
    var pieces: [Record] = []
    var outline = OutlineBuilder()
  }

  private func readStroke(
    _ message: WireReader, isPiece: Bool
  ) throws(PencilKitError) -> Record {
    var record = Record()
    var reader = message
    while let field = try reader.nextField() {
      switch field.number {
      case StrokeField.identifier:
        record.identifier = try reader.identifier(field, "stroke's identifier")
        record.outline.keep(field, of: bytes)
      case StrokeField.ink:
        record.inkIndex = try reader.number(field, "stroke's ink")
        record.outline.keep(field, of: bytes)
      case StrokeField.path where !isPiece:
        let (path, outline) = try readPath(try reader.message(field, "path"))
        record.path = path
        record.outline.keep(field.number, outline: outline)
      case StrokeField.bounds:
        let v = try reader.floats(field, count: 4, "stroke's bounds").map(Double.init)
        record.bounds = Rect(x: v[0], y: v[1], width: v[2], height: v[3])
        record.outline.mark(field.number)
      case StrokeField.transform:
        let v = try reader.floats(field, count: 6, "stroke's transform").map(Double.init)
        record.transform = AffineTransform(a: v[0], b: v[1], c: v[2], d: v[3], tx: v[4], ty: v[5])
        record.outline.mark(field.number)
      case StrokeField.flags:
        record.flags.rawValue = try reader.number(field, "stroke's flags")
        var rest = record.flags
        rest.seed = 0
        record.outline.writer.field(field.number, number: rest.rawValue)
      case StrokeField.mask:
        record.mask = try readMask(reader, field)
        record.outline.mark(field.number)
      case StrokeField.ranges:
        if record.ranges.isEmpty { record.outline.mark(field.number) }
        record.ranges.append(Double(try reader.float(field, "range")))
      case StrokeField.pieces where !isPiece:
        let piece = try readStroke(try reader.message(field, "piece"), isPiece: true)
        record.pieces.append(piece)
        record.outline.keep(field.number, outline: piece.outline)
      case StrokeField.group:
        record.group = try reader.identifier(field, "stroke's group")
        record.outline.mark(field.number)
      default:
        record.outline.keep(field, of: bytes)
      }
    }
    if !isPiece, record.path == nil {
      // The model does not hold deleted strokes, so all of this one is kept.
      record.outline = OutlineBuilder()
      record.outline.writer.append(bytes[message.offset..<message.end])
    }
    return record
  }

  private func readMask(
    _ reader: WireReader, _ field: WireField
  ) throws(PencilKitError) -> Path {
    let range = try reader.range(field, "mask")
    guard range.count.isMultiple(of: 8) else {
      throw PencilKitError(
        .size(field: "mask", expected: range.count / 8 * 8, actual: range.count),
        at: range.lowerBound)
    }
    let columns = PointRecords.columns(
      bytes, records: range, layout: RecordLayout(mask: 1), count: range.count / 8,
      constants: 0..<0, constantLayout: RecordLayout([]), scale: .current)
    if let bad = columns.firstNotFinite {
      throw PencilKitError(.notFinite(field: "mask"), at: range.lowerBound + bad.index * 8)
    }
    return Path(
      polygon: (0..<columns.count).map {
        Point(x: Double(columns.float(.x, at: $0)), y: Double(columns.float(.y, at: $0)))
      })
  }

  private func readPath(
    _ message: WireReader
  ) throws(PencilKitError) -> (PKStrokePath, OutlineBuilder) {
    var outline = OutlineBuilder()
    var date = 0.0
    var declared: UInt64 = 0
    var pointMask: UInt64 = 0
    var constantMask: UInt64 = 0
    var constants = message.offset..<message.offset
    var points = message.offset..<message.offset
    var reader = message
    while let field = try reader.nextField() {
      switch field.number {
      case PathField.creationDate: date = try reader.double(field, "path's date")
      case PathField.count: declared = try reader.number(field, "number of points")
      case PathField.pointChannels: pointMask = try reader.number(field, "channels of points")
      case PathField.constantChannels:
        constantMask = try reader.number(field, "constant channels")
      case PathField.constants: constants = try reader.range(field, "constant values")
      case PathField.points: points = try reader.range(field, "points")
      default:
        outline.keep(field, of: bytes)
        continue
      }
      outline.mark(field.number)
    }
    let unknown = (pointMask | constantMask) & ~RecordLayout.knownMask
    guard unknown == 0 else {
      throw PencilKitError(.unknownChannels(mask: unknown), at: message.offset)
    }
    guard pointMask & constantMask == 0 else {
      throw PencilKitError(.repeatedChannels(mask: pointMask & constantMask), at: message.offset)
    }
    // Locations in every point bound the count by bytes that are really there.
    guard pointMask & 1 == 1 else { throw PencilKitError(.noLocations, at: message.offset) }
    let layout = RecordLayout(mask: pointMask)
    let constantLayout = RecordLayout(mask: constantMask)
    guard constants.count == constantLayout.size else {
      throw PencilKitError(
        .size(field: "constant values", expected: constantLayout.size, actual: constants.count),
        at: constants.lowerBound)
    }
    guard points.count.isMultiple(of: layout.size),
      declared == UInt64(points.count / layout.size)
    else {
      throw PencilKitError(
        .pointCount(declared: declared, bytes: points.count, bytesPerPoint: layout.size),
        at: points.lowerBound)
    }
    let columns = PointRecords.columns(
      bytes, records: points, layout: layout, count: points.count / layout.size,
      constants: constants, constantLayout: constantLayout, scale: .current)
    if let bad = columns.firstNotFinite {
      throw PencilKitError(
        .notFinite(field: "\(bad.channel) of point \(bad.index)"),
        at: points.lowerBound + bad.index * layout.size)
    }
    let path = PKStrokePath(
      columns: columns, creationDate: Timestamp(secondsSinceReferenceDate: date))
    return (path, outline)
  }

  /// The strokes that a record shows: none when it was deleted, one, or the pieces an eraser left.
  private func strokes(
    of record: Record, index: Int, at offset: Int
  ) throws(PencilKitError) -> [PKStroke] {
    guard let path = record.path else { return [] }
    guard record.inkIndex < UInt64(inks.count) else {
      throw PencilKitError(.inkIndex(record.inkIndex, tableSize: inks.count), at: offset)
    }
    let identifier = record.identifier ?? WrdDecoder.nameless(index)
    var stroke = PKStroke(
      ink: inks[Int(record.inkIndex)], path: path, transform: record.transform,
      mask: record.mask, randomSeed: record.flags.seed, id: identifier,
      renderGroupID: record.group)
    stroke.archivedBounds = record.bounds
    if record.mask != nil { stroke.archivedMaskRanges = Self.ranges(record.ranges) }
    guard !record.pieces.isEmpty else { return [stroke] }
    return record.pieces.enumerated().map { number, piece in
      let pieceID = piece.identifier ?? identifier.derived("piece", number)
      var part = stroke.renamed(pieceID)
      part.mask = piece.mask
      part.archivedBounds = piece.bounds
      if piece.mask != nil {
        part.archivedMaskRanges = Self.ranges(piece.ranges)
      } else if !piece.ranges.isEmpty {
        let ranges = Self.ranges(piece.ranges)
        if let first = ranges.first, let last = ranges.last {
          part.pathRange =
            min(first.lowerBound, last.lowerBound)...max(first.upperBound, last.upperBound)
        }
        part.archivedMaskRanges = ranges
        part.archivedBounds = piece.bounds
      }
      part.parentID = pieceID == identifier ? nil : identifier
      return part
    }
  }

  /// The identifier of a stroke that was written without one.
  static func nameless(_ index: Int) -> Identifier { Identifier.zero.derived("stroke", index) }

  private static func ranges(_ bounds: [Double]) -> [ClosedRange<Double>] {
    stride(from: 0, to: bounds.count - 1, by: 2).map {
      min(bounds[$0], bounds[$0 + 1])...max(bounds[$0], bounds[$0 + 1])
    }
  }
}

extension PKInk {
  /// An entry of an ink table. What else it says stays in the archive's outline.
  init(decoding message: WireReader) throws(PencilKitError) {
    var identifier = ""
    var color = Color.black
    var reader = message
    while let field = try reader.nextField() {
      switch field.number {
      case InkField.color:
        let v = try reader.floats(field, count: 4, "ink's colour").map(Double.init)
        color = Color(red: v[0], green: v[1], blue: v[2], alpha: v[3])
      case InkField.identifier: identifier = try reader.text(field, "ink's identifier")
      default: break
      }
    }
    self.init(InkType(rawValue: identifier), color: color)
  }
}
