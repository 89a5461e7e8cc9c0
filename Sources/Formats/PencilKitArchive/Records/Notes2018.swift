import Graphics
import Strokes

/// Reads the message inside a compressed drawing of Notes before iOS 13: a document with one
/// drawing, whose strokes hold 24 bytes for each point.
struct Notes2018Decoder {
  private let bytes: [UInt8]
  private var inks: [PKInk] = []
  private var strokes: [PKStroke] = []
  private var outline = WireWriter()

  static func decode(_ message: [UInt8]) throws(PencilKitError) -> DecodedArchive {
    var decoder = Notes2018Decoder(bytes: message)
    try decoder.readDocument()
    return DecodedArchive(strokes: decoder.strokes, outline: decoder.outline.bytes)
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  /// Reads the document and its drawing. A second drawing would not be shown, so the outline keeps
  /// it unchanged.
  private mutating func readDocument() throws(PencilKitError) {
    var reader = WireReader(bytes, in: 0..<bytes.count)
    var hasDrawing = false
    while let field = try reader.nextField() {
      guard field.number == Document2018Field.content, !hasDrawing else {
        outline.append(field, of: reader)
        continue
      }
      let contentMark = outline.begin(field.number)
      var content = try reader.message(field, "document")
      while let part = try content.nextField() {
        guard part.number == Document2018Field.drawing, !hasDrawing else {
          outline.append(part, of: content)
          continue
        }
        hasDrawing = true
        let drawingMark = outline.begin(part.number)
        try readDrawing(try content.message(part, "drawing"))
        outline.end(drawingMark)
      }
      outline.end(contentMark)
    }
    guard hasDrawing else { throw PencilKitError(.missing(field: "drawing"), at: bytes.count) }
  }

  /// Reads the ink table first, since strokes refer to it, and then the strokes.
  private mutating func readDrawing(_ message: WireReader) throws(PencilKitError) {
    var strokeCount = 0
    var reader = message
    while let field = try reader.nextField() {
      if field.number == DrawingField.strokes { strokeCount += 1 }
      if field.number == DrawingField.inks {
        inks.append(try PKInk(decoding: try reader.message(field, "ink")))
      }
    }
    // Every stroke that is shown has at least one point.
    strokes.reserveCapacity(
      min(strokeCount, (message.end - message.offset) / RecordLayout.notes2018.size))
    var index = 0
    reader = message
    while let field = try reader.nextField() {
      guard field.number == DrawingField.strokes else {
        outline.append(field, of: reader)
        continue
      }
      let mark = outline.begin(field.number)
      try readStroke(try reader.message(field, "stroke"), index: index)
      outline.end(mark)
      index += 1
    }
  }

  /// Adds the stroke of a message, unless it was deleted; a deleted stroke has no points.
  private mutating func readStroke(
    _ message: WireReader, index: Int
  ) throws(PencilKitError) {
    let outlineStart = outline.bytes.count
    var identifier: Identifier?
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
        outline.append(field, of: reader)
      case Stroke2018Field.identifier:
        identifier = try reader.identifier(field, "stroke's identifier")
        outline.append(field, of: reader)
      case Stroke2018Field.count:
        declared = try reader.number(field, "number of points")
        outline.appendPlaceholder(field.number)
      case Stroke2018Field.points:
        points = try reader.range(field, "points")
        outline.appendPlaceholder(field.number)
      case Stroke2018Field.bounds:
        bounds = try outline.outlineBounds(field, of: reader)
      case Stroke2018Field.transform:
        transform = try outline.outlineTransform(field, of: reader)
      case Stroke2018Field.creationDate:
        // A deleted stroke keeps its date, so it stays in the outline too.
        date = try reader.double(field, "path's date")
        outline.append(field, of: reader)
      default:
        outline.append(field, of: reader)
      }
    }
    // A stroke without points shows nothing. Only a message with the bytes of a point becomes a
    // stroke; otherwise a compressed file of two kilobytes could demand hundreds of megabytes of
    // strokes.
    guard let points, !points.isEmpty else {
      outline.removeAll(after: outlineStart)
      outline.append(bytes[message.offset..<message.end])
      return
    }
    let columns = try PointRecords.checkedColumns(
      bytes, records: points, declaredCount: declared, layout: .notes2018, scale: .notes2018,
      repeatsConstants: true)
    guard inkIndex < UInt64(inks.count) else {
      throw PencilKitError(.inkIndex(inkIndex, tableSize: inks.count), at: message.offset)
    }
    var stroke = PKStroke(
      ink: inks[Int(inkIndex)],
      path: PKStrokePath(
        columns: columns, creationDate: Timestamp(secondsSinceReferenceDate: date)),
      transform: transform, id: identifier ?? WrdDecoder.derivedIdentifier(index))
    stroke.archivedBounds = bounds
    strokes.append(stroke)
  }
}

