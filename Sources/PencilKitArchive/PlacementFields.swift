import Graphics
import Strokes

// Where a stroke lies: its bounds and its transform, which are written alike in all forms. The model
// holds them, except where writing them anew would give other bytes; those stay in the outline and
// are used as long as they say what the stroke says.

extension WireWriter {
  /// Reads a stroke's bounds and marks their place in this outline. A box that says nothing, which
  /// archives have as often as one that does, stays there and gives nil.
  mutating func outlineBounds(
    _ field: WireField, of reader: WireReader, isKept: Bool = false
  ) throws(PencilKitError) -> Rect? {
    let box = try reader.box(field)
    outline(field, of: reader, as: box.archiveValues, count: 4, isKept: isKept || box.saysNothing)
    return box.saysNothing ? nil : box
  }

  /// Reads a stroke's transform and marks its place in this outline.
  mutating func outlineTransform(
    _ field: WireField, of reader: WireReader
  ) throws(PencilKitError) -> AffineTransform {
    let transform = try reader.transform(field)
    outline(field, of: reader, as: transform.archiveValues, count: 6, isKept: false)
    return transform
  }

  private mutating func outline(
    _ field: WireField, of reader: WireReader, as values: SIMD8<Double>, count: Int, isKept: Bool
  ) {
    if !isKept, reader.holds(field, values, count: count) {
      mark(field.number)
    } else {
      append(field, of: reader)
    }
  }

  /// Writes a stroke's bounds over the field of an outline.
  mutating func bounds(
    _ number: Int, of stroke: PKStroke, over field: WireField?, of old: WireReader?
  ) {
    let bounds = stroke.renderBounds
    if let old, let field, !field.payload.isEmpty, let box = try? old.box(field),
      box == bounds || box.saysNothing
    {
      return append(field, of: old)
    }
    self.field(number, floats: (bounds.isNull ? .zero : bounds).archiveValues, count: 4)
  }

  /// Writes a stroke's transform over the field of an outline; the identity is not told.
  mutating func transform(
    _ number: Int, of stroke: PKStroke, over field: WireField?, of old: WireReader?
  ) {
    let transform = stroke.transform
    guard field != nil || !transform.isIdentity else { return }
    if let old, let field, !field.payload.isEmpty, (try? old.transform(field)) == transform {
      return append(field, of: old)
    }
    self.field(number, floats: transform.archiveValues, count: 6)
  }
}

extension WireReader {
  /// The box in a field; the null one where it lies at infinity.
  fileprivate func box(_ field: WireField) throws(PencilKitError) -> Rect {
    if holds(field, Rect.null.archiveValues, count: 4) { return .null }
    let v = try floats(field, "stroke's bounds")
    return Rect(x: v[0], y: v[1], width: v[2], height: v[3])
  }

  fileprivate func transform(_ field: WireField) throws(PencilKitError) -> AffineTransform {
    let v = try floats(field, "stroke's transform")
    return AffineTransform(a: v[0], b: v[1], c: v[2], d: v[3], tx: v[4], ty: v[5])
  }
}

extension Rect {
  /// Whether this is what archives hold in place of bounds that were not worked out: the empty box
  /// at the origin, or at infinity.
  fileprivate var saysNothing: Bool { isNull || self == .zero }

  /// The numbers that an archive holds of a box.
  fileprivate var archiveValues: SIMD8<Double> {
    isNull
      ? SIMD8(.infinity, .infinity, 0, 0, 0, 0, 0, 0)
      : SIMD8(minX, minY, width, height, 0, 0, 0, 0)
  }
}

extension AffineTransform {
  /// The numbers that an archive holds of a transform.
  fileprivate var archiveValues: SIMD8<Double> { SIMD8(a, b, c, d, tx, ty, 0, 0) }
}
