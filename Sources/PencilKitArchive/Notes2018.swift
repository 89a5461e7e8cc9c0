import Graphics
import Strokes

/// Reads the message inside a packed drawing of Notes before iOS 13: a document with one drawing,
/// whose strokes hold 24 bytes a point.
struct Notes2018Decoder {
  private let bytes: [UInt8]
  private var inks: [PKInk] = []
  private var strokes: [PKStroke] = []

  static func decode(_ message: [UInt8]) throws(PencilKitError) -> DecodedArchive {
    var decoder = Notes2018Decoder(bytes: message)
    let outline = try decoder.readDocument()
    return DecodedArchive(strokes: decoder.strokes, outline: outline.writer.bytes)
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private mutating func readDocument() throws(PencilKitError) -> OutlineBuilder {
    var outline = OutlineBuilder()
    var reader = WireReader(bytes, in: 0..<bytes.count)
    var hasDrawing = false
    while let field = try reader.nextField() {
      if field.number == Document2018Field.content, !hasDrawing {
        var content = try reader.message(field, "document")
        var contentOutline = OutlineBuilder()
        while let part = try content.nextField() {
          if part.number == Document2018Field.drawing, !hasDrawing {
            hasDrawing = true
            contentOutline.keep(
              part.number, outline: try readDrawing(try content.message(part, "drawing")))
          } else {
            contentOutline.keep(part, of: bytes)
          }
        }
        outline.keep(field.number, outline: contentOutline)
      } else {
        outline.keep(field, of: bytes)
      }
    }
    guard hasDrawing else { throw PencilKitError(.missing(field: "drawing"), at: bytes.count) }
    return outline
  }

  private mutating func readDrawing(
    _ message: WireReader
  ) throws(PencilKitError) -> OutlineBuilder {
    var strokeCount = 0
    var reader = message
    while let field = try reader.nextField() {
      if field.number == DrawingField.strokes { strokeCount += 1 }
      if field.number == DrawingField.inks {
        inks.append(try PKInk(decoding: try reader.message(field, "ink")))
      }
    }
    strokes.reserveCapacity(strokeCount)
    var outline = OutlineBuilder()
    var index = 0
    reader = message
    while let field = try reader.nextField() {
      guard field.number == DrawingField.strokes else {
        outline.keep(field, of: bytes)
        continue
      }
      outline.keep(
        field.number, outline: try readStroke(try reader.message(field, "stroke"), index: index))
      index += 1
    }
    return outline
  }

  /// Adds the stroke of a message, unless it was deleted: then it has no points.
  private mutating func readStroke(
    _ message: WireReader, index: Int
  ) throws(PencilKitError) -> OutlineBuilder {
    var outline = OutlineBuilder()
    var identifier = WrdDecoder.nameless(index)
    var inkIndex: UInt64 = 0
    var declared: UInt64 = 0
    var points: Range<Int>?
    var bounds: Rect?
    var transform = AffineTransform.identity
    var date = 0.0
    var reader = message
    while let field = try reader.nextField() {
      switch field.number {
      case Stroke2018Field.ink:
        inkIndex = try reader.number(field, "stroke's ink")
        outline.keep(field, of: bytes)
        continue
      case Stroke2018Field.identifier:
        identifier = try reader.identifier(field, "stroke's identifier")
        outline.keep(field, of: bytes)
        continue
      case Stroke2018Field.count: declared = try reader.number(field, "number of points")
      case Stroke2018Field.points: points = try reader.range(field, "points")
      case Stroke2018Field.bounds:
        let v = try reader.floats(field, count: 4, "stroke's bounds").map(Double.init)
        bounds = Rect(x: v[0], y: v[1], width: v[2], height: v[3])
      case Stroke2018Field.transform:
        let v = try reader.floats(field, count: 6, "stroke's transform").map(Double.init)
        transform = AffineTransform(a: v[0], b: v[1], c: v[2], d: v[3], tx: v[4], ty: v[5])
      case Stroke2018Field.creationDate:
        // A deleted stroke keeps its date, so it stays in the outline too.
        date = try reader.double(field, "path's date")
        outline.keep(field, of: bytes)
        continue
      default:
        outline.keep(field, of: bytes)
        continue
      }
      outline.mark(field.number)
    }
    guard let points else {
      var verbatim = OutlineBuilder()
      verbatim.writer.append(bytes[message.offset..<message.end])
      return verbatim
    }
    let layout = RecordLayout.notes2018
    guard points.count.isMultiple(of: layout.size),
      declared == UInt64(points.count / layout.size)
    else {
      throw PencilKitError(
        .pointCount(declared: declared, bytes: points.count, bytesPerPoint: layout.size),
        at: points.lowerBound)
    }
    guard inkIndex < UInt64(inks.count) else {
      throw PencilKitError(.inkIndex(inkIndex, tableSize: inks.count), at: message.offset)
    }
    let columns = PointRecords.columns(
      bytes, records: points, layout: layout, count: points.count / layout.size,
      constants: 0..<0, constantLayout: RecordLayout([]), scale: .notes2018)
    if let bad = columns.firstNotFinite {
      throw PencilKitError(
        .notFinite(field: "\(bad.channel) of point \(bad.index)"),
        at: points.lowerBound + bad.index * layout.size)
    }
    var stroke = PKStroke(
      ink: inks[Int(inkIndex)],
      // The form has no way to say that a channel is the same in all points; ours has.
      path: PKStrokePath(
        columns: columns.compacted, creationDate: Timestamp(secondsSinceReferenceDate: date)),
      transform: transform, id: identifier)
    stroke.archivedBounds = bounds
    strokes.append(stroke)
    return outline
  }
}

/// Writes the message of 2018 over the outline that its reader left.
enum Notes2018Encoder {
  /// The message, or nil where the strokes are not all from the outline.
  static func encode(_ strokes: [PKStroke], over outline: [UInt8]) -> [UInt8]? {
    let document = WireReader(outline, in: 0..<outline.count)
    guard let contentField = document.first(Document2018Field.content) else { return nil }
    let content = contentField.message(in: document)
    guard let drawingField = content.first(Document2018Field.drawing) else { return nil }
    let drawing = drawingField.message(in: content)

    var records: [OutlineRecord] = []
    var reader = drawing
    while let field = try? reader.nextField() {
      guard field.number == DrawingField.strokes else { continue }
      records.append(OutlineRecord(outline2018: field.message(in: reader), index: records.count))
    }
    var body = WireWriter()
    for entry in RecordPlan(strokes: strokes, records: records).entries {
      switch entry {
      case .kept(let record, let group):
        guard group.count == 1, let stroke = group.first, stroke.mask == nil,
          stroke.path.columns.scale == .notes2018
        else { return nil }
        body.field(DrawingField.strokes) {
          $0.merge(fields(of: stroke), over: WireReader(outline, in: record.range))
        }
      case .deleted(let record):
        body.field(DrawingField.strokes) { writeDeleted(record, of: outline, into: &$0) }
      case .new: return nil
      }
    }

    func replacing(_ number: Int, in message: WireReader, _ bytes: [UInt8]) -> [UInt8] {
      var writer = WireWriter()
      writer.merge([ModelField(number) { $0.append(bytes) }], over: message)
      return writer.bytes
    }
    func wrapped(_ number: Int, _ bytes: [UInt8]) -> [UInt8] {
      var writer = WireWriter()
      writer.field(number, bytes: bytes)
      return writer.bytes
    }
    let newDrawing =
      records.isEmpty
      ? Array(outline[drawingField.payload])
      : replacing(DrawingField.strokes, in: drawing, body.bytes)
    let newContent = replacing(
      Document2018Field.drawing, in: content, wrapped(Document2018Field.drawing, newDrawing))
    return replacing(
      Document2018Field.content, in: document, wrapped(Document2018Field.content, newContent))
  }