/// Writes the message of 2018: the outline with the model's fields in place of its placeholders.
enum Notes2018Encoder {
  /// The message; nil if a stroke does not come from the outline, or the form cannot hold it.
  static func encode(_ strokes: [PKStroke], over outline: [UInt8]) -> [UInt8]? {
    let document = WireReader(outline, in: 0..<outline.count)
    var contents = document
    var found: (content: WireField, drawing: WireField)?
    while found == nil, let field = try? contents.nextField() {
      guard field.number == Document2018Field.content else { continue }
      found = field.message(in: document).first(Document2018Field.drawing).map { (field, $0) }
    }
    guard let (contentField, drawingField) = found else { return nil }
    let content = contentField.message(in: document)
    guard let body = self.strokes(strokes, over: drawingField.message(in: content)) else {
      return nil
    }

    var writer = WireWriter()
    writer.reserve(outline.count + body.bytes.count)
    replaceFirst(contentField, in: document, into: &writer) { writer in
      replaceFirst(drawingField, in: content, into: &writer) { writer in
        let drawing = drawingField.message(in: content)
        guard drawing.first(DrawingField.strokes) != nil else {
          return writer.append(outline[drawingField.payload])
        }
        writer.merge([DrawingField.strokes], over: drawing) { _, _, writer in
          writer.append(body.bytes)
        }
      }
    }
    return writer.bytes
  }

  /// Copies a message with one of the messages inside it replaced.
  private static func replaceFirst(
    _ field: WireField, in message: WireReader, into writer: inout WireWriter,
    _ write: (inout WireWriter) -> Void
  ) {
    var reader = message
    while let next = try? reader.nextField() {
      if next.range == field.range {
        writer.field(field.number, message: write)
      } else {
        writer.append(next, of: reader)
      }
    }
  }

  /// The stroke fields of the drawing; nil if a stroke cannot be written in this form.
  private static func strokes(
    _ strokes: [PKStroke], over drawing: WireReader
  ) -> WireWriter? {
    var records: [OutlineRecord] = []
    var reader = drawing
    while let field = try? reader.nextField() {
      guard field.number == DrawingField.strokes else { continue }
      records.append(
        OutlineRecord(outline2018: field.message(in: reader), index: records.count))
    }
    var writer = WireWriter()
    for entry in RecordPlan(strokes: strokes, records: records).entries {
      let mark = writer.begin(DrawingField.strokes)
      switch entry {
      case .kept(let record, let group):
        let stroke = strokes[group.lowerBound]
        guard group.count == 1, stroke.mask == nil, stroke.path.columns.scale == .notes2018
        else { return nil }
        write(stroke, over: WireReader(drawing.bytes, in: record.range), into: &writer)
      case .deleted(let record): writeDeleted(record, of: drawing, into: &writer)
      case .new: return nil
      }
      writer.end(mark)
    }
    return writer
  }

  private static func write(
    _ stroke: PKStroke, over old: WireReader, into writer: inout WireWriter
  ) {
    let columns = stroke.path.columns
    let fields: FieldNumbers = [
      Stroke2018Field.count, Stroke2018Field.points, Stroke2018Field.bounds,
      Stroke2018Field.transform, Stroke2018Field.creationDate,
    ]
    writer.merge(fields, over: old) { number, field, writer in
      switch number {
      case Stroke2018Field.count: writer.field(number, number: UInt64(columns.count))
      case Stroke2018Field.points:
        PointRecords.write(
          number, columns, layout: .notes2018, count: columns.count, into: &writer)
      case Stroke2018Field.bounds:
        if field != nil { writer.bounds(number, of: stroke, over: field, of: old) }
      case Stroke2018Field.transform:
        writer.transform(number, of: stroke, over: field, of: old)
      default:
        let date = stroke.path.creationDate.secondsSinceReferenceDate
        if field != nil || date != 0 { writer.field(number, double: date) }
      }
    }
  }

  /// Writes the remaining fields of a removed stroke in a drawing of 2018: identifier, versions,
  /// ink and date.
  private static func writeDeleted(
    _ record: OutlineRecord, of drawing: WireReader, into writer: inout WireWriter
  ) {
    guard record.isShown else { return writer.append(drawing.bytes[record.range]) }
    let removed: FieldNumbers = [
      Stroke2018Field.count, Stroke2018Field.points, Stroke2018Field.bounds,
      Stroke2018Field.hidden, Stroke2018Field.transform, Stroke2018Field.pathIdentifier,
    ]
    writer.merge(removed, over: WireReader(drawing.bytes, in: record.range)) { number, _, writer in
      if number == Stroke2018Field.hidden { writer.field(number, number: 1) }
    }
  }
}

extension OutlineRecord {
  /// Reads the record of a stroke's outline in a drawing of 2018.
  init(outline2018 outline: WireReader, index: Int) {
    var identifier: Identifier?
    var hasPoints = false
    var inkIndex: UInt64 = 0
    var reader = outline
    while let field = try? reader.nextField() {
      switch field.number {
      case Stroke2018Field.identifier: identifier = try? reader.identifier(field, "")
      case Stroke2018Field.ink: inkIndex = field.value
      // An empty field is the placeholder of a count that the model holds; a kept count is a
      // varint.
      case Stroke2018Field.count: hasPoints = field.kind == .bytes
      default: break
      }
    }
    self.init(
      range: outline.offset..<outline.end,
      identifier: identifier ?? WrdDecoder.derivedIdentifier(index),
      hasDerivedIdentifier: identifier == nil,
      isShown: hasPoints, inkIndex: inkIndex, strokeCount: 1)
  }
}
