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
  private var strokes: [PKStroke] = []
  private var outline = WireWriter()
  private var layouts = RecordLayouts()

  static func decode(_ bytes: [UInt8], from start: Int) throws(PencilKitError) -> DecodedArchive {
    guard bytes.count >= start + headerSize else {
      throw PencilKitError(.truncated, at: bytes.count)
    }
    var decoder = WrdDecoder(bytes: bytes)
    try decoder.readDrawing(from: start)
    return DecodedArchive(strokes: decoder.strokes, outline: decoder.outline.bytes)
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private mutating func readDrawing(from start: Int) throws(PencilKitError) {
    let message = WireReader(bytes, in: start + Self.headerSize..<bytes.count)
    strokes.reserveCapacity(try readInks(message))
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
  }

  /// Reads a stroke and writes its outline.
  private mutating func readStroke(
    _ message: WireReader, isPiece: Bool
  ) throws(PencilKitError) -> Record {
    var record = Record()
    let outlineStart = outline.bytes.count
    var reader = message
    while let field = try reader.nextField() {
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
        let v = try reader.floats(field, "stroke's bounds")
        record.bounds = Rect(x: v[0], y: v[1], width: v[2], height: v[3])
        outline.mark(field.number)
      case StrokeField.transform where !isPiece:
        let v = try reader.floats(field, "stroke's transform")
        record.transform = AffineTransform(a: v[0], b: v[1], c: v[2], d: v[3], tx: v[4], ty: v[5])
        outline.mark(field.number)
      case StrokeField.flags:
        record.flags.rawValue = try reader.number(field, "stroke's flags")
        outline.field(field.number, number: record.flags.withoutSeed)
      case StrokeField.mask:
        record.mask = try readMask(reader, field)
        outline.mark(field.number)
      case StrokeField.ranges:
        if record.ranges.isEmpty { outline.mark(field.number) }
        record.ranges.append(Double(try reader.float(field, "range")))
      case StrokeField.pieces where !isPiece:
        let mark = outline.begin(field.number)
        record.pieces.append(try readStroke(try reader.message(field, "piece"), isPiece: true))
        outline.end(mark)
      case StrokeField.group where !isPiece:
        record.group = try reader.identifier(field, "stroke's group")
        outline.mark(field.number)
      default:
        outline.append(field, of: reader)
      }
    }
    if !isPiece, record.path == nil {
      // The model does not hold deleted strokes, so all of this one is kept.
      outline.removeAll(after: outlineStart)
      outline.append(bytes[message.offset..<message.end])
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
    let columns = try PointRecords.checkedColumns(
      bytes, records: range, declaredCount: UInt64(range.count / 8),
      layout: RecordLayout(mask: 1), scale: .current)
    return Path(
      polygon: (0..<columns.count).map {
        Point(x: Double(columns.float(.x, at: $0)), y: Double(columns.float(.y, at: $0)))
      })
  }

  private mutating func readPath(_ message: WireReader) throws(PencilKitError) -> PKStrokePath {
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
        outline.append(field, of: reader)
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
    guard pointMask & 1 == 1 else { throw PencilKitError(.noLocations, at: message.offset) }
    let (layout, constantLayout) = layouts.layouts(points: pointMask, constants: constantMask)
    let columns = try PointRecords.checkedColumns(
      bytes, records: points, declaredCount: declared, layout: layout, constants: constants,
      constantLayout: constantLayout, scale: .current)
    return PKStrokePath(
      columns: columns, creationDate: Timestamp(secondsSinceReferenceDate: date))
  }

  /// Adds the strokes that a record shows: none when it was deleted, one, or the pieces that an
  /// eraser left.
  private mutating func addStrokes(
    of record: Record, index: Int, at offset: Int
  ) throws(PencilKitError) {
    guard let path = record.path else { return }
    guard record.inkIndex < UInt64(inks.count) else {
      throw PencilKitError(.inkIndex(record.inkIndex, tableSize: inks.count), at: offset)
    }
    let identifier = record.identifier ?? Self.nameless(index)
    var stroke = PKStroke(
      ink: inks[Int(record.inkIndex)], path: path, transform: record.transform,
      mask: record.mask, randomSeed: record.flags.seed, id: identifier,
      renderGroupID: record.group)
    stroke.archivedBounds = record.bounds
    if record.mask != nil { stroke.archivedMaskRanges = Self.ranges(record.ranges) }
    if record.pieces.isEmpty { strokes.append(stroke) }
    for (number, piece) in record.pieces.enumerated() {
      let pieceID = piece.identifier ?? identifier.derived("piece", number)
      var part = stroke.renamed(pieceID)
      let ranges = Self.ranges(piece.ranges)
      part.mask = piece.mask
      // Without a mask the ranges themselves say what is left.
      if piece.mask == nil, let first = ranges.first, let last = ranges.last {
        let bounds = (first.lowerBound, last.lowerBound, first.upperBound, last.upperBound)
        part.pathRange = min(bounds.0, bounds.1)...max(bounds.2, bounds.3)
      }
      if piece.mask != nil || !piece.ranges.isEmpty { part.archivedMaskRanges = ranges }
      part.archivedBounds = piece.bounds
      part.parentID = identifier
      strokes.append(part)
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
        let v = try reader.floats(field, "ink's colour")
        color = Color(red: v[0], green: v[1], blue: v[2], alpha: v[3])
      case InkField.identifier: identifier = try reader.text(field, "ink's identifier")
      default: break
      }
    }
    self.init(InkType(rawValue: identifier), color: color)
  }
}
