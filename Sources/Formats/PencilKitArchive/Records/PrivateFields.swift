import Graphics
import Strokes

// Values of PencilKit's interface that no known field of an archive stores. This package writes
// them into fields of its own, only if they differ from the default, so that archives without them
// keep their bytes. Protobuf readers skip unknown fields.

/// A part of a stroke, in the piece whose mask shows the part to other readers.
struct ArchivePart {
  /// The numbers of the message's fields: two doubles, and the contours of a mask.
  private static let (lower, upper, mask) = (1, 2, 3)

  /// The parameter values that the part reaches from and to.
  var range: ClosedRange<Double>
  /// The stroke's own mask, in addition to that of the part.
  var ownMask: Path?

  init(range: ClosedRange<Double>, ownMask: Path?) {
    self.range = range
    self.ownMask = ownMask
  }

  init(decoding message: WireReader) throws(PencilKitError) {
    var (from, to) = (0.0, 0.0)
    var contours: [[Point]]?
    var reader = message
    while let field = try reader.nextField() {
      switch field.number {
      case Self.lower: from = try reader.double(field, "part's start")
      case Self.upper: to = try reader.double(field, "part's end")
      case Self.mask:
        if contours == nil { contours = [] }
        contours?.append(try PointRecords.contour(field, of: reader))
      default: break
      }
    }
    ownMask = contours.map { Path(polygons: $0) }
    range = min(from, to)...max(from, to)
  }

  func write(into writer: inout WireWriter) {
    writer.field(StrokeField.part) { message in
      message.field(Self.lower, double: range.lowerBound)
      message.field(Self.upper, double: range.upperBound)
      if let ownMask { message.field(Self.mask, contoursOf: ownMask) }
    }
  }
}

extension StrokeRenderState {
  /// The numbers of the message's fields: two doubles.
  private static let (x, y) = (1, 2)

  init(decoding message: WireReader) throws(PencilKitError) {
    var (offsetX, offsetY): (Double?, Double?)
    var reader = message
    while let field = try reader.nextField() {
      switch field.number {
      case Self.x: offsetX = try reader.double(field, "start of the grain")
      case Self.y: offsetY = try reader.double(field, "start of the grain")
      default: break
      }
    }
    var offset: Point?
    if let offsetX, let offsetY { offset = Point(x: offsetX, y: offsetY) }
    self = .state(grainOffset: offset)
  }

  func write(into writer: inout WireWriter) {
    guard case .state(let grainOffset) = self else { return }
    writer.field(StrokeField.renderState) { message in
      guard let grainOffset else { return }
      message.field(Self.x, double: grainOffset.x)
      message.field(Self.y, double: grainOffset.y)
    }
  }
}

extension PointColumns {
  /// The points with the lateral jitter of a field: one float for all of them, or one for each.
  func adding(
    jitter payload: Range<Int>, of reader: WireReader
  ) throws(PencilKitError) -> PointColumns {
    let expected = payload.count == 4 ? 4 : 4 * count
    guard payload.count == expected else {
      throw PencilKitError(
        .size(field: "lateral jitter", expected: expected, actual: payload.count),
        at: payload.lowerBound)
    }
    var values: [Float] = []
    values.reserveCapacity(payload.count / 4)
    for offset in stride(from: payload.lowerBound, to: payload.upperBound, by: 4) {
      values.append(try reader.float(at: offset, before: payload.upperBound, "lateral jitter"))
    }
    return withLateralJitter(values)
  }

  /// The bytes of that field.
  private var jitterBytes: [UInt8] {
    let (start, step) = layout(of: .lateralJitter)
    return floats[start..<start + (step == 1 ? count : 1)].flatMap { value in
      (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * $0)) }
    }
  }

  /// Writes that field if there is jitter, or if the field was there before.
  func writeJitter(over old: WireField?, into writer: inout WireWriter) {
    let (start, step) = layout(of: .lateralJitter)
    guard count > 0, old != nil || step == 1 || floats[start] != 1 else { return }
    writer.field(PathField.lateralJitter, bytes: jitterBytes)
  }
}

extension PointRecords {
  /// The corners of one contour of a mask: a field of pairs of floats.
  static func contour(
    _ field: WireField, of reader: WireReader
  ) throws(PencilKitError) -> [Point] {
    let range = try reader.range(field, "mask")
    guard range.count.isMultiple(of: 8) else {
      throw PencilKitError(
        .size(field: "mask", expected: range.count / 8 * 8, actual: range.count),
        at: range.lowerBound)
    }
    let columns = try checkedColumns(
      reader.bytes, records: range, declaredCount: UInt64(range.count / 8),
      layout: RecordLayout(mask: 1), scale: .current)
    return (0..<columns.count).map {
      Point(x: Double(columns.float(.x, at: $0)), y: Double(columns.float(.y, at: $0)))
    }
  }
}