  private static func fields(of stroke: PKStroke) -> [ModelField] {
    let columns = stroke.path.columns
    let bounds = stroke.renderBounds
    let transform = stroke.transform
    return [
      ModelField(Stroke2018Field.count) {
        $0.field(Stroke2018Field.count, number: UInt64(columns.count))
      },
      ModelField(Stroke2018Field.points) {
        $0.field(
          Stroke2018Field.points,
          bytes: PointRecords.records(columns, layout: .notes2018, count: columns.count))
      },
      ModelField(Stroke2018Field.bounds, isNeeded: false) {
        $0.field(
          Stroke2018Field.bounds, floats: [bounds.minX, bounds.minY, bounds.width, bounds.height])
      },
      ModelField(Stroke2018Field.transform, isNeeded: !transform.isIdentity) {
        let t = transform
        $0.field(Stroke2018Field.transform, floats: [t.a, t.b, t.c, t.d, t.tx, t.ty])
      },
      ModelField(Stroke2018Field.creationDate, isNeeded: false) {
        $0.field(
          Stroke2018Field.creationDate,
          double: stroke.path.creationDate.secondsSinceReferenceDate)
      },
    ]
  }

  private static func writeDeleted(
    _ record: OutlineRecord, of outline: [UInt8], into writer: inout WireWriter
  ) {
    guard record.hasPath else { return writer.append(outline[record.range]) }
    let gone = [
      Stroke2018Field.count, Stroke2018Field.points, Stroke2018Field.bounds,
      Stroke2018Field.transform, Stroke2018Field.pathIdentifier,
    ]
    let hidden = ModelField(Stroke2018Field.hidden) { $0.field(Stroke2018Field.hidden, number: 1) }
    writer.merge(
      gone.map { ModelField(dropping: $0) } + [hidden], over: WireReader(outline, in: record.range))
  }
}

extension OutlineRecord {
  /// The record of a stroke's outline in a drawing of 2018.
  init(outline2018 outline: WireReader, index: Int) {
    self.init(
      range: outline.offset..<outline.end,
      identifier: outline.firstIdentifier(Stroke2018Field.identifier) ?? WrdDecoder.nameless(index),
      hasPath: outline.first(Stroke2018Field.points) != nil,
      inkIndex: outline.first(Stroke2018Field.ink)?.value ?? 0)
  }
}
